"""Short files, and no drawer for odds and ends."""

import re
import tomllib
from pathlib import Path

import alakarte

ROOT = Path(alakarte.__file__).parent
EXTRAS = "optional-dependencies"
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def test_files_are_short():
    limits = {module: 110 if module.startswith("kernels.") else 300 for module in FILES}
    assert [m for m, path in FILES.items() if len(path.read_text(encoding="utf-8").splitlines()) > limits[m]] == []


def test_no_drawer_for_odds_and_ends():
    assert not {"utils", "helpers", "common", "misc"} & {part for module in FILES for part in module.split(".")}


def test_noise_is_named_by_its_likelihood_alone():
    """Its parameter, bounds and start; all others get a variance from the likelihood."""
    users = {module for module, path in FILES.items() if "log_noise_std" in path.read_text(encoding="utf-8")}
    assert users == {"likelihoods.gaussian"}


def test_numbers_that_steer_a_search_stand_in_its_policy():
    """Other files of the room have none but those that belong to a formula, and say so with an underscore."""
    allowed = {"search.policy": None, "search.coordinates": {"STRETCH"}, "search.stopping": {"NOT_BEGUN"}}
    strays = {}
    for module, path in FILES.items():
        if module.startswith("search.") and module != "search.policy":
            names = set(re.findall(r"^([A-Z][A-Z_]+) *=", path.read_text(encoding="utf-8"), re.MULTILINE))
            if names - (allowed.get(module) or set()):
                strays[module] = names
    assert strays == {}


def test_no_attribute_is_probed_and_no_message_decides():
    """Capabilities are declared."""
    probing = {m for m, path in FILES.items() if "hasattr(" in path.read_text(encoding="utf-8")}
    assert probing == set()
    deciding = {m for m, path in FILES.items() if "reason.startswith" in path.read_text(encoding="utf-8")}
    assert deciding == set()


def test_the_oldest_versions_are_those_that_are_declared():
    root = Path(__file__).parents[2]
    declared = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*declared["dependencies"], *(each for part in ("progress", "test") for each in declared[EXTRAS][part])]
    least = dict(re.fullmatch(r"([\w-]+)>=([\d.]+)", requirement).groups() for requirement in wanted)
    lines = (root / "constraints-oldest.txt").read_text(encoding="utf-8").splitlines()
    pinned = dict(line.split("==") for line in lines if "==" in line)
    assert set(least) - set(pinned) == {"ruff", "mypy", "scipy-stubs"}  # they check the source, not a run
    for name, version in pinned.items():
        assert version == least[name] or version.startswith(f"{least[name]}."), name

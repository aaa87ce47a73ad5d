"""Short files, and no drawer for odds and ends."""

from pathlib import Path

import alakarte

ROOT = Path(alakarte.__file__).parent
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for path in sorted(ROOT.rglob("*.py"))
}


def test_files_are_short():
    limits = {module: 110 if module.startswith("kernels.") else 300 for module in FILES}
    assert [m for m, path in FILES.items() if len(path.read_text(encoding="utf-8").splitlines()) > limits[m]] == []


def test_no_drawer_for_odds_and_ends():
    assert not {"utils", "helpers", "common", "misc"} & {part for module in FILES for part in module.split(".")}

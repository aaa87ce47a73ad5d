"""What a newcomer reads is kept true: README, guides, errata, versions."""

import importlib
import importlib.metadata
import re
from pathlib import Path

import numpy as np
import pytest

import alakarte
import alakarte.display
import alakarte.kernels
import alakarte.likelihoods
from alakarte.search import policy
from alakarte.search.cost import closed_flops, evaluation_flops, learning_columns, most_columns

ROOT = Path(__file__).parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *(ROOT / "docs").glob("*.md"),
    *(ROOT / "docs/guide").glob("*.md"),
    *(ROOT / "docs/project").glob("*.md"),
]


def test_the_example_of_the_readme_runs(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    names = {}
    exec(example, names)
    assert "relevance" in capsys.readouterr().out
    assert np.mean((names["low"] < names["y_test"]) & (names["y_test"] < names["high"])) > 0.85


def test_commands_that_documents_name_exist():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for path in DOCUMENTS:
        for target in re.findall(r"(?:`|    )make ([\w-]+)", path.read_text(encoding="utf-8")):
            assert f"\n{target}:" in makefile, f"{path.name}: make {target}"


def test_links_between_documents_lead_somewhere():
    for path in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert leads_somewhere(path.parent, link), f"{path.name}: {link}"


def leads_somewhere(folder: Path, link: str) -> bool:
    """Whether a file stands there, or what makes it: pages of the gallery are made of its programs."""
    source = link.replace("auto_examples/index", "examples/README").replace("auto_examples/plot", "examples/plot")
    made = folder / (source.replace(".rst", ".py") if "plot_" in source else source)
    return link.startswith("https://") or (folder / link).exists() or made.exists()


def test_the_guide_shows_the_real_source_of_a_kernel():
    source = (ROOT / "src/alakarte/kernels/ard.py").read_text(encoding="utf-8")
    assert source in (ROOT / "docs/add_a_kernel.md").read_text(encoding="utf-8")


def test_every_erratum_is_explained_and_tested():
    text = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    source = (ROOT / "tests/laws/test_errata.py").read_text(encoding="utf-8")
    assert re.findall(r"^\*\*E(\d+)\*\*", text, re.MULTILINE) == [str(i) for i in range(1, 25)]
    assert re.findall(r"`(test_E\d\d_\w+)`", text) == re.findall(r"^def (test_E\d\d_\w+)", source, re.MULTILINE)


def test_every_file_that_an_erratum_names_exists():
    text = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    files = [file for file in re.findall(r"`([a-z_/]+)(?:\.\w+)*`", text) if not file.startswith("test_")]
    assert files
    places = (ROOT / "src/alakarte", ROOT)
    assert [file for file in files if not any((place / f"{file}.py").exists() for place in places)] == []


def test_every_tag_of_an_erratum_in_the_source_is_explained():
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    tags = {int(tag) for tag in re.findall(r"\bE(\d+)\b", "".join(re.findall(r"\[E[^\]]*\]", sources)))}
    assert tags
    assert tags <= set(range(1, 25))


def test_the_version_stands_in_one_place():
    """In the package; the installed metadata has it from there, and the changelog has an entry for it."""
    assert importlib.metadata.version("alakarte") == alakarte.__version__
    assert f"\n## [{alakarte.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    others = [ROOT / "pyproject.toml", ROOT / "CITATION.cff", *(ROOT / "src").rglob("*.py")]
    assert [p.name for p in others if alakarte.__version__ in p.read_text(encoding="utf-8")] == ["__init__.py"]


def test_public_names_are_those_that_the_documentation_lists():
    text = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    for package in (alakarte, alakarte.kernels, alakarte.likelihoods, alakarte.display):
        [table] = re.findall(rf"from {package.__name__} import …`[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", text)
        listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
        assert listed == set(package.__all__), package.__name__
        assert all(hasattr(package, name) for name in package.__all__)


def test_the_guide_shows_the_real_source_of_a_likelihood():
    source = (ROOT / "src/alakarte/likelihoods/gaussian.py").read_text(encoding="utf-8")
    assert source in (ROOT / "docs/add_a_likelihood.md").read_text(encoding="utf-8")


STORY = (ROOT / "docs/how_a_fit_goes.md").read_text(encoding="utf-8")
SUPERSCRIPTS = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
# 1,000 or 0.002, then maybe ·10⁹ or e9; or 10⁹ alone
MANTISSA = r"(\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?)"
NUMBER = rf"(?<![\w.,]){MANTISSA}(?:(?:·10|e)([{SUPERSCRIPTS}]+|-?\d+))?(?![\w⁻])|(?<![\w.,·])10([{SUPERSCRIPTS}]+)"
# (`SCREEN_ROWS`), (`n_restarts`), (`data/merge.MERGE_ROWS`), or several of them
NAMES = r"\((`[\w./]+`(?:,\s`[\w./]+`)*)\)"


def numbers_in(text: str) -> list[float]:
    """Every number of a text: 1,000, 0.002, 5·10⁹, 5e9, 10⁻⁴."""
    found = []
    for number, exponent, power_of_ten in re.findall(NUMBER, text):
        power = (exponent or power_of_ten or "0").translate(str.maketrans(SUPERSCRIPTS, "-0123456789"))
        found.append(float(f"{number.replace(',', '') or '1'}e{power}"))
    return found


def value_of(name: str) -> object:
    """A number of the policy, a default of the estimator, or `room/file.NAME`; None for other words."""
    if name.isupper():
        return getattr(policy, name)
    if match := re.fullmatch(r"(\w+)/(\w+)\.([A-Z_]+)", name):
        return getattr(importlib.import_module(f"alakarte.{match[1]}.{match[2]}"), match[3])
    default = alakarte.GPRegressor().get_params().get(name)
    return default if isinstance(default, int | float) and not isinstance(default, bool) else None


def named_numbers() -> list[tuple[list[str], list[object], str]]:
    """What stands in brackets, its values on one flat list, and the text before it."""
    found = []
    for match in re.finditer(NAMES, STORY):
        names = [name for name in re.findall(r"`([^`]+)`", match[1]) if value_of(name) is not None]
        if names:
            values = [part for name in names for part in np.ravel(value_of(name)).tolist()]
            found.append((names, values, STORY[: match.start()]))
    return found


def test_numbers_are_read_in_all_their_forms():
    text = "1,000 rows, 0.002 nats, 5·10⁹ or 5e9 flops, 10⁻⁴, 1.5·10¹⁰; not E22, float32, n², 3nD² or `matern32`"
    assert numbers_in(text) == [1000, 0.002, 5e9, 5e9, 1e-4, 1.5e10]


def test_the_story_of_a_fit_has_the_numbers_of_the_code():
    for names, values, before in named_numbers():
        words = isinstance(values[0], str)
        told = (re.findall(r"`([^`]+)`", before) if words else numbers_in(before))[-len(values) :]
        assert told == (values if words else pytest.approx(values, rel=1e-9, abs=0)), names


def test_the_story_of_a_fit_leaves_out_no_number_of_the_policy():
    told = {name for names, _, _ in named_numbers() for name in names}
    assert {name for name in vars(policy) if name.isupper()} - told == set()


def test_the_story_of_a_fit_has_the_sizes_that_follow():
    """Sizes that are counted from the numbers of the policy."""
    story = " ".join(STORY.split())

    def closed_up_to(flops, n_inputs, n_components=1):
        return next(n for n in range(10_000) if closed_flops(n + 1, n_inputs, n_components) > flops)

    dear = closed_up_to(policy.LEARN_CLOSED_FLOPS, 4, policy.FIRST_COMPONENTS)
    last_rows = policy.LAST_FLOPS / (policy.LAST_ITERATIONS * evaluation_flops(10**6, learning_columns(10_000)) / 10**6)
    for text in (
        f"{closed_up_to(policy.LEARN_CLOSED_FLOPS, 4):,} rows of 4 inputs for `ard`",
        f"{closed_up_to(policy.LEARN_CLOSED_FLOPS, 128):,} rows of 128 inputs",
        f"(`FIRST_COMPONENTS`), which is more than {dear:,} rows of 4 inputs",
        f"(`KEEP_CLOSED_FLOPS`), which is {closed_up_to(policy.KEEP_CLOSED_FLOPS, 4):,} rows of 4 inputs",
        f"(`JOIN_CLOSED_FLOPS`), which is {closed_up_to(policy.JOIN_CLOSED_FLOPS, 4):,} rows of 4 inputs",
        f"{learning_columns(100):,} columns for a hundred rows",
        f"{learning_columns(1000):,} columns for a thousand",
        f"{learning_columns(10_000):,} columns for ten thousand",
        f"some {round(last_rows, -3):,.0f} rows with {learning_columns(10_000):,} columns",
        f"(`GROWTH_BYTES`), which is {most_columns(10_000):,} columns",
        f"four times as much: {most_columns(10_000, patient=True):,} columns",
    ):
        assert text in story


def test_the_design_has_a_line_for_every_file():
    text = (ROOT / "docs/design.md").read_text(encoding="utf-8")
    rooms = text.split("\n## The rooms\n")[1].split("\n## ")[0].split("\n### ")[1:]
    told, order = set(), []
    for section in rooms:
        heading = re.match(r"`(\w+)/`", section)
        order += [heading[1]] if heading else []
        for files in re.findall(r"^\* ((?:`\w+`(?:,\s+)?)+):", section, re.MULTILINE):
            told |= {f"{heading[1]}/{file}" if heading else file for file in re.findall(r"`(\w+)`", files)}
    package = ROOT / "src/alakarte"
    paths = [path.relative_to(package).with_suffix("") for path in package.rglob("*.py")]
    assert told == {path.as_posix() for path in paths if not path.name.startswith("__")}
    layers = (ROOT / "tests/house/test_layers.py").read_text(encoding="utf-8")
    assert order == re.findall(r'^    "(\w+)",$', layers.split("ROOMS = (")[1].split("\n)")[0], re.MULTILINE)


def test_files_that_documents_name_exist():
    """Of the package, or of the clone; those to come are marked as new."""
    pages = ("design", "how_a_fit_goes", "add_a_likelihood", "notation")
    for path in (ROOT / "CONTRIBUTING.md", *(ROOT / f"docs/{page}.md" for page in pages)):
        for file, new in re.findall(r"`((?:\w+/)+\w+\.py)`(\s\(new\))?", path.read_text(encoding="utf-8")):
            exists = any((place / file).exists() for place in (ROOT / "src/alakarte", ROOT / "src", ROOT))
            assert exists != bool(new), f"{path.name}: {file}"

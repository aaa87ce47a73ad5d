"""What a newcomer reads is kept true: README, guides, errata, versions."""

import importlib.metadata
import re
from pathlib import Path

import numpy as np

import alakarte
import alakarte.kernels
import alakarte.likelihoods

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]


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
        for target in re.findall(r"(?:`|    )make (\w+)", path.read_text(encoding="utf-8")):
            assert f"\n{target}:" in makefile, f"{path.name}: make {target}"


def test_links_between_documents_lead_somewhere():
    for path in DOCUMENTS:
        for link in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
            assert link.startswith("https://") or (path.parent / link).exists(), f"{path.name}: {link}"


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
    for package in (alakarte, alakarte.kernels, alakarte.likelihoods):
        [table] = re.findall(rf"from {package.__name__} import …`[^\n]*\n\|[-|]+\n((?:\|[^\n]*\n)+)", text)
        listed = {name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])}
        assert listed == set(package.__all__), package.__name__
        assert all(hasattr(package, name) for name in package.__all__)

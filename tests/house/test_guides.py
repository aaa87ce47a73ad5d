"""The programs of the documentation: examples of the gallery and the blocks of the guides."""

import ast
import importlib
import os
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "docs/examples").glob("plot_*.py"))
GUIDES = sorted((ROOT / "docs/guide").glob("*.md"))
CASES = [*EXAMPLES, *GUIDES, *(ROOT / f"docs/{page}.md" for page in ("categories", "index"))]


def blocks(path):
    """The Python blocks of a page as one program, or a program as it is."""
    text = path.read_text(encoding="utf-8")
    return text if path.suffix == ".py" else "\n".join(re.findall(r"```python\n(.*?)```", text, re.DOTALL))


def test_there_are_twelve_examples_and_three_stories():
    names = {path.stem for path in EXAMPLES}
    assert len(names) >= 12
    assert {"plot_chemist", "plot_utility", "plot_teacher"} <= names


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_a_program_compiles_and_imports_names_that_exist(path):
    tree = ast.parse(blocks(path))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module.split(".")[0] == "alakarte":
            module = importlib.import_module(node.module)
            assert [alias.name for alias in node.names if not hasattr(module, alias.name)] == []


@pytest.mark.skipif("ALAKARTE_DOCS" not in os.environ, reason="slow: make test-docs runs it")
@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.stem)
def test_the_blocks_of_a_guide_run_one_after_another(path, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    program = blocks(path)
    if "skrub" in program:
        pytest.importorskip("skrub")
    monkeypatch.chdir(tmp_path)
    exec(compile(program, str(path), "exec"), {"__name__": "__main__"})

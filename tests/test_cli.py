"""What a newcomer meets first: command line, demonstration (at tiny sizes), README and documents, kept true."""

import io
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import alakarte
import alakarte.cli.main as command_line
from alakarte.cli.demo import ARM_NOISE, LINKS, demo, robot_arm

ROOT = Path(__file__).parents[1]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").glob("*.md")]
TINY = {"n_rows": 60, "n_test": 40, "n_restarts": 1, "max_iter": 3}
ROW = re.compile(r"^   (ridge|ard exact|ard|pwl|gm) +([\d.]+) +(-?[\d.]+) +([\d.]+) % +([\d.]+) +([\d.]+)   #+$")


def test_the_demo_prints_what_it_measured():
    stream = io.StringIO()
    tables = demo(**TINY, stream=stream)
    lines = stream.getvalue().splitlines()
    assert max(map(len, lines)) <= 100
    assert stream.getvalue().isascii()
    rows = [match.groups() for match in map(ROW.match, lines) if match]
    results = [result for table in tables for result in table]
    assert (
        [row[0] for row in rows]
        == [result.name for result in results]
        == [*("ridge", "ard", "ard exact", "pwl", "gm")] * 2
    )
    for row, result in zip(rows, results, strict=True):
        shown = np.array(row[1:], dtype=float)
        known = [result.rmse, result.nlpd, 100 * result.coverage, result.noise_std, result.seconds]
        np.testing.assert_allclose(shown, known, atol=0.051)
    assert any(line.strip().startswith("noise std") for line in lines)


def test_a_row_says_which_model_is_learning_before_it_is_done(monkeypatch):
    stream = io.StringIO()
    seen = []

    def measure(name, *arguments):
        seen.append((name, stream.getvalue().splitlines()[-1].strip()))
        return real(name, *arguments)

    real = alakarte.cli.demo._measure
    monkeypatch.setattr(alakarte.cli.demo, "_measure", measure)
    demo(**TINY, stream=stream)
    assert all(name == last for name, last in seen)


def test_the_arm_is_what_it_says():
    angles, height = robot_arm(4000, 1)
    clean = sum(length * np.sin(angles[:, : i + 1].sum(axis=1)) for i, length in enumerate(LINKS))
    assert np.std(height - clean) == pytest.approx(ARM_NOISE, rel=0.05)
    assert np.abs(angles).max() <= np.pi


def test_demo_command(monkeypatch):
    calls = []
    monkeypatch.setattr(command_line, "demo", lambda: calls.append(1))
    assert command_line.main(["demo"]) == 0
    assert calls == [1]


def test_version_and_help(capsys):
    with pytest.raises(SystemExit, match="0"):
        command_line.main(["--version"])
    assert capsys.readouterr().out == f"alakarte {alakarte.__version__}\n"
    assert command_line.main([]) == 0
    assert "demo" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="2"):
        command_line.main(["dinner"])


def test_it_runs_as_a_module():
    result = subprocess.run([sys.executable, "-m", "alakarte", "--version"], capture_output=True, text=True, check=True)
    assert result.stdout == f"alakarte {alakarte.__version__}\n"


def test_the_readme_fits_a_screen_and_its_example_runs(capsys):
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
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
    tests = re.findall(
        r"^def (test_E\d\d_\w+)", (ROOT / "tests/test_errata.py").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert re.findall(r"^\*\*E(\d+)\*\*", text, re.MULTILINE) == [str(i) for i in range(1, 25)]
    assert re.findall(r"`(test_E\d\d_\w+)`", text) == tests
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    for file in re.findall(r"`([a-z_/]+)(?:\.\w+)*`", text):
        assert (
            file.startswith("test_")
            or list((ROOT / "src/alakarte").glob(f"{file}.py"))
            or (ROOT / f"{file}.py").exists()
        )
    assert {int(tag) for tag in re.findall(r"\bE(\d+)\b", "".join(re.findall(r"\[E[^\]]*\]", sources)))} <= set(
        range(1, 24)
    )


def test_one_version_everywhere():
    version = alakarte.__version__
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f'\nversion = "{version}"\n' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")

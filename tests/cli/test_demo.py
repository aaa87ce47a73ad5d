"""The demonstration, at tiny sizes, prints what it measured."""

import io
import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import alakarte
from alakarte.cli.demo import ARM_NOISE, LINKS, demo, robot_arm

TINY = {"n_rows": 60, "n_test": 40, "n_restarts": 1, "max_iter": 3}
ROW = re.compile(r"^   (ridge|ard exact|ard|pwl|gm) +([\d.]+) +(-?[\d.]+) +([\d.]+) % +([\d.]+) +([\d.]+)   #+$")


def test_the_demo_prints_what_it_measured(tmp_path, monkeypatch):
    stream = io.StringIO()
    monkeypatch.chdir(tmp_path)
    page = Path("report.html")
    tables = demo(**TINY, stream=stream, report=page)
    lines = stream.getvalue().splitlines()
    if find_spec("matplotlib") is None:
        assert "alakarte[plot]" in lines[-1]
    else:
        assert "report.html" in lines[-1]
        assert "142 test rows" in page.read_text(encoding="utf-8")
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
    X, y = robot_arm(TINY["n_rows"] + TINY["n_test"], 0)
    for result in tables[1]:  # against the formulas, written out
        mean, std = result.model.predict(X[TINY["n_rows"] :], return_std=True)
        error = y[TINY["n_rows"] :] - mean
        assert result.rmse == pytest.approx(np.sqrt(np.mean(error**2)))
        assert result.nlpd == pytest.approx(np.mean(0.5 * np.log(2 * np.pi * std**2) + error**2 / (2 * std**2)))
        assert result.coverage == pytest.approx(np.mean(np.abs(error) < 1.959964 * std))


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

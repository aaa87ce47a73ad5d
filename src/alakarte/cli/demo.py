"""The demonstration: learned kernels beside ridge regression and an exact process, on two sets of data, offline.

In: sizes, and where to write lines. Out: a table for each set, written row by row while the models learn, and what the
best model learned; at the end a report. Every figure comes from the run. Consumes public results only.
"""

import sys
import time
import warnings
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import BayesianRidge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alakarte.errors import Unavailable
from alakarte.estimators.regressor import GPRegressor
from alakarte.estimators.scorers import coverage_scorer, log_density_scorer
from alakarte.records import Array

LINKS = np.array([30.0, 27.0, 23.0, 20.0])  # cm
ARM_NOISE = 1.0  # cm
SEASON_NOISE = 0.2
BAR = 30


@dataclass(frozen=True)
class Result:
    """One row of a table."""

    name: str
    rmse: float
    nlpd: float
    coverage: float
    noise_std: float
    seconds: float
    model: Any


def robot_arm(n_rows: int, seed: int) -> tuple[Array, Array]:
    """Joint angles (n, 4) over a full circle, and the height of the tip, Σ_i L_i sin(a_1 + … + a_i), with noise."""
    rng = np.random.default_rng(seed)
    angles = rng.uniform(-np.pi, np.pi, size=(n_rows, LINKS.size))
    height = np.sin(np.cumsum(angles, axis=1)) @ LINKS
    return angles, height + ARM_NOISE * rng.standard_normal(n_rows)


def demo(
    n_rows: int = 800,
    n_test: int = 1000,
    n_restarts: int = 6,
    max_iter: int = 150,
    stream: TextIO | None = None,
    report: Path | None = None,
) -> tuple[list[Result], list[Result]]:
    """Run both sets and write to `stream` (standard output if None); return the results of both, a list each.

    With a path, a report on the patients is written there.
    """
    stream = stream or sys.stdout
    settings = {"n_restarts": n_restarts, "max_iter": max_iter, "random_state": 0}

    X, y = load_diabetes(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    _say(
        stream,
        "1  Diabetes: progression after a year from 10 measurements (ships with scikit-learn)",
        "   300 patients to learn from, 142 to test; one component in gm and pwl.",
        "   Nearly linear: there is little for a kernel to find.",
        "",
    )
    diabetes = _table(stream, _models(1, 128, settings), (X[order], y[order]), 300)

    _say(
        stream,
        "",
        "2  Robot arm: height of the tip in cm from 4 joint angles, each anywhere on its circle (generated,",
        "   and chosen because it is made of waves, which gm can find)",
        f"   {n_rows} positions to learn from, {n_test} to test; four components in gm and pwl.",
        f"   Noise of {ARM_NOISE:.2f} cm was added: no RMSE below it is to be expected, and `noise` should find it.",
        "",
    )
    arm = _table(stream, _models(4, 32, settings), robot_arm(n_rows + n_test, 0), n_rows)
    _say(stream, "", *_lesson(arm))
    _say(stream, "", *_season())
    if report is not None:
        _say(stream, "", *_reported(diabetes, X[order][300:], y[order][300:], report))
    return diabetes, arm


def _reported(results: list[Result], X: Array, y: Array, path: Path) -> tuple[str, ...]:
    """Write a report of the best model of the patients, and say where."""
    best = min((result for result in results if isinstance(result.model, GPRegressor)), key=lambda result: result.nlpd)
    best.model.model_ = replace(best.model.model_, input_names=tuple(load_diabetes().feature_names))
    try:
        best.model.report(path, X, y)
    except Unavailable as error:
        return (f"3  No report was written. {error}",)
    return (f"4  A report on {best.name} of the first set, with what to doubt: {path}. Open it in a browser.",)


def _models(n_components: int, n_frequencies: int, settings: dict[str, Any]) -> dict[str, Any]:
    """Name and model; all expansions have the same number of columns, and gm needs four for each frequency."""
    size: dict[str, Any] = {"n_components": n_components, "n_frequencies": n_frequencies} | settings
    return {
        "ridge": make_pipeline(StandardScaler(), BayesianRidge()),
        "ard": GPRegressor("ard", **size),
        "ard exact": GPRegressor("ard", expansion="exact", **size),
        "pwl": GPRegressor("pwl", **size),
        "gm": GPRegressor("gm", **(size | {"n_frequencies": max(n_frequencies // 2, 1)})),
    }


def _table(stream: TextIO, models: dict[str, Any], table: tuple[Array, Array], n_train: int) -> list[Result]:
    """Learn every model on the first rows, test it on the others, write a row for each."""
    _say(stream, f"   {'kernel':<11}{'RMSE':>8}{'NLPD':>9}{'in 95 %':>10}{'noise':>8}{'seconds':>9}   RMSE")
    results = []
    for name, model in models.items():
        stream.write(f"   {name:<11}")  # shows which model is learning
        stream.flush()
        result = _measure(name, model, table, n_train)
        results.append(result)
        bar = "#" * max(1, round(BAR * result.rmse / max(r.rmse for r in results)))
        _say(
            stream,
            f"{result.rmse:>8.2f}{result.nlpd:>9.3f}{100 * result.coverage:>8.1f} %{result.noise_std:>8.2f}"
            f"{result.seconds:>9.1f}   {bar}",
        )
    return results


def _measure(name: str, model: Any, table: tuple[Array, Array], n_train: int) -> Result:
    X, y = table
    began = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # max_iter is enough for a demonstration
        model.fit(X[:n_train], y[:n_train])
    mean = model.predict(X[n_train:], return_std=True)[0]
    y_test = y[n_train:]
    seconds = time.perf_counter() - began
    rmse = float(np.sqrt(np.mean((mean - y_test) ** 2)))
    nlpd = -log_density_scorer(model, X[n_train:], y_test)
    noise_std = float(model.noise_std_ if isinstance(model, GPRegressor) else model[-1].alpha_ ** -0.5)
    return Result(name, rmse, nlpd, coverage_scorer(model, X[n_train:], y_test), noise_std, seconds, model)


def _lesson(arm: list[Result]) -> tuple[str, ...]:
    """What the second table says, and what its best learned kernel looks like."""
    rows = {result.name: result for result in arm}
    best = min((rows["gm"], rows["pwl"]), key=lambda result: result.nlpd)
    exact = rows["ard exact"]
    return (
        f"   RMSE in units of the noise: {best.name} {best.rmse / ARM_NOISE:.2f}, exact process with a Gaussian kernel"
        f" {exact.rmse / ARM_NOISE:.2f}, ridge {rows['ridge'].rmse / ARM_NOISE:.1f}.",
        "   The truth is a sum of waves, sin(x0), sin(x0 + x1) and so on; in gm they would be rows of ones",
        "   and zeros in `centre` (two waves may share a row). This is what was learned:",
        "",
        *(f"   {line}".rstrip() for line in best.model.summary().splitlines()),
    )


def _season() -> tuple[str, ...]:
    """A season that nobody named, found and continued."""
    rng = np.random.default_rng(0)
    month = np.arange(144.0)[:, None]
    y = 0.05 * month[:, 0] + np.sin(2 * np.pi * month[:, 0] / 12) + SEASON_NOISE * rng.standard_normal(144)
    model = GPRegressor("gm", random_state=0).fit(month[:108], y[:108])
    error = float(np.sqrt(np.mean((model.predict(month[108:]) - y[108:]) ** 2))) / SEASON_NOISE
    found = model.periods_[0]["period"]["x0"] if model.periods_ else np.inf
    return (
        "3  Season: a trend and a wave of 12 months, 108 months to learn from; the next 36 are predicted.",
        f"   The period was not told. Found: {found:.2f} months. RMSE in units of the noise: {error:.2f}.",
    )


def _say(stream: TextIO, *lines: str) -> None:
    for line in lines:
        stream.write(line + "\n")
    stream.flush()

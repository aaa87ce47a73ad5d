"""Noise and amplitude without a new kernel matrix: the best there are, by factors and by eigenvalues."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import alakarte.process.noise_and_gain
from alakarte.process.computation import Computation
from alakarte.process.noise_and_gain import Free, retune, rows_profile, weights_profile
from alakarte.process.objective import nlml, row_signal
from alakarte.process.problem import process_at
from alakarte.process.sums import statistics
from alakarte.records import Statistics
from problems import pairwise
from problems import problem as problem_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


def profile(model):
    rows, draws = model.problem.rows, model.problem.draws
    if model.computation is Computation.ROWS:
        return rows_profile(*row_signal(model), rows.total)
    return weights_profile(statistics(rows, model.features, 1), model.spectrum.weight_variance(draws.shape))


FREE = [(True, True), (True, False), (False, True), (False, False)]  # the gain, the noise
CASES = pairwise(product(["ard", "gm", "pwl"], [Computation.WEIGHTS, Computation.ROWS], FREE, [1, 3]))


@pytest.mark.parametrize(("name", "computation", "free", "n_targets"), CASES)
def test_noise_and_amplitude_are_the_best_there_are(name, computation, free, n_targets):
    problem, theta = problem_for(name, seed=3, n_targets=n_targets, computation=computation)  # with an optimum inside
    model = process_at(problem, theta)
    tuned = retune(profile(model), model.noise_variance, 1e-12, Free(*free))
    layout = problem.layout

    def at(shift):
        values = dict(layout.unpack(theta))
        values["log_amplitude"] = values["log_amplitude"] + shift[0]
        values["log_noise_std"] = values["log_noise_std"] + shift[1]
        return nlml(problem, layout.pack(values))

    free = np.array(free)
    best = minimize(lambda shift: at(shift * free), np.zeros(2), method="Nelder-Mead", options={"fatol": 1e-6}).fun
    assert tuned.nlml == pytest.approx(best, abs=0.02 * max(1.0, abs(best) ** 0.5))
    reached = at([0.5 * np.log(tuned.gain), 0.5 * np.log(tuned.noise_variance / model.noise_variance)])
    assert tuned.nlml == pytest.approx(reached, rel=1e-6, abs=1e-6)  # the value is that of the full evidence


def test_factors_and_eigenvalues_tune_alike(monkeypatch):
    problem, theta = problem_for("ard")
    model = process_at(replace(problem, computation=Computation.WEIGHTS), theta)
    left = retune(profile(model), model.noise_variance, 1e-12)
    monkeypatch.setattr(alakarte.process.noise_and_gain, "EIGEN", 0)
    right = retune(profile(model), model.noise_variance, 1e-12)
    assert left.nlml == pytest.approx(right.nlml, rel=1e-9)
    assert left.gain == pytest.approx(right.gain, rel=1e-6)


@pytest.mark.parametrize("start", [1e-8, 1e-4, 0.01, 0.3, 100.0])
@pytest.mark.parametrize("noise", [1e-3, 0.1, 1.0])
def test_the_best_is_found_from_afar_with_few_factors(noise, start):
    rng = np.random.default_rng(0)
    phi = rng.standard_normal((400, 60)) * np.exp(-4 * rng.random(60))
    y = phi @ rng.standard_normal((60, 1)) + noise * rng.standard_normal((400, 1))
    sums = Statistics(phi.T @ phi, phi.T @ y, (y**2).sum(axis=0), 400.0)
    exact = weights_profile(sums, np.ones(60))
    factors = []
    counted = replace(exact, evaluate=lambda h: factors.append(h) or exact.evaluate(h))
    tuned = retune(counted, start, 1e-10)
    everywhere = [retune(exact, float(np.exp(log_h)), 1e-10) for log_h in np.arange(-20, 6, 0.5)]
    assert tuned.nlml < min(other.nlml for other in everywhere) + 0.2
    assert len(factors) <= 18
    again = retune(counted, tuned.noise_variance / tuned.gain, 1e-10)
    assert again.nlml <= tuned.nlml + 0.1
    assert len(factors) <= 18 + 6

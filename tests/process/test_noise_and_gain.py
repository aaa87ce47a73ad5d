"""Noise and amplitude without a new kernel matrix: the best there are, by factors and by eigenvalues."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import alakarte.process.noise_and_gain
from alakarte.process.computation import Computation
from alakarte.process.noise_and_gain import Free, gain_of_last_doubling, retune, rows_profile, tune, weights_profile
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


@pytest.mark.parametrize(("name", "n_frequencies"), [("ard", 8), ("gm", 8), ("pwl", 5)])
def test_the_gain_of_the_last_doubling_is_that_over_half_of_the_columns(name, n_frequencies):
    problem, theta = problem_for(name, (3, 2, n_frequencies), n=200, computation=Computation.WEIGHTS)
    model = process_at(problem, theta)
    tuned = tune(model, theta, statistics(problem.rows, model.features, 1))
    rows, shape = problem.rows.whole(), problem.draws.shape
    root, spare = np.sqrt(rows.weight), rows.weight.sum() - 200
    phi, variance = root[:, None] * model.features.phi(rows.x), tuned.process.weight_variance
    K, begin = np.zeros((200, 200)), 0
    for count in shape.counts:
        half = (count + 1) // 2
        for wave in range(0, model.n_basis, shape.n_frequencies):
            columns = slice(wave + begin, wave + begin + half)
            K += (phi[:, columns] * variance[columns] * count / half) @ phi[:, columns].T
        begin += count

    values, vectors = np.linalg.eigh(K)
    squares = (vectors.T @ (root * rows.y[:, 0])) ** 2
    log_gain, log_noise = np.meshgrid(np.linspace(-6, 3, 181), np.linspace(-5, 2, 141))
    variances = np.exp(log_gain)[..., None] * np.maximum(values, 0) + np.exp(log_noise)[..., None]
    nlmls = 0.5 * (np.log(variances) + squares / variances).sum(axis=-1) + 0.5 * spare * log_noise
    best = nlmls.min() + 0.5 * rows.weight.sum() * np.log(2 * np.pi)
    assert gain_of_last_doubling(tuned) == pytest.approx(best - tuned.nlml, abs=0.2)
    in_rows = tune(process_at(replace(problem, computation=Computation.ROWS), theta), theta, None)
    assert gain_of_last_doubling(in_rows) is None


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

"""Noise and amplitude without a new kernel matrix: the best there are, by factors and by eigenvalues."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

import alakarte.process.noise_and_gain
from alakarte.process.noise_and_gain import retune, rows_profile, weights_profile
from alakarte.process.objective import model_at, nlml, row_signal
from alakarte.process.sums import statistics
from problems import pairwise
from problems import problem as problem_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),  # fits are short
    pytest.mark.usefixtures("one_blas_thread"),
]


def profile(model):
    rows, draws = model.problem.rows, model.problem.draws
    if model.form == "rows":
        return rows_profile(*row_signal(model), rows.total)
    return weights_profile(statistics(rows, model.features, 1), model.spectrum.weight_variance(draws.shape))


FREE = [(True, True), (True, False), (False, True), (False, False)]  # the gain, the noise


@pytest.mark.parametrize(("name", "form", "free"), pairwise(product(["ard", "gm", "pwl"], ["weights", "rows"], FREE)))
def test_noise_and_amplitude_are_the_best_there_are(name, form, free):
    problem, theta = problem_for(name, seed=1)  # with an optimum inside
    problem = replace(problem, form=form)
    model = model_at(problem, theta)
    gain_free, noise_free = free
    tuned = retune(profile(model), model.noise_variance, 1e-12, gain_free=gain_free, noise_free=noise_free)
    layout = problem.layout

    def at(shift):
        values = dict(layout.unpack(theta))
        values["log_amplitude"] = values["log_amplitude"] + shift[0]
        values["log_noise_std"] = values["log_noise_std"] + shift[1]
        return nlml(problem, layout.pack(values))

    free = np.array(free)
    best = minimize(lambda shift: at(shift * free), np.zeros(2), method="Nelder-Mead", options={"fatol": 1e-6}).fun
    assert tuned.value == pytest.approx(best, abs=0.02 * max(1.0, abs(best) ** 0.5))
    reached = at([0.5 * np.log(tuned.gain), 0.5 * np.log(tuned.noise_variance / model.noise_variance)])
    assert tuned.value == pytest.approx(reached, rel=1e-6, abs=1e-6)  # the value is that of the full evidence


def test_factors_and_eigenvalues_tune_alike(monkeypatch):
    problem, theta = problem_for("ard")
    model = model_at(replace(problem, form="weights"), theta)
    left = retune(profile(model), model.noise_variance, 1e-12)
    monkeypatch.setattr(alakarte.process.noise_and_gain, "EIGEN", 0)
    right = retune(profile(model), model.noise_variance, 1e-12)
    assert left.value == pytest.approx(right.value, rel=1e-9)
    assert left.gain == pytest.approx(right.gain, rel=1e-6)

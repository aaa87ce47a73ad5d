"""Closed kernels as matrices: parts of a whole, right where rows coincide, accurate where they nearly do."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.kernels.registry import kernels, resolve
from alakarte.process.closed_form import closed_gram_full, closed_gram_pullback, closed_kernel
from alakarte.process.objective import nlml, nlml_gradient
from alakarte.process.problem import closed_form, process_at
from problems import dense_process, naming, problem, set_value, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SAME = ["rbf", "ard", "matern0.5", "matern1.5", "matern2.5"]


def test_kernel_of_two_tables_is_a_part_of_the_whole():
    for name in (*SAME, "gm"):
        with naming(name):
            made, theta = problem(name, (3, 2, 4), "exact")
            spectrum, x = process_at(made, theta).spectrum, made.rows.x
            closed = closed_form(made.kernel, values_at(made, theta))
            whole = closed_gram_full(spectrum, closed, x)
            assert np.abs(whole - whole.T).max() < 1e-12 * whole.max()
            assert np.abs(closed_kernel(spectrum, closed, x[:5], x[5:]) - whole[:5, 5:]).max() < 1e-12 * whole.max()
            assert np.abs(whole.diagonal() - np.exp(2 * spectrum.log_amplitude).sum()).max() < 1e-14 * whole.max()


@pytest.mark.parametrize("name", [*SAME, "gm"])
def test_rows_that_coincide_leave_the_gradient_finite_and_right(name):
    """Matérn ½ has an infinite slope by r² there; it multiplies zero."""
    made, theta = problem(name, (3, 2, 4), "exact", n=10)
    spectrum, closed = process_at(made, theta).spectrum, closed_form(made.kernel, values_at(made, theta))
    x = np.concatenate([made.rows.x, made.rows.x[:4]])
    bar = np.random.default_rng(1).standard_normal((14, 14))
    bar += bar.T
    solved = np.asfortranarray(2 * bar), np.zeros((len(x), 1))
    got = closed_gram_pullback(spectrum, closed, (x, np.ones(len(x))), *solved).input_scale
    expected, h = np.empty_like(got), 1e-6
    for at in np.ndindex(got.shape):
        total = []
        for step in (h, -h):
            scale = spectrum.input_scale.copy()
            scale[at] += step
            total.append(np.vdot(bar, closed_gram_full(replace(spectrum, input_scale=scale), closed, x)))
        expected[at] = (total[0] - total[1]) / (2 * h)
    assert np.abs(got - expected).max() < 1e-6 * np.abs(expected).max()


def test_rows_that_coincide_or_nearly_leave_the_evidence_accurate():
    for name in (*SAME, "gm"):
        with naming(name):
            made, theta = problem(name, (3, 2, 4), "exact", n=20, weighted=False)
            x = np.concatenate([made.rows.x, made.rows.x[:8], made.rows.x[:8] + 1e-6])
            y = np.random.default_rng(0).standard_normal((len(x), 1))
            made = replace(made, rows=replace(made.rows, x=x, y=y, weight=np.ones(len(x))))
            theta = set_value(made, theta, log_noise_std=-7.0)
            expected = dense_process(made, theta).nlml
            assert abs(nlml(made, theta) - expected) < 1e-8 * abs(expected)


def test_a_large_amplitude_and_a_tiny_noise_still_give_a_number():
    made, theta = problem("ard", (2, 1, 4), "exact")
    theta = set_value(made, theta, log_amplitude=[6.0], log_noise_std=-13.0)
    value, gradient = nlml_gradient(made, theta)
    assert np.isfinite(value)
    assert np.isfinite(gradient).all()


def test_kernels_that_need_no_expansion():
    closed = {name for name in kernels() if resolve(name).has_closed_form}
    assert closed == {"rbf", "ard", "gm", "matern", "mm", "trend"}

"""Sums over rows add, subtract and equal their formulas."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.process.computation import Computation
from alakarte.process.problem import process_at
from alakarte.process.sums import statistics
from problems import problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def test_statistics_add_and_subtract():
    made, theta = problem("gm", (3, 2, 4), n=30)
    features, rows = process_at(made, theta).features, made.rows
    whole, head, tail = (
        statistics(ArrayRows(rows.x[part], rows.y[part], rows.weight[part]), features, 1)
        for part in (slice(None), slice(0, 11), slice(11, None))
    )
    for both in (head + tail, whole):
        assert np.allclose(both.gram, whole.gram, atol=1e-12)
        assert np.allclose((both - tail).moment, head.moment, atol=1e-12)
        assert np.allclose((both - tail).energy, head.energy, atol=1e-12)
    assert (whole - tail).total == pytest.approx(head.total)
    phi = features.phi(rows.x)
    assert np.allclose(whole.gram, np.tril((phi * rows.weight[:, None]).T @ phi), atol=1e-12)
    assert np.allclose(whole.moment[:, 0], phi.T @ (rows.weight * rows.y[:, 0]), atol=1e-12)
    assert whole.energy[0] == pytest.approx(rows.weight @ rows.y[:, 0] ** 2)


def test_single_precision_sums_are_those_of_double_whatever_the_buffers_held():
    """Several blocks, and buffers that a pass over other rows has used: nothing of them is left in the sums."""
    made, theta = problem("gm", (3, 2, 8), n=40)
    single = process_at(replace(made, precision="mixed", computation=Computation.WEIGHTS), theta).features
    double = process_at(replace(made, computation=Computation.WEIGHTS), theta).features
    assert single.dtype == np.float32
    other = replace(made.rows, x=made.rows.x * 3, y=made.rows.y * 3)  # with the same buffers
    statistics(other, single, 1)
    got, expected = statistics(made.rows, single, 1), statistics(made.rows, double, 1)
    for name in ("gram", "moment", "energy"):
        left, right = getattr(got, name), getattr(expected, name)
        assert np.abs(np.tril(np.atleast_2d(left)) - np.tril(np.atleast_2d(right))).max() < 1e-5 * np.abs(right).max()

"""Sums over rows add, subtract and equal their formulas."""

import numpy as np
import pytest

from alakarte.data.arrays import Rows
from alakarte.process.objective import model_at
from alakarte.process.sums import statistics
from problems import problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def test_statistics_add_and_subtract():
    made, theta = problem("gm", (3, 2, 4), n=30)
    features, rows = model_at(made, theta).features, made.rows
    whole, head, tail = (
        statistics(Rows(rows.x[part], rows.y[part], rows.weight[part]), features, 1)
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

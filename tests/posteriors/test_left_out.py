"""Rows left out by leverage: the same as a refit without them, at the same kernel and noise."""

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block
from alakarte.errors import IllConditioned
from alakarte.posteriors.average import average_of
from problems import posterior_at, problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")
WEIGHTS = (1.0, 0.4, 3.0, 1.0, 2.5)


def weighted(name, n, expansion):
    """A problem of two targets whose rows have weights below, at and above one, and its θ."""
    made, theta = problem(name, (3, 2, 8), expansion, n=n, n_targets=2)
    rows = made.rows.whole()
    return made.on(ArrayRows(rows.x, rows.y, np.resize(WEIGHTS, n))), theta


def refit(made, theta, i):
    """Mean and variance at row i of a fit from which a weight of one, or all that the row has, was taken."""
    rows = made.rows.whole()
    weight = rows.weight.copy()
    weight[i] -= min(weight[i], 1.0)
    kept = weight > 0
    left = posterior_at(made.on(ArrayRows(rows.x[kept], rows.y[kept], weight[kept])), theta)
    return left.mean_and_variance(rows.x[i : i + 1])


@pytest.mark.parametrize(("n", "expansion"), [(40, "fastfood"), (9, "fastfood"), (13, "exact")])
def test_it_is_a_refit_without_the_row(n, expansion):
    made, theta = weighted("gm", n, expansion)
    mean, variance = posterior_at(made, theta).leave_one_out(made.rows.whole())
    assert mean.shape == variance.shape == (n, 2)
    for i in range(n):
        expected = refit(made, theta, i)
        assert mean[i] == pytest.approx(expected[0][0], rel=1e-8, abs=1e-8)
        assert variance[i] == pytest.approx(expected[1][0], rel=1e-7)


def test_an_average_leaves_rows_out_of_every_member():
    pairs = [weighted(name, 13, "exact") for name in ("rbf", "matern1.5")]
    several = average_of(tuple(posterior_at(*pair) for pair in pairs), (3, 9))
    mean, variance = several.leave_one_out(pairs[0][0].rows.whole())
    w = several.weights[:, None]
    for i in range(13):
        means, variances = (np.array(each)[:, 0] for each in zip(*(refit(*pair, i) for pair in pairs), strict=True))
        expected = (w * means).sum(axis=0)
        assert mean[i] == pytest.approx(expected)
        assert variance[i] == pytest.approx((w * (variances + (means - expected) ** 2)).sum(axis=0))


@pytest.mark.parametrize("expansion", ["fastfood", "exact"])
def test_some_of_the_rows_are_as_they_are_among_all(expansion):
    made, theta = weighted("ard", 30, expansion)
    posterior, rows, some = posterior_at(made, theta), made.rows.whole(), np.array([3, 7, 21])
    part = posterior.leave_one_out(Block(rows.x[some].copy(), rows.y[some], rows.weight[some]))
    for got, expected in zip(part, posterior.leave_one_out(rows), strict=True):
        np.testing.assert_allclose(got, expected[some], rtol=1e-12)


def test_a_closed_form_knows_its_rows():
    made, theta = weighted("ard", 9, "exact")
    rows = made.rows.whole()
    with pytest.raises(IllConditioned, match="not fitted"):
        posterior_at(made, theta).leave_one_out(Block(rows.x + 1, rows.y, rows.weight))

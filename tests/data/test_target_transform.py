"""Transforms of the target: inverse and slope agree with g; units change nothing; bad targets are named."""

import numpy as np
import pytest
from scipy.stats import yeojohnson

from alakarte import InvalidInput
from alakarte.data import target_transform
from alakarte.data.pieces import over_pieces, piece_edges
from alakarte.data.target_transform import (
    LOG,
    YEO_JOHNSON,
    Log,
    Transformed,
    YeoJohnson,
    can_have,
    check_targets,
    learn_transform,
)

ONES = np.ones(200)
SKEWED = np.exp(np.random.default_rng(0).standard_normal((200, 1)))


def powers():
    """g with a power at both ends, at one, and between."""
    power = np.array([0.0, 0.5, 1.0, 1.7, 2.0])
    return YeoJohnson(np.zeros(5), np.linspace(-1, 2, 5), np.linspace(0.5, 3, 5), power)


@pytest.mark.parametrize("transform", [Log(np.zeros(5)), powers()], ids=["log", "yeo-johnson"])
def test_inverse_and_slope(transform):
    y = np.geomspace(0.01, 30, 40)[:, None] * np.ones(5)
    if isinstance(transform, YeoJohnson):
        y = np.concatenate([-y, y])
    t, step = transform.forward(y), 1e-6 * np.abs(y)
    np.testing.assert_allclose(transform.inverse(t), y, rtol=1e-10, atol=1e-12)
    slope = (transform.forward(y + step) - transform.forward(y - step)) / (2 * step)
    np.testing.assert_allclose(transform.log_slope(y), np.log(slope), atol=1e-5)


def test_powers_are_those_of_scipy():
    u = np.linspace(-3, 5, 50)
    transform = YeoJohnson(np.zeros(1), np.zeros(1), np.ones(1), np.array([0.3]))
    np.testing.assert_allclose(transform.forward(u[:, None])[:, 0], yeojohnson(u, 0.3), rtol=1e-12)


def test_a_power_of_one_is_y_itself():
    transform = YeoJohnson(np.zeros(1), np.array([3.0]), np.array([2.0]), np.ones(1))
    np.testing.assert_allclose(transform.forward(SKEWED), SKEWED - 3.0)


def test_the_inverse_is_finite_for_all_t():
    t = np.array([[-1e200, -1e3, 1e3, 1e200]]).T * np.ones(5)
    with np.errstate(all="raise", under="ignore"):
        assert np.isfinite(powers().inverse(t)).all()
        assert np.isfinite(Log(np.zeros(5)).inverse(t)).all()


def test_skewed_targets_get_a_power_that_straightens_them():
    transform = learn_transform(YEO_JOHNSON, SKEWED, ONES)
    t = transform.forward(SKEWED)[:, 0]
    assert abs(np.mean(((t - t.mean()) / t.std()) ** 3)) < 0.5
    flipped = learn_transform(YEO_JOHNSON, -SKEWED, ONES)
    assert flipped.power[0] == pytest.approx(2 - transform.power[0], abs=0.011)


def test_units_do_not_matter():
    """y in other units has the same power, and t in those units."""
    first, second = (learn_transform(YEO_JOHNSON, y, ONES) for y in (SKEWED, 1e6 * SKEWED - 3e5))
    assert first.power == second.power
    np.testing.assert_allclose(second.forward(1e6 * SKEWED - 3e5), 1e6 * first.forward(SKEWED), rtol=1e-8, atol=1e-3)


def test_a_weight_of_two_is_the_row_twice():
    weight = np.tile([1.0, 2.0], 100)
    once = learn_transform(YEO_JOHNSON, SKEWED, weight)
    twice = learn_transform(YEO_JOHNSON, np.repeat(SKEWED, weight.astype(int), axis=0), np.ones(300))
    for name in ("centre", "scale", "power"):
        assert getattr(once, name) == getattr(twice, name)
    np.testing.assert_allclose(once.mean_log_slope, twice.mean_log_slope)


def test_rows_of_the_fit_have_no_excess_slope():
    for kind in (LOG, YEO_JOHNSON):
        transform = learn_transform(kind, SKEWED, ONES)
        assert transform.excess_log_slope(SKEWED, ONES) == pytest.approx(0.0, abs=1e-9)
        assert transform.excess_log_slope(2 * SKEWED, ONES) < -1


def test_constant_targets_have_a_transform():
    transform = learn_transform(YEO_JOHNSON, np.full((9, 1), 4.0), np.ones(9))
    np.testing.assert_array_equal(transform.forward(np.full((9, 1), 4.0)), 0.0)


def test_what_has_no_logarithm_is_named():
    y = np.column_stack([np.arange(4.0) + 1, [1.0, 2.0, -3.5, 0.0]])
    with pytest.raises(InvalidInput, match=r"y = -3\.5 at row 2, column 1 .* 2 of 8 .*Use 'yeo-johnson', or add"):
        check_targets(LOG, y, np.ones(4))
    check_targets(LOG, y, np.array([1.0, 1.0, 0.0, 0.0]))
    check_targets(YEO_JOHNSON, y, np.ones(4))


def test_large_targets_are_looked_at_piece_by_piece(monkeypatch):
    n = 50_000
    y = np.exp(np.random.default_rng(1).standard_normal((n, 2)))
    weight, edges = np.ones(n), piece_edges(n)
    assert len(edges) > 2
    monkeypatch.setattr(target_transform, "FIT_ROWS", 1000)
    seen = []
    original = YeoJohnson.forward
    monkeypatch.setattr(YeoJohnson, "forward", lambda self, y: seen.append(len(y)) or original(self, y))
    transform = learn_transform(YEO_JOHNSON, y, weight)
    made = over_pieces(Transformed(y, transform), weight, lambda t, w: t)
    assert max(seen) < n
    assert np.array_equal(np.concatenate(made), transform.forward(y))
    assert np.allclose(transform.mean_log_slope, transform.log_slope(y).mean(axis=0), rtol=1e-12)
    assert can_have(LOG, y, weight)
    y[n - 3, 1] = y[n - 2, 0] = -1.0
    assert can_have(YEO_JOHNSON, y, weight)
    assert not can_have(LOG, y, weight)
    with pytest.raises(
        InvalidInput, match=rf"y = -1 at row {n - 3}, column 1 has no logarithm, as 2 of {2 * n} values"
    ):
        check_targets(LOG, y, weight)
    weight[-3:] = 0
    assert can_have(LOG, y, weight)

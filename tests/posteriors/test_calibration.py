"""The spread of observations about predictions, from z-scores of rows left out: known scales and tails are found."""

import numpy as np
import pytest

from alakarte.metrics import log_density
from alakarte.posteriors.calibration import UNCALIBRATED, Calibration, calibration
from alakarte.search.policy import DOFS

N = 4000


def student(dof, size, seed=0):
    """Draws of Student's t with variance one."""
    return np.random.default_rng(seed).standard_t(dof, size) * np.sqrt((dof - 2) / dof)


def test_a_scale_is_found_and_normal_scores_stay_normal():
    z = 1.3 * np.random.default_rng(0).standard_normal((N, 1))
    found = calibration(z, np.ones(N), 0, DOFS)
    assert found.scale == pytest.approx([1.3], rel=3 / np.sqrt(2 * N))
    assert np.isinf(found.dof).all()


@pytest.mark.parametrize("dof", [3, 6])
def test_heavy_tails_are_found_with_their_scale(dof):
    z = 0.7 * student(dof, (N, 1))
    found = calibration(z, np.ones(N), 0, DOFS)
    assert found.dof == [dof]
    assert found.scale == pytest.approx([0.7], rel=0.06)


def test_the_scale_is_the_likeliest():
    z = student(4, (N, 1), seed=1)
    found = calibration(z, np.ones(N), 0, (4.0,))
    nats = [log_density(z, 0.0, factor * found.scale, 4.0).sum() for factor in (0.99, 1.0, 1.01)]
    assert nats[1] > max(nats[0], nats[2])


def test_targets_have_their_own():
    z = np.column_stack([np.random.default_rng(0).standard_normal(N), student(3, N)])
    found = calibration(z, np.ones(N), 0, DOFS)
    assert np.isinf(found.dof[0])
    assert found.dof[1] == 3


def test_a_weight_of_two_is_a_row_given_twice():
    z, weight = student(4, (60, 1)), np.resize([1.0, 2.0, 3.0], 60)
    repeated = np.repeat(z, weight.astype(int), axis=0)
    whole, merged = calibration(repeated, np.ones(len(repeated)), 5, DOFS), calibration(z, weight, 5, DOFS)
    assert merged.scale == pytest.approx(whole.scale)
    assert merged.dof == whole.dof


def test_numbers_learned_widen_intervals_by_their_share_of_the_rows():
    z = np.ones((100, 1))
    assert calibration(z, np.ones(100), 0, ()).scale == pytest.approx([1.0])
    assert calibration(z, np.ones(100), 10, ()).scale == pytest.approx([1.1])
    assert calibration(z, np.ones(100), 1000, ()).scale == pytest.approx([2.0])  # rows cannot tell more
    two = np.ones((100, 2))  # two targets share the numbers
    assert calibration(two, np.ones(100), 10, ()).scale == pytest.approx([1.05, 1.05])


def test_rows_fitted_without_error_do_not_make_intervals_vanish():
    assert calibration(np.zeros((5, 1)), np.ones(5), 3, DOFS).scale[0] > 0.5


def test_factors_make_students_t_of_normal_draws():
    calibrated, rng = Calibration(np.ones(2), np.array([np.inf, 4.0])), np.random.default_rng(0)
    factors = calibrated.tail_factors((3, 2, 50_000), rng)
    assert (factors[:, 0] == 1).all()
    drawn = factors[:, 1] * rng.standard_normal((3, 50_000))
    expected = np.sort(student(4, 150_000, seed=5))
    found = np.quantile(drawn, [0.05, 0.25, 0.75, 0.95])
    np.testing.assert_allclose(found, np.quantile(expected, [0.05, 0.25, 0.75, 0.95]), atol=0.03)
    assert (UNCALIBRATED.tail_factors((3, 2, 5), rng) == 1).all()

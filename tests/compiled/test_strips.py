"""Loops over strips against plain NumPy, with rows left over from those that are read four at once."""

import numpy as np
import pytest

from alakarte.compiled import strips


@pytest.mark.parametrize("n_rows", [1, 4, 7, 16])
def test_small_sums_are_those_of_all_rows(n_rows):
    rng = np.random.default_rng(n_rows)
    weight, column, values = rng.standard_normal((n_rows, 37)), rng.standard_normal(37), rng.standard_normal(n_rows)
    apart = column - values[:, None]
    assert strips.sum_squares(weight, column, values) == pytest.approx((weight * apart**2).sum(), rel=1e-12)
    assert strips.sum_differences(weight, column, values) == pytest.approx((weight * apart).sum(), rel=1e-12)


def test_small_strips_are_lower_where_rows_are_long():
    assert [strips.strip_height(size) for size in (1, 200, 300, 700, 1000, 5000)] == [16, 16, 12, 4, 4, 4]

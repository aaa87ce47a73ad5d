"""Counts and exposures: numbers, or errors that name place and cure."""

import numpy as np
import pytest

from alakarte import InvalidInput
from alakarte.estimators.count_targets import count_targets


def test_counts_and_logarithms_of_exposure():
    np.testing.assert_allclose(count_targets([0, 3], [1.0, np.e]), [[0, 0], [3, 1]], rtol=1e-15)
    assert count_targets([2], None).tolist() == [[2, 0]]


@pytest.mark.parametrize(
    ("y", "exposure", "text"),
    [
        ([0.0, np.nan], None, "NaN"),
        ([0, -1], None, r"y\[1\] = -1 is negative"),
        ([0.5], None, r"y\[0\] = 0.5 is no whole number: for rates give exposure="),
        ([1e16], None, "too large to be told"),
        ([1, 2], [1.0], "exposure has 1 entries for 2 rows"),
        ([1, 2], [1.0, 0.0], r"exposure\[1\] = 0 must be > 0"),
        (None, None, "requires y"),
    ],
)
def test_what_is_no_count_is_refused(y, exposure, text):
    with pytest.raises(InvalidInput, match=text):
        count_targets(y, exposure)

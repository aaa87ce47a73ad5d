"""Sums of lanes on their way to the driver: half of a triangular matrix."""

import numpy as np

from alakarte.data.triangles import Triangle, packed, unpacked


def test_a_triangle_travels_as_half_a_matrix():
    rng = np.random.default_rng(0)
    for size in (1, 2, 7):
        gram = np.asfortranarray(np.tril(rng.standard_normal((size, size))))
        half = packed(gram)
        assert isinstance(half, Triangle) == (size > 1 or gram.flags.f_contiguous)
        assert half.values.size == size * (size + 1) // 2
        again = unpacked(half)
        assert again.flags.f_contiguous
        assert np.array_equal(again, gram)


def test_other_sums_travel_as_they_are():
    rng = np.random.default_rng(0)
    for part in (np.zeros(()), rng.standard_normal(3), rng.standard_normal((3, 3)), rng.standard_normal((4, 3))):
        assert packed(part) is part
        again = unpacked(part)
        assert np.array_equal(again, part)
        assert again.flags.writeable
        assert again is not part

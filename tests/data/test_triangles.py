"""Sums of lanes on their way to the driver: half of a triangular matrix."""

import numpy as np

from alakarte.data.triangles import Triangle, added, packed, unpacked


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


def test_sums_travel_and_are_added_as_they_are():
    rng = np.random.default_rng(0)
    lower, full = (np.asfortranarray(rng.standard_normal((5, 5))) for _ in range(2))
    lower = np.asfortranarray(np.tril(lower))
    for a, b in ((lower, 2 * lower), (lower, full), (full, lower), (full, full), (np.array(1.0), np.array(0.1))):
        before = a.copy(), b.copy()
        total = added(packed(a), packed(b))
        assert isinstance(total, Triangle) == (a is not full and b is not full and a.ndim == 2)
        assert np.array_equal(unpacked(total), a + b)
        assert np.array_equal(a, before[0])
        assert np.array_equal(b, before[1])

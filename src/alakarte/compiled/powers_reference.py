"""NumPy twins of the loops of `powers.py`, and the oracle of their tests."""

import numpy as np

from alakarte.records import Array, Integers


def sums_of_powers(r2: Array, rate: float, n_powers: Integers, weights: Array, sums: Array) -> None:
    """sums (L, K, n) += Σ_i weights_ik e^(−2^l rate r2_ij) for l < n_powers_i; r2 (rows, n), weights (rows, K)."""
    for power in range(len(sums)):
        sums[power] += (weights * (power < n_powers)[:, None]).T @ np.exp(-(2**power) * rate * r2)


def powers_dot(r2: Array, rate: float, sums: Array, total: Array) -> None:
    """total (rows, K, n) += Σ_l sums_lkj e^(−2^l rate r2_ij); sums (L, K, n)."""
    for power in range(len(sums)):
        total += sums[power] * np.exp(-(2**power) * rate * r2)[:, None]


def distances(rows: Array, columns: Array, r2: Array) -> None:
    """r2_ij = Σ_k (rows_ik − columns_kj)²; rows (rows, d), columns (d, n)."""
    r2[...] = ((rows[:, :, None] - columns) ** 2).sum(axis=1)


def take_near(r2: Array, near: float, i: Integers, j: Integers, least: Array) -> int:
    """How many entries of r2 (rows, n) are ≤ near: their places go into i and j, and they become infinite.

    `least` (rows,) is the smallest of the others in each row.
    """
    places = np.nonzero(r2 <= near)
    n_near = len(places[0])
    i[:n_near], j[:n_near] = places
    r2[places] = np.inf
    least[...] = r2.min(axis=1)
    return n_near

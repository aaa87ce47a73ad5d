"""A kernel in closed form between training rows and rows of a table, averaged over that table.

In: a spectrum, its closed form, training rows x (n, d), rows in which some inputs are replaced, by G values one after
another. Out: k̄ (G, n), k̄_gj = Σ_i k(row i with the g-th values, x_j)/rows: what partial dependence is made of. A
Gaussian factor is that of the replaced inputs times that of all others, which is averaged once for all g. A Matérn
profile is an average of Gaussian ones,

    g_ν(r²) = ∫ e^(−λr²) p(λ) dλ,   p inverse gamma (ν, ν/2),

by the trapezoidal rule in log λ. Its steps are a root of two, so that each factor is the square of an earlier one.
Pairs of rows whose other inputs nearly coincide would need large λ: they are few, and are met one by one. Where inputs
are mixed no factor is that of the replaced ones alone: each row is met anew for every g.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array
from scipy.special import gammaln

import alakarte.compiled.loops as loops
from alakarte.kernels.base import ClosedForm
from alakarte.process.closed_form import closed_kernel
from alakarte.records import Array, Integers, Spectrum

_TILE_VALUES = 40_000  # that stay in a core's own cache
_PER_DOUBLING = {1: 2, 3: 3, 5: 3}  # steps of log λ, by dof: the rule is then wrong by less than 1e-12
_NOTHING = 30.0  # e^-30 is nothing beside one
_NEAR = 0.0003  # share of pairs that are met one by one
_MET_VALUES = 500_000  # of these that are made at once
_SAMPLE = 64  # rows that tell which distance these lie within


@dataclass(frozen=True)
class Replaced:
    """Rows, and what some of their inputs become."""

    z: Array  # (rows, d) standardised
    columns: Integers  # (c,)
    values: Array  # (G, c)

    def at(self, g: int) -> Array:
        """(rows, d) with the g-th values."""
        rows = self.z.copy()
        rows[:, self.columns] = self.values[g]
        return rows

    @property
    def zeroed(self) -> Array:
        """(rows, d) with zeros there."""
        rows = self.z.copy()
        rows[:, self.columns] = 0.0
        return rows

    @property
    def shifts(self) -> Array:
        """(G, d) what is added to rows with zeros."""
        shifts = np.zeros((len(self.values), self.z.shape[1]))
        shifts[:, self.columns] = self.values
        return shifts


@dataclass(frozen=True)
class _Pairs:
    """One component between rows and training rows, apart by replaced inputs and by all others, scaled."""

    left: Array  # (rows, d − c) the others' inputs of rows,
    right: Array  # (n, d − c) and of training rows
    own: Array  # (G, n) squared distance of the replaced inputs
    waves: Array  # (2, rows) cosine and sine of the others' phase; (1, rows) of ones where there is no centre
    turns: Array  # (1 or 2, G, n) what cos of the whole phase is of these: Σ_k turns_k waves_k


def averaged_kernel(spectrum: Spectrum, closed: ClosedForm, training: Array, rows: Replaced) -> Array:
    """The average k̄ (G, n)."""
    if spectrum.input_map is not None:
        each = (closed_kernel(spectrum, closed, rows.at(g), training) for g in range(len(rows.values)))
        return np.array([kernel.mean(axis=0) for kernel in each])
    total = np.zeros((len(rows.values), len(training)))
    for q, dof in enumerate(np.broadcast_to(closed.dof, spectrum.log_amplitude.shape)):
        pairs = _pairs(spectrum, q, training, rows)
        part = _gaussian(pairs) if dof == 0 else _matern(pairs, int(dof))
        total += np.exp(2 * spectrum.log_amplitude[q]) * part
    return total / len(rows.z)


def _pairs(spectrum: Spectrum, q: int, training: Array, rows: Replaced) -> _Pairs:
    columns, scale = rows.columns, spectrum.input_scale[q]
    others = np.setdiff1d(np.arange(training.shape[1]), columns)
    own = np.zeros((len(rows.values), len(training)))
    for place, column in enumerate(columns):
        own += ((rows.values[:, place, None] - training[:, column]) * scale[column]) ** 2
    parts = rows.z[:, others] * scale[others], training[:, others] * scale[others], own
    if spectrum.centre is None or not spectrum.centre[q].any():
        return _Pairs(*parts, np.ones((1, len(rows.z))), np.ones((1, 1, 1)))
    centre = spectrum.centre[q]
    phase = rows.z[:, others] @ centre[others]
    value, row = rows.values @ centre[columns], training @ centre
    cosine, sine = np.cos(value), np.sin(value)  # cos(phase + value − row) = cos · cosine − sin · sine
    turns = np.array([[cosine, sine], [-sine, cosine]]).swapaxes(1, 2) @ np.array([np.cos(row), np.sin(row)])
    return _Pairs(*parts, np.array([np.cos(phase), np.sin(phase)]), turns)


def _tiles(pairs: _Pairs) -> Iterator[tuple[slice, Array]]:
    """Some rows at a time with their squared distances (tile, n) by the other inputs, for the caller to overwrite."""
    columns = np.ascontiguousarray(pairs.right.T)
    r2 = np.empty((max(1, _TILE_VALUES // len(pairs.right)), len(pairs.right)))
    for start in range(0, len(pairs.left), len(r2)):
        tile = np.ascontiguousarray(pairs.left[start : start + len(r2)])
        loops.powers.distances(tile, columns, r2[: len(tile)])
        yield slice(start, start + len(tile)), r2[: len(tile)]


def _turned(pairs: _Pairs, sums: Array) -> Array:
    """(G, n) from sums (1 or 2, n) over the rows of waves times the others' factor."""
    return np.asarray((pairs.turns * sums[:, None]).sum(axis=0))


def _gaussian(pairs: _Pairs) -> Array:
    """Sums (G, n) of e^(−r²/2) times the cosine."""
    sums = np.zeros((len(pairs.waves), len(pairs.right)))
    for tile, r2 in _tiles(pairs):
        r2 *= -0.5
        sums += pairs.waves[:, tile] @ np.exp(r2, out=r2)
    return _turned(pairs, sums) * np.exp(-0.5 * pairs.own)


def _matern(pairs: _Pairs, dof: int) -> Array:
    """Sums (G, n) of a Matérn profile times the cosine."""
    near = _near(pairs)
    rates, weights, reach = _rule(dof, near)
    sums, near_pairs = np.zeros((*rates.shape, len(pairs.waves), len(pairs.right))), []
    waves = np.ascontiguousarray(pairs.waves.T)
    for tile, r2 in _tiles(pairs):
        i, j, least = np.empty(r2.size, np.int64), np.empty(r2.size, np.int64), np.empty(len(r2))
        n_near = loops.powers.take_near(r2, near, i, j, least)
        near_pairs.append((i[:n_near] + tile.start, j[:n_near]))
        for first in range(len(rates)):
            n_powers = np.searchsorted(-reach[first], -least)  # of the others all are nothing
            n_powers = np.minimum(n_powers + n_powers % 2, rates.shape[1])
            loops.powers.sums_of_powers(r2, rates[first, 0], n_powers, waves[tile], sums[first])
    sums *= weights[..., None, None]
    total = np.zeros((len(pairs.own), len(pairs.waves), len(pairs.right)))
    for first in range(len(rates)):
        loops.powers.powers_dot(pairs.own, rates[first, 0], sums[first], total)
    met = _met(pairs, dof, *(np.concatenate(each) for each in zip(*near_pairs, strict=True)))
    return np.asarray(met + (pairs.turns * total.swapaxes(0, 1)).sum(axis=0))


def _near(pairs: _Pairs) -> float:
    """The squared distance by the other inputs within which some pairs of rows lie; sampled."""
    some = pairs.left[np.linspace(0, len(pairs.left) - 1, min(_SAMPLE, len(pairs.left))).astype(int)]
    distances = np.concatenate([r2.flatten() for _, r2 in _tiles(_Pairs(some, pairs.right, *[pairs.own] * 3))])
    positive = distances[distances > 1e-12]
    if not positive.size:
        return 1e-8
    place = int(_NEAR * positive.size)
    return max(float(np.partition(positive, place)[place]), 1e-8)  # np.quantile sorts out both ends, and takes longer


def _rule(dof: int, near: float) -> tuple[Array, Array, Array]:
    """λ, weights and reach (P, L) of the trapezoidal rule, for squared distances from `near` on.

    λ doubles along L, which is even. Beyond its reach, a squared distance, a term and all later ones are nothing.
    """
    nu, step = 0.5 * dof, np.log(2) / _PER_DOUBLING[dof]
    least = np.log(0.5 * nu / _NOTHING)
    most = min(np.log(_NOTHING / near), _NOTHING / nu)
    n_doublings = 2 * int(0.5 * (most - least) / np.log(2)) + 4
    log_rate = least + step * np.arange(_PER_DOUBLING[dof])[:, None] + np.log(2) * np.arange(n_doublings)
    rate = np.exp(log_rate)
    log_weight = np.log(step) + nu * np.log(0.5 * nu) - gammaln(nu) - nu * log_rate - 0.5 * nu / rate
    reach = np.maximum.accumulate(((_NOTHING + log_weight) / rate)[:, ::-1], axis=1)[:, ::-1]
    n_kept = np.count_nonzero(reach.max(axis=0) > near)
    kept = slice(n_kept + n_kept % 2)
    return rate[:, kept], np.exp(log_weight[:, kept]), reach[:, kept]


def _met(pairs: _Pairs, dof: int, i: Integers, j: Integers) -> Array:
    """Sums (G, n) over some pairs of rows i and training rows j, one by one; those that coincide all at once."""
    r2 = ((pairs.left[i] - pairs.right[j]) ** 2).sum(axis=1)
    apart = r2 > 0
    n = len(pairs.right)
    total = np.zeros(pairs.own.shape)
    sums = np.array([np.bincount(j[~apart], wave[i[~apart]], n) for wave in pairs.waves])
    if sums.any():
        total += _turned(pairs, sums) * _profile(pairs.own, dof)
    i, j, r2 = i[apart], j[apart], r2[apart]
    gather = csr_array((np.ones(len(j)), (j, np.arange(len(j)))), shape=(n, len(j)))
    turns = np.broadcast_to(pairs.turns, (len(pairs.turns), *pairs.own.shape))
    size = max(1, _MET_VALUES // max(len(j), 1))
    for start in range(0, len(total), size):
        part = slice(start, start + size)
        waves = np.einsum("kgm,km->gm", turns[:, part, j], pairs.waves[:, i])
        total[part] += (gather @ (waves * _profile(pairs.own[part, j] + r2, dof)).T).T
    return total


def _profile(r2: Array, dof: int) -> Array:
    """The profile g(r²) of any shape."""
    flat = np.ascontiguousarray(r2).reshape(-1)
    out = np.empty_like(flat)
    loops.profiles.profile(flat, dof, out)
    return out.reshape(r2.shape)

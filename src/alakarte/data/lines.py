"""Lines of a spectrum by pursuit: the strongest wave that rows show, then the strongest of what it leaves, and so on.

In: standardised rows and a `Sampling`. Out: `Lines`. A wave is accepted where it explains more than the largest of so
many waves would explain of white noise. Up to three inputs are searched on a grid, more by ascent from random places.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import gammaincc

from alakarte.data.periodogram import Spread, grid_of
from alakarte.data.rows import Block
from alakarte.data.sampling import Sampling
from alakarte.records import Array, Flags

ON_GRID = 3  # inputs at most
NEARLY_ONE = 0.3  # resolutions
AT_ONCE, OF_LARGEST = 8, 0.3  # waves of one look, and their power at least, of the largest
BEGINNINGS, STEPS = 256, 14  # of ascent
SLOW_LENGTHS, SLOW_WAVES = (0.6, 1.2, 2.4), 100  # of waves that count as smooth, times √d; of each
LEAST_SHARE = 0.01  # of the variance of the targets: of the strongest wave
MULTIPLES = 12  # of the strongest wave of a series that are looked for: as many as months in a year
TREND = 1.5  # resolutions: what is slower is no wave but part of a trend


@dataclass(frozen=True)
class Lines:
    """Waves, the strongest first, and what is left beside them; variances are those of standardised targets, T all."""

    frequency: Array  # (L, d) in radians per unit of the inputs
    variance: Array  # (L,)
    trend: float  # variance of the linear fit and of waves slower than the rows reach
    rest: float  # what none of these explains


@dataclass(frozen=True)
class _Fit:
    """A regression on 1, x and waves, in one pass over weighted rows."""

    x: Array  # (n, d)
    y: Array  # (n, T)
    root: Array  # (n, 1) √weight

    def columns(self, w: Array) -> Array:
        """(n, 1 + d + 2 L): 1, x, cosines, sines."""
        phase = self.x @ w.T
        return np.concatenate([np.ones((len(self.x), 1)), self.x, np.cos(phase), np.sin(phase)], axis=1)

    def solved(self, w: Array) -> tuple[Array, Array, Array]:
        """Weights (k, T), residuals (n, T), and the energy (L,) that the rest would have without each wave, more."""
        columns = self.columns(w)
        weighted = columns * self.root
        gram = weighted.T @ weighted
        gram.flat[:: len(gram) + 1] *= 1 + 1e-9
        gram.flat[:: len(gram) + 1] += 1e-12
        inverse = np.linalg.inv(gram)
        weights = inverse @ (weighted.T @ (self.root * self.y))
        first, n_waves = 1 + self.x.shape[1], len(w)
        pairs = first + np.arange(n_waves)[:, None] + [0, n_waves]  # (L, 2) cosine and sine
        within = inverse[pairs[:, :, None], pairs[:, None, :]]
        gains = (weights[pairs] * np.linalg.solve(within, weights[pairs])).sum(axis=(1, 2))
        return weights, self.y - columns @ weights, gains

    def refined(self, w: Array, residual: Array, weights: Array, limit: Array, n_settled: int) -> Array:
        """Waves (L, d) after a step of Gauss and Newton each, by `limit` (d,) at most; the first ones as they are."""
        first, moved = 1 + self.x.shape[1], w.copy()
        live = limit > 0
        x = self.x[:, live]
        for wave in range(n_settled, len(w)):
            cosine, sine = weights[first + wave], weights[first + len(w) + wave]
            phase = (self.x @ w[wave])[:, None]
            slope = np.cos(phase) * sine - np.sin(phase) * cosine  # (n, T) ∂/∂phase
            gram, moment = self._normal(x, slope, phase, residual)
            step = np.linalg.lstsq(gram, moment, rcond=1e-10)[0][: x.shape[1]]
            moved[wave, live] += np.clip(step, -limit[live], limit[live])
        return moved

    def _normal(self, x: Array, slope: Array, phase: Array, residual: Array) -> tuple[Array, Array]:
        """Normal equations of a step: frequencies, and the cosine and sine of each target projected out."""
        weight = self.root**2
        around = np.concatenate([np.cos(phase), np.sin(phase)], axis=1)
        inner = np.linalg.pinv(around.T @ (weight * around))
        gram, moment = np.zeros((x.shape[1],) * 2), np.zeros(x.shape[1])
        for target in range(slope.shape[1]):
            columns = x * slope[:, target : target + 1]
            columns = columns - around @ (inner @ (around.T @ (weight * columns)))
            gram += columns.T @ (weight * columns)
            moment += columns.T @ (weight[:, 0] * residual[:, target])
        return gram, moment


class _OnGrid:
    """Where the residuals have most power, on a grid."""

    least_share, most = 0.0, 1000

    def __init__(self, x: Array, space: Sampling):
        self.live = space.takes_part
        grid = grid_of(space.ranges[self.live], space.highest[self.live])
        self.n_cells, self.spread = float(grid.n_cells), Spread(grid, *grid.laid(x[:, self.live]))

    def peaks_per_cell(self, power: Array) -> Array:
        """By how much peaks between places of the grid are likelier than at one: √power for each further input."""
        return np.asarray(np.maximum(power, 1.0) ** ((self.live.sum() - 1) / 2))

    def peaks(self, residual: Array) -> Array:
        """(k, d) the strongest waves, those that may be sidelobes left out."""
        some = self.spread.peaks(self.spread.power(residual), AT_ONCE, OF_LARGEST)
        return _placed(some, self.live)


class _ByAscent:
    """The same by steps uphill from random frequencies, one wave at a time."""

    least_share, most = 0.03, 4  # of the variance of the targets: bends that are left are weak, and many

    def __init__(self, x: Array, space: Sampling, rng: np.random.Generator):
        self.live, self.x = space.takes_part, x[:, space.takes_part]
        self.cell = space.resolution[self.live]
        highest = space.highest[self.live]
        self.begin = rng.uniform(-1, 1, (BEGINNINGS, len(highest))) * highest
        chance = np.maximum(1.0, 2 * highest / self.cell) * np.sqrt(x.shape[0])  # √n for each number that is sought
        self.n_cells = float(np.exp(np.log(chance).sum()))

    def peaks_per_cell(self, power: Array) -> Array:
        """One: `n_cells` counts them."""
        return np.ones_like(power)

    def peaks(self, residual: Array) -> Array:
        """(k, d) the strongest wave."""
        w = self.begin
        for step in range(STEPS):
            power, slope = self._power(w, residual)
            length = np.linalg.norm(slope * self.cell, axis=1, keepdims=True)
            uphill = slope * self.cell**2 / np.where(length > 0, length, 1.0)
            w = w + uphill * 0.35 * 0.8**step
        power, _ = self._power(w, residual)
        return _placed(w[np.argmax(power)][None], self.live)

    def _power(self, w: Array, residual: Array) -> tuple[Array, Array]:
        """Power (k,) and its slope (k, d) at frequencies w (k, d); waves in float32, a hundred times as fast."""
        phase = (self.x @ w.T).astype(np.float32)
        cosine, sine = np.cos(phase), np.sin(phase)
        power, slope = np.zeros(len(w)), np.zeros_like(w)
        for column in residual.T.astype(np.float32):
            real, imaginary = column @ cosine, column @ sine
            moved = self.x.astype(np.float32) * column[:, None]
            power += real**2 + imaginary**2
            slope += 2 * (imaginary[:, None] * (cosine.T @ moved) - real[:, None] * (sine.T @ moved))
        return power, slope


def _placed(some: Array, live: Flags) -> Array:
    """(k, d) frequencies with zeros where an input takes no part."""
    w = np.zeros((len(some), live.size))
    w[:, live] = some
    return w


def find_lines(block: Block, space: Sampling, most: int, rng: np.random.Generator) -> Lines | None:
    """At most so many lines of standardised rows; None where no wave is clearly there."""
    if not space.takes_part.any() or len(block.x) < 8 * (1 + block.x.shape[1]):
        return None
    x, on_grid = block.x * space.takes_part, int(space.takes_part.sum()) <= ON_GRID
    y = block.y if x.shape[1] == 1 else _without_smooth(block, rng)
    fit = _Fit(x, y, np.sqrt(block.weight)[:, None])
    looking = _OnGrid(x, space) if on_grid else _ByAscent(x, space, rng)
    w = _pursued(fit, looking, space, most)
    is_wave = _speed(w, space) >= TREND
    if not is_wave.any():
        return None
    lines = _lines(fit, w, is_wave)
    return lines if lines.variance[0] >= LEAST_SHARE else None


def _without_smooth(block: Block, rng: np.random.Generator) -> Array:
    """(n, T) what a ridge regression on powers and slow random waves leaves of the targets, each row left out.

    Bends and products of many inputs look like waves that the rows do not repeat.
    """
    x, weight, d = block.x, block.weight[:, None], block.x.shape[1]
    scale = np.repeat(SLOW_LENGTHS, SLOW_WAVES) * np.sqrt(d)
    phase = x @ (rng.standard_normal((d, scale.size)) / scale) + rng.uniform(0, 2 * np.pi, scale.size)
    columns = np.sqrt(weight) * np.concatenate([np.ones((len(x), 1)), x, x**2, x**3, np.cos(phase)], axis=1)
    target = np.sqrt(weight) * block.y
    squares, vectors = np.linalg.eigh(columns.T @ columns)
    squares = np.maximum(squares, 1e-12 * squares[-1])
    left = columns @ (vectors / np.sqrt(squares))
    least, best = np.inf, target
    for ridge in squares[-1] * np.logspace(-9, -1, 9):
        kept = left * (squares / (squares + ridge))
        residual = (target - kept @ (left.T @ target)) / (1 - (kept * left).sum(axis=1))[:, None]
        if (error := float((residual**2).sum())) < least:
            least, best = error, residual
    return np.asarray(best / np.sqrt(weight))


def _speed(w: Array, space: Sampling) -> Array:
    """(L,) resolutions from zero."""
    return np.asarray(np.linalg.norm(w / space.resolution, axis=1))


def _pursued(fit: _Fit, looking: _OnGrid | _ByAscent, space: Sampling, most: int) -> Array:
    """(L, d) the waves that are clearly there."""
    w = np.zeros((0, fit.x.shape[1]))
    weight = fit.root**2
    total = float(weight.sum())
    most = min(most, looking.most, (int(total) - 2 * w.shape[1]) // 6)
    _, residual, _ = fit.solved(w)
    while len(w) < most:
        rest = float((weight * residual**2).sum())
        if rest <= 1e-10 * total:
            break
        peaks = _apart(looking.peaks(weight * residual), space, 1.0)
        joined = _joined(fit, looking, (w, rest), peaks[: most - len(w)], space)
        if len(joined) == len(w):  # several may be one another's sidelobes
            joined = _joined(fit, looking, (w, rest), peaks[:1], space)
        if len(joined) == len(w):
            break
        w = joined
        _, residual, _ = fit.solved(w)
    return _with_multiples(fit, _settled(fit, w, 0, space), space, most)


def _with_multiples(fit: _Fit, w: Array, space: Sampling, most: int) -> Array:
    """Waves (L, d) of a series, and multiples of its strongest: they are few, so that weaker ones are clearly there."""
    waves = w[_speed(w, space) >= TREND]
    if space.takes_part.sum() != 1 or not len(waves):
        return w
    strongest = waves[np.argmax(fit.solved(waves)[2])]
    told = np.arange(2, MULTIPLES + 1)[:, None] * np.abs(strongest)
    away = np.linalg.norm((told[:, None] - np.abs(w)) / space.resolution, axis=2)
    told = told[(told <= (1 + 1e-9) * space.highest).all(axis=1) & (away >= 1).all(axis=1)]
    both = np.concatenate([w, told])[: max(most, len(w))]
    total, n_targets = float(np.sum(fit.root**2)), fit.y.shape[1]
    _, residual, gains = fit.solved(both)
    power = 0.5 * total * n_targets * np.log1p(gains / float((fit.root**2 * residual**2).sum()))
    clear = gammaincc(n_targets, power) * len(told) * total < 1
    clear[: len(w)] = True
    return _settled(fit, both[clear], len(w), space)


def _joined(fit: _Fit, looking: _OnGrid | _ByAscent, held: tuple[Array, float], peaks: Array, space: Sampling) -> Array:
    """Waves (L, d) that are held, with what they leave, and those of the peaks that are clearly there beside them.

    Each is judged by what is left without any of the peaks: eight peaks of noise make each other look clear.
    """
    total, n_targets = float(np.sum(fit.root**2)), fit.y.shape[1]
    w, rest = held
    both = _apart(_settled(fit, np.concatenate([w, peaks]), len(w), space), space, NEARLY_ONE)
    gains = fit.solved(both)[2]
    lost = -np.log1p(-np.minimum(gains / rest, 1 - 1e-12))
    power = 0.5 * total * n_targets * lost
    chance = gammaincc(n_targets, power) * looking.peaks_per_cell(power)  # of a peak of white noise in one cell
    clear = chance * looking.n_cells * total < 1
    clear &= gains >= looking.least_share * total * n_targets
    clear[: len(w)] = True
    return np.asarray(both[clear])


def _apart(w: Array, space: Sampling, least: float) -> Array:
    """Waves (L, d) without those less than so many resolutions from one before them, or from its negative."""
    kept: list[Array] = []
    for wave in w / space.resolution:
        if all(min(np.linalg.norm(wave - other), np.linalg.norm(wave + other)) >= least for other in kept):
            kept.append(wave)
    return np.asarray(np.reshape(kept, (-1, w.shape[1])) * space.resolution)


def _settled(fit: _Fit, w: Array, n_settled: int, space: Sampling) -> Array:
    """Waves after some steps of refinement, the first ones as they are."""
    limit = 0.25 * space.resolution * space.takes_part
    for _ in range(3):
        weights, residual, _ = fit.solved(w)
        w = fit.refined(w, residual, weights, limit, n_settled)
        w = np.clip(w, -space.highest, space.highest)
    return w


def _lines(fit: _Fit, w: Array, is_wave: Flags) -> Lines:
    """Their variances, the strongest first."""
    weights, residual, _ = fit.solved(w)
    first, n_targets = 1 + fit.x.shape[1], fit.y.shape[1]
    share = fit.root[:, 0] ** 2 / np.sum(fit.root**2)
    pairs = weights[first : first + len(w)] ** 2 + weights[first + len(w) :] ** 2
    variance = 0.5 * pairs.sum(axis=1) / n_targets
    rest = float(share @ (residual**2).sum(axis=1)) / n_targets
    smooth = fit.columns(w[~is_wave]) @ np.concatenate([weights[:first], _of(weights[first:], ~is_wave)])
    smooth = smooth - share @ smooth
    order = np.argsort(-variance[is_wave], kind="stable")
    trend = float(share @ (smooth**2).sum(axis=1)) / n_targets
    return Lines(w[is_wave][order], variance[is_wave][order], trend, rest)


def _of(weights: Array, keep: Flags) -> Array:
    """Weights of cosines and sines of some waves."""
    return np.asarray(weights[np.concatenate([keep, keep])])

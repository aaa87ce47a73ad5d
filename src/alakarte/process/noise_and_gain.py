"""The best noise and common amplitude for given frequencies, without another look at the rows.

With V = g V₀ and h = s/g, for fixed h the best s is R(h)/TN, R(h) = c − b̃ᵀ(G + hI)⁻¹b̃ summed over T targets,
G = V₀^½ A V₀^½, b̃ = V₀^½ b, or, where rows are fewer than columns, R(h) = h ỹᵀ(K₀ + hI)⁻¹ỹ. That leaves a search in one
dimension over ½ T [N log(2πe R(h)/TN) + log|I + G/h|]. Small G are diagonalised once; for large ones some Cholesky
factors are cheaper.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy.linalg import eigh

from alakarte.errors import IllConditioned
from alakarte.linalg.factorise import cholesky, log_determinant, solve_lower
from alakarte.process.objective import row_signal
from alakarte.process.problem import Process, process_at
from alakarte.process.row_space import RowSpace
from alakarte.process.weight_space import noise_floor
from alakarte.records import Array, Integers, Shape, Statistics

EIGEN = 512  # size up to which the eigenvalues are cheaper than some factors
_FIRST_STEP, _LONGEST_STEP = 0.7, 2.5  # of log h
_STEP = 0.05  # accuracy of log h: the evidence is flat to second order
_LITTLE = 1e-4  # nats per row that a step outwards must gain for another one
_LEAST = 0.01  # of that: what a step inwards must promise
_MOST_POINTS = 20


@dataclass(frozen=True)
class Tuned:
    """V = gain·V₀, s, and the nlml there, to the rounding of R(h)."""

    gain: float
    noise_variance: float
    nlml: float


@dataclass(frozen=True)
class Profile:
    """R(h) and log|I + G/h| of one set of frequencies, with N and T."""

    evaluate: Callable[[float], tuple[float, float]]  # h -> R, log-determinant
    total: float
    n_targets: int


@dataclass(frozen=True)
class Free:
    """What may be tuned."""

    gain: bool = True
    noise: bool = True


ALL_FREE = Free()


def weights_profile(statistics: Statistics, variance: Array, n_jobs: int = 1) -> Profile:
    """From statistics and V₀ (D,)."""
    root = np.sqrt(variance)
    G = statistics.gram * root
    G *= root[:, None]
    solved = _solved(G, statistics.moment * root[:, None], n_jobs)
    c = float(statistics.energy.sum())

    def evaluate(h: float) -> tuple[float, float]:
        quadratic, log_det = solved(h)
        return max(c - quadratic, 1e-15 * c), log_det

    return Profile(evaluate, statistics.total, statistics.moment.shape[1])


def rows_profile(signal: Array, target: Array, total: float, n_jobs: int = 1) -> Profile:
    """From K₀ = W^½ Φ V₀ Φᵀ W^½ (n, n) and W^½ y (n, T)."""
    solved = _solved(signal, target, n_jobs)

    def evaluate(h: float) -> tuple[float, float]:
        quadratic, log_det = solved(h)
        return h * quadratic, log_det

    return Profile(evaluate, total, target.shape[1])


def retune(profile: Profile, noise_variance: float, least: float, free: Free = Free()) -> Tuned:
    """Best gain and noise, starting from h = s; h stays above `least`. What is not free stays, g at 1."""
    N, T = profile.total, profile.n_targets

    @cache
    def tuned_at(log_h: float) -> Tuned:
        h = float(np.exp(log_h))
        R, log_det = profile.evaluate(h)
        s = noise_variance
        if free.noise:
            s = R / (T * N) if free.gain else h
        nlml = 0.5 * (T * N * np.log(2 * np.pi * max(s, 1e-300)) + T * log_det + (R / s if s > 0 else T * N))
        return Tuned(s / h if free.gain else 1.0, s, float(nlml))

    middle = float(np.log(max(noise_variance, least)))
    start = tuned_at(middle)
    return start if not (free.gain or free.noise) else _search(tuned_at, middle, float(np.log(least)), T * N)


def _search(tuned_at: Callable[[float], Tuned], middle: float, lowest: float, total: float) -> Tuned:
    """The best log h by parabolas through three points; while the best is the outermost, further out by growing steps.

    Out there a step must gain: at tiny noise rounding alone would lead on and on.
    """
    points = sorted({max(middle - _FIRST_STEP, lowest), middle, middle + _FIRST_STEP})
    for _ in range(_MOST_POINTS):
        values = [tuned_at(log_h).nlml for log_h in points]
        log_h = _next_point(points, values, lowest, _LITTLE * total)
        if log_h is None:
            break
        points = sorted({*points, log_h})
    return min((tuned_at(log_h) for log_h in points), key=lambda tuned: tuned.nlml)


def _next_point(points: list[float], values: list[float], lowest: float, little: float) -> float | None:
    """Where to look next, with points in their order; None where less than `little` nats are to be gained."""
    best = values.index(min(values))
    if 0 < best < len(points) - 1:
        return _inside(points[best - 1 : best + 2], values[best - 1 : best + 2], _LEAST * little)
    inner = 1 if best == 0 else len(points) - 2
    if values[inner] - values[best] < little:
        return None
    step = min(2 * abs(points[best] - points[inner]), _LONGEST_STEP)
    outer = max(points[best] - step, lowest) if best == 0 else points[best] + step
    return None if abs(outer - points[best]) < _STEP else outer


def _inside(points: list[float], values: list[float], little: float) -> float | None:
    """The vertex of the parabola through three points, the best of them in the middle.

    One that lies wide is halved first, where the vertex is near: over wide steps the evidence is no parabola.
    """
    (left, right), middle = np.diff(points), points[1]
    fall, rise = (values[0] - values[1]) / left, (values[2] - values[1]) / right
    if not fall + rise > 0:
        return None
    step = 0.5 * (fall * right - rise * left) / (fall + rise)
    gain = (fall + rise) / (left + right) * step**2
    if gain > little and abs(step) > _STEP:
        return float(middle + step)
    if max(left, right) > 1.2 * _FIRST_STEP:
        return float(middle - 0.5 * left if left > right else middle + 0.5 * right)
    return None


def _solved(G: Array, right: Array, n_jobs: int) -> Callable[[float], tuple[float, float]]:
    """h → rightᵀ(G + hI)⁻¹right and log|I + G/h|, G by its lower triangle."""
    k = len(G)
    if k <= EIGEN:
        values, vectors = eigh(G, lower=True, check_finite=False)
        values = np.maximum(values, 0)
        squares = ((vectors.T @ right) ** 2).sum(axis=1)
        return lambda h: (float((squares / (values + h)).sum()), float(np.log1p(values / h).sum()))

    G = G if G.flags.f_contiguous else G.T  # as LAPACK reads it
    place = np.empty((k, k), order="F")  # of all factors: fresh pages cost as much as small factors do

    def by_factor(h: float) -> tuple[float, float]:
        factor = _factor(G, h, place, n_jobs)
        return float((solve_lower(factor, right) ** 2).sum()) / h, log_determinant(factor)

    return by_factor


def _factor(G: Array, h: float, place: Array, n_jobs: int) -> Array:
    """Of I + G/h, in its place; where rounding leaves that indefinite, with jitter in another."""

    def fill() -> None:
        np.divide(G, h, out=place)
        np.einsum("ii->i", place)[...] += 1.0

    fill()
    try:
        return cholesky(place, n_jobs, out=place)
    except IllConditioned:
        fill()
        return cholesky(place, n_jobs)


@dataclass(frozen=True)
class TunedProcess:
    """A process on all rows with its best noise and common amplitude, and the sums that they were found from."""

    process: Process
    theta: Array
    nlml: float  # to the rounding of sums
    sums: Statistics | None  # None in row space
    solved: RowSpace | None = None  # of a closed form, where that is kept

    @property
    def n_basis(self) -> int:
        """Columns, or rows of a closed form."""
        return self.process.n_basis


def tune(process: Process, theta: Array, sums: Statistics | None) -> TunedProcess:
    """The process at theta with its best noise and common amplitude; `sums` are its statistics in weight space."""
    problem, rows, n_jobs = process.problem, process.problem.rows, process.problem.n_jobs
    if sums is not None:
        profile = weights_profile(sums, process.weight_variance, n_jobs)
    else:
        profile = rows_profile(*row_signal(process), rows.total, n_jobs)
    tuned = _retuned(process, profile)
    values = dict(problem.layout.unpack(theta))
    with np.errstate(divide="ignore"):
        values["log_amplitude"] = values["log_amplitude"] + 0.5 * np.log(tuned.gain)
    values = problem.noise.with_noise_variance(values, tuned.noise_variance)
    theta = problem.layout.clip(problem.layout.pack(values))
    return TunedProcess(process_at(problem, theta), theta, tuned.nlml, sums)


def _retuned(process: Process, profile: Profile) -> Tuned:
    """What of noise and amplitude is free, tuned."""
    layout, rows = process.problem.layout, process.problem.rows
    size = rows.n_rows if process.expansion is None else min(rows.n_rows, process.n_basis)
    least = noise_floor(size, rows.total, process.spectrum.log_amplitude)
    noise_free = all(layout.is_free(p.name) for p in process.problem.likelihood.parameters())
    return retune(profile, process.noise_variance, least, Free(layout.is_free("log_amplitude"), noise_free))


def gain_of_last_doubling(tuned: TunedProcess) -> float | None:
    """Nats that a process has gained by the second half of its frequencies; None in row space, where it is not cheap.

    The sums of some columns are a part of the sums of all: this needs no look at the rows.
    """
    process, sums = tuned.process, tuned.sums
    if sums is None:
        return None
    columns, times = _first_half(process.problem.draws.shape, process.n_basis)
    gram = np.asfortranarray(sums.gram[np.ix_(columns, columns)])
    half = Statistics(gram, sums.moment[columns], sums.energy, sums.total)
    variance = process.weight_variance[columns] * times
    return _retuned(process, weights_profile(half, variance, process.problem.n_jobs)).nlml - tuned.nlml


def _first_half(shape: Shape, n_basis: int) -> tuple[Integers, Array]:
    """Columns of half of the frequencies of each component, ascending, and what their variance is multiplied by."""
    kept, times, begin = [], [], 0
    for count in shape.counts:
        half = (count + 1) // 2
        kept.append(np.arange(begin, begin + half))
        times.append(np.full(half, count / half))
        begin += count
    waves = np.arange(n_basis // shape.n_frequencies)[:, None] * shape.n_frequencies  # cosines, sines, their products
    return (waves + np.concatenate(kept)).ravel(), np.tile(np.concatenate(times), len(waves))

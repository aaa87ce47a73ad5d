"""How observations spread about their predictions: a scale of all standard deviations, and tails heavier than normal.

In: z-scores of rows left out, (y − m)/√(v + s), how many numbers were learned. Out: `Calibration`. The scale is common
to function and noise: the process is what it was, in other units. Tails are those of observations alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from alakarte.metrics import log_density
from alakarte.records import Array

_STEPS = 100  # of the scale, at most
_CLOSE = 1e-6  # relative change of its square that is none


@dataclass(frozen=True)
class Calibration:
    """Observations are mean + scale · √(v + s) · t, t of variance one: Student's with `dof`, or normal."""

    scale: Array  # (T,), or (1,) for all targets
    dof: Array  # (T,) or (1,) degrees of freedom; infinite: normal

    def tail_factors(self, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
        """(rows, T, n_samples) that turn normal deviations into those of Student's t, of the same variance."""
        factors = np.ones(shape)
        for t, dof in enumerate(np.broadcast_to(self.dof, shape[1])):
            if np.isfinite(dof):
                factors[:, t] = np.sqrt((dof - 2) / rng.chisquare(dof, factors[:, t].shape))
        return factors


UNCALIBRATED = Calibration(np.ones(1), np.full(1, np.inf))


def calibration(z: Array, weight: Array, n_parameters: int, dofs: Sequence[float]) -> Calibration:
    """From z-scores (n, T) of rows left out and their weights (n,), after so many numbers were learned.

    A tail must gain half a nat per log N. Rows left out took part in learning: a number learned from N rows makes them
    look better, on average, by 1/N nats per row than fresh ones, hence the scale is 1 + p/N times theirs [Akaike].
    """
    total = float(weight.sum()) * z.shape[1]
    learned = min(n_parameters, total)  # rows cannot tell more
    targets = [_scale_and_dof(column, weight, learned / z.shape[1], dofs) for column in z.T]
    scale, dof = (np.array(each) for each in zip(*targets, strict=True))
    return Calibration((1 + learned / total) * scale, dof)


def most_nats(z: Array, weight: Array, dofs: Sequence[float]) -> float:
    """Log density of z-scores (n, T), each column with its own best scale and tails."""
    return sum(float(weight @ log_density(column, 0.0, *_scale_and_dof(column, weight, 0.0, dofs))) for column in z.T)


def _scale_and_dof(z: Array, weight: Array, prior: float, dofs: Sequence[float]) -> tuple[float, float]:
    """The best scale and degrees of freedom of z-scores (n,)."""
    total = float(weight.sum())
    best = _scale(z, weight, prior, np.inf), np.inf
    most = float(weight @ log_density(z, 0.0, best[0]))
    for dof in dofs:
        scale = _scale(z, weight, prior, dof)
        nats = float(weight @ log_density(z, 0.0, scale, dof)) - 0.5 * np.log(total)
        if nats > most:
            best, most = (scale, dof), nats
    return best


def _scale(z: Array, weight: Array, prior: float, dof: float) -> float:
    """The likeliest standard deviation of z-scores (n,), with `prior` rows more that have it at one."""
    squares, total = z**2, float(weight.sum())
    variance = 1.0
    for _ in range(1 if np.isinf(dof) else _STEPS):
        seen = squares if np.isinf(dof) else (dof + 1) * squares / (dof - 2 + squares / variance)
        before, variance = variance, (float(weight @ seen) + prior) / (total + prior)
        if abs(variance - before) < _CLOSE * before:
            break
    return float(np.sqrt(variance))

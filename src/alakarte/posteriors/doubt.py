"""How much less to believe neighbours that are far: by rows left out alone, and with all the rows that were near.

In: a posterior from neighbours, some of its rows. Out: the same posterior with its `doubt`. A kernel is learned from
rows that are predicted from their nearest others, such as the minute before. That does not tell how far it holds, and
whoever asks for another day asks for that. A row left out together with its k nearest is predicted from the next k.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy.optimize import minimize_scalar

from alakarte.posteriors.base import Posterior
from alakarte.posteriors.calibration import most_nats
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.records import Integers

_MOST = 4.0  # a power; such doubt comes to the kernel's own variance at once
_CLOSE = 0.01  # powers that are the same


def can_doubt(posterior: LocalPosterior) -> bool:
    """Whether there are k rows beyond the k nearest of each."""
    return posterior.neighbours.n_rows > 2 * posterior.n_neighbors


def with_doubt(posterior: LocalPosterior, picked: Integers, dofs: Sequence[float], n_jobs: int = 1) -> LocalPosterior:
    """By rows `picked` (rows,) of its own; the power must gain half a nat per log N, as tails must (`calibration`)."""
    learned = replace(posterior, doubt=0.0)
    left_out = [learned.without_each(picked, n_jobs, n_passed) for n_passed in (0, learned.n_neighbors)]
    mean, variance = (np.concatenate(each) for each in zip(*left_out, strict=True))
    apart = np.tile(learned.targets[picked], (2, 1)) - mean
    weight = np.tile(np.ones(picked.size) if learned.weight is None else learned.weight[picked], 2)

    def loss(doubt: float) -> float:
        total = replace(learned, doubt=doubt).doubted(variance) + learned.noise_variance
        return 0.5 * float(weight @ np.log(total).sum(axis=1)) - most_nats(apart / np.sqrt(total), weight, dofs)

    found = minimize_scalar(loss, bounds=(0.0, _MOST), method="bounded", options={"xatol": _CLOSE})
    needed = 0.5 * np.log(weight.sum() * apart.shape[1])
    return replace(learned, doubt=float(found.x)) if found.fun < loss(0.0) - needed else learned


def undoubted(posterior: Posterior) -> Posterior:
    """With belief in far neighbours as it was learned; any posterior that has none, as it is."""
    if isinstance(posterior, SmoothAndRough):
        return replace(posterior, rough=replace(posterior.rough, doubt=0.0))
    return replace(posterior, doubt=0.0) if isinstance(posterior, LocalPosterior) else posterior

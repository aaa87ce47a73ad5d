"""What features of all rows may come to, guessed from a few: smooth kernels in the metric that neighbours learned.

In: some rows in that metric, and rows held out. Out: the log loss that features of n rows would have if it fell on as
it does from half of these rows to all. Who is far behind by this guess need not be made of all rows.
"""

from typing import NamedTuple

import numpy as np

import alakarte.search.policy as policy
from alakarte.kernels.base import GAUSSIAN, ClosedForm
from alakarte.kernels.matern import matern_form
from alakarte.likelihoods.categorical import log_softmax_at
from alakarte.linalg.factorise import cholesky
from alakarte.process.closed_form import closed_gram
from alakarte.process.design_matrix import JITTER, KeptDesign
from alakarte.process.softmax import Labels, softmax_mode
from alakarte.records import Array, Integers, Spectrum

_FORMS: tuple[ClosedForm, ...] = (GAUSSIAN, matern_form(1.5))


class Trial(NamedTuple):
    """Rows to learn from, and rows to judge by."""

    x: Array  # (rows, d) in the metric of neighbours
    labels: Integers  # (rows,)
    held: Array  # (held, d)
    held_labels: Integers  # (held,)
    base: Array  # (K,) logarithms of the shares


def expected_loss(trial: Trial, n_rows: int, n_jobs: int) -> float:
    """Of features of so many rows, per row held out."""
    distance = _median_distance(trial.x)
    factors = [_factor(trial, form, part * distance, n_jobs) for form in _FORMS for part in policy.FIXED_LENGTHSCALES]
    size = len(trial.x)
    losses = [_least_loss(trial, factor, size, n_jobs) for factor in factors]
    best = int(np.argmin(losses))
    fewer = _least_loss(trial, factors[best], size // 2, n_jobs)
    slope = max(np.log2(fewer / losses[best]), 0.0)
    return float(losses[best] * (n_rows / size) ** -slope)


def _median_distance(x: Array) -> float:
    """Of neighbouring rows in the order given, which is random; one where most coincide."""
    distances = np.linalg.norm(x[1:] - x[:-1], axis=1)
    distances = distances[distances > 0]
    return float(np.median(distances)) if distances.size else 1.0


def _factor(trial: Trial, form: ClosedForm, lengthscale: float, n_jobs: int) -> Array:
    """Of the kernel matrix of all rows, those held out last: its leading columns serve any number of the first."""
    x = np.vstack([trial.x, trial.held])
    spectrum = Spectrum(np.zeros(1), np.full((1, x.shape[1]), 1 / lengthscale))
    kernel = closed_gram(spectrum, form, x, np.ones(len(x)), n_jobs)
    kernel.flat[:: len(x) + 1] += JITTER
    return np.tril(cholesky(kernel, n_jobs))


def _least_loss(trial: Trial, factor: Array, n_train: int, n_jobs: int) -> float:
    """With the gain of the amplitude that predicts the rows held out best, learned from the first `n_train`."""
    design = KeptDesign(np.ascontiguousarray(factor[:n_train, :n_train]), n_jobs)
    held = np.ascontiguousarray(factor[len(trial.x) :, :n_train])
    labels = Labels(trial.labels[:n_train], trial.base, np.ones(n_train))
    least, start = np.inf, None
    for log_gain in policy.CLASS_GAINS:
        mode = softmax_mode(design, labels, float(np.exp(-2 * log_gain)), start, tol=policy.GAIN_TOL)
        start = mode.weights
        loss = -float(log_softmax_at(held @ mode.weights + trial.base, trial.held_labels).mean())
        if loss >= least:
            break
        least = loss
    return least

"""The common amplitude of a kernel for several classes: what predicts rows that were left out.

In: a latent function learned by regression on indicators, labels of some rows. Out: the gain of its amplitude, and what
is said of rows left out in two halves. The evidence of regression says too little of it: probabilities near zero and
one ask for functions far larger than indicators are.
"""

from dataclasses import dataclass

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.rows import Rows
from alakarte.likelihoods.categorical import log_softmax_at
from alakarte.linalg.factorise import cholesky
from alakarte.process.closed_form import closed_gram
from alakarte.process.design_matrix import JITTER, KeptDesign
from alakarte.process.problem import LatentFunction
from alakarte.process.softmax import Labels, softmax_mode
from alakarte.records import Array, Integers


@dataclass(frozen=True)
class Fold:
    """Rows to learn from and rows left out, as Ψ shows them."""

    train: KeptDesign
    train_labels: Labels
    held: Array  # (k, D) Ψ of the rows left out
    places: Integers  # (k,) of these


def folds(function: LatentFunction, labels: Labels) -> list[Fold]:
    """The rows of a function's problem in two halves, each left out once."""
    rows, n_jobs = function.problem.rows, function.problem.n_jobs
    even, odd = np.arange(0, rows.n_rows, 2), np.arange(1, rows.n_rows, 2)
    out = []
    for train, held in ((even, odd), (odd, even)):
        seen, unseen = _psi(function, rows, np.concatenate([train, held]), len(train))
        out.append(Fold(KeptDesign(seen, n_jobs), labels.some(train), unseen, held))
    return out


def _psi(function: LatentFunction, rows: Rows, order: Array, n_train: int) -> tuple[Array, Array]:
    """Ψ of training rows and of the others, in this order; of a closed form by the columns of the training rows."""
    x = rows.whole().x[order]
    if function.expansion is not None:
        psi = function.features.phi(x) * np.sqrt(function.weight_variance)
        return psi[:n_train], psi[n_train:]
    kernel = closed_gram(function.spectrum, function.closed_form, x, np.ones(len(x)), function.problem.n_jobs)
    kernel.flat[:: len(x) + 1] += JITTER * np.exp(2 * function.spectrum.log_amplitude).sum()
    factor = np.tril(cholesky(kernel, function.problem.n_jobs))
    return np.ascontiguousarray(factor[:n_train, :n_train]), np.ascontiguousarray(factor[n_train:, :n_train])


@dataclass(frozen=True)
class Gained:
    """The gain of a common amplitude that predicts rows left out best."""

    log_gain: float
    latent: Array  # (n, K) base rates and functions at each row, from the half that it is not in

    def log_probability(self, labels: Labels) -> Array:
        """(n,) of the labels of rows left out."""
        return log_softmax_at(self.latent, labels.y)


def best_gain(parts: list[Fold], labels: Labels) -> Gained:
    """The gain with the least log loss of rows left out; rows of the parts in their order: even ones, odd ones."""
    starts: list[Array | None] = [None] * len(parts)

    def left_out(log_gain: float) -> Gained:
        latent = np.empty((len(labels.y), labels.n_classes))
        for index, fold in enumerate(parts):
            ridge = float(np.exp(-2 * log_gain))
            mode = softmax_mode(fold.train, fold.train_labels, ridge, starts[index], tol=policy.GAIN_TOL)
            starts[index] = mode.weights
            latent[fold.places] = fold.held @ mode.weights + labels.base
        return Gained(log_gain, latent)

    best, least = None, np.inf
    for log_gain in policy.CLASS_GAINS:
        tried = left_out(log_gain)
        log_loss = -float(labels.weight @ tried.log_probability(labels))
        if best is not None and log_loss >= least:
            break
        best, least = tried, log_loss
    assert best is not None
    return best

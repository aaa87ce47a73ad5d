"""Kernels that the evidence cannot tell apart, averaged: a posterior of several.

In: kernels with their θ, all in closed form, and rows. Out: `Average`, in standardised units. Had other rows been
drawn, log evidences would differ from these by some √N nats: that is the temperature of the weights. One of 1 would
take the lead of the best kernel at its word.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from alakarte.data.arrays import Rows
from alakarte.posteriors.posterior import Posterior, RowPosterior, row_posterior
from alakarte.process.objective import Problem, model_at

MOST_ROWS = 2000  # beyond, kernels are told apart, and each has its n×n factor
LEAST_WEIGHT = 0.01  # a kernel with less is left out


class Member(NamedTuple):
    """A kernel at its θ; the problem has no rows."""

    problem: Problem
    theta: np.ndarray  # (n_parameters,)
    rank: int  # in the ranking of the fit


def shares(scores, total: float) -> np.ndarray:
    """w (K,) ∝ exp(score/√N), scores (K,) in nats: log evidence less half a nat a number learned."""
    scores = np.asarray(scores, dtype=float)
    share = np.exp((scores - scores.max()) / np.sqrt(total))
    return share / share.sum()


@dataclass(frozen=True)
class Average(Posterior):
    """p(f) = Σ w_k p_k(f): a mixture of Gaussian processes."""

    members: tuple[Member, ...]  # the first is that of `kernel_`
    weights: np.ndarray  # (K,)
    posteriors: tuple[RowPosterior, ...]
    noise_variance: float  # Σ w_k s_k

    @property
    def rows(self) -> Rows:
        """As they came."""
        return self.posteriors[0].rows

    @property
    def total(self) -> float:
        """N, the sum of weights of rows."""
        return self.rows.total

    def _means(self, x, n_jobs=1):
        """(K, rows), and their average."""
        means = np.array([one.mean(x, n_jobs) for one in self.posteriors])
        return means, (self.weights[:, None] * means).sum(axis=0)

    def mean(self, x, n_jobs=1):
        """μ = Σ w_k μ_k."""
        return self._means(x, n_jobs)[1]

    def variance(self, x, n_jobs=1):
        """Σ w_k (σ_k² + (μ_k − μ)²): what each does not know, and where they disagree."""
        means, mean = self._means(x, n_jobs)
        own = np.array([one.variance(x, n_jobs) for one in self.posteriors])
        return (self.weights[:, None] * (own + (means - mean) ** 2)).sum(axis=0)

    def covariance(self, x):
        """The same for pairs."""
        means, mean = self._means(x)
        apart = (means - mean) * np.sqrt(self.weights)[:, None]
        own = sum(w * one.covariance(x) for w, one in zip(self.weights, self.posteriors, strict=True))
        return own + apart.T @ apart

    def sample(self, x, n_samples, rng):
        """Each function from one of the kernels, drawn by weight."""
        which, samples = rng.choice(len(self.weights), n_samples, p=self.weights), np.empty((len(x), n_samples))
        for k, one in enumerate(self.posteriors):
            if (mine := which == k).any():
                samples[:, mine] = one.sample(x, np.count_nonzero(mine), rng)
        return samples


def average(members: tuple[Member, ...], rows: Rows, n_jobs: int) -> tuple[Average, float]:
    """All of them on some rows, and the nlml of the first."""
    models = [model_at(replace(one.problem, rows=rows, n_jobs=n_jobs), one.theta) for one in members]
    posteriors, values = zip(*(row_posterior(model) for model in models), strict=True)
    w = shares([-value - 0.5 * one.theta.size for value, one in zip(values, members, strict=True)], rows.total)
    noise = float(w @ [model.noise_variance for model in models])
    return Average(members, w, posteriors, noise), float(values[0])

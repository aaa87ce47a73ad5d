"""Probabilities by features and from neighbours together: a log p_features + b log p_neighbours + c log Kπ, normalised.

In: a `LatentPosterior` of classes, a `VotesPosterior`, three numbers. Out: `StackedPosterior`; also the probabilities
of a `LatentPosterior` alone.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.compress import Tails
from alakarte.data.rows import Block, Rows
from alakarte.errors import Unavailable
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.categorical import softmax
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.votes import NO_FUNCTION, VotesPosterior
from alakarte.records import Array

LEAST_PROBABILITY = 1e-15


def probability(posterior: LatentPosterior, base: Array, x: Array, n_jobs: int = 1) -> Array:
    """(rows, K) averaged over kernels; `base` is added to the functions, of two classes (1,), of more (K,)."""
    total = np.zeros((len(x), max(base.size, 2)))
    for weight, mean, variance in posterior.by_member(x, n_jobs):
        latent = mean + base
        if base.size == 1:
            ones = Bernoulli().probability(*posterior.log_odds(latent[:, 0], variance[:, 0]))
            total += weight * np.column_stack([1 - ones, ones])
        else:
            total += weight * softmax(latent)
    return total


def stacked(log_features: Array, log_near: Array, log_shares: Array, weights: Array) -> Array:
    """(rows, K) log probabilities of both together; `log_shares` (K,): log Kπ, `weights` (3,): a, b, c."""
    a, b, c = weights
    logs: Array = a * log_features + b * log_near + c * log_shares
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return logs


@dataclass(frozen=True)
class StackedPosterior(Posterior):
    """Features and neighbours; mean and variance are those of the latent functions of features."""

    features: LatentPosterior
    near: VotesPosterior
    weights: Array  # (3,) a, b, c
    base: Array  # (1,) or (K,), added to the latent functions
    tails: Tails | None  # compressed for features, not for neighbours
    total: float
    nlml: float  # of features
    noise_variance: float = 0.0

    @property
    def n_targets(self) -> int:
        """T, the latent functions."""
        return self.features.n_targets

    @property
    def n_basis(self) -> int:
        """Columns of the expansion."""
        return self.features.n_basis

    @property
    def size(self) -> int:
        """Of the system that was solved."""
        return self.features.size

    def _compressed(self, x: Array) -> Array:
        return x if self.tails is None else self.tails.compress(x)

    def log_probability(self, x: Array, n_jobs: int = 1) -> Array:
        """(rows, K) logarithms of the probabilities of the classes."""
        p = probability(self.features, self.base, self._compressed(x), n_jobs)
        shares = self.near.shares
        log_features = np.log(np.maximum(p, LEAST_PROBABILITY))
        return stacked(log_features, self.near.log_probability(x, n_jobs), np.log(shares.size * shares), self.weights)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """That of the functions of features."""
        return self.features.mean(self._compressed(x), n_jobs)

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """That of the functions of features."""
        return self.features.variance(self._compressed(x), n_jobs)

    def covariance(self, x: Array) -> Array:
        """There is none of both."""
        raise Unavailable(NO_FUNCTION)

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """There is none of both."""
        raise Unavailable(NO_FUNCTION)

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """There is none."""
        raise Unavailable(NO_FUNCTION)

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "StackedPosterior":
        """Both with these rows, or without them."""
        inputs = rows if self.tails is None else rows.compressed(self.tails)
        features = self.features.changed(inputs, sign, n_jobs)
        near = self.near.changed(rows, sign, n_jobs)
        return replace(self, features=features, near=near, total=near.total, nlml=features.nlml)

"""Kernels that the evidence cannot tell apart, averaged: a posterior of several.

In: posteriors in closed form on the same rows. Out: `Average`, in standardised units.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Block, Rows
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.ranking import average_weights, score
from alakarte.posteriors.rows import RowPosterior
from alakarte.records import Array


@dataclass(frozen=True)
class Average(Posterior):
    """p(f) = Σ w_k p_k(f): a mixture of Gaussian processes."""

    members: tuple[RowPosterior, ...]  # the first is that of the best kernel of the fit
    n_parameters: tuple[int, ...]  # numbers that were learned for each

    weights: Array  # (K,), which follow the rows
    total: float
    noise_variance: float  # Σ w_k s_k
    nlml: float  # of the first
    even: bool = False  # all weights are the same, whatever the evidence

    @property
    def rows(self) -> ArrayRows:
        """The rows that all members hold."""
        return self.members[0].rows

    @property
    def n_targets(self) -> int:
        """T."""
        return self.rows.n_targets

    @property
    def n_basis(self) -> int:
        """n."""
        return self.rows.n_rows

    @property
    def size(self) -> int:
        """n."""
        return self.rows.n_rows

    def _means(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """(K, rows, T), and their average (rows, T)."""
        means = np.array([member.mean(x, n_jobs) for member in self.members])
        return means, (self.weights[:, None, None] * means).sum(axis=0)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """μ = Σ w_k μ_k."""
        return self._means(x, n_jobs)[1]

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """Σ w_k (σ_k² + (μ_k − μ)²): what each does not know, and where they disagree."""
        return self.mean_and_variance(x, n_jobs)[1]

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """Both from what the members say once."""
        return self._mixed([member.mean_and_variance(x, n_jobs) for member in self.members])

    def _mixed(self, parts: list[tuple[Array, Array]]) -> tuple[Array, Array]:
        """Mean and variance (rows, T) of the mixture, from those of its members."""
        means, variances = (np.array(each) for each in zip(*parts, strict=True))
        weights = self.weights[:, None, None]
        mean = (weights * means).sum(axis=0)
        return mean, np.asarray((weights * (variances + (means - mean) ** 2)).sum(axis=0))

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """Of the mixture, with weights as they are: one row changes them by a factor of some e^(1/√N)."""
        return self._mixed([member.leave_one_out(block, n_jobs) for member in self.members])

    def covariance(self, x: Array) -> Array:
        """Σ w_k (C_k + (μ_k − μ)(μ_k − μ)ᵀ)."""
        means, mean = self._means(x)
        apart = (means - mean) * np.sqrt(self.weights)[:, None, None]
        within = sum(w * member.covariance(x) for w, member in zip(self.weights, self.members, strict=True))
        return np.asarray(within + np.einsum("kit,kjt->ijt", apart, apart))

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """Each function from one of the kernels, drawn by weight."""
        which = rng.choice(len(self.weights), n_samples, p=self.weights)
        samples = np.empty((len(x), self.rows.n_targets, n_samples))
        for k, member in enumerate(self.members):
            if (mine := which == k).any():
                samples[:, :, mine] = member.sample(x, int(np.count_nonzero(mine)), rng)
        return samples

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "Average":
        """Each of them with the rows added or removed."""
        return average_of(
            tuple(member.changed(rows, sign, n_jobs) for member in self.members), self.n_parameters, even=self.even
        )


def average_of(members: tuple[RowPosterior, ...], n_parameters: tuple[int, ...], *, even: bool = False) -> Average:
    """The average of posteriors for which so many numbers were learned."""
    total, pairs = members[0].total, zip(members, n_parameters, strict=True)
    scores = [0.0 if even else score(member.nlml, learned) for member, learned in pairs]
    weights = average_weights(scores, total)
    noise_variance = float(weights @ [member.noise_variance for member in members])
    return Average(members, n_parameters, weights, total, noise_variance, members[0].nlml, even)

"""Probabilities of classes from neighbours: at each query the votes of its k nearest rows, through the link.

In: a `LocalPosterior` whose targets are labels, the link, the shares of the classes, of many inputs also the directions
that it sees. Out: `VotesPosterior`. There is no latent function behind it: its mean are the votes, and it has neither
covariances nor samples.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.directions import Directions
from alakarte.data.rows import Block, Rows
from alakarte.errors import Unavailable
from alakarte.execution.scratch import Scratch
from alakarte.likelihoods.votes import Link, log_probability
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.tiles import by_tiles
from alakarte.process.votes import voters
from alakarte.records import Array

_TILE_ROWS = 64


@dataclass(frozen=True)
class VotesPosterior(Posterior):
    """Classes at x given the labels of the k rows nearest to x."""

    core: LocalPosterior
    link: Array  # (3,) logarithms of τ, e₀, e₁
    shares: Array  # (K,)
    total: float
    nlml: float  # N × the log loss of rows left out
    noise_variance: float
    directions: Directions | None = None  # along which neighbours are near; None: by all inputs

    @property
    def n_targets(self) -> int:
        """K."""
        return self.shares.size

    @property
    def n_inputs(self) -> int:
        """d, of queries."""
        return int(self.core.neighbours.scale.size if self.directions is None else len(self.directions.axes))

    @property
    def n_basis(self) -> int:
        """n."""
        return self.core.n_basis

    @property
    def size(self) -> int:
        """k."""
        return self.core.size

    def _voted(self, x: Array, n_jobs: int) -> Array:
        """(rows, K + 1) votes, and the variance that they leave."""
        kernel = self.core.kernel
        if self.directions is not None:
            x = self.directions.along(x)

        def of_tile(tile: Array, scratch: Scratch) -> Array:
            found = voters(self.core.block(tile)[1], kernel, self.shares)
            return np.column_stack([found.votes, found.variance])

        return by_tiles(of_tile, x, _TILE_ROWS, n_jobs, padded=False)

    def log_probability(self, x: Array, n_jobs: int = 1) -> Array:
        """(rows, K) logarithms of the probabilities of the classes."""
        voted = self._voted(x, n_jobs)
        return log_probability(voted[:, :-1], voted[:, -1], Link(*self.link), self.shares)

    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """(rows, K) votes."""
        return self._voted(x, n_jobs)[:, :-1]

    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """What the votes leave of a variance of one."""
        return self._for_each_target(self._voted(x, n_jobs)[:, -1])

    def covariance(self, x: Array) -> Array:
        """There is none."""
        raise Unavailable(NO_FUNCTION)

    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """There is none."""
        raise Unavailable(NO_FUNCTION)

    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """There is none."""
        raise Unavailable(NO_FUNCTION)

    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "VotesPosterior":
        """With these rows beside the others, or without them; their labels are the first of their targets."""
        y, weight = rows.targets()
        rows = rows.with_targets(y[:, :1], weight)
        if self.directions is not None:
            rows = self.directions.rows(rows, n_jobs)
        core = self.core.changed(rows, sign, n_jobs)
        return replace(self, core=core, total=core.total)


NO_FUNCTION = (
    "Probabilities from neighbours have no latent function behind them: ask for predict_proba, or fit with "
    "expansion='fastfood'."
)

"""What a posterior is: predictions of the latent function, without noise, for rows that come and go.

In: standardised rows x (rows, d). Out: means and variances of T targets, in standardised units.
Variances are sums of squares: they cannot be negative. [E14, E15]
"""

from abc import ABC, abstractmethod

import numpy as np

from alakarte.data.rows import Block, Rows
from alakarte.records import Array, arrays


class Posterior(ABC):
    """Predictions of the latent function. What it holds never changes: rows that come make another posterior."""

    noise_variance: float  # s, of an observation of weight one
    total: float  # N, the weight of the rows it was made from
    nlml: float  # of those rows

    @property
    @abstractmethod
    def n_basis(self) -> int:
        """Columns of the expansion, or rows of a closed form."""

    @property
    @abstractmethod
    def n_targets(self) -> int:
        """T."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Of the system that was solved."""

    @abstractmethod
    def mean(self, x: Array, n_jobs: int = 1) -> Array:
        """(rows, T)."""

    @abstractmethod
    def variance(self, x: Array, n_jobs: int = 1) -> Array:
        """(rows, T) ≥ 0."""

    def mean_and_variance(self, x: Array, n_jobs: int = 1) -> tuple[Array, Array]:
        """Both (rows, T), to the last bit as they are one by one."""
        return self.mean(x, n_jobs), self.variance(x, n_jobs)

    @abstractmethod
    def covariance(self, x: Array) -> Array:
        """(rows, rows, T)."""

    @abstractmethod
    def sample(self, x: Array, n_samples: int, rng: np.random.Generator) -> Array:
        """(rows, T, n_samples) of the functions, jointly over rows."""

    @abstractmethod
    def leave_one_out(self, block: Block, n_jobs: int = 1) -> tuple[Array, Array]:
        """Mean and variance (rows, T) of the function at rows that it holds, each without itself.

        Exact at the same kernel and noise, without a refit: (y − m)/(1 − h) is the residual of a row left out
        (`posteriors/left_out.py`). Of a row with a weight above one a weight of one leaves.
        """

    @abstractmethod
    def changed(self, rows: Rows, sign: int, n_jobs: int = 1) -> "Posterior":
        """The posterior with these rows added (sign 1) or removed (−1); IllConditioned if no rows can be left so."""

    def _for_each_target(self, shared: Array) -> Array:
        """(…, T) from what all targets of one kernel share (…)."""
        return np.broadcast_to(shared[..., None], (*shared.shape, self.n_targets))

    def arrays(self) -> dict[str, Array]:
        """All that it is made of, as plain arrays by name."""
        return arrays(self)

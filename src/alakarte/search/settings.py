"""How the user wants it: the estimator's settings, checked, as one record."""

from dataclasses import dataclass

from alakarte.kernels.base import Kernel
from alakarte.likelihoods.base import Noise


@dataclass(frozen=True)
class Settings:
    """What was asked for; "auto" and None leave a choice open."""

    kernel: Kernel | None  # None: several are learned, and the evidence decides
    likelihood: Noise
    n_components: int | None
    n_frequencies: int | None
    expansion: str  # "auto", "fastfood", "dense", "exact" or "local"
    n_restarts: int
    max_iter: int
    max_iter_restart: int
    tol: float  # nats
    n_jobs: int
    precision: str = "auto"  # "auto", "double" or "mixed"
    n_learning_rows: int | str | None = "auto"  # None: all
    n_posterior_frequencies: int | str | None = "auto"  # of each component; None: those that were learned with
    lengthscale_spread: float | str | None = None  # of log ℓ about their mean, expected beforehand; None: no prior
    n_neighbors: int = 0  # of a posterior from neighbours; 0: there is none
    stands_in: bool = False  # targets are numbers that stand for others: kernels are learned further elsewhere

    @property
    def progressive(self) -> bool:
        """Whether the rows of each stage are open."""
        return self.n_learning_rows == "auto" and self.expansion != "exact"

    @property
    def neighbours_are_open(self) -> bool:
        """Whether kernel and expansion are left to the search, neighbours among them."""
        by_features = self.n_frequencies is None and self.n_posterior_frequencies == "auto"
        return self.kernel is None and self.n_neighbors > 0 and self.expansion == "auto" and by_features

    def asked_rows(self, n_rows: int) -> int:
        """Rows to learn from that the user asked for, or all."""
        return min(self.n_learning_rows, n_rows) if isinstance(self.n_learning_rows, int) else n_rows

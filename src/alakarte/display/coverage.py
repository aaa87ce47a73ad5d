"""Can predictions be trusted: coverage of intervals against what was promised, or reliability of probabilities."""

from typing import Any

import numpy as np
from sklearn.base import is_classifier

from alakarte.display.answers import LEVELS
from alakarte.display.canvas import BAND, REFERENCE, SHADES, Display, bare, fitted_model
from alakarte.errors import InvalidInput
from alakarte.likelihoods.counts import CountLikelihood
from alakarte.records import Array

BINS = 10


class CoverageDisplay(Display):
    """What was promised, and what test rows say.

    Parameters
    ----------
    promised : (k,)
        Nominal coverage of central intervals, or mean probability of a bin.
    observed : (k,)
        Share of test rows within, or share of rows of that class.
    counts : (k,)
        Rows that each share is of.
    kind : {"intervals", "probabilities"}
    ranks : (rows, 2) or (rows,), or None
        Where each observation lies in its predictive distribution (PIT), which should be uniform. Of counts from where
        to where: each is spread over what its number takes.
    whole : bool
        Whether these are counts, whose intervals hold at least what they promise.

    Examples
    --------
    >>> from alakarte.display import CoverageDisplay
    >>> CoverageDisplay([0.9], [0.85], [100]).kind
    'intervals'
    """

    def __init__(
        self,
        promised: Any,
        observed: Any,
        counts: Any,
        kind: str = "intervals",
        ranks: Any = None,
        *,
        whole: bool = False,
    ):
        self.promised: Array = np.asarray(promised, dtype=float)
        self.observed: Array = np.asarray(observed, dtype=float)
        self.counts = np.asarray(counts, dtype=float)
        self.kind = kind
        self.ranks = ranks
        self.whole = whole

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ranks: bool = False, ax: Any = None, **given: Any
    ) -> "CoverageDisplay":
        """Draw for rows that the estimator was not fitted on.

        Parameters
        ----------
        estimator : fitted estimator of alakarte
        X, y : (rows, d), (rows,) or (rows, T)
        ranks : bool, default=False
            Draw the histogram of ranks (PIT) instead of coverage; of numbers and counts.
        ax : matplotlib axis, optional
        **given
            ``exposure`` of counts.
        """
        model = fitted_model(estimator)
        if is_classifier(estimator):
            if ranks:
                raise InvalidInput("ranks=True is for numbers and counts: classes have no order.")
            truth = np.asarray(y)[:, None] == estimator.classes_[None]
            return cls(*reliability(estimator.predict_proba(X), truth), kind="probabilities").plot(ax)
        observed = np.asarray(y, dtype=float)
        if ranks:
            return cls([], [], [], ranks=_ranks(estimator, X, observed, given)).plot(ax)
        shares = [_share_within(estimator, X, observed, float(level), given) for level in LEVELS]
        counts, whole = np.full(LEVELS.size, observed.size), isinstance(model.likelihood, CountLikelihood)
        return cls(LEVELS, shares, counts, whole=whole).plot(ax)

    def plot(self, ax: Any = None) -> "CoverageDisplay":
        """Draw observed against promised with the spread that chance alone gives; returns the display."""
        ax = self._on(ax, wide=4.4, high=4.0)
        if self.ranks is not None:
            return self._plot_ranks(ax)
        low = (
            0.0
            if self.kind == "probabilities"
            else max(0.0, float(min(self.promised.min(), self.observed.min())) - 0.1)
        )
        line = np.linspace(low, 1, 101)
        chance = 2 * np.sqrt(line * (1 - line) / max(float(np.median(self.counts)), 1.0))
        ax.fill_between(
            line, line - chance, line + chance, color=BAND, alpha=0.35, linewidth=0, label="chance, ± 2 s.e."
        )
        ax.plot(line, line, color=REFERENCE, linewidth=0.8)
        ax.plot(self.promised, self.observed, "o-", color=SHADES[0], label="test rows")
        ax.set_xlim(low, 1)
        ax.set_ylim(low, 1.02)
        classes = self.kind == "probabilities"
        promised = "promised coverage of intervals" + (", at least (whole numbers)" if self.whole else "")
        ax.set_xlabel("predicted probability" if classes else promised)
        ax.set_ylabel("share that was so" if classes else "share of test rows within")
        ax.legend(fontsize="small", loc="upper left")
        bare(ax)
        return self

    def _plot_ranks(self, ax: Any) -> "CoverageDisplay":
        ranks = np.asarray(self.ranks, dtype=float)
        edges, density = _histogram(ranks)
        ax.stairs(density, edges, fill=True, facecolor=BAND, edgecolor=SHADES[0])
        ax.vlines(edges[1:-1], 0, np.minimum(density[1:], density[:-1]), color=SHADES[0], linewidth=0.8)
        chance = 2 * np.sqrt((BINS - 1) / max(len(ranks), 1))  # of a bin's density, by the binomial law
        ax.axhspan(max(1 - chance, 0), 1 + chance, facecolor="none", edgecolor=REFERENCE, linestyle="--", linewidth=0.8,
                   label="chance, ± 2 s.e.")  # fmt: skip
        ax.legend(fontsize="small", loc="lower right")
        ax.set_xlim(0, 1)
        ax.set_xlabel("rank of the observation in its prediction (PIT)")
        ax.set_ylabel("density of test rows")
        bare(ax)
        return self


def _share_within(estimator: Any, X: Any, y: Array, level: float, given: dict[str, Any]) -> float:
    low, high = estimator.predict_interval(X, level, **given)
    return float(np.mean((low <= y) & (y <= high)))


def _histogram(ranks: Array) -> tuple[Array, Array]:
    """Edges (bins + 1,) and density (bins,) of ranks, each spread evenly from where it begins to where it ends."""
    begin, end = (ranks, ranks) if ranks.ndim == 1 else ranks.T
    edges = np.linspace(0, 1, BINS + 1)
    width = np.maximum(end - begin, 1e-12)[:, None]
    below = np.clip((edges - begin[:, None]) / width, 0, 1)  # of each rank, the share below each edge
    below[:, -1] = 1.0
    return edges, np.diff(below.mean(axis=0)) * BINS


def _ranks(estimator: Any, X: Any, y: Array, given: dict[str, Any]) -> Array:
    """(rows · T, 2) levels between which each observation lies, by 99 quantiles."""
    quantiles = np.asarray(estimator.predict_quantiles(X, np.linspace(0.01, 0.99, 99), **given), dtype=float)
    below, reached = (quantiles < y[..., None]).sum(axis=-1), (quantiles <= y[..., None]).sum(axis=-1)
    return np.stack([np.ravel(below), np.ravel(reached) + 1], axis=1) / 100.0


def reliability(probability: Array, truth: Any) -> tuple[Array, Array, Array]:
    """Mean probability, share and rows of bins of equal size, over all classes (rows, K), or the second of two."""
    if probability.shape[1] == 2:
        probability, truth = probability[:, 1:], truth[:, 1:]
    p, t = np.ravel(probability), np.ravel(truth).astype(float)
    bins = np.array_split(np.argsort(p, kind="stable"), min(BINS, p.size))
    return tuple(np.array(each) for each in zip(*((p[b].mean(), t[b].mean(), b.size) for b in bins), strict=True))  # type: ignore[return-value]

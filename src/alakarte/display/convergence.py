"""How the search went: what each start reached, and the log evidence of the last run against work."""

from typing import Any

import numpy as np

from alakarte.display.canvas import SHADES, Display, bare, fitted_model
from alakarte.records import Array


class ConvergenceDisplay(Display):
    """Evidence against work.

    Parameters
    ----------
    trace : (evaluations,)
        Log evidence at each evaluation of the last run.
    starts : (starts,)
        Log evidence that the short run from each start reached.
    stop_reason : str

    Examples
    --------
    >>> from alakarte.display import ConvergenceDisplay
    >>> ConvergenceDisplay([-9.0, -7.0, -8.0], [-9.0], "converged").best.tolist()
    [-9.0, -7.0, -7.0]
    """

    def __init__(self, trace: Any, starts: Any = (), stop_reason: str = ""):
        self.trace: Array = np.asarray(trace, dtype=float)
        self.starts: Array = np.asarray(starts, dtype=float)
        self.stop_reason = stop_reason
        self.best = np.maximum.accumulate(self.trace) if self.trace.size else self.trace

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> "ConvergenceDisplay":
        """Draw the search of a fitted estimator."""
        history = fitted_model(estimator).history
        starts = [start["log_marginal_likelihood"] for start in history.starts]
        return cls(history.trace["value"], starts, history.stop_reason).plot(ax)

    def plot(self, ax: Any = None) -> "ConvergenceDisplay":
        """Draw the best evidence so far, every evaluation, and the starts; returns the display."""
        ax = self._on(ax)
        work = np.arange(1, self.trace.size + 1)
        ax.plot(work, self.best, color=SHADES[0], marker="o" if self.trace.size < 2 else None, label="best so far")
        ax.plot(work, self.trace, ".", color=SHADES[1], markersize=4, label="each evaluation")
        _limits(ax, self.best[np.isfinite(self.best)])
        ax.set_xlabel("evaluations of the last run")
        ax.set_ylabel("log evidence (nats)")
        ax.set_title(f"{self._starts()}{self.stop_reason[:60]}", fontsize="small")
        ax.legend(fontsize="small", loc="lower right")
        bare(ax)
        return self

    def _starts(self) -> str:
        """How far apart short runs ended; these may have seen fewer rows, so their evidence is no point of the line."""
        reached = self.starts[np.isfinite(self.starts)]
        return f"{reached.size} starts, {np.ptp(reached):.3g} nats apart\n" if reached.size > 1 else ""


def _limits(ax: Any, values: Array) -> None:
    """So that the last steps are seen: what lies far below is cut."""
    if not values.size:
        return
    top, low = float(values.max()), float(max(np.quantile(values, 0.1), values.min()))
    margin = max(0.05 * (top - low), 1e-3 * abs(top), 1e-6)
    ax.set_ylim(low - 3 * margin, top + margin)

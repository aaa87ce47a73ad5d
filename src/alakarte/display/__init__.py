"""What was learned, for people: text, pictures, a report. Reads public results only.

Pictures follow scikit-learn's Displays: `SomethingDisplay.from_estimator(model, …)`, with `ax_`, `figure_` and
`plot(ax=…)`. They need matplotlib, the extra ``plot``.
"""

from alakarte.display.convergence import ConvergenceDisplay
from alakarte.display.coverage import CoverageDisplay
from alakarte.display.effect import EffectDisplay
from alakarte.display.kernel import KernelDisplay
from alakarte.display.prediction import PredictionDisplay
from alakarte.display.ranking import RankingDisplay
from alakarte.display.relevance import RelevanceDisplay
from alakarte.display.spectrum import SpectrumDisplay

__all__ = [
    "ConvergenceDisplay",
    "CoverageDisplay",
    "EffectDisplay",
    "KernelDisplay",
    "PredictionDisplay",
    "RankingDisplay",
    "RelevanceDisplay",
    "SpectrumDisplay",
]

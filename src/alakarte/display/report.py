"""A report of one page: what was learned, how sure it is, what to doubt. In words, for who knows the subject.

In: a fitted estimator, rows that it has not learned from if there are any. Out: a page of HTML that needs nothing from
elsewhere. Whatever it says is read from the model and from its answers; it learns nothing.
"""

import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from alakarte.display.answers import LEVELS, Answers, ClassAnswers, NumberAnswers
from alakarte.display.canvas import Display
from alakarte.display.case import Case, all_doubts, case_of
from alakarte.display.convergence import ConvergenceDisplay
from alakarte.display.coverage import CoverageDisplay, reliability
from alakarte.display.doubts import Doubt
from alakarte.display.effect import EffectDisplay, effect_display
from alakarte.display.inline import figure
from alakarte.display.kernel import KernelDisplay, is_number
from alakarte.display.page import box, element, figures, folded, page, section, table, tiles
from alakarte.display.prediction import PredictionDisplay
from alakarte.display.ranking import RankingDisplay
from alakarte.display.relevance import RelevanceDisplay
from alakarte.display.spectrum import SpectrumDisplay
from alakarte.display.summary import summary
from alakarte.display.words import computation_in_words, kernel_in_words, likelihood_in_words
from alakarte.posteriors.votes import VotesPosterior

MOST_TARGETS = 4  # with a picture each
MOST_POINTS = 400  # of a picture: more hide each other
EFFECTS, EFFECT_ROWS, EFFECT_POINTS = 4, 300, 40
MOST_INPUTS = 20
FEW_STEPS = 2  # of a search, of which there is nothing to be seen


def report(estimator: Any, X: Any = None, y: Any = None, given: dict[str, Any] | None = None) -> str:
    """The page."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The fit has not seen some levels")  # a doubt says so
        return _report(case_of(estimator, X, y, given or {}))


def _report(case: Case) -> str:
    doubts, estimator = all_doubts(case), case.estimator
    title = f"What was learned about {case.target}"
    body = [
        element("h1", title),
        element("p", f"{type(estimator).__name__} of alakarte {version('alakarte')}", "soft"),
        *_in_short(case, doubts),
        section("What to doubt", _doubted(case, doubts)),
        section("What was learned", _learned(case)),
        section("How sure it is", _sure(case)),
        section("How it was found", _found(case)),
    ]
    return page(title, body)


def _in_short(case: Case, doubts: list[Doubt]) -> list[str]:
    """The first figures that anyone asks for."""
    pairs = [(f"{case.model.posterior.total:,.0f}", "rows learned from"), *_judged(case.answers)]
    pairs.append((str(len(doubts)), "thing to doubt" if len(doubts) == 1 else "things to doubt"))
    relevance = case.model.kernel.relevance()
    names = [case.model.input_names[j] for j in np.argsort(-relevance, kind="stable")[:3] if relevance[j] > 0]
    told = f"The model takes {case.target} to be {kernel_in_words(case.model)}."
    if names:
        told += f" It varies most along {', '.join(names)}."
    return [tiles(pairs), element("p", told)]


def _judged(answers: Answers | None) -> list[tuple[str, str]]:
    """Figures of rows whose targets are known."""
    if answers is None:
        return []
    rows = "rows, each left out" if answers.left_out else "test rows"
    if isinstance(answers, ClassAnswers):
        return [
            (f"{answers.accuracy:.1%}", f"of {answers.n_rows:,} {rows} are given the right class"),
            (f"{answers.log_loss:.3f}", f"log loss; {answers.base_loss:.3f} without any input"),
        ]
    error, explained = answers.rmse, answers.explained
    told = [(f"± {error[0]:.4g}", f"typical error on {answers.n_rows:,} {rows}")]
    if np.isfinite(explained).all():
        told.append((f"{max(float(explained.mean()), 0.0):.0%}", "of the variation is explained"))
    return [*told, (f"{answers.share_within(0.95):.1%}", "lie within their 95 % intervals")]


def _doubted(case: Case, doubts: list[Doubt]) -> list[str]:
    """A box for each doubt, or what was looked at in vain."""
    boxes = [box(doubt.title, [doubt.seen, doubt.advice], "doubt") for doubt in doubts]
    if case.answers is None:
        boxes.append(
            box(
                "Not judged by any row",
                [
                    "No test rows were given, and this model does not keep its own rows, so nothing is known of its "
                    "errors on other rows. Give rows that it has not learned from: report(path, X_test, y_test)."
                ],
                "doubt",
            )
        )
    if boxes:
        return boxes
    looked = "intervals or probabilities, average errors, inputs outside of the range, near-copies, noise and amplitude"
    return [box("Nothing was found", [f"Looked at: {looked}, the search, rows per learned number."], "doubt good")]


def _learned(case: Case) -> list[str]:
    """Relevance, effects, the kernel and its spectrum."""
    model = case.model
    drawn = [
        figure(
            lambda ax: RelevanceDisplay.from_estimator(case.estimator, ax=ax),
            "How much the function varies along each input, all others held still.",
            "relevance",
        )
    ]
    drawn += _effects(case)
    if any(is_number(model, j) for j in range(len(model.input_names))):
        text = "How alike the function is at two rows that differ in one input only: 1 is the same, 0 is unrelated."
        drawn.append(figure(lambda ax: KernelDisplay.from_estimator(case.estimator, ax=ax), text, "kernel"))
        text = "How quickly the function changes: the further to the right, the finer the detail or the wave."
        drawn.append(figure(lambda ax: SpectrumDisplay.from_estimator(case.estimator, ax=ax), text, "spectrum"))
    return [
        element("p", computation_in_words(model)),
        element("p", likelihood_in_words(model, case.n_classes)),
        figures(drawn),
        _inputs(case),
        folded("All numbers that were learned", summary(model)),
    ]


def _effects(case: Case) -> list[str]:
    """Partial dependence on the most relevant inputs, where there are rows to average over."""
    if case.X is None or isinstance(case.model.posterior, VotesPosterior):
        return []
    n = np.shape(case.X)[0]
    rows = _safe_indexing(case.X, np.unique(np.linspace(0, n - 1, min(n, EFFECT_ROWS)).astype(int)))
    relevance = case.model.kernel.relevance()
    places = [int(j) for j in np.argsort(-relevance, kind="stable")[:EFFECTS] if relevance[j] > 0]
    effects = [effect_display(case.estimator, rows, j, None, EFFECT_POINTS, case.target) for j in places]
    if not effects:
        return []
    low = min(float((effect.mean - 2 * effect.std).min()) for effect in effects)
    high = max(float((effect.mean + 2 * effect.std).max()) for effect in effects)
    margin = 0.04 * (high - low)
    limits = low - margin, high + margin
    return [
        figure(partial(_effect, effect, limits), _EFFECT.format(effect.names[0]), f"effect{j}")
        for j, effect in zip(places, effects, strict=True)
    ]


_EFFECT = "What {} does, averaged over the other inputs of the rows, with a band of two standard deviations."


def _effect(effect: EffectDisplay, limits: tuple[float, float], ax: Any) -> Display:
    """All effects on one scale: a flat one is small."""
    display = effect.plot(ax)
    if limits[1] > limits[0]:
        ax.set_ylim(*limits)
    return display


def _inputs(case: Case) -> str:
    """A table of inputs, with their length-scales where each has one."""
    model = case.model
    relevance, names = model.kernel.relevance(), model.input_names
    lengths = np.asarray(model.kernel.parameters.get("lengthscale", np.nan))
    with_lengths = lengths.size == len(names) and lengths.ndim > 0 and lengths.shape[-1] == len(names)
    head = ["input", "relevance", *(["length-scale, in its own units"] if with_lengths else [])]
    rows = []
    for j in np.argsort(-relevance, kind="stable")[:MOST_INPUTS]:
        rows.append([names[j], f"{relevance[j]:.1%}", *([f"{np.ravel(lengths)[j]:.4g}"] if with_lengths else [])])
    note = "" if len(names) <= MOST_INPUTS else element("p", f"… and {len(names) - MOST_INPUTS} more.", "soft")
    return table(head, rows) + note


def _sure(case: Case) -> list[str]:
    """Figures and pictures of rows whose targets are known."""
    answers = case.answers
    if answers is None:
        return [element("p", "Not known: see above.")]
    if isinstance(answers, ClassAnswers):
        return _sure_of_classes(answers)
    return _sure_of_numbers(case, answers)


def _sure_of_classes(answers: ClassAnswers) -> list[str]:
    rows = []
    likeliest = answers.probability.argmax(axis=1)
    for k, name in enumerate(answers.classes[:MOST_INPUTS]):
        mine = answers.code == k
        right = f"{np.mean(likeliest[mine] == k):.1%}" if mine.any() else "–"
        rows.append([name, f"{mine.sum():,}", right, f"{answers.probability[:, k].mean():.1%}", f"{mine.mean():.1%}"])
    truth = np.arange(len(answers.classes)) == answers.code[:, None]

    def plot(ax: Any) -> Display:
        return CoverageDisplay(*reliability(answers.probability, truth), kind="probabilities").plot(ax)

    text = (
        "Of all rows that were given a probability, the share that was so: on the line, probabilities can be trusted."
    )
    head = ["class", "rows", "of these found", "mean probability", "share of rows"]
    return [table(head, rows), figures([figure(plot, text, "reliability")])]


def _sure_of_numbers(case: Case, answers: NumberAnswers) -> list[str]:
    T, drawn = answers.y.shape[1], []
    for t in range(min(T, MOST_TARGETS)):
        name = case.target if T == 1 else f"{case.target} {t + 1}"
        text = f"Observed and predicted {name}, with 95 % intervals. On the line a prediction is right."
        drawn.append(figure(partial(_truth, answers, t, name), text, f"truth{t}"))
    shares = [answers.share_within(float(level)) for level in LEVELS]
    counts = np.full(LEVELS.size, answers.y.size)
    pictures: list[tuple[Callable[[Any], Display], str, str]] = [
        (
            lambda ax: CoverageDisplay(LEVELS, shares, counts, whole=answers.whole).plot(ax),
            "The share of rows within intervals, against what they promise: below the line they are too narrow."
            + (" Intervals of counts end at whole numbers, so they hold more." if answers.whole else ""),
            "coverage",
        ),
        (
            lambda ax: CoverageDisplay([], [], [], ranks=answers.ranks).plot(ax),
            "Where observations lie in their predictions: flat is right, a hill is too unsure, a valley too sure.",
            "ranks",
        ),
    ]
    drawn += [figure(*each) for each in pictures]
    rows = [
        [f"{level:.0%}", f"{share:.1%}", f"{float(np.mean(high - low)):.4g}"]
        for level, share in zip(LEVELS, shares, strict=True)
        for low, high in [answers.interval(float(level))]
    ]
    head = ["interval", "rows within", "mean width"]
    return [figures(drawn), table(head, rows)]


def _truth(answers: NumberAnswers, t: int, name: str, ax: Any) -> Display:
    """Some of the rows against what was observed."""
    some = np.unique(np.linspace(0, answers.n_rows - 1, min(answers.n_rows, MOST_POINTS)).astype(int))
    low, high = (end[some, t] for end in answers.interval(0.95))
    return PredictionDisplay(answers.mean[some, t], low, high, y=answers.y[some, t], names=(name, "")).plot(ax)


def _found(case: Case) -> list[str]:
    """The search, for who wants to know."""
    history, drawn = case.model.history, []
    if history.trace["value"].size > FEW_STEPS:
        text = "How the search climbed. It should be flat at its end."
        drawn.append(figure(lambda ax: ConvergenceDisplay.from_estimator(case.estimator, ax=ax), text, "convergence"))
    if case.model.ranking:
        text = "Kernels that were compared: 0 is the best. Those with a weight make the predictions."
        drawn.append(figure(lambda ax: RankingDisplay.from_estimator(case.estimator, ax=ax), text, "ranking"))
    if not history.n_evaluations:
        told = (
            "There was no search for numbers of the kernel: it was taken as it was given, or as rows left out chose it."
        )
    else:
        starts = "1 start" if len(history.starts) == 1 else f"{len(history.starts)} starts"
        told = f"{starts}, {history.n_evaluations} evaluations; it ended because {history.stop_reason}."
    return [element("p", told), figures(drawn)]

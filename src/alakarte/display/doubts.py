"""What there is to doubt in a fit, each a small function: plain numbers in, a `Doubt` in words out, or None.

Every doubt says what was seen, with its figures, and what to do. What is judged by test rows alone is not judged
without them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from alakarte.display.answers import ClassAnswers, NumberAnswers
from alakarte.model.history import History
from alakarte.parameters import Layout
from alakarte.records import Array

FEW_TEST_ROWS = 30
ROWS_PER_NUMBER = 5.0  # learned from fewer, a fit may follow chance
STANDARD_ERRORS = 3.0  # beyond which a difference is not laid to chance
COVERAGE_OFF = 0.02  # of the promise; less does not matter to anyone
LITTLE_EXPLAINED = 0.05  # of the variance, or of the log loss
LATE_GAIN = 1.0  # nats, in the last quarter of a search
BEYOND, FAR_BEYOND = 0.5, 3.0  # standard deviations outside of what the fit has seen
MANY_BEYOND = 0.05  # of the rows
LEAST_RELEVANCE = 0.1  # of what it would be if all inputs were alike: others may lie where they like
SAME = 1e-3  # of the distance of two rows picked at random: nearer rows are near-copies
MANY_COPIES = 0.02  # of the rows
NEAR_BOUND = 1e-2  # in logarithms
NOISE = ("noise_std", "noise_scale")


@dataclass(frozen=True)
class Doubt:
    """A reason not to trust, and what can be done."""

    title: str
    seen: str
    advice: str


def coverage_off(answers: NumberAnswers) -> Doubt | None:
    """95 % intervals that hold clearly fewer, or more, than they promise."""
    share, count = answers.share_within(0.95), answers.y.size
    chance = STANDARD_ERRORS * np.sqrt(0.95 * 0.05 / count)
    if abs(share - 0.95) <= max(COVERAGE_OFF, chance) or (share > 0.95 and (answers.left_out or answers.whole)):
        return None  # rows left out have set the width; intervals of counts end at whole numbers, and hold more
    seen = f"{share:.1%} of {count:,} observations lie within their 95 % intervals."
    if share < 0.95:
        return Doubt(
            "Intervals are too narrow",
            seen + " The model is surer of itself than it should be.",
            "Look for rows that differ from those of the fit: another time, place or source, or near-copies that made "
            "the fit look better than it is. Until then, widen the intervals.",
        )
    return Doubt(
        "Intervals are too wide",
        seen + " The model is less sure of itself than it could be.",
        "This is the safe side. Noise that depends on the inputs, likelihood='heteroscedastic', may be the reason.",
    )


def shifted(answers: NumberAnswers) -> Doubt | None:
    """Predictions that are too high, or too low, on average."""
    for error, name in zip((answers.y - answers.mean).T, _target_names(answers), strict=True):
        spread = float(error.std())
        if abs(error.mean()) > max(STANDARD_ERRORS * spread / np.sqrt(len(error)), 0.2 * spread):
            way = "too low" if error.mean() > 0 else "too high"
            return Doubt(
                f"Predictions{name} are {way} on average",
                f"By {abs(error.mean()):.4g}, where single errors spread by {spread:.4g}.",
                "The rows that were asked about follow another law than those of the fit: a change over time, or of "
                "how things were measured. Fit again with some of them, or with an input that tells the two apart.",
            )
    return None


def _target_names(answers: NumberAnswers) -> list[str]:
    """What to add to "predictions", of one target nothing."""
    T = answers.y.shape[1]
    return [""] if T == 1 else [f" of target {t + 1}" for t in range(T)]


def too_sure(answers: ClassAnswers) -> Doubt | None:
    """Probabilities of the likeliest class that are clearly above, or below, how often it was right."""
    promised, n = float(answers.probability.max(axis=1).mean()), answers.n_rows
    chance = STANDARD_ERRORS * np.sqrt(max(promised * (1 - promised), 1 / n) / n)
    off = promised - answers.accuracy
    if abs(off) <= max(COVERAGE_OFF, chance):
        return None
    seen = f"The likeliest class has a probability of {promised:.1%} on average, and is right in {answers.accuracy:.1%}"
    if off > 0:
        return Doubt(
            "Probabilities are too sure",
            f"{seen} of {n:,} rows.",
            "Do not act on small differences near 0 and 1. Look for rows unlike those of the fit, or for labels that "
            "came about otherwise.",
        )
    return Doubt(
        "Probabilities are too timid",
        f"{seen} of {n:,} rows.",
        "This is the safe side; more rows to learn from help.",
    )


def little_found(answers: NumberAnswers | ClassAnswers) -> Doubt | None:
    """Predictions that are hardly better than the same answer for every row."""
    if isinstance(answers, ClassAnswers):
        base = answers.base_loss
        gained = 1 - answers.log_loss / base if base > 0 else 1.0
        than = "saying the shares of the classes to every row"
    else:
        known = answers.explained[np.isfinite(answers.explained)]
        gained, than = float(known.max(initial=-np.inf)) if known.size else 1.0, "saying the mean to every row"
    if gained > LITTLE_EXPLAINED:
        return None
    return Doubt(
        "The inputs tell little of the target",
        f"Predictions are {max(gained, 0):.0%} better than {than}.",
        "What was learned of single inputs may be chance. Other inputs are needed, or the target is mostly noise.",
    )


def few_test_rows(answers: NumberAnswers | ClassAnswers) -> Doubt | None:
    """A judgement from so few rows that it is mostly chance."""
    if answers.left_out or answers.n_rows >= FEW_TEST_ROWS:
        return None
    return Doubt(
        "Few rows to judge by",
        f"There are {answers.n_rows} test rows: every figure of how sure it is may be quite different on others.",
        f"Give at least {FEW_TEST_ROWS}, better some hundred, or none: rows of the fit are then left out one by one.",
    )


def few_rows(total: float, n_numbers: int) -> Doubt | None:
    """Fewer rows than are needed for the numbers that were learned."""
    if n_numbers == 0 or total >= ROWS_PER_NUMBER * n_numbers:
        return None
    return Doubt(
        "Few rows for what was learned",
        f"{n_numbers} numbers were learned from {total:,.0f} rows, {total / n_numbers:.1f} rows for each.",
        "Do not read too much into single length-scales and relevances. A simpler kernel ('rbf' has one scale for all "
        "inputs), fewer inputs or more rows make them firmer.",
    )


def not_converged(history: History) -> Doubt | None:
    """A search that ended while it still gained."""
    value = history.trace["value"]
    if history.converged or value.size < 4:
        return None if value.size or history.converged else _not_begun(history)
    best = np.maximum.accumulate(np.where(np.isfinite(value), value, -np.inf))
    gain = float(best[-1] - best[-1 - value.size // 4])
    if not gain > LATE_GAIN:
        return None
    return Doubt(
        "The search has not converged",
        f"It ended because {history.stop_reason}, and still gained {gain:.3g} nats of log evidence in the "
        "last quarter of its evaluations.",
        "Fit again with a larger max_iter, or with more max_time.",
    )


def _not_begun(history: History) -> Doubt:
    return Doubt(
        "Nothing was searched for",
        f"The search ended before its first step: {history.stop_reason}.",
        "Length-scales and noise are guesses from the spread of the rows. Fit with max_iter above 0, or more max_time.",
    )


def at_its_bound(layout: Layout, theta: Array, is_classifier: bool) -> list[Doubt]:
    """Noise or amplitude that would go further if it was let."""
    entries, doubts = layout.entries(theta), []
    for p in layout.parameters:
        value = entries[p.name]
        if p.fixed is not None or not p.is_log or p.bare_name not in ("amplitude", *NOISE):
            continue
        low, high = value <= np.asarray(p.lower) + NEAR_BOUND, value >= np.asarray(p.upper) - NEAR_BOUND
        is_noise = p.bare_name in NOISE
        if is_noise and low.any():
            doubts.append(_NO_NOISE)
        if is_noise and high.any():
            doubts.append(_ALL_NOISE)
        if not is_noise and high.any():
            doubts.append(_SEPARATED if is_classifier else _LARGE_AMPLITUDE)
        if not is_noise and low.all():
            doubts.append(_NO_AMPLITUDE)
    return doubts


_NO_NOISE = Doubt(
    "The noise is at its lower bound",
    "The model takes every observation as exact, and the function goes through all of them.",
    "That is right for the results of a computer program. Of measurements it mostly means that rows were repeated or "
    "rounded: give noise_std=, or look for copies.",
)
_ALL_NOISE = Doubt(
    "The noise is at its upper bound",
    "All of the variation is taken for noise.",
    "Check the units of y and the bounds that were given.",
)
_LARGE_AMPLITUDE = Doubt(
    "The amplitude is at its upper bound",
    "The function is taken to reach far beyond what was seen: a trend that has not ended within the rows, or parts of "
    "the kernel that cancel each other.",
    "Do not trust predictions beyond the range of the rows. Take a trend out of the target before the fit.",
)
_SEPARATED = Doubt(
    "The amplitude is at its upper bound",
    "The classes of the fit are told apart so well that the odds grow without end.",
    "Check that no input gives the answer away. Probabilities near 0 and 1 are less certain than they look.",
)
_NO_AMPLITUDE = Doubt(
    "The amplitude is at its lower bound",
    "The function is taken to be flat: nothing but noise was found.",
    "Check that the target belongs to these rows.",
)


def far_out(z: Array, seen: Array | None, relevance: Array, names: Sequence[str]) -> Doubt | None:
    """Rows (n, d) with relevant inputs outside of what the fit has seen (rows, d); all are standardised.

    Where the rows of the fit were not kept, four standard deviations about their mean stand for their range.
    """
    low, high = (np.full(z.shape[1], -4.0), np.full(z.shape[1], 4.0)) if seen is None else (seen.min(0), seen.max(0))
    beyond = np.maximum(np.maximum(z - high, low - z), 0) * (relevance > LEAST_RELEVANCE / relevance.size)
    is_out = beyond > BEYOND
    rows = is_out.any(axis=1)
    if rows.mean() <= MANY_BEYOND and not (beyond > FAR_BEYOND).any():
        return None
    most = np.argsort(-is_out.sum(axis=0), kind="stable")[:3]
    worst = dict.fromkeys(names[j] for j in most if is_out[:, j].any())
    return Doubt(
        "Rows lie outside of what the model has seen",
        f"{int(rows.sum()):,} of {len(z):,} test rows have inputs beyond the range of the fit, above all in "
        f"{', '.join(worst)}, by up to {beyond.max():.2g} standard deviations.",
        "Predictions there return to the mean or go on as the nearest rows did, and their intervals are a guess. Learn "
        "from rows of that kind before relying on them.",
    )


def unknown_levels(rows: Mapping[str, int], n_rows: int) -> Doubt | None:
    """Categories whose levels the fit has not seen, with the number of such rows."""
    told = [f"{count:,} in {name}" for name, count in rows.items() if count]
    if not told:
        return None
    return Doubt(
        "Rows have words that the model has not seen",
        f"Of {n_rows:,} test rows: {', '.join(told)}.",
        "Such a word is taken as unlike all others, and the prediction comes from the other inputs. Fit again with "
        "rows that have it.",
    )


def near_copies(z: Array, seen: Array) -> Doubt | None:
    """Test rows (n, d) that nearly equal a row of the fit (rows, d), standardised; along one input all are near."""
    if z.shape[1] < 2 or len(seen) < 2:
        return None
    apart = np.linalg.norm(seen - np.roll(seen, len(seen) // 2, axis=0), axis=1)
    nearest = cKDTree(seen).query(z, distance_upper_bound=max(SAME * float(np.median(apart)), 1e-12))[0]
    copies = np.isfinite(nearest)
    if copies.mean() <= MANY_COPIES:
        return None
    return Doubt(
        "Test rows are near-copies of rows of the fit",
        f"{int(copies.sum()):,} of {len(z):,} test rows ({copies.mean():.0%}) have the inputs of a row that the model "
        "has learned from, or almost.",
        "Errors and coverage above say little of new cases then. If such rows are the same thing measured again, or "
        "neighbours in time, split by group (GroupKFold) or by time (TimeSeriesSplit) instead of at random.",
    )


def judged_by_own_rows(answers: NumberAnswers | ClassAnswers) -> Doubt | None:
    """A judgement by rows of the fit themselves, which is kinder than one by rows that come later."""
    if not answers.left_out:
        return None
    return Doubt(
        "Judged by its own rows",
        f"No test rows were given: {answers.n_rows:,} rows of the fit were left out one by one, with the kernel, the "
        "noise and the width of intervals that were learned with them.",
        "Expect somewhat larger errors on new rows, and clearly larger ones where rows have near-copies among "
        "themselves or come from another time or place. Give test rows for a judgement that is free of this.",
    )

"""Losses of test rows and what a line keeps of them.

In: test targets and what a method predicted. Out: dictionaries of figures.

Two lines of the same set and seed are compared row by row, though lines keep no rows: row i belongs to group i modulo
G, and a line has the mean loss of each group. The differences of these means are paired, and their spread gives the
standard error of the difference.
"""

import numpy as np
from scipy.special import gammaln, xlogy

BINS = 15
DRAWS = 20  # of labels from the predicted probabilities
GROUPS = 30  # over all seeds of a set
UNIT = 1e-4  # of the means of groups, which are kept as whole numbers
LEAST = 1e-15  # a probability below counts as this


def class_losses(y: np.ndarray, proba: np.ndarray) -> np.ndarray:
    """Negative log probability of each label 0 … K − 1; rows of `proba` are made to sum to one."""
    proba = proba / proba.sum(axis=1, keepdims=True)
    return -np.log(np.maximum(proba[np.arange(len(y)), y], LEAST))


def class_figures(y: np.ndarray, proba: np.ndarray) -> dict[str, float]:
    """Accuracy, expected calibration error, and that of labels drawn from these probabilities (mean of 20 draws)."""
    proba = proba / proba.sum(axis=1, keepdims=True)
    best, confidence = proba.argmax(axis=1), proba.max(axis=1)
    rng = np.random.default_rng(0)
    # a drawn label is the most probable one with just that probability
    drawn = [calibration_error(confidence, rng.random(len(y)) < confidence) for _ in range(DRAWS)]
    return {
        "accuracy": float(np.mean(best == y)),
        "ece": calibration_error(confidence, best == y),
        "ece_drawn": float(np.mean(drawn)),
    }


def calibration_error(confidence: np.ndarray, correct: np.ndarray) -> float:
    """Mean over rows of |mean confidence − share of correct rows| of the row's bin; 15 bins of equal width."""
    bins = np.minimum((confidence * BINS).astype(int), BINS - 1)
    return float(np.abs(np.bincount(bins, correct - confidence, BINS)).sum() / len(confidence))


def poisson_log_probability(y: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Log of the probability of each count."""
    return xlogy(y, mean) - mean - gammaln(y + 1)


def negative_binomial_log_probability(y: np.ndarray, mean: np.ndarray, size: float) -> np.ndarray:
    """Log of the probability of each count; the variance is mean + mean²/size."""
    choose = gammaln(y + size) - gammaln(size) - gammaln(y + 1)
    return choose - size * np.log1p(mean / size) + xlogy(y, mean) - y * np.log(size + mean)


def rate_error(rate: np.ndarray, truth: np.ndarray) -> float:
    """Root mean square of the difference of logarithms."""
    return float(np.sqrt(np.mean((np.log(rate) - np.log(truth)) ** 2)))


def kept(losses: np.ndarray, n_seeds: int) -> dict:
    """The mean loss, its standard error over test rows, and the means of groups, in ten-thousandths."""
    n_groups = max(1, min(GROUPS // n_seeds, len(losses)))
    means = [losses[start::n_groups].mean() for start in range(n_groups)]
    return {
        "loss": float(losses.mean()),
        "se": float(losses.std(ddof=1) / np.sqrt(len(losses))),
        "groups": " ".join(str(round(mean / UNIT)) for mean in means),
    }


def group_means(line: dict) -> np.ndarray:
    """The mean losses of a line's groups."""
    return UNIT * np.array([int(text) for text in str(line["groups"]).split()])


def paired(lines: list[dict], others: list[dict]) -> tuple[float, float]:
    """Mean loss of lines less that of other lines with the same seeds, and its standard error by groups of rows."""
    difference = np.mean([line["loss"] for line in lines]) - np.mean([other["loss"] for other in others])
    by_group = np.concatenate([group_means(a) - group_means(b) for a, b in zip(lines, others, strict=True)])
    spread = by_group.std(ddof=1) / np.sqrt(len(by_group)) if len(by_group) > 1 else np.nan
    return float(difference), float(spread)

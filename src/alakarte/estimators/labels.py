"""Labels of any type ↔ whole numbers 0 … K − 1, with what is wrong with them said in words.

In: the user's labels, and classes that are known. Out: the classes, sorted, and the place of each label among them.
"""

from typing import Any

import numpy as np
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from alakarte.data.columns import in_memory
from alakarte.errors import InvalidInput
from alakarte.execution.progress import warn
from alakarte.records import Array, Integers


def coded(y: Any, known: Array | None = None) -> tuple[Array, Integers]:
    """The classes, sorted, and the place of each label among them; of known classes, those."""
    y = in_memory(y)
    if y is None:
        raise InvalidInput(
            "y is None: this is a classifier, which requires y to be passed, but the target y is None. Call fit(X, y)."
        )
    if np.ma.is_masked(y):
        row = int(np.argmax(np.ma.getmaskarray(y)))
        raise InvalidInput(f"y has masked labels, the first at row {row}: fill them or drop those rows.")
    labels = column_or_1d(np.asarray(y), warn=True)
    _check_labels(labels)
    _check_whole(labels)
    check_classification_targets(labels)
    if known is None:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int64)
    codes = np.searchsorted(known, labels)
    codes[codes == len(known)] = 0
    wrong = known[codes] != labels
    if wrong.any():
        row = int(np.argmax(wrong))
        raise InvalidInput(
            f"y[{row}] = {labels.tolist()[row]!r} is none of the classes of the fit, {known.tolist()[:20]}: give all "
            "of them as classes= at the first partial_fit, or call fit again."
        )
    return known, codes.astype(np.int64)


def _check_labels(labels: Any) -> None:
    """Raise InvalidInput for labels that are missing, or bytes."""
    if labels.dtype.kind == "S":
        raise InvalidInput(f"y[0] = {labels[0]!r}: labels are bytes. Convert them to words: y.astype(str).")
    missing = [row for row, label in enumerate(labels.tolist()) if label is None or label != label]
    if missing:
        raise InvalidInput(
            f"Input y contains NaN: y[{missing[0]}] is missing, {len(missing)} in all. Drop those rows, or give "
            "missing labels a name of their own."
        )
    if labels.dtype.kind == "f" and np.isinf(labels).any():
        row = int(np.argmax(np.isinf(labels)))
        raise InvalidInput(f"Input y contains infinity: y[{row}] = {labels[row]} is no label. Drop that row.")


def _check_whole(labels: Any) -> None:
    """Raise InvalidInput for fractions: they are measured, not named."""
    if labels.dtype.kind == "f" and (broken := labels != np.floor(labels)).any():
        row = int(np.argmax(broken))
        raise InvalidInput(
            f"Unknown label type: continuous. y[{row}] = {labels[row]} is a fraction: use GPRegressor for numbers, or "
            "give names of classes as words, y.astype(str)."
        )


def check_classes(classes: Array) -> None:
    """Raise InvalidInput where there is nothing to tell apart."""
    if len(classes) < 2:
        raise InvalidInput(
            f"y has one class only, {classes.tolist()}: a classifier needs at least two; bring rows of "
            "another class, or look whether the right column was given as y."
        )


def warn_of_lone_rows(classes: Array, codes: Integers) -> None:
    """One warning where a class has one row and another has more: what is said of that class hangs on this row.

    It is learned like any other: a table of two rows with two classes is one that has nothing else.
    """
    counts = np.bincount(codes, minlength=len(classes))
    alone = np.flatnonzero(counts == 1)
    if not alone.size or counts.max() == 1:
        return
    row, others = int(np.argmax(codes == alone[0])), f", and {alone.size - 1} more like it" if alone.size > 1 else ""
    warn(
        f"class {classes.tolist()[alone[0]]!r} has one row only, y[{row}]{others}: its probabilities cannot be judged "
        "by rows left out. Bring more of its rows, join it with another class, or drop that row.",
        UserWarning,
    )


def weights_with_classes(class_weight: Any, classes: Array, codes: Integers, sample_weight: Any) -> Any:
    """Weights of rows times those of their classes; the user's own where classes have none."""
    if class_weight is None:
        return sample_weight
    of_rows = np.ones(len(codes)) if sample_weight is None else np.asarray(in_memory(sample_weight), dtype=float)
    if isinstance(class_weight, dict):
        place = {label: code for code, label in enumerate(classes.tolist())}
        if unknown := [label for label in class_weight if label not in place]:
            raise InvalidInput(f"class_weight has {unknown[0]!r}, which is no label of y: {classes.tolist()[:10]}.")
        class_weight = {place[label]: weight for label, weight in class_weight.items()}
    return np.asarray(of_rows * compute_sample_weight(class_weight, codes))

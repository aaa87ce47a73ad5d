"""The awkward tables with the other likelihoods: classes, counts and heavy tails, each with targets of its own.

Each gives finite predictions without a warning, or a ValueError or TypeError that says what is wrong.
"""

import numpy as np
import pytest

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, InvalidInput
from contract.tables import CASES, FITS, FURTHER, N_ROWS, SMALL, TABLE, TARGET, changed, check_refusal, named, pd
from problems import naming

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SMALL = SMALL | {"kernel": "ard", "max_iter": 4, "n_restarts": 1}
HIGH = np.array(["low", "high"])
THREE = np.array(["low", "middle", "high"])
# What is wrong with these is in y, which every likelihood has for itself; a row alone has one class only.
OF_TARGETS = ("NaN in y", "minus infinity in y", "no y")


def labels(n):
    return HIGH[(np.resize(TARGET, n) > 0).astype(int)] if n > 3 else HIGH[np.arange(n) % 2]


def counts(n):
    return np.round(np.exp(np.resize(TARGET, n))).astype(int)


MODELS = {
    "two classes": (GPClassifier(**SMALL), labels),
    "three classes": (GPClassifier(**SMALL), lambda n: THREE[np.arange(n) % 3]),
    "counts": (GPCountRegressor(**SMALL), counts),
}
OF_INPUTS = [case for case in CASES if case.name not in OF_TARGETS and len(case.y) != 1]


def check_classes(fitted, X, y):
    probability = fitted.predict_proba(X)
    assert probability.sum(axis=1) == pytest.approx(np.ones(len(y)))
    for values in (probability, fitted.predict_log_proba(X), fitted.decision_function(X), *fitted.predict_latent(X)):
        assert np.isfinite(values).all()
    assert np.isin(fitted.predict(X), y).all()


def check_numbers(fitted, X, y):
    low, high = fitted.predict_interval(X)
    for values in (fitted.predict(X), low, high, fitted.sample_y(X, 2)):
        assert np.isfinite(values).all()
        assert len(values) == len(y)
    assert (low <= high).all()


def check_fit(model, X, y):
    fitted = model.fit(X, y)
    (check_classes if isinstance(model, GPClassifier) else check_numbers)(fitted, X, y)
    assert np.isfinite(fitted.log_predictive_density(X, y)).all()
    assert np.isfinite(fitted.log_marginal_likelihood_)
    assert fitted.summary()


@pytest.mark.filterwarnings("ignore:class .* has one row only")  # tables of few rows
@named(OF_INPUTS)
def test_inputs(case):
    for name, (model, target) in MODELS.items():
        with naming(name):
            if case.error:
                words = case.error if len(case.y) else (ValueError,)
                check_refusal(words, model.fit, case.X, target(len(case.y)))
            else:
                check_fit(model, case.X, target(len(case.y)))


FAR = "y outlier 1e150"  # no scale fits it and the others: a distance that means something has a limit


@named([*CASES, *FURTHER])
def test_targets_with_heavy_tails(case):
    model = GPRegressor(likelihood="student_t", **SMALL)
    if case.name == FAR:
        check_refusal((ValueError, "y = 1e+150", "1e+100", "check that value"), model.fit, case.X, case.y)
    elif case.error:
        check_refusal(case.error, model.fit, case.X, case.y)
    else:
        check_fit(model, case.X, case.y)


CLASSES, COUNTS = labels(N_ROWS), counts(N_ROWS)
TYPES = {
    "whole numbers": np.where(CLASSES == "high", 1, -1),
    "truth values": CLASSES == "high",
    "objects": CLASSES.astype(object),
    "categories": pd.Series(CLASSES, dtype="category"),
    "floats that are whole": np.where(CLASSES == "high", 2.0, 5.0),
    "a list": CLASSES.tolist(),
    "read-only": np.array(CLASSES),
}
TYPES["read-only"].flags.writeable = False


def test_labels_of_awkward_types():
    for name, y in TYPES.items():
        with naming(name):
            fitted = GPClassifier(**SMALL).fit(TABLE, y)
            assert np.array_equal(fitted.predict(TABLE) == fitted.classes_[1], fitted.predict_proba(TABLE)[:, 1] > 0.5)


NO_LABELS = {
    "missing": (changed(CLASSES.astype(object), 3, None), ("y[3] is missing", "Drop")),
    "NaN": (changed(TYPES["floats that are whole"], 3, np.nan), ("y[3]", "NaN", "Drop")),
    "infinity": (changed(TYPES["floats that are whole"], 3, np.inf), ("y[3]", "infinity", "Drop")),
    "one class": (np.full(N_ROWS, "high"), ("one class only", "'high'", "at least two", "bring rows")),
    "masked": (np.ma.masked_equal(TYPES["whole numbers"], 1), ("masked", "row", "drop")),
    "bytes": (CLASSES.astype("S"), ("bytes", "Convert")),
    "fractions": (TARGET, ("continuous", "y[0]", "GPRegressor", "astype(str)")),
    "two columns": (np.column_stack([CLASSES, CLASSES]), ("1d",)),
    "none": (None, ("requires y", "fit(X, y)")),
    "too few": (CLASSES[:-1], ("23", "24")),
}


@pytest.mark.parametrize("name", NO_LABELS)
def test_what_is_no_label(name):
    y, words = NO_LABELS[name]
    check_refusal(((ValueError, TypeError), *words), GPClassifier(**SMALL).fit, TABLE, y)


NO_COUNTS = {
    "negative": (changed(COUNTS, 3, -1), ("y[3] = -1", "negative", "drop that row")),
    "fraction": (changed(COUNTS.astype(float), 3, 1.5), ("y[3] = 1.5", "whole")),
    "NaN": (changed(COUNTS.astype(float), 3, np.nan), ("y[3]", "NaN", "Drop")),
    "infinity": (changed(COUNTS.astype(float), 3, np.inf), ("y[3]", "infinity", "Drop")),
    "beyond whole numbers": (changed(COUNTS.astype(float), 3, 1e16), ("y[3] = 1e+16", "1e15", "larger units")),
    "words": (CLASSES, ("'high'", "row 0", "numbers")),
    "masked": (np.ma.masked_equal(COUNTS, 1), ("masked", "row", "drop")),
    "none": (None, ("requires y", "fit(X, y)")),
}


@pytest.mark.parametrize("name", NO_COUNTS)
def test_what_is_no_count(name):
    y, words = NO_COUNTS[name]
    check_refusal((ValueError, *words), GPCountRegressor(**SMALL).fit, TABLE, y)


@pytest.mark.parametrize("exposure", [0.0, -1.0, np.nan, np.inf])
def test_what_is_no_exposure(exposure):
    given = changed(np.ones(N_ROWS), 3, exposure)
    model = GPCountRegressor(**SMALL)
    check_refusal((ValueError, "exposure[3]", f"{exposure:g}"), model.fit, TABLE, COUNTS, exposure=given)
    check_refusal((ValueError, "exposure[3]"), model.fit(TABLE, COUNTS).predict, TABLE, exposure=given)


def test_counts_that_say_little_or_much():
    for name, y in {"all zero": 0, "all equal": 7, "huge": 10**14}.items():
        with naming(name):
            check_fit(GPCountRegressor(**SMALL), TABLE, np.full(N_ROWS, y))
    check_fit(GPCountRegressor(**SMALL), TABLE, changed(COUNTS, 5, 10**12))
    check_fit(GPCountRegressor(likelihood="poisson", **SMALL), TABLE, changed(COUNTS, 5, 10**6))


def test_unseen_classes_are_refused_and_the_model_stays():
    for y in (CLASSES, THREE[np.arange(N_ROWS) % 3]):
        model = GPClassifier(**SMALL).fit(TABLE, y)
        before = model.predict_proba(TABLE)
        with pytest.raises(InvalidInput, match=r"y\[1\] = 'none' is none of the classes of the fit.*partial_fit"):
            model.partial_fit(TABLE[:2], ["low", "none"])
        assert np.array_equal(model.predict_proba(TABLE), before)


@pytest.mark.parametrize("sizes", [{}, {"kernel": "auto", "n_components": None, "n_frequencies": None}], ids=str)
def test_separable_classes_stay_finite(sizes):
    X = np.concatenate([np.linspace(-3, -2, 12), np.linspace(2, 3, 12)])[:, None]
    for y in (np.arange(24) // 12, np.arange(24) // 8):
        with naming(y):
            model = GPClassifier(**SMALL | {"max_iter": 30} | sizes).fit(X, y)
            check_classes(model, np.concatenate([X, [[-1e6], [1e6]]]), np.concatenate([y, [0, 1]]))
            assert model.score(X, y) > 0.9
            assert np.isfinite(model.log_predictive_density(X, y[::-1])).all()


def test_every_table_is_tried():
    assert {case.name for case in FITS} - {case.name for case in OF_INPUTS} == {"one row"}
    for name in ("two classes", "three classes"):
        model, target = MODELS[name]
        check_refusal((ValueError, "one class only"), model.fit, TABLE[:1], target(1))
    check_fit(MODELS["counts"][0], TABLE[:1], counts(1))

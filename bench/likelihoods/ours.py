"""The library's estimators behind the same form of function as the peers; imported when they are run.

In: a `Split`. Out: an `Outcome`. Tables go in as they are, categories by their dtype; numbers that are missing are
filled and marked before.
"""

import numpy as np

from bench.likelihoods.encoding import without_gaps
from bench.likelihoods.outcome import Clock, Outcome
from bench.likelihoods.rows import Split


def classifier(split: Split) -> Outcome:
    """GPClassifier, defaults."""
    from alakarte import GPClassifier

    X, X_test = without_gaps(split.X, split.X_test)
    model, clock = GPClassifier(random_state=0), Clock()
    model.fit(X, split.y)
    seconds = clock.seconds()
    return Outcome(model.predict_proba(X_test), seconds, note(model))


def counts(split: Split) -> Outcome:
    """GPCountRegressor, defaults: negative binomial."""
    return _counts(split, "negative_binomial")


def counts_poisson(split: Split) -> Outcome:
    """GPCountRegressor, Poisson."""
    return _counts(split, "poisson")


def counts_without_exposure(split: Split) -> Outcome:
    """GPCountRegressor, defaults, not told the exposures."""
    return _counts(split, "negative_binomial", told=False)


def gaussian(split: Split) -> Outcome:
    """GPRegressor, defaults."""
    return _regressor(split)


def student_t(split: Split) -> Outcome:
    """GPRegressor with likelihood="student_t"."""
    return _regressor(split, likelihood="student_t")


def _counts(split: Split, likelihood: str, told: bool = True) -> Outcome:
    from alakarte import GPCountRegressor

    X, X_test = without_gaps(split.X, split.X_test)
    has_exposure = told and split.exposure is not None
    train = {"exposure": split.exposure} if has_exposure else {}
    test = {"exposure": split.exposure_test} if has_exposure else {}
    model, clock = GPCountRegressor(likelihood=likelihood, random_state=0), Clock()
    model.fit(X, split.y, **train)
    seconds = clock.seconds()
    log_probability = model.log_predictive_density(X_test, split.y_test, **test)
    rate = model.predict(X_test) if split.rate_test is not None else None
    return Outcome(np.asarray(log_probability), seconds, note(model), rate)


def _regressor(split: Split, **settings) -> Outcome:
    from alakarte import GPRegressor

    X, X_test = without_gaps(split.X, split.X_test)
    model, clock = GPRegressor(random_state=0, **settings), Clock()
    model.fit(X, split.y)
    seconds = clock.seconds()
    return Outcome(model.predict(X_test), seconds, note(model))


def note(model) -> str:
    """The kernel, columns and passes over the rows, as far as the model tells."""
    kernel = getattr(getattr(getattr(model, "kernel_", None), "kernel", None), "name", None)
    columns, passes = getattr(model, "n_basis_", None), getattr(model, "n_passes_", None)
    parts = [kernel, columns and f"{columns} columns", passes and f"{passes} passes"]
    return ", ".join(part for part in parts if part)


def compile_first() -> None:
    """Fill the cache of compiled code, before any clock runs."""
    from alakarte import GPRegressor

    GPRegressor(random_state=0, max_iter=2).fit(np.eye(9), np.arange(9.0))


OURS = {
    "classes": {"alakarte": classifier},
    "counts": {
        "alakarte": counts,
        "alakarte_poisson": counts_poisson,
        "alakarte_no_exposure": counts_without_exposure,
    },
    "outliers": {"alakarte": gaussian, "alakarte_student_t": student_t},
}

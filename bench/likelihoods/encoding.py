"""Tables as arrays, for methods that take no categories or no missing numbers.

In: training and test inputs as data frames. Out: dense arrays, or frames without missing numbers. All that is learned
(levels, means, medians) comes from training rows.
"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

CATEGORIES = make_column_selector(dtype_include="category")
NUMBERS = make_column_selector(dtype_exclude="category")


def arrays(X: pd.DataFrame, X_test: pd.DataFrame, drop: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Numbers with gaps filled by medians (and marked), categories one-hot; `drop="first"` leaves a level out."""
    encoder = make_column_transformer(
        (SimpleImputer(strategy="median", add_indicator=True), NUMBERS),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False, drop=drop), CATEGORIES),
    )
    return np.asarray(encoder.fit_transform(X), dtype=float), np.asarray(encoder.transform(X_test), dtype=float)


def standardised(X: pd.DataFrame, X_test: pd.DataFrame, drop: str | None = None) -> tuple[np.ndarray, np.ndarray]:
    """As `arrays`, every column with mean 0 and variance 1."""
    train, test = arrays(X, X_test, drop)
    scaler = StandardScaler().fit(train)
    return scaler.transform(train), scaler.transform(test)


def without_gaps(X: pd.DataFrame, X_test: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The frames themselves if no number is missing; else with medians in the gaps and columns that mark them."""
    if not X[NUMBERS(X)].isna().any(axis=None) and not X_test[NUMBERS(X)].isna().any(axis=None):
        return X, X_test
    encoder = make_column_transformer(
        (make_pipeline(SimpleImputer(strategy="median", add_indicator=True)), NUMBERS),
        ("passthrough", CATEGORIES),
        verbose_feature_names_out=False,
    ).set_output(transform="pandas")
    return encoder.fit_transform(X), encoder.transform(X_test)

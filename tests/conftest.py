"""Shared fixtures."""

import pytest

from alakarte.execution import threads
from problems import table


@pytest.fixture(scope="module")
def one_blas_thread():
    """One BLAS thread, as within `GPRegressor`: for tests that call the stages below it."""
    with threads.one_blas_thread():
        yield


@pytest.fixture(scope="session")
def data():
    """X (50, 3) and y (50,): a table that nothing changes."""
    X, y, _ = table(3, n=50)
    return X, y

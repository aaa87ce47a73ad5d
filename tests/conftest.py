"""Shared fixtures."""

import pytest

from alakarte.execution import threads


@pytest.fixture(scope="module")
def one_blas_thread():
    """One BLAS thread, as within `GPRegressor`: for tests that call the stages below it."""
    with threads.one_blas_thread():
        yield

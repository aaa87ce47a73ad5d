"""BLAS is held to one thread while a fit runs, restored after it, and fits beside each other do not meet."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from alakarte import GPRegressor
from alakarte.errors import InvalidInput, Unavailable
from alakarte.execution.threads import one_blas_thread, thread_count
from problems import table

SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 10, "max_iter_restart": 4, "n_jobs": 1}


def model(kernel, **settings):
    return GPRegressor(kernel, **SMALL | {"random_state": 0} | settings)


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_two_fits_at_once_equal_the_same_fits_alone():
    X, y, _ = table(3, n=300)
    names = ["gm", "ard"]
    alone = [model(name, n_jobs=2).fit(X, y).predict(X) for name in names]
    together = [None, None]

    def run(index):
        together[index] = model(names[index], n_jobs=2).fit(X, y).predict(X)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(together, alone)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_blas_threads_are_restored_after_a_fit_that_raises():
    X, y, _ = table(3)
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with pytest.raises(Unavailable, match="closed form"):
            model("pwl", expansion="exact").fit(X, y)
        assert blas_threads() == before
        model("ard").fit(X, y)
        assert blas_threads() == before


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_failed_fit_beside_another_does_not_lift_its_limit():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            with pytest.raises(Unavailable):
                model("pwl", expansion="exact").fit(*table(3)[:2])
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_blas_is_limited_while_anyone_is_inside_and_restored_after():
    before = blas_threads()
    inside, leave = threading.Event(), threading.Event()

    def other():
        with one_blas_thread():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=other)
    with one_blas_thread():
        thread.start()
        inside.wait(10)
        with one_blas_thread():
            assert set(blas_threads()) == {1}
    assert set(blas_threads()) == {1}  # the other is still inside
    leave.set()
    thread.join()
    assert blas_threads() == before
    later = []
    thread = threading.Thread(target=lambda: later.append(_inside()))
    thread.start()
    thread.join()
    assert later == [{1}]
    assert blas_threads() == before


def _inside():
    with one_blas_thread():
        return set(blas_threads())


def test_number_of_threads():
    assert thread_count(1) == 1
    assert thread_count(3) == 3
    assert thread_count(None) >= 1
    assert thread_count(-1) >= 1
    for bad in (0, 1.5, True, "2"):
        with pytest.raises(InvalidInput, match="n_jobs"):
            thread_count(bad)

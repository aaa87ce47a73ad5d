"""BLAS is held to one thread while a fit runs, restored after it, and fits beside each other do not meet."""

import multiprocessing
import threading
import time
from functools import partial

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from alakarte import GPRegressor
from alakarte.errors import InvalidInput, Unavailable
from alakarte.execution.threads import one_blas_thread, results_in_order, run_together, thread_count
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


def _later(value, seconds=0.0):
    time.sleep(seconds)
    return value


def test_results_come_in_the_order_of_their_tasks():
    tasks = [partial(_later, index, 0.01 * (index % 3)) for index in range(12)]
    for n_jobs in (1, 2, 5):
        assert run_together(tasks, n_jobs) == list(range(12))
    assert run_together([], 2) == []


def test_tasks_may_run_tasks():
    def inner(index):
        return sum(run_together([partial(_later, index, 0.001)] * 8, 4))

    def outer(index):
        return sum(run_together([partial(inner, index)] * 8, 4))

    assert run_together([partial(outer, index) for index in range(8)], 4) == [64 * index for index in range(8)]


def test_an_error_of_a_task_is_raised_when_all_that_began_have_ended():
    begun, ended = [], []

    def task(index):
        begun.append(index)
        time.sleep(0.01)
        ended.append(index)
        if index == 2:
            raise ValueError("two")

    with pytest.raises(ValueError, match="two"):
        run_together([partial(task, index) for index in range(50)], 3)
    assert sorted(begun) == sorted(ended)
    assert len(begun) < 50


def test_who_stops_asking_for_results_stops_the_work():
    begun = []

    def task(index):
        begun.append(index)
        time.sleep(0.002)

    results = results_in_order([partial(task, index) for index in range(200)], 2)
    next(results)
    results.close()
    n_begun = len(begun)
    time.sleep(0.05)
    assert len(begun) == n_begun < 200


def _in_a_fork(connection):
    connection.send(run_together([partial(_later, index) for index in range(4)], 2))


@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="this system does not fork")
def test_a_forked_process_has_helpers_of_its_own():
    run_together([partial(_later, index, 0.001) for index in range(4)], 2)
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=_in_a_fork, args=(there,))
    process.start()
    assert here.poll(20)
    assert here.recv() == [0, 1, 2, 3]
    process.join(20)

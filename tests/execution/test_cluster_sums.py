"""Sums on a cluster: those of the driver bit by bit, of which workers hold few, and which outlive workers."""

import os
import signal
import time

import numpy as np
import pytest

from alakarte.execution import cluster_sums
from alakarte.execution.cluster import Cluster
from alakarte.execution.tree import total_of
from data.clusters import cluster, distributed

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


def value(shared, seed):
    return shared * 10.0 ** np.random.default_rng(seed).uniform(-8, 8, 1000)


def slow_value(shared, seed):
    time.sleep(0.005)
    return value(shared, seed)


def add(first, second):
    return first + second


def watched(first, second):
    """The same, and the most results that a worker of this process held."""
    held.append(max(len(worker.data) for worker in distributed.Worker._instances))
    return add(first, second)


held = []


@pytest.mark.parametrize("n_workers", [1, 2, 3])
def test_the_bits_are_those_of_one_machine(n_workers):
    with cluster(n_workers) as client:
        for n in (1, 2, 3, 8, 13):
            total = cluster_sums.add_up(Cluster(client), value, [(seed,) for seed in range(n)], add, 2.0)
            assert np.array_equal(total, total_of([value(2.0, seed) for seed in range(n)], add))


def test_a_worker_does_not_hold_the_results_of_all_calls():
    held.clear()
    with cluster(1) as client:
        n, own = 64, Cluster(client)
        seeds = client.scatter(list(range(n)))  # each call goes where its own value lies, as lanes go to their pieces
        total = cluster_sums.add_up(own, slow_value, [(seed,) for seed in seeds], watched, 1.0)
    assert np.array_equal(total, total_of([value(1.0, seed) for seed in range(n)], add))
    assert max(held) < n + n // 2  # the calls' own values, and few results


def test_an_error_of_a_call_is_raised():
    with cluster(1) as client, pytest.raises(ZeroDivisionError):
        cluster_sums.add_up(Cluster(client), _divide, [(1,), (0,), (2,)], add, 1.0)


def _divide(shared, number):
    return shared / number


def test_what_was_lost_is_made_again(monkeypatch):
    attempts, gathered = [], Cluster._gathered

    def lose_first(self, futures):
        attempts.append(len(futures))
        if len(attempts) == 1:  # both workers, and the answer
            for pid in self.client.run(os.getpid).values():
                os.kill(pid, signal.SIGKILL)
            raise TimeoutError
        return gathered(self, futures)

    monkeypatch.setattr(Cluster, "_gathered", lose_first)
    with cluster(2, processes=True) as client:
        total = cluster_sums.add_up(Cluster(client), value, [(seed,) for seed in range(9)], add, 1.0)
    assert attempts[:2] == [1, 1]
    assert np.array_equal(total, total_of([value(1.0, seed) for seed in range(9)], add))

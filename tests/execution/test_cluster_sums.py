"""Sums on a cluster: those of the driver bit by bit, of which workers hold few, and which outlive workers."""

import os
import signal
import time

import numpy as np
import pytest

from alakarte.execution import cluster as clusters
from alakarte.execution import cluster_sums
from alakarte.execution.cluster import Cluster
from alakarte.execution.tree import results_of, total_of
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


def watched_value(shared, seed):
    """The same, slowly, and which calls were made in this process."""
    made.append(seed)
    time.sleep(0.1)
    return value(shared, seed)


made = []


@pytest.mark.parametrize("n", [5, 8, 13])
def test_a_memory_gets_the_largest_sums_once_and_spares_their_calls(monkeypatch, n):
    monkeypatch.setattr(clusters, "LOOK", 0.02)
    calls, expected = [(seed,) for seed in range(n)], total_of([value(1.0, seed) for seed in range(n)], add)
    known, moments = {}, []

    def keep(sums, nodes):
        assert not set(sums) & set(known)
        known.update(sums)
        for node in set(known) - set(nodes):
            del known[node]
        moments.append(dict(known))

    with cluster(2) as client:
        memory = cluster_sums.Memory({}, lambda: True, keep)
        total = cluster_sums.add_up(Cluster(client), watched_value, calls, add, 1.0, memory)
        assert np.array_equal(total, expected)
        assert len(moments) > n // 4
        for moment in moments:
            covered = [index for node in moment for index in results_of(node, n)]
            assert len(covered) == len(set(covered))
            assert len(moment) <= n.bit_length() + 2 * 2  # a sum waits until its worker has ended the next call
            assert all(np.array_equal(part, partial_sum(node, n)) for node, part in moment.items())
        moment = moments[len(moments) // 2]
        made.clear()
        again = cluster_sums.Memory(moment, lambda: True, lambda sums, nodes: None)
        total = cluster_sums.add_up(Cluster(client), watched_value, calls, add, 1.0, again)
    assert np.array_equal(total, expected)
    assert sorted(made) == sorted(set(range(n)) - {index for node in moment for index in results_of(node, n)})


def partial_sum(node, n):
    return total_of([value(1.0, seed) for seed in results_of(node, n)], add)


def test_what_is_told_is_not_held(monkeypatch):
    """Results of a slow pass do not wait at the workers for a driver that may want them."""
    monkeypatch.setattr(clusters, "LOOK", 0.02)
    held.clear()
    with cluster(1) as client:
        n, memory = 32, cluster_sums.Memory({}, lambda: False)
        total = cluster_sums.add_up(
            Cluster(client), watched_value, [(seed,) for seed in range(n)], watched, 1.0, memory
        )
    assert np.array_equal(total, total_of([value(1.0, seed) for seed in range(n)], add))
    assert max(held) < n // 2


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

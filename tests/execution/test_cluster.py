"""Workers that die or fall silent: the fit ends with the same bits, and says what happened."""

import os
import signal
from contextlib import suppress
from types import SimpleNamespace

import pytest

from alakarte import GPRegressor
from alakarte.data import merge, pieces, table
from alakarte.execution import cluster as clusters
from data.clusters import chunked, cluster, made
from data.test_dask_table import SMALL, bits

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module")
def client():
    with cluster(2, processes=True) as client:
        yield client


@pytest.fixture
def disturbed(client, monkeypatch):
    """A function that lets workers get a signal just before some submission of tasks."""
    for module in (merge, pieces, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)
    submitted = clusters.Cluster._attempt

    def disturb(at, number, n_workers=1):
        pids = list(client.run(os.getpid).values())[:n_workers]
        count = iter(range(10**6))

        def attempt(self, *arguments):
            if next(count) == at:
                for pid in pids:
                    os.kill(pid, number)
            return submitted(self, *arguments)

        monkeypatch.setattr(clusters.Cluster, "_attempt", attempt)
        return pids

    return disturb


def fit():
    return GPRegressor(**(SMALL | {"n_learning_rows": None, "max_iter": 4, "n_restarts": 1, "verbose": 1}))


@pytest.fixture(scope="module")
def expected():
    X, y, weight = made()
    with pytest.MonkeyPatch.context() as patch:
        for module in (merge, pieces, table):
            patch.setattr(module, "MERGE_ROWS", 100)
        return bits(fit().fit(X, y, weight), X[:50])


def test_dead_workers(disturbed, expected):
    X, y, weight = made()
    disturbed(16, signal.SIGKILL, 2)
    assert bits(fit().fit(*chunked(X, y, weight)), X[:50]) == expected


def test_a_silent_worker(disturbed, expected, monkeypatch, caplog):
    X, y, weight = made()
    monkeypatch.setattr(clusters, "SILENT", 3.0)
    [pid] = disturbed(16, signal.SIGSTOP)
    try:
        assert bits(fit().fit(*chunked(X, y, weight)), X[:50]) == expected
        assert "has been silent for 3 s: its work is done elsewhere" in caplog.text
    finally:
        with suppress(ProcessLookupError):  # its nanny was first
            os.kill(pid, signal.SIGKILL)


def test_a_task_that_fails_by_itself_is_not_tried_again(client):
    with pytest.raises(ZeroDivisionError):
        clusters.Cluster(client).run(_divide, [(1,), (0,)])
    assert clusters.Cluster(client).run(_divide, [(1,), (2,)], 2) == [2, 1]


def _divide(shared, value):
    return (shared or 1) / value


def test_a_lost_scheduler_is_told():
    with cluster(1) as client:
        client.close()
        with pytest.raises(ConnectionError, match=r"scheduler of the Dask cluster is gone.*checkpoint="):
            clusters.Cluster(client)._check_scheduler(None)


def test_a_scheduler_that_is_lost_while_workers_are_counted_is_told(monkeypatch):
    with cluster(1) as client:

        def lost(*_):
            monkeypatch.setattr(client, "status", "closed")
            raise OSError("Timed out trying to connect")

        monkeypatch.setattr(client, "nthreads", lost)
        with pytest.raises(ConnectionError, match=r"scheduler of the Dask cluster is gone.*checkpoint="):
            clusters.Cluster(client).threads()
        monkeypatch.undo()


def test_a_scheduler_that_is_found_again_tells_its_workers(monkeypatch):
    with cluster(1) as client:
        answers, found = [OSError("Timed out trying to connect")], client.nthreads

        def once(*_):
            if answers:
                raise answers.pop()
            return found()

        monkeypatch.setattr(client, "nthreads", once)
        assert len(clusters.Cluster(client).threads()) == 1


def test_a_worker_is_silent_only_where_somebody_has_listened(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(clusters, "time", SimpleNamespace(monotonic=lambda: now[0]))
    watch = clusters._Watch()
    watch.ready = {"stopped", "alive"}
    found = []
    for second in range(100):
        now[0] = float(second)
        found += [(second, address) for address in watch.silent({"stopped": 5.0, "alive": second, "new": 5.0})]
    assert found[0] == (21, "stopped")
    assert min(pair for pair in found if pair[1] != "stopped") == (91, "new")
    busy = clusters._Watch()
    busy.ready = {"stopped"}
    for second in (100, 200):  # the scheduler has heard nobody meanwhile
        now[0] = float(second)
        assert busy.silent({"stopped": 5.0}) == []
    assert busy.without_workers() == 0
    now[0] = 250.0
    assert busy.silent({}) == []
    assert busy.without_workers() == 50

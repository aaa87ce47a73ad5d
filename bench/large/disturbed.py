"""What a Dask cluster suffers while a fit is at work: how late each fit ends, and whether it is the undisturbed one.

    python -m bench.large.disturbed [KILLED] [BOTH] [STOPPED] [CUT] [SCALED]

In: how often each happens at a random time of a fit: one worker killed, both killed, one stopped by SIGSTOP, one behind
a proxy that forwards nothing more, the cluster scaled down and up. Out: a printed line per fit, and status 1 where one
differs, fails, or ends more than 30 s late. All of it on loopback. The scheduler is lost at the end, in a process of
its own: that must be a clear error.
"""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager, suppress

import dask.array as da
import numpy as np
from distributed import Client, LocalCluster

from alakarte import GPRegressor
from bench.large.proxy import Proxy

ROWS, LATE, HOST = 140_000, 30.0, "127.0.0.1"
VERBOSE = int(os.environ.get("VERBOSE", "0"))
TIMES = {"killed": 20, "both killed": 5, "stopped": 5, "cut off": 3, "scaled": 3}


def made():
    """Collections of 140,000 rows of three inputs, and some of them as an array."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(ROWS)
    return X, y, (da.from_array(X, chunks=(15_000, 3)), da.from_array(y, chunks=15_000))


def fitted(rows):
    """Seconds, and the bits of theta, evidence and predictions of a fit all of whose evaluations see all rows."""
    settings = {"n_frequencies": 32, "n_restarts": 1, "max_iter": 6, "tol": 0.0, "n_learning_rows": None}
    began = time.perf_counter()
    model = GPRegressor("ard", random_state=0, n_posterior_frequencies=64, verbose=VERBOSE, **settings).fit(*rows)
    seconds = time.perf_counter() - began
    mean, std = model.predict(np.ones((3, 3)), return_std=True)
    parts = model.theta_, model.model_.posterior.weight_mean, mean, std
    return seconds, [model.log_marginal_likelihood_, *(part.tobytes() for part in parts)]


@contextmanager
def at(seconds, happening):
    """Within it, a function is called after some seconds."""
    timer = threading.Timer(seconds, happening)
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def local_cluster():
    """Two workers of one thread, and a scheduler in this process."""
    return LocalCluster(
        n_workers=2, threads_per_worker=1, host=HOST, dashboard_address=None, silence_logs=logging.CRITICAL
    )


class Trials:
    """Disturbed fits beside the undisturbed one."""

    def __init__(self, rng):
        X, y, self.rows = made()
        self.rng, self.wrong = rng, 0
        self.expected = fitted((X, y))[1]
        self.alone = np.inf

    def run(self, name, happening):
        """One fit, disturbed at a random time; by `None` not at all."""
        when = 0.0 if happening is None else self.rng.uniform(0, self.alone)
        with at(when, happening or (lambda: None)):
            seconds, bits = fitted(self.rows)
        if happening is None:
            self.alone = min(self.alone, seconds)
        late, equal = seconds - self.alone, bits == self.expected
        self.wrong += not equal or late > LATE
        print(f"{name:12} at {when:5.1f} s: {seconds:5.1f} s, {late:5.1f} s late, equal: {equal}", flush=True)


def signals(client, number, n_workers):
    """Send a signal to some workers now; their process numbers."""
    pids = list(client.run(os.getpid).values())[:n_workers]

    def send():
        for pid in pids:
            os.kill(pid, number)

    return pids, send


def with_signals(trials, times):
    """Workers that die or stop, and workers that are told to go; a cluster of its own for each fit."""
    for _ in range(2):
        with local_cluster() as cluster, Client(cluster):
            trials.run("left alone", None)
    for name, number, n_workers in (
        ("killed", signal.SIGKILL, 1),
        ("both killed", signal.SIGKILL, 2),
        ("stopped", signal.SIGSTOP, 1),
    ):
        for _ in range(times[name]):
            with local_cluster() as cluster, Client(cluster) as client:
                pids, send = signals(client, number, n_workers)
                trials.run(name, send)
                for pid in pids if number == signal.SIGSTOP else ():
                    with suppress(ProcessLookupError):  # its nanny has done so
                        os.kill(pid, signal.SIGKILL)
    for _ in range(times["scaled"]):
        with local_cluster() as cluster, Client(cluster):
            trials.run("scaled", lambda cluster=cluster: (cluster.scale(1), time.sleep(1), cluster.scale(3)))


@contextmanager
def process(*command):
    """A process of Dask, killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        try:
            yield running
        finally:
            running.kill()


def worker(scheduler, contact, listen):
    """A worker without a nanny that others reach at `contact`."""
    options = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--death-timeout", "60")
    addresses = ("--listen-address", f"tcp://{HOST}:{listen}", "--contact-address", f"tcp://{HOST}:{contact}")
    return process("distributed.cli.dask_worker", f"tcp://{HOST}:{scheduler}", *options, *addresses)


def cut_off(trials, times):
    """A worker all of whose traffic goes through proxies that forward nothing more."""
    for _ in range(times["cut off"]):
        with (
            LocalCluster(
                n_workers=1, threads_per_worker=1, host=HOST, dashboard_address=None, silence_logs=logging.CRITICAL
            ) as cluster,
            Client(cluster) as client,
            Proxy(int(cluster.scheduler_address.rsplit(":", 1)[1])) as to_scheduler,
            Proxy(None) as to_worker,
            worker(to_scheduler.port, to_worker.port, to_worker.target),
        ):
            client.wait_for_workers(2, timeout=60)
            trials.run("cut off", lambda a=to_scheduler, b=to_worker: (a.cut(), b.cut()))


def scheduler_lost(trials):
    """A fit whose scheduler is killed ends with an error that says so."""
    port = Proxy.free_port()
    options = ("--host", HOST, "--port", str(port), "--no-dashboard")
    with (
        process("distributed.cli.dask_scheduler", *options) as scheduler,
        Client(f"tcp://{HOST}:{port}", timeout=60, set_as_default=True) as client,
        process("distributed.cli.dask_worker", f"tcp://{HOST}:{port}", "--no-dashboard", "--host", HOST),
    ):
        client.wait_for_workers(1, timeout=60)
        began = time.perf_counter()
        try:
            with at(0.5 * trials.alone, scheduler.kill):
                fitted(trials.rows)
            told = "no error"
        except ConnectionError as error:
            told = str(error)
        print(f"scheduler lost: after {time.perf_counter() - began:.1f} s: {told}", flush=True)
        trials.wrong += "scheduler of the Dask cluster is gone" not in told


def main(times) -> int:
    """All of it; the number of fits that were not as they should be."""
    trials = Trials(np.random.default_rng(int(os.environ.get("SEED", "0"))))
    with_signals(trials, times)
    cut_off(trials, times)
    scheduler_lost(trials)
    print(f"{trials.wrong} of these fits were not as they should be")
    return trials.wrong


if __name__ == "__main__":
    given = [int(number) for number in sys.argv[1:]]
    sys.exit(bool(main(TIMES | dict(zip(TIMES, given, strict=False)))))

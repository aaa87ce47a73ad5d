"""Work on the user's Dask cluster that survives the loss of workers: few tasks, each submitted again where it is lost.

In: functions and arguments, values that live on workers among them. Out: results in their order. Tasks are idempotent,
so whoever computes one, and how often, changes nothing. A worker that has been silent for too long is taken off the
scheduler's list, which then computes elsewhere what it held; its nanny, where it has one, starts another. Does not know
what is computed.
"""

import asyncio
import importlib
import time
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import suppress
from typing import Any, TypeAlias

from alakarte.execution.progress import tell
from alakarte.execution.threads import aside

SILENT = 20.0  # seconds without a heartbeat after which a worker counts as lost
ROUNDS = 8  # times that lost tasks are submitted again
NO_WORKER = 300.0  # seconds to wait for a worker where there is none
NO_SCHEDULER = 10.0  # seconds in which the client may find a lost scheduler again
NEW = 90.0  # seconds without a heartbeat that a new worker may need for its imports
LOOK = 1.0  # seconds between two looks at the workers
_ENTRY = "alakarte.data.dask_table"  # what a worker needs
_ANSWER = 5.0  # seconds in which a scheduler that is there answers

Calls: TypeAlias = Sequence[tuple[Any, ...]]  # arguments of each
Submitted: TypeAlias = Callable[[list[int]], dict[int, Any]]  # numbers of results → a future for each


def distributed() -> Any:
    """Dask's module, or an error that names the extra."""
    try:
        return importlib.import_module("distributed")
    except ImportError as error:
        raise ImportError(
            "Rows on a cluster need Dask, which is not installed: pip install 'alakarte[dask]'."
        ) from error


class _Watch:
    """Which workers have been silent while somebody listened: a scheduler that was busy itself has heard nobody."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[float, float, int]] = {}  # last heartbeat, since when it is the last, looks since
        self.ready: set[str] = set()  # addresses of workers whose imports do not stand in the way of heartbeats
        self.had_workers = time.monotonic()

    def silent(self, heartbeats: dict[str, float]) -> list[str]:
        """Addresses whose last heartbeat has been the same for too long, at many looks."""
        now, seen = time.monotonic(), self.seen
        if heartbeats:
            self.had_workers = now
        self.seen = {}
        for address, last in heartbeats.items():
            before, since, looks = seen.get(address, (None, now, 0))
            self.seen[address] = (last, since, looks + 1) if before == last else (last, now, 1)
        return [
            address
            for address, (_, since, looks) in self.seen.items()
            if looks * LOOK > SILENT / 2 and now - since > (SILENT if address in self.ready else NEW)
        ]

    def without_workers(self) -> float:
        """Seconds since there was one."""
        return time.monotonic() - self.had_workers


class Cluster:
    """The user's cluster."""

    def __init__(self, client: Any):
        self.client = client
        self.watch = _Watch()

    def run(self, function: Callable[..., Any], calls: Calls, shared: Any = None, said: str = "") -> list[Any]:
        """function(shared, *arguments) of each call, in their order; what is lost is submitted again.

        Where `said` tells what each call is, so is about once a second how many have ended.
        """
        made: dict[int, Any] = {}

        def submitted(left: list[int]) -> dict[int, Any]:
            value = self.submit_shared(shared)
            made.update({index: self.submit(function, value, *calls[index]) for index in left})
            return {index: made[index] for index in left}

        def say() -> None:
            if said:
                tell(f"{sum(future.status == 'finished' for future in made.values())} of {len(calls)} {said}")

        return self.results(submitted, len(calls), calls, say)

    def results(
        self, submitted: Submitted, n: int, calls: Calls, meanwhile: Callable[[], None] = lambda: None
    ) -> list[Any]:
        """Results 0 … n − 1, by futures that `submitted(numbers)` makes, from values on the cluster among `calls`.

        `meanwhile()` is called about once a second.
        """
        results: dict[int, Any] = {}
        self.watch.had_workers = time.monotonic()
        for attempt in range(ROUNDS):
            left = [index for index in range(n) if index not in results]
            if not left:
                break
            if attempt:
                self._wait_for_a_worker()
                tell(f"{len(left)} of {n} results were lost with their workers: their tasks are submitted again")
                self._retry(calls)
                self.prepare()
            results |= self._attempt(submitted, left, meanwhile)
        if len(results) < n:
            raise ConnectionError(
                f"{n - len(results)} results were lost {ROUNDS} times with their workers: look at the logs of the "
                "workers, such as for memory."
            )
        return [results[index] for index in range(n)]

    def submit(self, function: Callable[..., Any], *arguments: Any, place: str | None = None) -> Any:
        """A future of function(*arguments), which the scheduler can compute again with the arguments that it has.

        It is computed on the worker of that address, while there is one, and before what is submitted later.
        """
        config = importlib.import_module("dask.config")
        where = {} if place is None else {"workers": [place], "allow_other_workers": True}
        with config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # few tasks, and meant to be fat
            return self.client.submit(function, *arguments, pure=False, fifo_timeout=0, **where)

    def submit_shared(self, value: Any) -> Any:
        """A future of a value that several tasks share; None of None."""
        return None if value is None else self.submit(_as_it_is, value)

    def places(self, n: int) -> list[str | None]:
        """Addresses of workers for n equal pieces of work that follow each other, so that none waits for others."""
        threads = [address for address, count in sorted(self.threads().items()) for _ in range(count)]
        return [threads[i * len(threads) // n] if threads else None for i in range(n)]

    def _attempt(self, submitted: Submitted, left: list[int], meanwhile: Callable[[], None]) -> dict[int, Any]:
        """Those results that were not lost; other errors are raised."""
        lost, errors, results = _losses(), [], {}
        of_driver: tuple[type[BaseException], ...] = (*lost, TimeoutError, OSError)
        try:
            futures = submitted(left)
            self._wait(list(futures.values()), meanwhile)
            errors = [future.exception() for future in futures.values() if future.status == "error"]
            done = {index: future for index, future in futures.items() if future.status == "finished"}
            results = dict(zip(done, self._gathered(list(done.values())), strict=True))
        except of_driver as error:
            self._check_scheduler(error)
            self._take_off_silent()
        for failure in errors:  # of the tasks themselves: the user's files may be missing there
            if not isinstance(failure, lost):
                raise failure
        return results

    def prepare(self) -> None:
        """Let each new worker import this library on a thread: where it meets a task first, it is deaf meanwhile."""
        self._look()
        tasks = {
            address: self.client.submit(exec, f"import {_ENTRY}", workers=[address], pure=False)
            for address in set(self.watch.seen) - self.watch.ready
        }
        self.watch.ready |= set(tasks)
        while any(task.status == "pending" for address, task in tasks.items() if address in self.watch.seen):
            with suppress(TimeoutError):
                distributed().wait(list(tasks.values()), timeout=LOOK)
            self._look()

    def _wait(self, futures: list[Any], meanwhile: Callable[[], None]) -> None:
        """Until all have ended or were lost; silent workers are taken off meanwhile."""
        module = distributed()
        looked = time.monotonic()
        while any(future.status == "pending" for future in futures):
            with suppress(TimeoutError):
                module.wait(futures, timeout=LOOK)
            if time.monotonic() - looked >= LOOK:
                looked = time.monotonic()
                self._look()
                meanwhile()

    def fetched(self, futures: list[Any]) -> list[Any]:
        """Results of tasks that have ended; none, where some were lost with their worker."""
        with suppress(*_losses(), TimeoutError, OSError):
            return self._gathered(futures)
        return []

    def _gathered(self, futures: list[Any]) -> list[Any]:
        """Results of tasks that have ended; TimeoutError where a worker fell silent before it gave them."""
        answer = aside(self.client.gather, futures)
        deadline = float("inf")
        while not answer.done() and time.monotonic() < deadline:
            with suppress(TimeoutError):
                return list(answer.result(timeout=LOOK))
            if self._look():
                deadline = time.monotonic() + _ANSWER
        return list(answer.result(timeout=0))

    def _look(self) -> list[str]:
        """Workers that were silent, and are taken off; ConnectionError where the scheduler is gone."""
        if self.client.status != "running":
            self._check_scheduler(None)
        return self._take_off_silent()

    def _take_off_silent(self) -> list[str]:
        """Let scheduler and workers forget workers that have been silent: what they held is computed elsewhere."""
        silent: list[str] = []
        with suppress(TimeoutError, OSError):
            silent = self.watch.silent(aside(self.client.run_on_scheduler, _heartbeats).result(timeout=_ANSWER))
        if self.watch.without_workers() > NO_WORKER:
            raise _no_worker()
        for address in silent:
            tell(f"worker {address} has been silent for {SILENT:.0f} s: its work is done elsewhere")
            with suppress(TimeoutError, OSError):
                aside(self.client.run_on_scheduler, _remove, address=address).result(timeout=_ANSWER)
            aside(self.client.run, _hang_up, address=address, on_error="ignore")
        return silent

    def _retry(self, calls: Calls) -> None:
        """Let the scheduler compute values again that it has given up because too many workers died with them."""
        future = distributed().Future
        values = [value for arguments in calls for value in arguments if isinstance(value, future)]
        if given_up := [value for value in values if value.status == "error"]:
            self.client.retry(given_up)

    def _wait_for_a_worker(self) -> None:
        self._check_scheduler(None)
        if self.threads():
            return
        tell("the cluster has no worker: waiting for one")
        try:
            self.client.wait_for_workers(1, timeout=NO_WORKER)
        except TimeoutError as error:
            raise _no_worker() from error

    def threads(self) -> dict[str, int]:
        """Of each worker, by its address."""
        try:
            return dict(self.client.nthreads())
        except OSError as error:
            self._check_scheduler(error)
            return dict(self.client.nthreads())  # it was found again

    def _check_scheduler(self, cause: BaseException | None) -> None:
        """Raise ConnectionError where the scheduler is gone, after a while in which the client may find it again."""
        began = time.monotonic()
        while self.client.status == "connecting" and time.monotonic() - began < NO_SCHEDULER:
            time.sleep(LOOK / 10)
        if self.client.status != "running":
            raise ConnectionError(
                "The scheduler of the Dask cluster is gone: start a cluster and a client, and call fit again; with "
                "checkpoint= it goes on."
            ) from cause


def _no_worker() -> ConnectionError:
    return ConnectionError(
        f"The cluster has had no worker for {NO_WORKER:.0f} s: add some and call fit again; with checkpoint= it goes "
        "on."
    )


def _losses() -> tuple[type[BaseException], ...]:
    """Errors that mean that something was lost, not that something is wrong."""
    of_client = importlib.import_module("distributed.client").FutureCancelledError
    of_scheduler = importlib.import_module("distributed.scheduler").KilledWorker
    of_comm = importlib.import_module("distributed.comm.core").CommClosedError
    return of_client, of_scheduler, of_comm, CancelledError


def _as_it_is(value: Any) -> Any:
    """Runs on a worker: a value that other tasks share, and that is made again where it is lost."""
    return value


def _heartbeats(dask_scheduler: Any) -> dict[str, float]:
    """Runs on the scheduler: the time of the last heartbeat of each worker."""
    return {address: worker.last_seen for address, worker in dask_scheduler.workers.items()}


async def _remove(dask_scheduler: Any, address: str) -> None:
    """Runs on the scheduler: forget a worker, and let its nanny start another."""
    worker = dask_scheduler.workers.get(address)
    if worker is None:
        return
    await dask_scheduler.remove_worker(address, stimulus_id=f"alakarte-silent-{time.time()}", close=False)
    if worker.nanny:
        with suppress(Exception):  # it may be out of reach as well
            await asyncio.wait_for(dask_scheduler.rpc(worker.nanny).restart(reason="alakarte-silent"), SILENT)


def _hang_up(dask_worker: Any, address: str) -> None:
    """Runs on the other workers: wait no longer for what that one was to send."""
    dask_worker.rpc.remove(address)

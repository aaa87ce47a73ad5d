"""Threads: how many to use, and one BLAS thread in each while the library works.

BLAS limits are process-wide: one reference-counted limiter serves all fits and predictions that run at the same time.
With one BLAS thread per worker results do not depend on the number of workers.
"""

import numbers
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from typing import Any, TypeVar

from joblib import cpu_count, effective_n_jobs
from threadpoolctl import ThreadpoolController

from alakarte.errors import InvalidInput

Result = TypeVar("Result")


class _BlasLimiter:
    """Counts who is inside; the first sets the limit, the last restores it."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.depth = 0
        self.controller: Any = None
        self.limit: Any = None

    def enter(self) -> None:
        with self.lock:
            self.depth += 1
            if self.depth == 1:
                if self.controller is None:  # looking for libraries costs milliseconds: once
                    self.controller = ThreadpoolController().select(user_api="blas")
                self.limit = self.controller.limit(limits=1)  # at once

    def leave(self) -> None:
        with self.lock:
            self.depth -= 1
            if self.depth == 0:
                self._disown()
                self.limit.restore_original_limits()
                self._disown()

    def _disown(self) -> None:
        """Let any thread set OpenBLAS's limit: newer threadpoolctl ignores all but the thread that set it first."""
        for library in self.controller.lib_controllers:
            getattr(library, "clear_controlling_thread", lambda force: None)(force=True)


_limiter = _BlasLimiter()


def blas_libraries() -> list[dict[str, Any]]:
    """What threadpoolctl says of the BLAS libraries of this process."""
    return list(ThreadpoolController().select(user_api="blas").info())


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, every BLAS call of this process runs on the calling thread alone."""
    _limiter.enter()
    try:
        yield
    finally:
        _limiter.leave()


class _Batch:
    """Functions without arguments, taken one by one by whoever is free."""

    def __init__(self, tasks: Sequence[Callable[[], Any]]):
        self.tasks = tasks
        self.outcomes: list[Future[Any]] = [Future() for _ in tasks]
        self.lock = threading.Lock()
        self.left = iter(range(len(tasks)))

    def run_one(self) -> bool:
        """Run the next task; False where none is left."""
        with self.lock:
            index = next(self.left, None)
            if index is None:
                return False
            task, outcome = self.tasks[index], self.outcomes[index]
            outcome.set_running_or_notify_cancel()
        try:
            outcome.set_result(task())
        except BaseException as error:  # raised again where the result is asked for
            outcome.set_exception(error)
        return True

    def run_all(self) -> None:
        """Run tasks until none is left."""
        while self.run_one():
            pass

    def close(self) -> None:
        """Begin no further task, and wait for those that have begun."""
        with self.lock:
            self.left = iter(())
            begun = [outcome for outcome in self.outcomes if outcome.running()]
        wait(begun)
        self.tasks, self.outcomes = (), []  # a helper may look at this batch much later


class _Helpers:
    """Threads that wait for work from one call to the next: to start one takes longer than most tasks."""

    def __init__(self) -> None:
        self.process = 0
        self.pool: Any = None

    def join(self, batch: _Batch, n_helpers: int) -> None:
        """Let so many threads work on a batch."""
        if self.process != os.getpid():  # after a fork there are none
            self.process, self.pool = os.getpid(), ThreadPoolExecutor(cpu_count(), "alakarte")
        with suppress(RuntimeError):  # Python is shutting down: the calling thread does it alone
            for _ in range(n_helpers):
                self.pool.submit(batch.run_all)


_helpers = _Helpers()


def results_in_order(
    tasks: Sequence[Callable[[], Result]], n_jobs: int, on_interrupt: Callable[[], None] = lambda: None
) -> Iterator[Result]:
    """Results of functions without arguments, in their order, each as soon as it is there.

    After Ctrl-C `on_interrupt` is called before the others are waited for: it may tell them to end.

    The calling thread works with up to `n_jobs` − 1 others, so that tasks may call this again: whoever waits for a task
    waits for a thread that is at work on it.
    """
    if n_jobs == 1 or len(tasks) == 1:
        yield from (task() for task in tasks)
        return
    batch = _Batch(tasks)
    _helpers.join(batch, min(n_jobs, len(tasks)) - 1)
    try:
        for index, outcome in enumerate(batch.outcomes):
            while not outcome.done() and batch.run_one():
                pass
            yield outcome.result()
            batch.outcomes[index] = _GIVEN
    except KeyboardInterrupt:
        on_interrupt()
        raise
    finally:
        batch.close()


_GIVEN: Future[Any] = Future()  # in place of a result that is no longer needed


def run_together(
    tasks: Sequence[Callable[[], Result]], n_jobs: int, on_interrupt: Callable[[], None] = lambda: None
) -> list[Result]:
    """Results of functions without arguments, in their order, computed on up to `n_jobs` threads."""
    return list(results_in_order(tasks, n_jobs, on_interrupt))


def aside(function: Callable[..., Any], *arguments: Any, **named: Any) -> Future[Any]:
    """The result of a call that may never end, on a thread that nobody waits for."""
    answer: Future[Any] = Future()

    def call() -> None:
        try:
            answer.set_result(function(*arguments, **named))
        except BaseException as error:
            answer.set_exception(error)

    threading.Thread(target=call, daemon=True, name="alakarte-aside").start()
    return answer


def thread_count(n_jobs: object) -> int:
    """Threads for `n_jobs`: None is all cores, but one inside a joblib worker; negative counts from the end."""
    if n_jobs is None:
        return int(min(effective_n_jobs(-1), cpu_count()))
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInput(f"n_jobs={n_jobs!r}: give None (all cores), a whole number ≥ 1, or -1.")
    return int(effective_n_jobs(int(n_jobs)))

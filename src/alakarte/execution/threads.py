"""Threads: how many to use, and one BLAS thread in each while the library works.

BLAS limits are process-wide: one reference-counted limiter serves all fits and predictions that run at the same time.
With one BLAS thread per worker results do not depend on the number of workers.
"""

import numbers
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
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


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, every BLAS call of this process runs on the calling thread alone."""
    _limiter.enter()
    try:
        yield
    finally:
        _limiter.leave()


def run_together(tasks: Sequence[Callable[[], Result]], n_jobs: int) -> list[Result]:
    """Results of functions without arguments, in their order, computed on up to `n_jobs` threads."""
    if n_jobs == 1 or len(tasks) == 1:
        return [task() for task in tasks]
    with ThreadPoolExecutor(min(n_jobs, len(tasks))) as pool:
        return [future.result() for future in [pool.submit(task) for task in tasks]]


def thread_count(n_jobs: object) -> int:
    """Threads for `n_jobs`: None is all cores, but one inside a joblib worker; negative counts from the end."""
    if n_jobs is None:
        return int(min(effective_n_jobs(-1), cpu_count()))
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise InvalidInput(f"n_jobs={n_jobs!r}: give None (all cores), a whole number ≥ 1, or -1.")
    return int(effective_n_jobs(int(n_jobs)))

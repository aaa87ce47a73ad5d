"""A fit that goes on after a crash: what tells it from other fits, and its checkpoint from the first row to the last.

In: an estimator with its table. Out: `Checkpoint`, and the random streams of the fit that has written it.
"""

import numbers
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from typing import Any, TypeAlias

from alakarte.data.fingerprint import fingerprint
from alakarte.data.table import Table
from alakarte.errors import InvalidInput
from alakarte.execution.budget import Budget
from alakarte.execution.checkpoint import Checkpoint, check_identity, open_checkpoint
from alakarte.execution.digest import digest
from alakarte.execution.randomness import Streams, streams
from alakarte.search.learn import WarmStart

Begun: TypeAlias = tuple[Checkpoint, Streams]

# settings that change no bit of the result
_WITHOUT_INFLUENCE = ("checkpoint", "checkpoint_interval", "n_jobs", "verbose", "random_state")


def begin_checkpoint(estimator: Any, table: Table, warm: WarmStart | None) -> Begun:
    """The checkpoint of a fit, and its random streams: those of the fit before, where no seed was given."""
    path, interval = estimator.checkpoint, estimator.checkpoint_interval
    random = streams(estimator.random_state)
    if path is None:
        return Checkpoint(), random
    if not isinstance(interval, numbers.Real) or isinstance(interval, bool) or not float(interval) >= 0:
        raise InvalidInput(f"checkpoint_interval={interval!r}: give a number of seconds ≥ 0, such as 60.")
    if not isinstance(path, str | os.PathLike):
        raise InvalidInput(f"checkpoint={path!r}: give the name of a file, or None.")
    checkpoint = open_checkpoint(os.fspath(path), float(interval))
    if estimator.random_state is None and checkpoint.identity:
        random = Streams(int(checkpoint.identity["random_state"]))
    check_identity(checkpoint, _identity(estimator, table, warm) | {"random_state": str(random.seed)})
    checkpoint.begin()
    return checkpoint, random


def _identity(estimator: Any, table: Table, warm: WarmStart | None) -> dict[str, str]:
    """What tells a fit from others, by name: version, settings, sizes of the table and its numbers."""
    rows, settings = table.rows, estimator.get_params(deep=False)
    told = {name: repr(value) for name, value in settings.items() if name not in _WITHOUT_INFLUENCE}
    return {
        "alakarte": version("alakarte"),
        "estimator": type(estimator).__name__,
        **told,
        "the number of rows": str(rows.n_rows),
        "the number of inputs": str(rows.n_inputs),
        "the number of targets": str(rows.n_targets),
        "the sum of weights": repr(rows.total),
        "the scaling of inputs": digest(table.scaling),
        "the data": digest(rows, fingerprint(rows)),
        "the model to start from": digest(warm),
    }


@contextmanager
def going_on(checkpoint: Checkpoint, budget: Budget) -> Iterator[None]:
    """Within it, a checkpoint is written; after an error or an interruption once more, else it is removed."""
    try:
        yield
    except BaseException:
        checkpoint.write()
        raise
    if budget.interrupted:
        checkpoint.write()
    else:
        checkpoint.remove()

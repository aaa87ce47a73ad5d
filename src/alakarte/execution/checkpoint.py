"""Finished work of a fit on disk, so that the same call after a crash goes on where it was.

In: results by name, as plain arrays. Out: the same results, in another process. A fit is determined by its rows,
settings and seed: the same call takes the same way again, and what is found here is not computed a second time. The
file is written whole or not at all, by the clock; what it holds are arrays and words, never code.
"""

import hashlib
import json
import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from alakarte.errors import NUMERICAL_ERRORS, InvalidInput
from alakarte.execution.digest import digest
from alakarte.execution.progress import warn
from alakarte.execution.tree import Node
from alakarte.records import Array

_FORMAT = "alakarte checkpoint 2"
_DTYPES = ("float64", "float32")


class Checkpoint:
    """Results by name; without a path it remembers nothing."""

    def __init__(self, path: str | None = None, interval: float = 60.0):
        self.path, self.interval = path, interval
        self.identity: dict[str, str] = {}  # what tells this fit from others, by what it is called
        self.results: dict[str, list[Array]] = {}
        self.lock = threading.RLock()
        self.written = time.monotonic()
        self.within = threading.local()  # passes of the evaluation that this thread is at

    def __reduce__(self) -> Any:
        return Checkpoint, ()  # a copy remembers nothing

    @property
    def remembers(self) -> bool:
        """Whether there is a file."""
        return self.path is not None

    def recall(self, name: str) -> list[Array] | None:
        """Copies of the arrays of a result, or None."""
        with self.lock:
            known = self.results.get(name)
            return None if known is None else [array.copy(order="K") for array in known]

    def keep(self, name: str, arrays: Sequence[Array]) -> None:
        """Remember a result, by copies of what may be changed; write the file where it is time."""
        with self.lock:
            self.results[name] = [
                np.array(array, order="K") if array.flags.writeable else array for array in map(np.asarray, arrays)
            ]
            if self.is_time():
                self.write()

    def is_time(self) -> bool:
        """Whether the file was last written an interval ago."""
        return time.monotonic() - self.written >= self.interval

    def forget(self, names: Sequence[str]) -> None:
        """Leave out results that are part of others."""
        with self.lock:
            for name in names:
                self.results.pop(name, None)

    def evaluations(self, function: Callable[..., tuple[float, Array]], *fixed: Any) -> Callable[..., Any]:
        """function(*fixed, theta) → (value, gradient) as a function of theta, each computed once."""
        if not self.remembers:
            return partial(function, *fixed)
        of_all = digest(function, *fixed)

        def evaluate(theta: Array) -> tuple[float, Array]:
            name = digest(of_all, theta)
            known = self.recall(name)
            if known is None:
                with self.evaluation():
                    value, gradient = function(*fixed, theta)
                known = [np.asarray(value, dtype=np.float64), gradient]
                self.keep(name, known)
            return float(known[0]), known[1]

        return evaluate

    @contextmanager
    def evaluation(self) -> Iterator[None]:
        """Passes within it are kept until it has a value or has failed numerically, not where it is cut off."""
        with self.passes() as names:
            try:
                yield
            except NUMERICAL_ERRORS:
                self.forget(names)
                raise
        self.forget(names)

    @contextmanager
    def passes(self) -> Iterator[list[str]]:
        """The names of passes that this thread asks about within it, as they come."""
        names: list[str] = []
        outer = self._names()
        self.within.names = names
        try:
            yield names
        finally:
            self.within.names = outer
            if outer is not None:
                outer += names

    def _names(self) -> list[str] | None:
        names: list[str] | None = getattr(self.within, "names", None)
        return names

    @property
    def in_step(self) -> bool:
        """Whether this thread is within `passes`, so that somebody forgets what is kept of these."""
        return self.remembers and self._names() is not None

    def name_of_pass(self, *what: object) -> str:
        """The name of a pass over rows, nothing where nothing is remembered."""
        name = digest(*what) if self.remembers else ""
        self.note(name)
        return name

    def note(self, name: str) -> None:
        """Let those know of a name who will forget passes."""
        names = self._names()
        if names is not None:
            names.append(name)

    def keep_sums(self, name: str, sums: Mapping[Node, Sequence[Array]]) -> None:
        """Remember sums of lanes of a pass by their nodes: for who has found it finished, or time to write."""
        nodes = np.array(list(sums), dtype=np.float64)
        self.keep(name, [nodes, *(part for parts in sums.values() for part in parts)])

    def recall_sums(self, name: str) -> dict[Node, list[Array]]:
        """What is known of a pass."""
        nodes, *parts = self.recall(name) or [np.zeros((0, 2))]
        each = len(parts) // max(len(nodes), 1)
        return {(int(a), int(b)): parts[i * each : (i + 1) * each] for i, (a, b) in enumerate(nodes)}

    # --- the file

    def begin(self) -> None:
        """Write the file for the first time; InvalidInput where that cannot be done."""
        try:
            self._write()
        except OSError as error:
            raise InvalidInput(
                f"checkpoint={self.path!r} cannot be written ({error.strerror}): give a file in a directory that you "
                "may write to, with room on its disk."
            ) from error

    def write(self) -> None:
        """Replace the file by what is remembered now; a warning where that cannot be done, and the fit goes on."""
        try:
            self._write()
        except OSError as error:
            self.written = time.monotonic()
            warn(f"checkpoint={self.path!r} cannot be written ({error.strerror}): the fit goes on.", UserWarning)

    def _write(self) -> None:
        if self.path is None:
            return
        with self.lock:
            entries, payload = [], []
            for name, arrays in self.results.items():
                by_columns = [array.flags.f_contiguous for array in arrays]
                entries.append((name, [(a.dtype.name, a.shape, f) for a, f in zip(arrays, by_columns, strict=True)]))
                payload += [(a.T if f else a).tobytes() for a, f in zip(arrays, by_columns, strict=True)]
            body = json.dumps({"identity": self.identity, "entries": entries}).encode()
            _replace(self.path, [body, *payload])
            self.written = time.monotonic()

    def remove(self) -> None:
        """Delete the file and remember nothing more: the fit has ended."""
        if self.path is not None:
            with suppress(FileNotFoundError):
                os.unlink(self.path)
        self.path, self.results = None, {}


def open_checkpoint(path: str | None, interval: float) -> Checkpoint:
    """What a file remembers, or nothing yet; InvalidInput where it is no checkpoint, or damaged."""
    checkpoint = Checkpoint(path, interval)
    if path is None or not os.path.exists(path):
        return checkpoint
    try:
        identity, results = _read(Path(path).read_bytes())
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise InvalidInput(
            f"checkpoint={path!r} is no checkpoint of a fit, or it is damaged ({error}): delete it, or give another "
            "name."
        ) from error
    checkpoint.identity, checkpoint.results = identity, results
    return checkpoint


def check_identity(checkpoint: Checkpoint, identity: dict[str, str]) -> None:
    """Take on an identity; InvalidInput that names what differs where the file was written by another fit."""
    known = checkpoint.identity
    differing = [name for name in identity if known and known.get(name) != identity[name]]
    if differing:
        told = "; ".join(
            f"{name} was {_shown(known.get(name))}, now it is {_shown(identity[name])}" for name in differing
        )
        raise InvalidInput(
            f"checkpoint={checkpoint.path!r} was written by another fit: {told}. Give the same again, another name, or "
            "delete the file."
        )
    checkpoint.identity = identity


def _shown(text: str | None) -> str:
    return "not there" if text is None else text if len(text) <= 60 else f"{text[:57]}…"


def _replace(path: str, parts: list[bytes]) -> None:
    """Write parts to another file beside it, then rename that: there is the old file, or the new one."""
    lengths = [len(parts[0]), sum(map(len, parts[1:]))]
    state = hashlib.sha256()
    for part in parts:
        state.update(part)
    head = json.dumps([_FORMAT, state.hexdigest(), *lengths]).encode() + b"\n"
    directory = os.path.dirname(os.path.abspath(path))
    handle, temporary = tempfile.mkstemp(prefix=os.path.basename(path) + ".", dir=directory)
    try:
        with open(handle, "wb") as file:
            file.writelines([head, *parts])
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
        raise


def _read(content: bytes) -> tuple[dict[str, str], dict[str, list[Array]]]:
    """Identity and results of a file's bytes; ValueError and its kin where they are not as they were written."""
    end = content.index(b"\n") + 1
    kind, expected, n_body, n_payload = json.loads(content[:end])
    if kind != _FORMAT:
        raise ValueError(f"its first line says {kind!r:.40}")
    if len(content) != end + n_body + n_payload or hashlib.sha256(content[end:]).hexdigest() != expected:
        raise ValueError("its bytes are not those that were written")
    body = json.loads(content[end : end + n_body])
    results: dict[str, list[Array]] = {}
    place = end + n_body
    for name, described in body["entries"]:
        arrays = results[name] = []
        for dtype, shape, by_columns in described:
            count = int(np.prod(shape, dtype=np.int64))
            array = np.frombuffer(content, np.dtype(_DTYPES[_DTYPES.index(dtype)]), count, place)
            arrays.append(array.reshape(shape, order="F" if by_columns else "C").copy(order="K"))
            place += array.nbytes
    return {str(key): str(value) for key, value in body["identity"].items()}, results

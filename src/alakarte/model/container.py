"""Arrays and text in one file, in the layout of safetensors: 8 bytes of length, a JSON header, then the arrays.

In: text by name and arrays by name. Out: a file, written whole or not at all; and back, or `InvalidFile`. The header
begins with format, version and SHA-256 of the whole file (that field taken as zeros), so that nothing is parsed, and
nothing of a size that the file only claims is allocated, before every byte is known to be as it was written. The hash
is against accidents: who writes a file with intent can write its hash too. Knows no models.
"""

import hashlib
import json
import math
import os
import re
import secrets
import stat
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from alakarte.errors import InvalidFile
from alakarte.model.strict_json import NotStrict, parse

AnyArray: TypeAlias = NDArray[Any]
FORMAT = "alakarte"
VERSION = "1"
MOST_HEADER = 8 << 20
ALIGNED = 64  # bytes: where the arrays begin
MOST_AXES = 8
_CHUNK = 1 << 20
_BLANK = b"0" * 64
_OPENING = re.compile(
    rb'\{"__metadata__":\{"format":"'
    + FORMAT.encode()
    + rb'","version":"([0-9A-Za-z.]{1,16})","sha256":"([0-9a-f]{64})"'
)
DTYPES = {
    name: np.dtype(code)
    for name, code in (
        ("F64", "<f8"),
        ("F32", "<f4"),
        ("I64", "<i8"),
        ("U64", "<u8"),
        ("I32", "<i4"),
        ("U32", "<u4"),
        ("I16", "<i2"),
        ("U16", "<u2"),
        ("I8", "i1"),
        ("U8", "u1"),
        ("BOOL", "?"),
    )
}
_NAMES = {dtype: name for name, dtype in DTYPES.items()}


@dataclass(frozen=True)
class Contents:
    """What a file holds: text by name, and arrays by name."""

    text: dict[str, str]
    arrays: dict[str, AnyArray]


@dataclass(frozen=True)
class Entry:
    """An array as the header declares it."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    n_bytes: int


def can_hold(array: AnyArray) -> bool:
    """Whether an array has one of the types that a file knows."""
    return array.dtype.newbyteorder("<") in _NAMES and array.ndim <= MOST_AXES


def write(path: Path, contents: Contents) -> None:
    """Write to a file beside it, wait until that is on the disk, and put it in the place of `path`."""
    arrays = {name: _plain(array) for name, array in contents.arrays.items()}
    header = _header(contents.text, arrays)
    digest = _digest(header, (_bytes(array) for array in arrays.values()))
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as file:
            file.write(header.replace(_BLANK, digest, 1))
            for array in arrays.values():
                file.write(_bytes(array))
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _keep_the_name(path.parent)


def _keep_the_name(folder: Path) -> None:
    """Wait until a folder is on the disk, where the system has such a thing."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _plain(array: AnyArray) -> AnyArray:
    """Row-major, in the byte order of a file."""
    return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<")).reshape(array.shape)


def _bytes(array: AnyArray) -> memoryview:
    """The memory of a row-major array."""
    return array.reshape(-1).view(np.uint8).data


def _header(text: dict[str, str], arrays: dict[str, AnyArray]) -> bytes:
    """Length and JSON, with zeros for the hash, filled up with spaces."""
    first = {"format": FORMAT, "version": VERSION, "sha256": _BLANK.decode()}
    declared: dict[str, Any] = {"__metadata__": first | text}
    start = 0
    for name, array in arrays.items():
        stop = start + array.nbytes
        declared[name] = {"dtype": _NAMES[array.dtype], "shape": list(array.shape), "data_offsets": [start, stop]}
        start = stop
    body = json.dumps(declared, separators=(",", ":"), allow_nan=False).encode("ascii")
    body += b" " * (-(8 + len(body)) % ALIGNED)
    return len(body).to_bytes(8, "little") + body


def _digest(header: bytes, chunks: Iterable[bytes | memoryview]) -> bytes:
    """SHA-256 in hexadecimal letters, of a header with zeros for the hash and of what follows it."""
    total = hashlib.sha256(header)
    for chunk in chunks:
        total.update(chunk)
    return total.hexdigest().encode()


def read(path: Path) -> Contents:
    """Text and arrays of a file; InvalidFile, with path and reason, unless every byte is as it was written."""
    with open(path, "rb") as file:
        try:
            declared, n_bytes = _checked_header(file)
            entries = _entries(declared, n_bytes)
            return Contents(declared["__metadata__"], {name: _array(file, entry) for name, entry in entries.items()})
        except NotStrict as error:
            raise InvalidFile(f"{path}: {error}") from None


def read_text(path: Path) -> tuple[dict[str, str], dict[str, Entry]]:
    """Text of a file and what it declares of its arrays, without the arrays."""
    with open(path, "rb") as file:
        try:
            declared, n_bytes = _checked_header(file)
            return declared["__metadata__"], _entries(declared, n_bytes)
        except NotStrict as error:
            raise InvalidFile(f"{path}: {error}") from None


def _checked_header(file: BinaryIO) -> tuple[dict[str, Any], int]:
    """The header of a file whose hash is right, and the bytes that follow it; the file stands at the first of these."""
    status = os.fstat(file.fileno())
    if not stat.S_ISREG(status.st_mode):
        raise NotStrict("is no regular file.")
    opening = file.read(8)
    length = int.from_bytes(opening, "little")
    if len(opening) < 8 or length > min(MOST_HEADER, status.st_size - 8):
        raise NotStrict("is no model file of alakarte: it has no header.")
    header = file.read(length)
    match = _OPENING.match(header)
    if match is None:
        raise NotStrict("is no model file of alakarte.")
    if match[1].decode() != VERSION:
        raise NotStrict(
            f"has version {match[1].decode()} of the format, and this alakarte reads version {VERSION}: install "
            "a newer one."
        )
    blanked = opening + header[: match.start(2)] + _BLANK + header[match.end(2) :]
    if _digest(blanked, iter(lambda: file.read(_CHUNK), b"")) != match[2]:
        raise NotStrict("is damaged: its bytes are not those that were written. Take another copy of it.")
    file.seek(8 + length)
    declared = parse(header)
    text = declared.get("__metadata__")
    if not isinstance(text, dict) or not all(isinstance(value, str) for value in text.values()):
        raise NotStrict("has a header without text.")
    return declared, status.st_size - 8 - length


def _entries(declared: dict[str, Any], n_bytes: int) -> dict[str, Entry]:
    """The arrays that a header declares: side by side, without gaps, exactly as many bytes as there are."""
    entries, start = {}, 0
    for name, entry in declared.items():
        if name != "__metadata__":
            entries[name] = _entry(name, entry, start, n_bytes)
            start += entries[name].n_bytes
    if start != n_bytes:
        raise NotStrict(f"declares {start} bytes of arrays and holds {n_bytes}.")
    return entries


def _entry(name: str, entry: Any, start: int, n_bytes: int) -> Entry:
    """One array, whose declared size fits between `start` and the end of the file."""
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        raise NotStrict(f"declares {name!r:.80} without dtype, shape and data_offsets.")
    if not isinstance(entry["dtype"], str) or entry["dtype"] not in DTYPES:
        raise NotStrict(f"declares {name!r:.80} of an unknown type, {entry['dtype']!r:.80}.")
    shape = _whole_numbers(entry["shape"], n_bytes)
    offsets = _whole_numbers(entry["data_offsets"], n_bytes)
    dtype = DTYPES[entry["dtype"]]
    if shape is None or offsets is None or len(shape) > MOST_AXES:
        raise NotStrict(f"declares {name!r:.80} with sizes beyond those of the file.")
    size = math.prod(shape) * dtype.itemsize
    if offsets != (start, start + size):
        raise NotStrict(f"declares {name!r:.80} in bytes {offsets}, where {(start, start + size)} should be.")
    return Entry(dtype, shape, size)


def _whole_numbers(values: Any, most: int) -> tuple[int, ...] | None:
    """A tuple of whole numbers from 0 to `most`, or None."""
    if not isinstance(values, list) or not all(type(value) is int and 0 <= value <= most for value in values):
        return None
    return tuple(values)


def _array(file: BinaryIO, entry: Entry) -> AnyArray:
    """The next array of a file."""
    array = np.empty(entry.shape, entry.dtype)
    if file.readinto(_bytes(array)) != entry.n_bytes:  # type: ignore[attr-defined]
        raise NotStrict("became shorter while it was read.")
    if entry.dtype == np.bool_ and array.view(np.uint8).max(initial=0) > 1:
        raise NotStrict("has truth values that are neither 0 nor 1.")
    return array

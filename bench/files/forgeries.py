"""Files that are no models: damaged ones, and forged ones whose hash is right.

In: the bytes of a model file. Out: bytes that must be refused. A forgery changes the header, the model in it or an
array, and signs the result as a file of the right form would be.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterator

import numpy as np

BLANK = "0" * 64


def split(file: bytes) -> tuple[dict, bytes]:
    """Header and body of a file."""
    length = int.from_bytes(file[:8], "little")
    return json.loads(file[8 : 8 + length]), file[8 + length :]


def signed(header: bytes, body: bytes, length: int | None = None) -> bytes:
    """A file of this header, whatever it says, with the hash that belongs to it."""
    header = re.sub(rb'"sha256":"[0-9a-f]{64}"', b'"sha256":"' + BLANK.encode() + b'"', header, count=1)
    opening = (len(header) if length is None else length).to_bytes(8, "little")
    digest = hashlib.sha256(opening + header + body).hexdigest().encode()
    return opening + header.replace(BLANK.encode(), digest, 1) + body


def joined(declared: dict, body: bytes) -> bytes:
    """A signed file of a header as an object."""
    return signed(json.dumps(declared, separators=(",", ":")).encode(), body)


def damaged(file: bytes, rng: np.random.Generator) -> bytes:
    """One bit flipped, some bytes cut off, or some added: in the header as often as elsewhere."""
    kind = rng.integers(4)
    if kind == 0:
        return file[: int(rng.integers(len(file)))]
    if kind == 1:
        return file + rng.bytes(int(rng.integers(1, 100)))
    end = len(file) if kind == 2 else 8 + int.from_bytes(file[:8], "little")
    changed = bytearray(file)
    changed[int(rng.integers(end))] ^= 1 << int(rng.integers(8))
    return bytes(changed)


def with_header(file: bytes, change: Callable[[dict], None]) -> bytes:
    """A forgery of the header."""
    declared, body = split(file)
    change(declared)
    return joined(declared, body)


def with_model(file: bytes, change: Callable[[dict], None]) -> bytes:
    """A forgery of the model in the header."""

    def inside(declared: dict) -> None:
        model = json.loads(declared["__metadata__"]["model"])
        change(model)
        declared["__metadata__"]["model"] = json.dumps(model)

    return with_header(file, inside)


def with_array(file: bytes, name: str, change: Callable[[np.ndarray], None]) -> bytes:
    """A forgery of one array."""
    declared, body = split(file)
    [full] = [each for each in declared if each.endswith(name)]
    kinds = {"F64": "<f8", "I64": "<i8", "U32": "<u4", "BOOL": "u1"}
    start, stop = declared[full]["data_offsets"]
    values = np.frombuffer(body[start:stop], kinds[declared[full]["dtype"]]).reshape(declared[full]["shape"]).copy()
    change(values)
    return joined(declared, body[:start] + values.tobytes() + body[stop:])


def record(model: dict, name: str) -> dict:
    """The fields of the last record of a class."""
    return [fields for kind, fields in model["records"] if kind == name][-1]


def _first(declared: dict) -> str:
    return next(name for name in declared if name != "__metadata__")


def _set(name: str, field: str, value: object) -> Callable[[dict], None]:
    def change(model: dict) -> None:
        record(model, name)[field] = value

    return change


def _entry(field: str, value: object) -> Callable[[dict], None]:
    def change(declared: dict) -> None:
        declared[_first(declared)][field] = value

    return change


def _text(name: str, value: object) -> Callable[[dict], None]:
    def change(declared: dict) -> None:
        declared["__metadata__"][name] = value

    return change


def _fill(value: float) -> Callable[[np.ndarray], None]:
    def change(array: np.ndarray) -> None:
        array.flat[0] = value

    return change


def _raw_header(file: bytes, replaced: bytes, by: bytes) -> bytes:
    length = int.from_bytes(file[:8], "little")
    return signed(file[8 : 8 + length].replace(replaced, by, 1), file[8 + length :])


def of_any_model(file: bytes) -> Iterator[tuple[str, bytes]]:
    """Forgeries of any model file, by name."""
    length = int.from_bytes(file[:8], "little")
    header, body = file[8 : 8 + length], file[8 + length :]
    declared, _ = split(file)
    first = _first(declared)
    opening = header[: header.index(b',"about"')]
    deep, wide = b"[" * 100_000 + b"]" * 100_000, b"[" + b"[]," * 2_000_000 + b"[]]"
    yield "empty", b""
    yield "seven bytes", b"\x00" * 7
    yield "length alone", (64).to_bytes(8, "little")
    yield "text", b"a,b\n1,2\n" * 100
    yield "pickle", b"\x80\x04\x95" + b"\x00" * 200
    yield "zip", b"PK\x03\x04" + b"\x00" * 200
    yield "header of 2^63 bytes", b"\xff" * 7 + b"\x7f" + header
    yield "header longer than the file", signed(header, b"", length=len(header) + 1)
    yield "header of more than 8 MB", signed(header + b" " * (9 << 20), body)
    yield "header is a list", signed(b"[" + header + b"]", body)
    yield "header is no JSON", signed(header.rstrip()[:-1], body)
    yield "header in another order", signed(b'{"a":1,' + header[1:], body)
    yield "text after the header", signed(header.rstrip() + b"{}", body)
    yield "deep header", signed(opening + b',"about":' + deep + b"}}", body)
    yield "wide header", signed(opening + b',"about":' + wide + b"}}", body)
    yield "name twice", _raw_header(file, b',"about":', b',"format":"alakarte","about":')
    yield "array twice", signed(header.rstrip()[:-1] + b"," + json.dumps(first).encode() + b":{}}", body)
    yield "NaN in the header", _raw_header(file, b'"shape":[', b'"shape":[NaN,')
    yield "infinity in the header", _raw_header(file, b'"shape":[', b'"shape":[1e999,')
    yield "many digits", _raw_header(file, b'"shape":[', b'"shape":[' + b"9" * 100_000 + b",")
    yield "not UTF-8", _raw_header(file, b'"about":"{', b'"about":"{\xff')
    yield "another format", _raw_header(file, b'"format":"alakarte"', b'"format":"pt"')
    yield "another version", _raw_header(file, b'"version":"1"', b'"version":"7"')
    yield "hash in capitals", file.replace(declared["__metadata__"]["sha256"].encode(), b"A" * 64, 1)
    yield "hash of zeros", file.replace(declared["__metadata__"]["sha256"].encode(), BLANK.encode(), 1)
    yield "no arrays", signed(header, b"")
    yield "half of the arrays", signed(header, body[: len(body) // 2])
    yield "more than the arrays", signed(header, body + b"\x00" * 8)
    yield "shape of 10^12", with_header(file, _entry("shape", [10**12]))
    yield "shape that overflows", with_header(file, _entry("shape", [2**32, 2**32]))
    yield "negative shape", with_header(file, _entry("shape", [-1]))
    yield "shape of floats", with_header(file, _entry("shape", [2.0]))
    yield "shape of truth values", with_header(file, _entry("shape", [True]))
    yield "shape is a word", with_header(file, _entry("shape", "3"))
    yield "a hundred axes", with_header(file, _entry("shape", [1] * 100))
    yield "unknown type", with_header(file, _entry("dtype", "O"))
    yield "type is a list", with_header(file, _entry("dtype", ["F64"]))
    yield "wider type", with_header(file, _entry("dtype", "F32"))
    yield "overlapping offsets", with_header(file, _entry("data_offsets", [0, 0]))
    yield "offsets beyond the end", with_header(file, _entry("data_offsets", [0, 2**60]))
    yield "offsets backwards", with_header(file, _entry("data_offsets", [8, 0]))
    yield "one offset", with_header(file, _entry("data_offsets", [0]))
    yield "further field", with_header(file, _entry("order", "F"))
    yield "entry is null", with_header(file, lambda declared: declared.__setitem__(first, None))
    yield "text is a number", with_header(file, _text("about", 1))
    yield "further text", with_header(file, _text("code", "import os"))
    yield "no model", with_header(file, lambda declared: declared["__metadata__"].pop("model"))
    yield "model is no JSON", with_header(file, _text("model", "{"))
    yield "model is a list", with_header(file, _text("model", "[]"))
    yield "model is deep", with_header(file, _text("model", "[" * 50_000))
    yield "unknown estimator", with_model(file, lambda model: model.__setitem__("class", "Popen"))
    yield "estimator is a list", with_model(file, lambda model: model.__setitem__("class", ["GPRegressor"]))
    yield "unknown setting", with_model(file, lambda model: model["settings"].__setitem__("code", "x"))
    yield "unknown attribute", with_model(file, lambda model: model["attributes"].__setitem__("predict", 1))
    yield "no attributes", with_model(file, lambda model: model.__setitem__("attributes", {}))
    yield "unknown tag", with_model(file, lambda model: model["settings"].__setitem__("n_jobs", {"call": "os.system"}))
    yield "two tags", with_model(file, lambda model: model["settings"].__setitem__("n_jobs", {"list": [], "tuple": []}))
    yield "array that is not there", with_model(file, lambda m: m["settings"].__setitem__("n_jobs", {"array": "x"}))
    yield "record to come", with_model(file, lambda m: m["settings"].__setitem__("n_jobs", {"record": 10**6}))
    yield "record before all", with_model(file, lambda m: m["settings"].__setitem__("n_jobs", {"record": -1}))
    yield "records of an unknown class", with_model(file, lambda m: m["records"].insert(0, ["Popen", {}]))
    yield "records are no list", with_model(file, lambda model: model.__setitem__("records", {}))


def of_a_regressor(file: bytes) -> Iterator[tuple[str, bytes]]:
    """Forgeries of a `GPRegressor` in closed form, by name."""
    yield "wrong estimator", with_model(file, lambda model: model.__setitem__("class", "FastfoodFeatures"))
    yield "wrong kernel", with_model(file, _set("Problem", "kernel", {"kernel": ["os", {}]}))
    yield "unknown setting of a kernel", with_model(file, _set("Problem", "kernel", {"kernel": ["ard", {"x": 1}]}))
    yield "kernel of other parameters", with_model(file, _set("Problem", "kernel", {"kernel": ["gm", {}]}))
    yield "posterior is a number", with_model(file, _set("FittedModel", "posterior", 1))
    yield (
        "posterior is a scaling",
        with_model(
            file,
            lambda model: record(model, "FittedModel").__setitem__(
                "posterior", record(model, "FittedModel")["scaling"]
            ),
        ),
    )
    yield "θ is missing", with_model(file, lambda model: record(model, "FittedModel").pop("theta"))
    yield "θ is another array", with_model(file, _set("FittedModel", "theta", {"array": "model_.posterior.factor"}))
    yield "further field of a record", with_model(file, _set("FittedModel", "code", "x"))
    yield "10^12 frequencies", with_model(file, _set("Shape", "counts", {"tuple": [10**12]}))
    yield "no inputs", with_model(file, _set("Shape", "n_inputs", 0))
    yield "10^9 inputs", with_model(file, _set("Shape", "n_inputs", 10**9))
    yield "profile that is not there", with_model(file, _set("ClosedForm", "dof", 7))
    yield "infinite noise", with_model(file, _set("RowPosterior", "noise_variance", {"float": "inf"}))
    yield "unknown choice", with_model(file, _set("Problem", "computation", {"enum": ["Computation", "x"]}))
    yield "name of an input is a number", with_model(file, _set("FittedModel", "input_names", {"tuple": [1, 2, 3]}))
    yield "too few names", with_model(file, _set("FittedModel", "input_names", {"tuple": ["a"]}))
    yield "NaN in the factor", with_array(file, "posterior.factor", _fill(np.nan))
    yield "factor of zeros", with_array(file, "posterior.factor", _fill(0.0))
    yield "infinite weights", with_array(file, "posterior.alpha", _fill(np.inf))
    yield "permutation out of its stack", with_array(file, "stacks.permutation", _fill(10**6))
    yield "negative position", with_array(file, "stacks.position", _fill(-1))
    yield "truth values of two", with_array(file, "x_live", _fill(2))

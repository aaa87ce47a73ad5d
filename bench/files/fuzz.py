"""`python -m bench.files.fuzz [seconds]`: atheris on `alakarte.load` (pip install atheris).

A third of the inputs are taken as they are, a third are signed first, so that they come past the hash, and a third say
which values in the header of a model are replaced by others before it is signed. Any exception but `InvalidFile` is a
finding. What is loaded none the less predicts a row: it may give any number, but must not crash.
"""

import contextlib
import json
import sys
import tempfile
import warnings
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["alakarte.model", "alakarte.estimators.load"]):
    import alakarte
    import alakarte.model.container
    import alakarte.model.decode
    import alakarte.model.files
    import alakarte.model.kept

from bench.files.forgeries import joined, signed, split

FOLDER = tempfile.TemporaryDirectory()
PATH = Path(FOLDER.name) / "model.alk"


MODELS: list[bytes] = []
VALUES = (
    None,
    True,
    -1,
    0,
    1,
    3,
    2**40,
    1.5,
    "",
    "ard",
    [],
    {},
    {"record": 0},
    {"list": []},
    {"tuple": []},
    {"float": "nan"},
)


def file_of(data: bytes) -> bytes:
    """The file that an input stands for; its first byte says how."""
    way, rest = (data[0] % 3, data[1:]) if data else (0, b"")
    if way == 0:
        return rest
    if way == 1:
        length = int.from_bytes(rest[:8], "little")
        return signed(rest[8 : 8 + length], rest[8 + length :], length if length < 2**63 else 0)
    return with_other_values(atheris.FuzzedDataProvider(rest))


def with_other_values(choices: atheris.FuzzedDataProvider) -> bytes:
    """A model some values of whose header are others."""
    declared, body = split(MODELS[choices.ConsumeIntInRange(0, len(MODELS) - 1)])
    model = json.loads(declared["__metadata__"]["model"])
    for _ in range(choices.ConsumeIntInRange(1, 3)):
        places = list(places_in(model if choices.ConsumeBool() else declared))
        container, key = places[choices.ConsumeIntInRange(0, len(places) - 1)]
        others = [*VALUES, *(other[name] for other, name in places[:: max(1, len(places) // 32)])]
        container[key] = deepcopy(others[choices.ConsumeIntInRange(0, len(others) - 1)])
    if isinstance(declared.get("__metadata__"), dict):
        declared["__metadata__"]["model"] = json.dumps(model)
    return joined(declared, body)


def places_in(value: object) -> Iterator[tuple]:
    """Every container within a value, with every key of it."""
    keys = value.keys() if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in list(keys):
        yield value, key
        yield from places_in(value[key])


def try_file(data: bytes) -> None:
    """One input."""
    PATH.write_bytes(file_of(data))
    try:
        model = alakarte.load(PATH)
    except alakarte.InvalidFile:
        return
    with contextlib.suppress(Exception):
        model.predict([[0.0] * model.n_features_in_], return_std=True)


def seeds(folder: Path) -> None:
    """Small models to begin with."""
    short = {"max_iter": 1, "max_iter_restart": 1, "n_restarts": 1, "random_state": 0}
    X, y = [[0.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1]
    models = [
        alakarte.GPRegressor("ard", **short),
        alakarte.GPRegressor("gm", n_components=1, n_frequencies=2, **short),
        alakarte.GPClassifier("rbf", n_frequencies=2, **short),
        alakarte.FastfoodFeatures(n_components=3, random_state=0),
    ]
    for i, model in enumerate(models):
        model.fit(X, y).save(PATH)
        MODELS.append(PATH.read_bytes())
        for flag in (b"\x00", b"\x01", b"\x02"):
            (folder / f"{i}{flag[0]}").write_bytes(flag + MODELS[-1])


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seconds = sys.argv[1] if len(sys.argv) > 1 else "600"
    corpus = Path(FOLDER.name) / "corpus"
    corpus.mkdir()
    seeds(corpus)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=65536",
        "-len_control=0",
        "-print_final_stats=1",
        "-rss_limit_mb=4096",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], try_file)
    atheris.Fuzz()

"""`python -m bench.files.damage [number]`: how many damaged and forged files are refused, how soon, and in what memory.

10,000 damaged copies of files of 20 KB to 8 MB (one bit flipped, cut off, added to), and all forgeries.
"""

import sys
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

import alakarte
from bench.files.forgeries import damaged, of_a_regressor, of_any_model


def model_files(folder: Path) -> list[bytes]:
    """Models of four sizes; the first is in closed form."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((1000, 3))
    y = np.sin(X).sum(axis=1) + 0.1 * rng.standard_normal(1000)
    short = {"max_iter": 1, "max_iter_restart": 1, "n_restarts": 1, "random_state": 0}
    models = [alakarte.GPRegressor("ard", **short).fit(X[:n], y[:n]) for n in (60, 1000)]
    models += [alakarte.GPRegressor("ard", n_frequencies=m, **short).fit(X, y) for m in (16, 500)]
    files = []
    for model in models:
        model.save(folder / "model.alk")
        files.append((folder / "model.alk").read_bytes())
    return files


def refused(path: Path, file: bytes) -> tuple[bool, float, float]:
    """Whether a file is refused by the one exception; seconds, and megabytes at most."""
    path.write_bytes(file)
    start = time.perf_counter()
    seconds = []
    for traced in (False, True):  # tracing takes time: the clock runs without it
        if traced:
            tracemalloc.start()
        try:
            alakarte.load(path)
            return False, 0.0, 0.0
        except alakarte.InvalidFile:
            seconds.append(time.perf_counter() - start)
        finally:
            peak = tracemalloc.get_traced_memory()[1] if traced else 0
            tracemalloc.stop()
    return True, seconds[0], peak / 1e6


class Tried(NamedTuple):
    """What came of some files."""

    kind: str
    files: int
    missed: list[str]
    milliseconds: float
    megabytes: float


def tried(number: int) -> Iterator[Tried]:
    """That of damaged files, and of forged ones."""
    rng = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        files = model_files(Path(folder))
        path = Path(folder) / "model.alk"
        jobs = {
            "damaged": ((str(i), damaged(files[i % len(files)], rng)) for i in range(number)),
            "forged": chain(of_a_regressor(files[0]), *map(of_any_model, files)),
        }
        for kind, made in jobs.items():
            outcomes = [(name, *refused(path, file)) for name, file in made]
            missed = [name for name, is_refused, _, _ in outcomes if not is_refused]
            slowest, largest = (max(column) for column in list(zip(*outcomes, strict=True))[2:])
            yield Tried(kind, len(outcomes), missed, 1e3 * slowest, largest)


def main(number: int) -> int:
    """Print a line for each kind."""
    warnings.simplefilter("ignore")
    good = True
    for kind, files, missed, slowest, largest in tried(number):
        print(f"{kind:<8} {files:>6} refused but {missed}; at most {slowest:.1f} ms, {largest:.1f} MB", flush=True)
        good = good and not missed
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))

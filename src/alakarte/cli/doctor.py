"""`alakarte doctor`: versions, BLAS, threads, where compiled code is kept, and a small model from fit to file."""

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.estimators.load import load
from alakarte.estimators.regressor import GPRegressor
from alakarte.execution.threads import blas_libraries, thread_count

PACKAGES = ("alakarte", "numpy", "scipy", "scikit-learn", "numba", "joblib", "threadpoolctl", "rich", "pyarrow", "onnx")
MOST_ERROR = 0.1  # of a sine without noise


def doctor(options: argparse.Namespace) -> int:
    """Print what is installed and whether it works; 0 if it does."""
    start = time.perf_counter()
    works, why = _self_test()
    found: dict[str, Any] = {
        "python": f"{platform.python_version()}, {platform.system()} {platform.machine()}",
        "packages": {name: _version(name) for name in PACKAGES},
        "blas": [_blas(library) for library in blas_libraries()],
        "threads": thread_count(None),
        "compiled_code": _cache(),
        "self_test": f"{why}, {time.perf_counter() - start:.1f} s",
        "works": works,
    }
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            parts = [f"{key} {part}" for key, part in value.items()] if isinstance(value, dict) else value
            print(f"{name.replace('_', ' '):<16}{', '.join(parts) if isinstance(parts, list) else parts}")
    return 0 if works else 1


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"


def _blas(library: dict[str, Any]) -> str:
    return f"{library.get('internal_api')} {library.get('version')} ({library.get('num_threads')} threads)"


def _cache() -> str:
    """Where compiled code is kept from one process to the next."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    place = Path(given) if given else Path(loops.__file__).parent / "__pycache__"
    if os.access(place if place.exists() else place.parent, os.W_OK):
        return str(place)
    return f"{place} cannot be written: set NUMBA_CACHE_DIR, else every process compiles anew"


def _self_test() -> tuple[bool, str]:
    """Whether a small model learns, is written, is read and predicts the same; and what was found."""
    X = np.linspace(0, 6, 60)[:, None]
    y = np.sin(X[:, 0])
    try:
        model = GPRegressor("ard", n_frequencies=32, random_state=0).fit(X, y)
        with tempfile.TemporaryDirectory() as folder:
            model.save(f"{folder}/model.alk")
            again = load(f"{folder}/model.alk")
        error = float(np.abs(model.predict(X) - y).max())
        if not np.array_equal(model.predict(X), again.predict(X)):
            return False, "a model that was loaded predicts otherwise than before"
        return error < MOST_ERROR, f"a sine is learned to {error:.1g}, saved, loaded"
    except Exception as error:  # whatever it is, the doctor must tell
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
        return False, f"failed with {type(error).__name__}"

"""What a newcomer waits for, in fresh processes: import, first fit, and the README's example.

In: nothing. Out: seconds.
"""

import re
import tempfile
from pathlib import Path

from bench.speed.fresh import fresh
from bench.speed.timing import show

IMPORT = """
import time
import sklearn.gaussian_process
began = time.perf_counter()
import alakarte
print(time.perf_counter() - began)
"""

FIRST = """
import time
began = time.perf_counter()
import numpy as np
from alakarte import GPRegressor
imported = time.perf_counter()
rng = np.random.default_rng(0)
X = rng.standard_normal((100, 3))
y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(100)
GPRegressor({kernel!r}, max_iter=1000, random_state=0).fit(X, y).predict(X)
print(time.perf_counter() - {since})
"""
README = Path(__file__).parents[2] / "README.md"
EXAMPLE = """
import contextlib, io, time
began = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    exec({example!r})
print(time.perf_counter() - began)
"""


def import_time() -> None:
    """Beyond that of scikit-learn's Gaussian processes, with the bytecode that an installation has written."""
    with tempfile.TemporaryDirectory() as folder:
        bytecode = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
        seconds = min(fresh(IMPORT, **bytecode) for _ in range(15))
    show("import alakarte beyond import sklearn.gaussian_process", f"{seconds:.3f} s", "< 0.19 s", seconds < 0.19)


def first_fit() -> None:
    """With an empty cache, and once more with what the first one left there."""
    for kernel in ("auto", "gm", "ard", "fsgbard"):
        with tempfile.TemporaryDirectory() as folder:
            first = fresh(FIRST.format(kernel=kernel, since="imported"), NUMBA_CACHE_DIR=folder)
            later = fresh(FIRST.format(kernel=kernel, since="began"), NUMBA_CACHE_DIR=folder)
        what = f"first fit of 100 × 3 and prediction, empty cache, {kernel}"
        show(what, f"{first:.1f} s + imports; then {later:.1f} s in all", "< 5 s", first < 5)


def readme_example() -> None:
    """The first example of the README, imports included: with an empty cache, then with what that left there."""
    example = re.search(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert example is not None, "the README has no example"
    code = EXAMPLE.format(example=example[1])
    with tempfile.TemporaryDirectory() as folder:
        empty = fresh(code, NUMBA_CACHE_DIR=folder)
        later = min(fresh(code, NUMBA_CACHE_DIR=folder) for _ in range(3))
    show("README example, imports included, compiled code cached", f"{later:.1f} s", "≤ 4 s", later <= 4)
    show("README example, imports included, empty cache", f"{empty:.1f} s", "≤ 8 s", empty <= 8)

"""What a newcomer waits for, in fresh processes: the import, and the first fit with an empty cache of compiled code.

In: nothing. Out: seconds.
"""

import tempfile

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

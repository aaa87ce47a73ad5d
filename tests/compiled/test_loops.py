"""Compiled loops are loaded where they are first used, once, and not by the import of the package."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import alakarte
import alakarte.compiled.loops as loops

ROOM = "alakarte.compiled."
LATE = {ROOM + name for name in loops.__all__}

UNTIL_A_FIT = """
import sys
import alakarte, alakarte.kernels, alakarte.likelihoods
model = alakarte.GPRegressor("gm").set_params(random_state=0)
print(model, alakarte.FastfoodFeatures())
loaded = {name.split(".")[0] for name in sys.modules}
assert not loaded & {"numba", "llvmlite"}, "loaded by the import"
model.set_params(kernel="ard", max_iter=1).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
assert "numba" in sys.modules
"""

FROM_THREADS = """
import sys, threading
import alakarte.compiled.loops as loops
names = ("closed", *loops.__all__)
together = threading.Barrier(len(names))
found = []
def first_use(name):
    together.wait()
    found.append(getattr(loops, name))
threads = [threading.Thread(target=first_use, args=(name,)) for name in names]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert {id(module) for module in found} == {id(sys.modules["alakarte.compiled." + name]) for name in loops.__all__}
"""


@pytest.mark.parametrize("code", [UNTIL_A_FIT, FROM_THREADS], ids=["until a fit", "from threads"])
def test_in_a_fresh_process(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=os.environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_other_rooms_use_the_door():
    """An import of a file with Numba anywhere else would load it with the package."""
    package = Path(alakarte.__file__).parent
    others = [path for path in package.rglob("*.py") if path.parent.name != "compiled"]
    assert len(others) > 80
    assert [path.name for path in others for name in LATE if name in path.read_text(encoding="utf-8")] == []


def test_there_are_no_other_loops():
    with pytest.raises(AttributeError, match=f"no loops 'jit', only {', '.join(loops.__all__)}"):
        _ = loops.jit

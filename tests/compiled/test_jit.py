"""Where the compiled code is kept, that nothing compiles at import, and the same loops as plain Python."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import alakarte.compiled

HERE = Path(__file__).parent
COMPILED = Path(alakarte.compiled.__file__).parent


def run(*arguments, **environment):
    """Output of another Python; fails with its errors."""
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments], env={**os.environ, **environment}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_small_tests_pass_as_plain_python():
    files = [str(HERE / name) for name in ("test_fastfood.py", "test_waves.py", "test_closed.py")]
    output = run("-m", "pytest", "-p", "no:cacheprovider", "-k", "small", *files, NUMBA_DISABLE_JIT="1")
    assert "passed" in output


FIRST_CALLS = """
import threading
import numpy as np
from numba.core import caching
caching.CacheImpl._locator_classes = {locators}
from alakarte.compiled import fastfood, waves
dispatchers = [f for m in (fastfood, waves) for f in vars(m).values() if hasattr(f, "signatures")]
assert len(dispatchers) > 10
assert not any(f.signatures for f in dispatchers), "compiled at import"
u = np.arange(10.0)
results = [np.zeros(10), np.zeros(10)]
threads = [threading.Thread(target=waves._sincos_flat, args=(u, 1e5, v, v.copy())) for v in results]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert all(np.allclose(v, np.sin(u)) for v in results)
assert len(waves._sincos_flat.signatures) == 1
"""


def test_without_any_cache_directory():
    output = run("-c", FIRST_CALLS.format(locators="[]") + "print(type(waves._sincos_flat._cache).__name__)")
    assert output.strip() == "NullCache"


def test_read_only_package_is_cached_for_the_user(tmp_path):
    package, user = tmp_path / "read_only" / "alakarte", tmp_path / "user"
    shutil.copytree(COMPILED.parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    (package / "__init__.py").write_text("")  # the loops alone, without what uses them
    (package / "compiled" / "__pycache__").touch()  # a file: no cache can be written here, not even by root
    script = FIRST_CALLS.format(locators="caching.CacheImpl._locator_classes") + "print(waves.__file__)"
    places = {"HOME": str(user), "XDG_CACHE_HOME": str(user), "LOCALAPPDATA": str(user), "NUMBA_CACHE_DIR": ""}
    output = run("-c", script, PYTHONPATH=str(package.parent), PYTHONDONTWRITEBYTECODE="1", **places)
    assert output.strip() == str(package / "compiled" / "waves.py")
    assert list(user.rglob("waves._sincos_flat-*.nbc"))

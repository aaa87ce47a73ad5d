"""Spools: mapped, without a name in their directory, or kept whole under one; a full disk leaves nothing."""

import os
import subprocess
import sys

import numpy as np
import pytest

from alakarte import GPRegressor, InvalidInput, scan_parquet
from alakarte.data import spool as spools
from data.parquet import NAMES, arrow_table, made, pq


def test_what_was_appended_is_mapped_and_outlives_the_spool(tmp_path):
    spool = spools.Spool(str(tmp_path))
    column, numbers = spool.column("X", 2, np.float32), spool.column("y", None, np.float64)
    for start in range(0, 10, 3):
        column.append(np.arange(2 * start, 2 * start + 6).reshape(3, 2))
        numbers.append(np.arange(start, start + 3))
    table, y = column.mapped(), numbers.mapped()
    spool.close()
    assert os.listdir(tmp_path) == []
    assert np.array_equal(table, np.arange(24).reshape(12, 2))
    assert np.array_equal(y, np.arange(12))
    assert isinstance(table, np.memmap)


def test_a_spool_is_kept_whole_or_not_at_all(tmp_path):
    spool = spools.Spool(str(tmp_path), "name")
    spool.column("X", None, np.float64).append(np.arange(3.0))
    assert spools.kept_spool(str(tmp_path), "name") is None
    spool.close()
    assert os.listdir(tmp_path) == []
    for _ in range(2):  # the second is thrown away
        spool = spools.Spool(str(tmp_path), "name")
        spool.column("X", None, np.float64).append(np.arange(3.0))
        spool.keep({"words": 1})
        spool.close()
    assert os.listdir(tmp_path) == ["name"]
    arrays, description = spools.kept_spool(str(tmp_path), "name")
    assert arrays["X"].tolist() == [0, 1, 2]
    assert description == {"words": 1}
    os.truncate(tmp_path / "name" / "X", 8)
    assert spools.kept_spool(str(tmp_path), "name") is None
    spool = spools.Spool(str(tmp_path), "name")
    spool.column("X", None, np.float64).append(np.arange(3.0))
    spool.keep({})
    spool.close()
    assert spools.kept_spool(str(tmp_path), "name") is not None


def test_a_kept_spool_is_used_again_until_the_files_change(tmp_path, monkeypatch):
    X, y, _ = made(100)
    cache, path = tmp_path / "cache", tmp_path / "x.parquet"
    cache.mkdir()

    def fit():
        rows = scan_parquet(path, cache_dir=cache)
        return GPRegressor("ard", max_iter=0, random_state=0).fit(rows[NAMES], rows["y"])

    pq.write_table(arrow_table(X, y), path)
    first = fit()
    assert len(os.listdir(cache)) == 1
    with monkeypatch.context() as patched:
        patched.setattr(spools.Spool, "column", None)  # nothing is written
        assert fit().theta_.tobytes() == first.theta_.tobytes()
    pq.write_table(arrow_table(X**3, y), path)
    assert fit().theta_.tobytes() != first.theta_.tobytes()
    assert len(os.listdir(cache)) == 2


def test_nothing_is_left_after_an_error_or_an_interruption(tmp_path, monkeypatch):
    X, y, _ = made(100)
    cache, path = tmp_path / "cache", tmp_path / "x.parquet"
    cache.mkdir()
    y[70] = np.nan
    pq.write_table(arrow_table(X, y), path)
    rows = scan_parquet(path, cache_dir=cache)
    with pytest.raises(InvalidInput, match="NaN"):
        GPRegressor().fit(rows[NAMES], rows["y"])
    assert os.listdir(cache) == []

    def interrupted(self, rows):
        raise KeyboardInterrupt

    monkeypatch.setattr(spools.Column, "append", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GPRegressor().fit(rows[NAMES], rows["a"])
    assert os.listdir(cache) == []


FULL = """
import resource, sys
from alakarte import GPRegressor, scan_parquet
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
rows = scan_parquet(sys.argv[1], cache_dir=sys.argv[2] or None)
try:
    GPRegressor().fit(rows[["a", "b", "c"]], rows["y"])
except OSError as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("kept", [True, False])
def test_a_full_disk_is_told_and_nothing_is_left(tmp_path, kept):
    X, y, _ = made(30_000)
    cache, path = tmp_path / "cache", tmp_path / "x.parquet"
    cache.mkdir()
    pq.write_table(arrow_table(X, y), path)
    arguments = [sys.executable, "-c", FULL, str(path), str(cache) if kept else ""]
    environment = os.environ | {"TMPDIR": str(cache)}
    told = subprocess.run(arguments, capture_output=True, text=True, env=environment, check=True).stdout
    assert f"cannot be written to {cache} (File too large)" in told
    assert "cache_dir" in told
    assert os.listdir(cache) == []

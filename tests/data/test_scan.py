"""Lazy tables: paths, patterns, partitions, filters, columns; and the message without pyarrow."""

import sys

import numpy as np
import pytest

from alakarte import InvalidInput, scan_arrow, scan_parquet
from data.parquet import NAMES, arrow_table, made, pa, pq, write_layouts


def test_files_patterns_directories_and_lists_are_the_same_rows(tmp_path):
    X, y, _ = made(100)
    whole, groups, files = write_layouts(tmp_path, arrow_table(X, y))
    listed = sorted(map(str, files.glob("*.parquet")))
    sources = [
        str(whole),
        groups,
        files,
        listed,
        f"{files}/part-*.parquet",
        files.as_uri(),
        f"{files.as_uri()}/*.parquet",
    ]
    for source in sources:
        rows = scan_parquet(source)
        assert rows.columns == (*NAMES, "y")
        assert len(rows) == 100
        assert np.array_equal(np.asarray(rows[NAMES]), X)
        assert np.array_equal(np.asarray(rows["y"]), y)


def test_other_file_systems(tmp_path):
    fs = pytest.importorskip("pyarrow.fs")
    X, y, _ = made(100)
    write_layouts(tmp_path, arrow_table(X, y))
    inside = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    for source in ("files", "files/part-*.parquet"):
        assert np.array_equal(np.asarray(scan_parquet(source, filesystem=inside)[NAMES]), X)


def test_filters_columns_and_partitions(tmp_path):
    ds = pytest.importorskip("pyarrow.dataset")
    X, y, _ = made(100)
    year = np.repeat([2020, 2021], 50)
    pq.write_to_dataset(arrow_table(X, y, year=year), tmp_path, partition_cols=["year"])
    rows = scan_parquet(tmp_path, columns=["a", "year"])
    assert rows.columns == ("a", "year")
    assert np.array_equal(np.asarray(rows["year"]), year)
    for filters in ([("year", "=", 2021), ("a", ">", 0)], (ds.field("year") == 2021) & (ds.field("a") > 0)):
        rows = scan_parquet(tmp_path, filters=filters)
        kept = (year == 2021) & (X[:, 0] > 0)
        assert rows.shape == (kept.sum(), 5)
        assert np.array_equal(np.asarray(rows["b"]), X[kept, 1])


def test_what_cannot_be_scanned_is_told(tmp_path):
    X, y, _ = made(20)
    path = tmp_path / "x.parquet"
    pq.write_table(arrow_table(X, y), path)
    with pytest.raises(InvalidInput, match="No file matches"):
        scan_parquet(f"{tmp_path}/*.parq")
    with pytest.raises(InvalidInput, match=r"absent\.parquet"):
        scan_parquet(tmp_path / "absent.parquet")
    (tmp_path / "empty").mkdir()
    with pytest.raises(InvalidInput, match="has no Parquet files"):
        scan_parquet(tmp_path / "empty")
    with pytest.raises(InvalidInput, match=r"cache_dir=.* is no directory"):
        scan_parquet(path, cache_dir=tmp_path / "absent")
    with pytest.raises(InvalidInput, match="list has no __arrow_c_stream__"):
        scan_arrow([1, 2])
    rows = scan_parquet(path)
    with pytest.raises(InvalidInput, match="has no column 'bb'; did you mean 'b'"):
        rows[["a", "bb"]]
    with pytest.raises(InvalidInput, match=r"has no column 'power'\. It has"):
        rows["power"]
    with pytest.raises(InvalidInput, match="choose rows with filters="):
        rows[3:5]
    with pytest.raises(InvalidInput, match="cannot be scanned as Parquet"):
        scan_parquet(path, filters=[("power", ">", 1)])
    assert "<Scan of a, b, c, y" in repr(rows)


def test_a_stream_is_read_once():
    X, y, _ = made(20)
    rows = scan_arrow(arrow_table(X, y).to_reader())
    assert len(np.asarray(rows["y"])) == 20
    with pytest.raises(InvalidInput, match="a stream can be read once"):
        np.asarray(rows["y"])
    with pytest.raises(InvalidInput, match="does not tell how many rows"):
        len(rows)
    assert len(scan_arrow(arrow_table(X, y))) == 20


def test_without_pyarrow_the_extra_is_named(monkeypatch):
    for module in ("pyarrow", "pyarrow.dataset"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"pip install 'alakarte\[parquet\]'"):
        scan_parquet("x.parquet")


def test_words_and_missing_values_become_objects():
    rows = scan_arrow(pa.table({"word": ["u", None], "number": [1, 2]}))
    assert np.asarray(rows["word"]).tolist() == ["u", None]
    assert np.asarray(rows["number"], dtype=float).tolist() == [1.0, 2.0]

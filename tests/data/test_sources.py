"""Files that are not what they should be: each told by name, and nothing left behind."""

import os

import numpy as np
import pytest

from alakarte import GPRegressor, InvalidInput, scan_parquet
from alakarte.data import sources
from data.parquet import NAMES, arrow_table, made, pa, pq, write_layouts


def fit(rows, **settings):
    return GPRegressor("ard", max_iter=0, **settings).fit(rows[NAMES], rows["y"])


@pytest.fixture
def files(tmp_path):
    """Four files of a table of 600 rows."""
    X, y, _ = made()
    return write_layouts(tmp_path, arrow_table(X, y))[2]


def test_a_file_that_has_changed_since_it_was_scanned(files):
    rows = scan_parquet(files)
    X, y, _ = made(30)
    pq.write_table(arrow_table(X, y), files / "part-2.parquet")
    with pytest.raises(InvalidInput, match=r"part-2\.parquet has changed since it was scanned: it had \d+ bytes"):
        fit(rows)


def test_a_file_that_changes_or_shrinks_while_it_is_read(files, monkeypatch):
    monkeypatch.setattr(sources, "BATCH_ROWS", 50)
    for cut in (200, None):
        rows = scan_parquet(files)
        batches = rows.source.batches(NAMES)
        next(batches)
        with open(files / "part-3.parquet", "r+b") as file:
            file.truncate(cut if cut is not None else 0)
        with pytest.raises(InvalidInput, match=r"part-3\.parquet has changed since it was scanned.*now it has \d+"):
            list(batches)


def test_a_truncated_file(files):
    path = files / "part-3.parquet"
    with open(path, "r+b") as file:
        file.truncate(os.path.getsize(path) // 2)
    rows = scan_parquet(files)
    with pytest.raises(InvalidInput, match=r"part-3\.parquet cannot be read as Parquet: .*Write that file again"):
        fit(rows)


def test_a_file_whose_pages_are_damaged(files):
    path = files / "part-3.parquet"
    damaged = bytearray(path.read_bytes())
    damaged[4:1000] = os.urandom(996)
    path.write_bytes(damaged)
    with pytest.raises(InvalidInput, match=r"part-3\.parquet"):
        fit(scan_parquet(files))


def test_a_file_that_may_not_be_read(files, monkeypatch):
    rows = scan_parquet(files)
    os.chmod(files / "part-1.parquet", 0)
    if os.access(files / "part-1.parquet", os.R_OK):
        pytest.skip("this user may read everything")
    with pytest.raises(InvalidInput, match=r"part-1\.parquet cannot be read"):
        fit(rows)


def test_a_file_without_a_column_that_others_have(files):
    X, y, _ = made(30)
    pq.write_table(arrow_table(X, y).drop_columns("b"), files / "part-2.parquet")
    with pytest.raises(InvalidInput, match=r"part-2\.parquet has no column 'b', which other files have"):
        fit(scan_parquet(files))


def test_a_bad_value_is_named_with_file_row_group_row_and_column(tmp_path):
    X, y, weight = made()
    for role, column, bad, what in (
        ("X", "b", np.nan, "NaN"),
        ("X", "b", np.inf, "infinity"),
        ("X", "b", None, "a missing value"),
        ("y", "y", np.nan, "NaN"),
    ):
        table = arrow_table(X, y, weight)
        values = table[column].to_pylist()
        values[7 * 40 + 5] = bad
        table = table.set_column(table.column_names.index(column), column, pa.array(values, pa.float32()))
        pq.write_table(table, tmp_path / "x.parquet", row_group_size=40)
        place = rf"x\.parquet, row group 7, row 5, column \d \('{column}'\)\. Drop those rows"
        with pytest.raises(InvalidInput, match=f"Input {role} contains {what}: first at .*{place}"):
            fit(scan_parquet(tmp_path / "x.parquet"))
    rows = scan_parquet(tmp_path / "x.parquet", filters=[("a", ">", 0)])
    row = int((X[280:285, 0] > 0).sum())
    if X[285, 0] > 0:
        with pytest.raises(InvalidInput, match=f"row group 7, row {row} of those that pass the filter"):
            fit(rows)


def test_a_negative_weight_is_named_with_its_place(tmp_path):
    X, y, weight = made(100)
    weight[55] = -1
    pq.write_table(arrow_table(X, y, weight), tmp_path / "x.parquet", row_group_size=50)
    rows = scan_parquet(tmp_path / "x.parquet")
    with pytest.raises(InvalidInput, match=r"sample_weight = -1\.0 at .*row group 1, row 5.*negative"):
        GPRegressor().fit(rows[NAMES], rows["y"], rows["hours"])


def test_no_rows(tmp_path):
    X, y, _ = made(10)
    pq.write_table(arrow_table(X, y), tmp_path / "x.parquet")
    with pytest.raises(InvalidInput, match="has no rows, or none that pass the filter"):
        fit(scan_parquet(tmp_path / "x.parquet", filters=[("a", ">", 1e9)]))

"""Tables are read and written part by part, whatever their kind."""

import numpy as np
import pytest

from alakarte.cli import tables
from alakarte.cli.mistakes import Mistake
from alakarte.cli.tables import Writer, parts, whole


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather"])
def test_what_is_written_is_read_in_parts(suffix, tmp_path, monkeypatch):
    if suffix != "csv":
        pytest.importorskip("pyarrow")
    monkeypatch.setattr(tables, "PART_ROWS", 4)
    path, numbers = tmp_path / f"table.{suffix}", np.arange(10) / 3
    with Writer(path) as writer:
        for start in range(0, 10, 5):
            some = slice(start, start + 5)
            writer.write({"x": numbers[some], "word": np.array(list("abcdefghij"), dtype=object)[some]})
    sizes = [len(part["x"]) for part in parts(path)]
    assert max(sizes) <= 4
    found = whole(path)
    assert [float(x) for x in found["x"]] == numbers.tolist()
    assert found["word"].tolist() == list("abcdefghij")
    assert [list(part) for part in parts(path, ["word", "other"])] == [["word"]] * len(sizes)


def test_quotes_and_other_delimiters(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('\ufeffa\tb\n1\t"two\nlines"\n\n2\t"x, y"\n', encoding="utf-8")
    found = whole(path)
    assert found["a"].tolist() == ["1", "2"]
    assert found["b"].tolist() == ["two\nlines", "x, y"]


def test_kinds_of_arrow(tmp_path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    columns = {
        "whole": pa.array([1, None, 3], "int32"),
        "truth": pa.array([True, None, False]),
        "day": pa.array([0, None, 1], "date32"),
        "list": pa.array([[1], [], None]),
    }
    parquet.write_table(pa.table(columns), tmp_path / "t.parquet")
    [found] = parts(tmp_path / "t.parquet", ["whole", "truth", "day"])
    np.testing.assert_array_equal(found["whole"], [1, np.nan, 3])
    assert found["truth"].tolist() == ["True", None, "False"]
    assert found["day"].dtype.kind == "M"
    with pytest.raises(Mistake, match="column 'list' is of type list"):
        whole(tmp_path / "t.parquet")
    (tmp_path / "u.parquet").write_bytes(b"no parquet")
    with pytest.raises(Mistake, match="no file of the kind"):
        whole(tmp_path / "u.parquet")

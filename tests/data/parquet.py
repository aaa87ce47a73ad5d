"""Parquet files for tests, in several layouts of the same rows."""

from itertools import pairwise

import numpy as np
import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

NAMES = ["a", "b", "c"]


def made(n=600, seed=0):
    """X (n, 3) float32, y (n,), weights (n,), some of them zero."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3)).astype(np.float32)
    y = (np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.1 * rng.standard_normal(n)).astype(np.float32)
    return X, y, rng.integers(0, 3, n).astype(float)


def arrow_table(X, y, weight=None, **more):
    """Columns a, b, c, y, hours and more."""
    columns = dict(zip(NAMES, X.T, strict=True)) | {"y": y}
    columns |= {} if weight is None else {"hours": weight}
    return pa.table(columns | more)


def write_layouts(folder, table):
    """The same rows as one row group, as small row groups of one file, and as files of odd sizes."""
    n = table.num_rows
    pq.write_table(table, folder / "whole.parquet", row_group_size=n)
    pq.write_table(table, folder / "groups.parquet", row_group_size=37)
    (folder / "files").mkdir()
    edges = [0, 1, n // 7, n // 2, n]
    for i, (low, high) in enumerate(pairwise(edges)):
        pq.write_table(table.slice(low, high - low), folder / f"files/part-{i}.parquet", row_group_size=101)
    return [folder / "whole.parquet", folder / "groups.parquet", folder / "files"]

"""A word for all rows: every number decides, who holds the rows does not."""

import numpy as np
import pytest

from alakarte import GPRegressor, scan_parquet
from alakarte.data import merge, pieces, table
from alakarte.data.arrays import ArrayRows
from alakarte.data.fingerprint import fingerprint
from alakarte.data.table import training_table
from alakarte.likelihoods import Gaussian
from data.parquet import NAMES, arrow_table, write_layouts

RNG = np.random.default_rng(0)
X, Y, WEIGHT = RNG.standard_normal((3000, 3)), RNG.standard_normal((3000, 2)), RNG.uniform(1, 2, 3000)


def test_every_number_decides_and_their_order_does_not():
    known = fingerprint(ArrayRows(X, Y, WEIGHT))
    order = RNG.permutation(3000)
    assert fingerprint(ArrayRows(X[order], Y[order], WEIGHT[order])) == known
    for part in range(3):
        changed = [X.copy(), Y.copy(), WEIGHT.copy()]
        values = changed[part].reshape(-1)
        values[1234] = np.nextafter(values[1234], 9)
        assert fingerprint(ArrayRows(*changed)) != known
        changed = [X.copy(), Y.copy(), WEIGHT.copy()]
        changed[part][[100, 2000]] = changed[part][[2000, 100]]
        assert fingerprint(ArrayRows(*changed)) != known
    assert fingerprint(ArrayRows(X[:, [1, 0, 2]], Y, WEIGHT)) != known
    assert fingerprint(ArrayRows(0 * X, Y, WEIGHT)) == fingerprint(ArrayRows(-0.0 * X, Y, WEIGHT))


def test_it_is_the_same_wherever_the_rows_are(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    from data.clusters import chunked, cluster, made

    for module in (merge, pieces, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)
    x, y, weight = made(2000)

    def of(*given):
        return fingerprint(training_table(GPRegressor(), *given, Gaussian().scaling).rows)

    known = of(x, y, weight)
    with cluster(2):
        assert of(*chunked(x, y, weight)) == known
    for path in write_layouts(tmp_path, arrow_table(x, y, weight)):
        rows = scan_parquet(path)
        assert of(rows[NAMES], rows["y"], rows["hours"]) == known

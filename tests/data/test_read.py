"""Tables are read without a copy, in blocks, with the same bits; a bad value is named by its place."""

import tracemalloc

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.data import read
from alakarte.data.merge import merge_rows
from alakarte.errors import InvalidInput

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


@pytest.mark.parametrize("n_rows", [50, read.MERGE_ROWS + 1], ids=["few", "many"])
def test_a_good_table_is_not_copied_before_it_is_standardised(n_rows):
    X = np.random.default_rng(0).standard_normal((n_rows, 2))
    inputs, target, weight = read.read_training(GPRegressor("ard"), X, X[:, 0], None)
    assert np.shares_memory(inputs, X)
    if n_rows > read.MERGE_ROWS:
        assert np.shares_memory(merge_rows(inputs, target[:, None], weight)[0], X)


def big_table(n=21_000, d=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    return X, (np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)).astype(dtype)


def test_float32_files_are_read_in_blocks_and_give_the_same_bits(tmp_path):
    X, y = big_table(dtype=np.float32)
    on_disk = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=X.shape)
    on_disk[:] = X
    settings = SMALL | {"n_frequencies": 8, "n_learning_rows": 300}
    models = [GPRegressor("ard", **settings).fit(x, t) for x, t in ((on_disk, y), (X.astype(float), y.astype(float)))]
    assert (models[0].theta_ == models[1].theta_).all()
    assert (models[0].predict(on_disk[:50]) == models[1].predict(X[:50].astype(float))).all()
    assert (models[0].predict(on_disk) == models[1].predict(X.astype(float))).all()


def test_a_large_table_is_never_copied():
    X, y = big_table(n=400_000, d=10, dtype=np.float32)
    model = GPRegressor("ard", n_frequencies=4, n_learning_rows=200, n_jobs=2, **(SMALL | {"max_iter": 1}))
    model.fit(X[:300], y[:300])  # what is loaded once does not count
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 2


def test_a_bad_value_in_a_large_table_is_named():
    X, y = big_table()
    X[20_500, 1] = np.nan
    with pytest.raises(InvalidInput, match="row 20500, column 1, 1 not finite"):
        GPRegressor("ard").fit(X, y)
    with pytest.raises(InvalidInput, match="inconsistent"):
        GPRegressor("ard").fit(np.nan_to_num(X), y[:-1])


class Columns:
    """A table with columns and names, and no dtypes of NumPy: as an Arrow table is."""

    def __init__(self, **columns):
        self.column_names, self.columns = list(columns), [object() for _ in columns]
        self.values = np.column_stack(list(columns.values()))

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype=dtype)

    @property
    def shape(self):
        return self.values.shape

    def __len__(self):
        return len(self.values)


def test_a_table_with_columns_of_another_library_is_read_as_an_array():
    X, y = big_table(n=40)
    table = Columns(a=X[:, 0], b=X[:, 1], c=X[:, 2])
    models = [GPRegressor("ard", **SMALL).fit(each, y) for each in (table, X)]
    assert np.array_equal(models[0].predict(table), models[1].predict(X))
    table.values[3, 1] = np.nan
    with pytest.raises(InvalidInput, match=r"row 3, column 1 \('b'\)"):
        GPRegressor("ard").fit(table, y)

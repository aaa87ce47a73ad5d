"""Rows from Parquet and Arrow: the same bits as from arrays, for every estimator and every call."""

import numpy as np
import pytest

from alakarte import (
    FastfoodFeatures,
    GPClassifier,
    GPCountRegressor,
    GPRegressor,
    InvalidInput,
    scan_arrow,
    scan_parquet,
)
from alakarte.data import merge, table
from data.parquet import NAMES, arrow_table, made, pa, pq, write_layouts

SMALL = {"kernel": "ard", "n_restarts": 2, "max_iter": 8, "max_iter_restart": 2, "random_state": 0, "tol": 1e9}


@pytest.fixture
def large(monkeypatch):
    """Tables of these tests are large: rows stay where they are."""
    for module in (merge, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)


def bits(model, X):
    return [part.tobytes() for part in (model.theta_, *model.predict(X, return_std=True))]


def test_the_same_bits_from_arrays_a_memmap_and_parquet_of_any_layout(tmp_path, large):
    X, y, weight = made()
    np.save(tmp_path / "X.npy", X)
    settings = SMALL | {"n_frequencies": 8}
    expected = bits(GPRegressor(**settings).fit(X, y, weight), X[:50])
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert bits(GPRegressor(**settings).fit(mapped, y, weight), X[:50]) == expected
    assert bits(GPRegressor(**settings).fit(X.astype(float), y.astype(float), weight), X[:50]) == expected
    for path in write_layouts(tmp_path, arrow_table(X, y, weight)):
        rows = scan_parquet(path)
        model = GPRegressor(**settings).fit(rows[NAMES], rows["y"], rows["hours"])
        with pytest.warns(UserWarning, match="valid feature names"):
            assert bits(model, X[:50]) == expected


def test_double_precision_survives_and_single_is_spooled_as_such(tmp_path, large):
    X, y, weight = made()
    fine = arrow_table(X.astype(float) + 1e-12, y.astype(float), weight)
    for columns, dtype in ((fine, np.float64), (arrow_table(X, y), np.float32)):
        rows = scan_arrow(columns)
        read = table.training_table(GPRegressor(), rows[NAMES], rows["y"], None, table.plain_targets)
        assert read.rows.x.dtype == read.rows.y.dtype == dtype
        assert np.array_equal(read.rows.x, np.column_stack([columns[name] for name in NAMES]))


def test_predictions_and_changes_take_scans(tmp_path):
    X, y, _ = made(200)
    rows = scan_arrow(arrow_table(X, y))
    model = GPRegressor(**SMALL, n_frequencies=8).fit(rows[NAMES], rows["y"])
    same = GPRegressor(**SMALL, n_frequencies=8).fit(X, y)
    assert model.feature_names_in_.tolist() == NAMES
    assert np.array_equal(model.predict(rows[NAMES]), same.predict(X))
    for of_scan, of_array in zip(model.predict_interval(rows[NAMES]), same.predict_interval(X), strict=True):
        assert np.array_equal(of_scan, of_array)
    assert np.array_equal(model.log_predictive_density(rows[NAMES], rows["y"]), same.log_predictive_density(X, y))
    for call in ("partial_fit", "forget"):
        getattr(model, call)(rows[NAMES], rows["y"])
        getattr(same, call)(X, y)
        assert np.array_equal(model.predict(rows[NAMES]), same.predict(X))


def test_several_targets_and_arrays_beside_a_scan():
    X, y, weight = made(200)
    rows = scan_arrow(arrow_table(X, y, weight, z=-y))
    both = np.column_stack([y, -y])
    expected = GPRegressor(**SMALL).fit(X, both, weight).predict(X)
    for targets, weights in ((rows[["y", "z"]], rows["hours"]), (both, rows["hours"]), (both, weight)):
        model = GPRegressor(**SMALL).fit(rows[NAMES], targets, weights)
        assert np.array_equal(model.predict(rows[NAMES]), expected)


def test_classes_and_counts_with_exposure():
    X, y, weight = made(150)
    labels, counts, days = np.where(y > 0, "up", "down"), np.floor(np.exp(y)).astype(int), 1 + weight
    rows = scan_arrow(arrow_table(X, y, weight, label=pa.array(labels), count=counts, days=days))
    model = GPClassifier(**SMALL).fit(rows[NAMES], rows["label"], rows["hours"])
    expected = GPClassifier(**SMALL).fit(X, labels, weight)
    assert np.array_equal(model.predict_proba(rows[NAMES]), expected.predict_proba(X))
    model = GPCountRegressor(**SMALL).fit(rows[NAMES], rows["count"], rows["hours"], exposure=rows["days"])
    expected = GPCountRegressor(**SMALL).fit(X, counts, weight, exposure=days)
    assert np.array_equal(model.predict(rows[NAMES], exposure=rows["days"]), expected.predict(X, exposure=days))


def test_features_of_a_fixed_kernel_read_a_scan_into_memory():
    X, y, _ = made(50)
    features = FastfoodFeatures(n_components=8, random_state=0)
    assert np.array_equal(
        features.fit_transform(scan_arrow(arrow_table(X, y))[NAMES]), features.fit_transform(X.astype(float))
    )


def test_categories_are_learned_in_one_pass_and_known_ones_are_met_again(tmp_path, large):
    pd = pytest.importorskip("pandas")
    X, y, weight = made(400)
    rng = np.random.default_rng(1)
    words = rng.choice(["north", "east", "west"], 400).astype(object)
    words[::50] = None
    frame = pd.DataFrame(X, columns=NAMES).assign(
        side=pd.Series(words, dtype="str"), warm=rng.random(400) < 0.4, zone=rng.integers(3, 6, 400), y=y, hours=weight
    )
    inputs = [*NAMES, "side", "warm", "zone"]
    settings = SMALL | {"categorical_features": ["side", "warm", "zone"], "n_frequencies": 8}
    expected = GPRegressor(**settings).fit(frame[inputs], y, weight)
    rows = scan_parquet(write_layouts(tmp_path, pa.Table.from_pandas(frame))[1], cache_dir=tmp_path)
    for _ in range(2):  # the second time from the spool that was kept
        model = GPRegressor(**settings).fit(rows[inputs], rows["y"], rows["hours"])
        assert model.theta_.tobytes() == expected.theta_.tobytes()
        assert np.array_equal(model.predict(rows[inputs]), expected.predict(frame[inputs]))
    frame.loc[3, "side"] = "south"
    with pytest.warns(UserWarning, match=r"column 3 \('side'\) has 'south' in 1 row"):
        model.predict(scan_arrow(pa.Table.from_pandas(frame))[inputs])


def test_words_are_refused_where_they_are_no_categories():
    X, y, _ = made(30)
    rows = scan_arrow(arrow_table(X, y, word=pa.array(["u"] * 30)))
    with pytest.raises(InvalidInput, match=r"X holds string in column 1 \('word'\).*categorical_features"):
        GPRegressor(categorical_features=None).fit(rows[["a", "word"]], rows["y"])
    with pytest.raises(InvalidInput, match="y holds string in column 0"):
        GPRegressor().fit(rows[["a"]], rows["word"])


def test_what_objects_that_only_stream_give_is_scanned():
    X, y, _ = made(60)

    class Relation:
        """What DuckDB gives: a stream, each time anew."""

        def __arrow_c_stream__(self, requested_schema=None):
            return arrow_table(X, y).select(NAMES).__arrow_c_stream__(requested_schema)

    model = GPRegressor(**SMALL).fit(Relation(), y)
    assert np.array_equal(model.predict(Relation()), GPRegressor(**SMALL).fit(X, y).predict(X))


def test_a_table_of_polars_is_read_as_it_is_or_scanned():
    pl = pytest.importorskip("polars")
    X, y, _ = made(60)
    frame = pl.from_arrow(arrow_table(X, y))
    rows = scan_arrow(frame)
    model = GPRegressor(**SMALL).fit(rows[NAMES], rows["y"])
    assert np.array_equal(model.predict(frame.select(NAMES)), model.predict(rows[NAMES]))


def test_nullable_columns_where_nothing_is_missing():
    pd = pytest.importorskip("pandas")
    X, y, _ = made(60)
    expected = GPRegressor(**SMALL).fit(np.round(X), y)
    for kind in ("Int64", "Float64", "int32[pyarrow]", "double[pyarrow]"):
        frame = pd.DataFrame(np.round(X), columns=NAMES).astype(kind)
        model = GPRegressor(**SMALL).fit(frame, y)
        assert model.theta_.tobytes() == expected.theta_.tobytes()


def test_roles_must_fit_together():
    X, y, weight = made(40)
    rows, other = scan_arrow(arrow_table(X, y, weight)), scan_arrow(arrow_table(X, y, weight))
    for inputs, target, weights, text in (
        (rows[NAMES], other["y"], None, "X and y are scans of different tables"),
        (rows[NAMES], rows["y"], other["hours"], "X and sample_weight are scans of different tables"),
        (rows[NAMES], rows["y"], rows[["hours"]], "sample_weight is a table: give one column"),
        (rows["a"], rows["y"], None, r"X is one column: give a table of one column, table\[\['a'\]\]"),
        (rows[NAMES], y[:-1], None, "y has 39 entries, X has more rows"),
        (rows[NAMES], np.append(y, 0), None, "y has 41 entries, X has 40 rows"),
        (rows[NAMES], None, None, "y is None"),
        (rows[NAMES], rows["y"], 0 * weight, "sums to zero"),
    ):
        with pytest.raises(InvalidInput, match=text):
            GPRegressor().fit(inputs, target, weights)
    model = GPRegressor(**SMALL).fit(rows[NAMES], rows["y"])
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(rows[["a", "c", "b"]])


def test_progress_tells_of_the_reading(tmp_path, caplog):
    X, y, _ = made(60)
    pq.write_table(arrow_table(X, y), tmp_path / "x.parquet")
    rows = scan_parquet(tmp_path / "x.parquet")
    GPRegressor(**SMALL, verbose=2).fit(rows[NAMES], rows["y"])
    assert "read 60 rows of" in caplog.text

"""Rows on a Dask cluster: the bits of an array for any number of workers, and the same refusals."""

import re
import sys
import time

import numpy as np
import pytest

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, InvalidInput, Unavailable, scan_parquet
from alakarte.data import cluster_pieces, dask_categories, dask_table, merge, pieces, table
from alakarte.execution import cluster as clusters
from alakarte.likelihoods import Gaussian
from data.clusters import chunked, cluster, da, distributed, made
from data.parquet import NAMES, arrow_table, write_layouts

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own
SMALL = {"kernel": "ard", "n_frequencies": 8, "n_restarts": 2, "max_iter": 8, "max_iter_restart": 2, "tol": 1e9}
PRESENT = dask_categories._present
SMALL |= {"random_state": 0, "n_learning_rows": 600, "n_posterior_frequencies": 16}


@pytest.fixture(autouse=True)
def large(monkeypatch):
    """Tables of these tests are large: rows stay where they are."""
    for module in (merge, pieces, table):
        monkeypatch.setattr(module, "MERGE_ROWS", 100)


@pytest.fixture(scope="module")
def client():
    with cluster(2) as client:
        yield client


def bits(model, X):
    parts = model.theta_, model.model_.posterior.weight_mean, *model.predict(X, return_std=True)
    return [model.log_marginal_likelihood_, *(part.tobytes() for part in parts)]


def test_the_same_bits_wherever_the_rows_are(tmp_path):
    X, y, weight = made()
    expected = bits(GPRegressor(**SMALL).fit(X, y, weight), X[:50])
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    assert bits(GPRegressor(**SMALL).fit(mapped, y, weight), X[:50]) == expected
    for path in write_layouts(tmp_path, arrow_table(X, y, weight)):
        rows = scan_parquet(path)
        assert bits(GPRegressor(**SMALL).fit(rows[NAMES], rows["y"], rows["hours"]), X[:50]) == expected
    for n_workers in (1, 2, 3):
        with cluster(n_workers):
            assert bits(GPRegressor(**SMALL).fit(*chunked(X, y, weight)), X[:50]) == expected


def test_every_worker_holds_as_many_pieces(client):
    """Else the others would wait for the one that holds more."""
    X, y, _ = made(4 * 20_000)  # four lanes
    cuts = (60_000, 20_000)
    rows, targets = da.from_array(X, chunks=(cuts, 3)), da.from_array(y, chunks=(cuts,))
    held, _, _ = dask_table.cluster_pieces(GPRegressor(), rows, targets, None)
    distributed.wait(held.futures)
    places = [address for (address,) in client.who_has(list(held.futures)).values()]
    assert sorted(places.count(address) for address in set(places)) == [2, 2]


def test_every_evaluation_on_the_cluster(client):
    X, y, weight = made()
    settings = SMALL | {"n_learning_rows": None, "max_iter": 6}
    expected = bits(GPRegressor(**settings).fit(X, y, weight), X[:50])
    assert bits(GPRegressor(**settings).fit(*chunked(X, y, weight)), X[:50]) == expected


def test_several_targets_and_rows_that_come_and_go(client):
    X, y, _ = made()
    both = np.column_stack([y, -y])
    model = GPRegressor(**SMALL).fit(da.from_array(X, chunks=(500, 3)), da.from_array(both, chunks=(500, 1)))
    same = GPRegressor(**SMALL).fit(X, both)
    assert bits(model, X[:50]) == bits(same, X[:50])
    model.partial_fit(da.from_array(X[:9]), da.from_array(both[:9]))
    assert bits(model, X[:50]) == bits(same.partial_fit(X[:9], both[:9]), X[:50])


@pytest.mark.parametrize("kind", ["log", "auto"])
def test_transformed_targets(client, kind):
    X, y, weight = made()
    settings = SMALL | {"target_transform": kind, "max_iter": 2, "n_restarts": 1}
    expected = GPRegressor(**settings).fit(X, np.exp(y), weight)
    model = GPRegressor(**settings).fit(*chunked(X, np.exp(y), weight))
    assert model.model_.scaling.transform is not None
    assert model.model_.scaling.transform.words() == expected.model_.scaling.transform.words()
    assert bits(model, X[:50]) == bits(expected, X[:50])


def test_frames_with_names(client):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, weight = made()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, hours=weight)
    expected = GPRegressor(**SMALL).fit(frame[["a", "b", "c"]], y, weight)
    rows = dd.from_pandas(frame, npartitions=4)
    model = GPRegressor(**SMALL).fit(rows[["a", "b", "c"]], rows["y"], rows["hours"])
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert bits(model, frame[["a", "b", "c"]]) == bits(expected, frame[["a", "b", "c"]])


def test_frames_of_files_whose_columns_are_asked_for_apart(client, tmp_path):
    """Dask joins partitions where few columns are read: X and y would have other ones."""
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, weight = made()
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=y, hours=weight, count=np.floor(np.exp(y.clip(-3, 2))))
    frame[list("defghijk")] = 0.0
    frame.to_parquet(tmp_path / "rows.parquet", row_group_size=100, index=False)
    rows, names = dd.read_parquet(tmp_path / "rows.parquet", split_row_groups=3), ["a", "b", "c"]
    assert len(dask_table.frame_partitions(rows[names])) == len(dask_table.frame_partitions(rows["y"])) == 5
    model = GPRegressor(**SMALL).fit(rows[names], rows["y"], rows["hours"])
    same = GPRegressor(**SMALL).fit(frame[names], y, weight)
    assert bits(model, frame[names]) == bits(same, frame[names])
    mean = model.predict(rows[names])
    assert mean.numblocks == (5,)
    assert np.array_equal(mean.compute(), same.predict(frame[names]))
    assert model.score(rows[names], rows["y"], rows["hours"]) == same.score(frame[names], y, weight)
    model.partial_fit(rows[names], rows["y"]).forget(rows[names], rows["y"])
    same.partial_fit(frame[names], y).forget(frame[names], y)
    assert bits(model, frame[names]) == bits(same, frame[names])
    settings = SMALL | {"max_iter": 2, "n_restarts": 1}
    counts = GPCountRegressor(**settings).fit(rows[names], rows["count"])  # without weights
    assert counts.theta_.tobytes() == GPCountRegressor(**settings).fit(frame[names], frame["count"]).theta_.tobytes()


@pytest.mark.parametrize("wanted", ["from_dtype", ["count", "word"]])
def test_categories_of_frames(client, wanted):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, weight = made()
    rng = np.random.default_rng(1)
    words = rng.choice(["low", "high", "middle"], len(y)).astype(object)
    words[weight == 0] = "in no row that counts"
    kinds = pd.Categorical(rng.choice(["u", "v"], len(y)), categories=["v", "w", "u"])
    frame = pd.DataFrame({"a": X[:, 0], "word": pd.array(words, dtype="string"), "kind": kinds, "b": X[:, 1]})
    frame["flag"], frame["count"] = X[:, 2] > 0, rng.integers(0, 4, len(y))
    frame.loc[3::17, "kind"] = None
    if wanted != "from_dtype":
        frame = frame.drop(columns="kind")
    y = y + (words == "low")
    rows = dd.from_pandas(frame.assign(y=y, hours=weight), npartitions=4)
    names = list(frame)
    settings = SMALL | {"categorical_features": wanted}
    expected = GPRegressor(**settings).fit(frame, y, weight)
    for target, weights in ((rows["y"], rows["hours"]), (y, weight)):
        model = GPRegressor(**settings).fit(rows[names], target, weights)
        assert bits(model, frame[:50]) == bits(expected, frame[:50])
    mean, std = model.predict(rows[names], return_std=True)
    assert np.array_equal(mean.compute(), expected.predict(frame))
    assert np.array_equal(std.compute(), expected.predict(frame, return_std=True)[1])
    labels = np.where(y > 0.3, "up", "down")
    settings |= {"max_iter": 2, "n_restarts": 1}
    of_classes = GPClassifier(**settings).fit(rows[names], labels, weight)
    assert of_classes.theta_.tobytes() == GPClassifier(**settings).fit(frame, labels, weight).theta_.tobytes()


def test_categories_of_arrays_and_their_refusals(client):
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, weight = made()
    X[:, 1] = np.round(X[:, 1])
    settings = SMALL | {"categorical_features": [1]}
    expected = GPRegressor(**settings).fit(X, y, weight)
    assert bits(GPRegressor(**settings).fit(*chunked(X, y, weight)), X[:50]) == bits(expected, X[:50])
    with pytest.raises(InvalidInput, match="column 0 has 1500 levels in 1500 rows"):
        GPRegressor(categorical_features=[0]).fit(da.from_array(X, chunks=(900, 3)), y)
    holed = X.copy()
    holed[7, 2] = np.nan
    with pytest.raises(InvalidInput, match="Input X contains NaN: partition 0, row 7, column 2"):
        GPRegressor(**settings).fit(da.from_array(holed, chunks=(900, 3)), y)
    days = dd.from_pandas(pd.DataFrame({"a": X[:, 0], "day": pd.to_datetime(np.arange(len(y)), unit="D")}), 2)
    with pytest.raises(InvalidInput, match=r"datetime64.*column 1 \('day'\).*days since a start"):
        GPRegressor().fit(days, y)


def test_arrays_of_objects_are_read_as_in_memory(client):
    X, y, weight = made()
    objects = X.astype(object)
    objects[:, 2] = np.where(X[:, 2] > 0, "up", "down")
    settings = SMALL | {"categorical_features": [2]}
    expected = GPRegressor(**settings).fit(objects, y, weight)
    assert bits(GPRegressor(**settings).fit(*chunked(objects, y, weight)), objects[:50]) == bits(expected, objects[:50])
    numbers = X.astype(object)
    expected = bits(GPRegressor(**SMALL).fit(X, y, weight), X[:50])
    assert bits(GPRegressor(**SMALL).fit(*chunked(numbers, y, weight)), X[:50]) == expected
    mixed = numbers.copy()
    mixed[900, 1] = "word"
    for wanted in ([0], [2], None):
        with pytest.raises(InvalidInput, match=r"X holds 'word' in partition 2, row 98, column 1\. .*categorical_feat"):
            GPRegressor(categorical_features=wanted).fit(*chunked(mixed, y, weight))
    texts = da.from_array(np.full(X.shape, "u"), chunks=(401, 3))
    with pytest.raises(InvalidInput, match="X holds <U1 in column 1"):
        GPRegressor(categorical_features=[0]).fit(texts, y)


def test_a_small_table_comes_to_the_driver(client, monkeypatch):
    X, y, weight = made(90)
    model = GPRegressor(**SMALL).fit(*(da.from_array(part) for part in (X, y, weight)))
    assert bits(model, X) == bits(GPRegressor(**SMALL).fit(X, y, weight), X)


def test_refusals(client):
    X, y, weight = made()
    dX, dy, dweight = chunked(X, y, weight)
    holed, words = X.copy(), np.full(X.shape, "u")
    holed[870, 1] = np.nan
    for inputs, target, weights, text in (
        (da.from_array(holed, chunks=(401, 3)), dy, None, "Input X contains NaN: partition 2, row 68, column 1"),
        (dX, da.from_array(np.where(y > 1, np.inf, y)), None, "Input y contains infinity: partition 0"),
        (dX, dy, -dweight, r"sample_weight = -.* in partition 0, row 1, is negative"),
        (dX, dy, 0 * dweight, "no rows with a positive weight"),
        (dX, y[:-1], None, "y has 1499 entries, X has 1500 rows"),
        (dX, None, None, "y is None"),
        (da.from_array(words, chunks=(401, 3)), dy, None, "X holds <U1 in column 0.*turn words into"),
    ):
        with pytest.raises(InvalidInput, match=text):
            GPRegressor(**SMALL).fit(inputs, target, weights)
    with pytest.raises(InvalidInput, match=r"at row 0 has no logarithm"):
        GPRegressor(target_transform="log").fit(dX, dy * 0)
    both = da.from_array(np.column_stack([y, y]), chunks=(333, 1))
    with pytest.raises(Unavailable, match=r"y has shape \(1500, 2\): likelihood='heteroscedastic' learns one target"):
        GPRegressor(likelihood="heteroscedastic").fit(dX, both)


def test_progress_shows_the_reading_and_the_summary(client, monkeypatch, caplog):
    monkeypatch.setattr(clusters, "LOOK", 0.05)
    X, y, _ = made()
    monkeypatch.setattr(dask_table, "_length", slow_length)
    monkeypatch.setattr(cluster_pieces, "_of_piece", slow_piece)
    checked = table.read_table(
        GPRegressor(verbose=1), da.from_array(X, chunks=(100, 3)), da.from_array(y, chunks=100), None
    )
    text = caplog.text
    assert "reading 15 partitions on 2 workers" in text
    counts = [int(count) for count in re.findall(r"(\d+) of 15 partitions read", text)]
    assert len(set(counts)) > 3
    assert counts == sorted(counts)
    assert "1,500 rows on the cluster, in 2 pieces" in text
    checked.table(Gaussian().scaling)
    assert "of 2 pieces of the table summed up" in caplog.text


def test_progress_of_categories_is_told_in_order(client, monkeypatch, caplog):
    monkeypatch.setattr(clusters, "LOOK", 0.01)
    X, y, _ = made()
    monkeypatch.setattr(dask_categories, "_present", slow_present)
    X[:, 1] = np.round(X[:, 1])
    estimator = GPRegressor(verbose=1, categorical_features=[1])
    table.read_table(estimator, da.from_array(X, chunks=(100, 3)), y, None)
    said = caplog.text
    assert said.count("reading 15 partitions") == 1
    assert said.index("reading 15 partitions on 2 workers") < said.index("of 15 partitions searched for levels")
    assert "partitions read" not in said


def slow_present(shared, piece):
    time.sleep(0.1)
    return PRESENT(shared, piece)


def slow_length(shared, piece):
    time.sleep(0.1)
    return len(piece[0])


def slow_piece(shared, piece, place, function, *arguments):
    time.sleep(0.2)
    return function(piece[place[0]], piece[2], *arguments)


def test_without_a_cluster_or_without_dask_the_cure_is_named(monkeypatch):
    X, y, _ = made(200)

    def no_client():
        raise ValueError

    monkeypatch.setattr(distributed, "get_client", no_client)
    with pytest.raises(ConnectionError, match=r"there is no cluster to work on: make one with dask\.distributed"):
        GPRegressor().fit(da.from_array(X), da.from_array(y))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ImportError, match=r"pip install 'alakarte\[dask\]'"):
        GPRegressor().fit(da.from_array(X), da.from_array(y))


def test_other_likelihoods_give_the_bits_of_an_array(client):
    X, y, weight = made()
    counts, labels = np.floor(np.exp(np.clip(y, -3, 2))), np.where(y > 0.3, "up", "down")
    settings = SMALL | {"max_iter": 3, "n_restarts": 1}
    for make, target in (
        (lambda: GPRegressor(likelihood="student_t", **settings), y),
        (lambda: GPCountRegressor(**settings), counts),
        (lambda: GPClassifier(**settings), labels),
    ):
        rows, of_cluster, weights = chunked(X, target, weight)
        model, expected = make().fit(rows, of_cluster, weights), make().fit(X, target, weight)
        assert model.theta_.tobytes() == expected.theta_.tobytes()
        lazy = model.predict(rows)
        assert isinstance(lazy, da.Array)
        assert np.array_equal(lazy.compute(), expected.predict(X))


@pytest.mark.parametrize("settings", [{}, {"kernel": "auto"}, {"target_transform": "auto"}, {"expansion": "local"}])
def test_noise_that_depends_on_the_input(client, tmp_path, settings):
    X, y, weight = made()
    settings = SMALL | {"likelihood": "heteroscedastic", "max_iter": 3, "n_restarts": 1} | settings
    expected = GPRegressor(**settings).fit(X, y, weight)
    rows, targets, weights = chunked(X, y, weight)
    model = GPRegressor(**settings).fit(rows, targets, weights)
    wanted = [part.tobytes() for part in expected.predict(X, return_std=True)]
    assert [part.compute().tobytes() for part in model.predict(rows, return_std=True)] == wanted
    assert model.n_features_in_ == 3
    path = write_layouts(tmp_path, arrow_table(X, y, weight))[0]
    scan = scan_parquet(path)
    model = GPRegressor(**settings).fit(scan[NAMES], scan["y"], scan["hours"])
    assert model.feature_names_in_.tolist() == NAMES
    assert [part.tobytes() for part in model.predict(scan[NAMES], return_std=True)] == wanted


def test_noise_that_depends_on_the_input_of_rows_that_come_and_go(client):
    X, y, weight = made()
    settings = SMALL | {"likelihood": "heteroscedastic", "max_iter": 3, "n_restarts": 1}
    model, same = GPRegressor(**settings).fit(*chunked(X, y, weight)), GPRegressor(**settings).fit(X, y, weight)
    model.partial_fit(da.from_array(X[:9]), da.from_array(y[:9]))
    same.partial_fit(X[:9], y[:9])
    assert bits(model, X[:50]) == bits(same, X[:50])


def test_neighbours_and_targets_of_the_driver(client):
    X, y, weight = made()
    rows, _, weights = chunked(X, y, weight)
    settings = {"expansion": "local", "n_neighbors": 8, "max_iter": 2, "random_state": 0}
    expected = GPRegressor(**settings).fit(X, y, weight).predict(X[:50])
    assert np.array_equal(GPRegressor(**settings).fit(rows, y, weights).predict(X[:50]), expected)

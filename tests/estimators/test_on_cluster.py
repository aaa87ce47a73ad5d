"""Predictions of rows on a cluster: lazy, equal to those of an array."""

import numpy as np
import pytest

from alakarte import GPRegressor
from data.clusters import cluster, da, made

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own
SMALL = {"kernel": "ard", "n_restarts": 1, "max_iter": 8, "tol": 1e9, "random_state": 0, "n_frequencies": 8}


def test_predictions_are_lazy_and_those_of_an_array():
    X, y, _ = made(200)
    with cluster(1):
        for target in (y, np.column_stack([y, -y])):
            model = GPRegressor(**SMALL).fit(X, target)
            rows = da.from_array(X, chunks=(70, 2))
            mean, std = model.predict(rows, return_std=True)
            assert isinstance(mean, da.Array)
            assert mean.shape == target.shape
            for lazy, now in zip((mean, std), model.predict(X, return_std=True), strict=True):
                assert np.array_equal(lazy.compute(), now)
            for lazy, now in zip(model.predict_interval(rows, 0.8), model.predict_interval(X, 0.8), strict=True):
                assert np.array_equal(lazy.compute(), now)
            assert np.array_equal(model.predict(rows).compute(), model.predict(X))


def test_frames_of_unknown_lengths():
    pd, dd = pytest.importorskip("pandas"), pytest.importorskip("dask.dataframe")
    X, y, _ = made(90)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = GPRegressor(**SMALL).fit(frame, y)
    rows = dd.from_pandas(frame, npartitions=3)
    rows = rows[rows["a"] > 0]
    with cluster(1):
        assert np.array_equal(model.predict(rows).compute(), model.predict(frame[frame["a"] > 0]))

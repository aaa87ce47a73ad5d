"""Clusters of Dask on this machine alone, and the same rows as collections of Dask."""

import contextlib
import logging

import numpy as np
import pytest

distributed = pytest.importorskip("distributed")
da = pytest.importorskip("dask.array")


@contextlib.contextmanager
def cluster(n_workers, *, processes=False):
    """A client of so many workers of one thread, in this process or in others."""
    with (
        distributed.LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            processes=processes,
            host="127.0.0.1" if processes else None,  # without processes nothing is sent
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def made(n=1500):
    """X (n, 3), y (n,), weights (n,), some of them zero."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)
    weight = rng.uniform(0.5, 2, n)
    weight[::9] = 0
    return X, y, weight


def chunked(X, y, weight):
    """Dask arrays in chunks that do not fit each other, nor the pieces."""
    return da.from_array(X, chunks=(401, 2)), da.from_array(y, chunks=333), da.from_array(weight, chunks=700)

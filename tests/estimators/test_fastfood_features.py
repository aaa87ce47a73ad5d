"""FastfoodFeatures: unbiased for every kernel and number of columns, and a well-behaved scikit-learn transformer."""

import pickle

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.base import clone
from sklearn.datasets import make_friedman1
from sklearn.gaussian_process.kernels import RBF, Matern
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline

import alakarte.estimators.fastfood_features
from alakarte import FastfoodFeatures, InvalidInput
from problems import naming

ORACLES = {
    "rbf": lambda scale: RBF(scale),
    "ard": lambda scale: RBF(scale),
    "matern12": lambda scale: Matern(scale, nu=0.5),
    "matern32": lambda scale: Matern(scale, nu=1.5),
    "matern52": lambda scale: Matern(scale, nu=2.5),
}
N_SEEDS, N_ERRORS = 300, 4.0  # independent seeds; standard errors that the worst of 15 pairs may be off


def table(n=6, d=5, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def estimates(X, n_seeds=N_SEEDS, **settings):
    """(seeds, n, n) z(x)·z(x')."""
    z = [FastfoodFeatures(random_state=seed, n_jobs=1, **settings).fit_transform(X) for seed in range(n_seeds)]
    return np.array([part @ part.T for part in z])


@pytest.mark.parametrize("n_components", [20, 21, 6, 1])  # frequencies in two stacks, and fewer than p = 8
@pytest.mark.parametrize("kernel", ORACLES)
def test_the_mean_over_seeds_is_the_kernel(kernel, n_components):
    X, scale = table(), np.array([0.7, 1.0, 1.5, 2.0, 3.0])
    K = estimates(X, kernel=kernel, lengthscale=scale, n_components=n_components)
    standard_error = K.std(axis=0, ddof=1) / np.sqrt(N_SEEDS)
    upper = np.triu_indices(len(X), 1)
    error = np.abs(K.mean(axis=0) - ORACLES[kernel](scale)(X))
    assert (error[upper] < N_ERRORS * standard_error[upper]).all()
    assert standard_error[upper].max() < 0.08  # the test would notice a lost factor


@pytest.mark.parametrize("kernel", ["rbf", "matern12", "matern32", "matern52"])
def test_the_kernel_is_none_of_the_others(kernel):
    X = table()
    K = estimates(X, 100, kernel=kernel, lengthscale=2.0, n_components=600)
    upper = np.triu_indices(len(X), 1)
    standard_error = (K.std(axis=0, ddof=1) / np.sqrt(len(K)))[upper]
    for name in ("rbf", "matern12", "matern32", "matern52"):
        errors = np.abs(K.mean(axis=0) - ORACLES[name](2.0)(X))[upper] / standard_error
        assert errors.max() < N_ERRORS if name == kernel else errors.max() > 2 * N_ERRORS


@pytest.mark.parametrize("d", [1, 3, 70])  # p = 1; small, by matrix product; large, by the fast transform
def test_more_columns_come_nearer_at_the_rate_of_chance(d):
    X = table(d=d) / np.sqrt(d)
    few, many = (np.abs(estimates(X, 40, gamma=0.5, n_components=n) - rbf_kernel(X, gamma=0.5)) for n in (8, 512))
    assert many.mean() < few.mean() / 5  # √64 = 8 in the limit


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_even_number_of_columns_has_unit_norm(dtype):
    z = FastfoodFeatures(n_components=34, random_state=0).fit_transform(table(50).astype(dtype))
    np.testing.assert_allclose((z**2).sum(axis=1), 1, rtol=4 * np.finfo(dtype).eps)


def test_an_odd_number_of_columns_adds_one_shifted_cosine():
    X = table(400)
    z = FastfoodFeatures(n_components=7, random_state=3).fit_transform(X)
    assert z.shape == (400, 7)
    pairs, lone = z[:, [0, 1, 2, 4, 5, 6]], z[:, 3]
    np.testing.assert_allclose((pairs**2).sum(axis=1), 6 / 7)
    assert np.abs(lone).max() <= np.sqrt(2 / 7)
    at_zero = FastfoodFeatures(n_components=7, random_state=3).fit(X).transform(np.zeros((1, 5)))[0] / np.sqrt(2 / 7)
    np.testing.assert_allclose(at_zero[[0, 1, 2, 4, 5, 6]], [1, 1, 1, 0, 0, 0])
    assert 0.01 < 1 - at_zero[3] < 1.99  # the cosine of the offset


def test_gamma_and_lengthscale_say_the_same():
    X = table()
    settings = {"n_components": 12, "random_state": 0}
    base = FastfoodFeatures(gamma=0.5, **settings).fit_transform(X)
    for same in ({"gamma": np.full(5, 0.5)}, {"lengthscale": 1.0}, {"lengthscale": [1.0] * 5}, {"kernel": "ard"}):
        np.testing.assert_allclose(FastfoodFeatures(**({"gamma": 0.5} | settings | same)).fit_transform(X), base)
    gamma = np.array([0.1, 0.2, 0.5, 1.0, 2.0])
    by_gamma = FastfoodFeatures(gamma=gamma, **settings).fit(X)
    np.testing.assert_allclose(by_gamma.lengthscale_, 1 / np.sqrt(2 * gamma))
    by_length = FastfoodFeatures(lengthscale=by_gamma.lengthscale_, **settings)
    np.testing.assert_allclose(by_length.fit_transform(X), by_gamma.transform(X))


def test_scale_is_that_of_rbf_sampler():
    X = 3 * table(40)
    ours, theirs = FastfoodFeatures(gamma="scale").fit(X), RBFSampler(gamma="scale").fit(X)
    np.testing.assert_allclose(1 / (2 * ours.lengthscale_**2), theirs._gamma)
    assert FastfoodFeatures(gamma="scale").fit(np.ones((4, 3))).lengthscale_ == pytest.approx(np.sqrt(0.5))
    sparse = FastfoodFeatures(gamma="scale").fit(csr_matrix(X))
    np.testing.assert_allclose(sparse.lengthscale_, ours.lengthscale_)


def test_gamma_zero_is_a_constant_kernel():
    z = FastfoodFeatures(gamma=0, n_components=8, random_state=0).fit_transform(table())
    np.testing.assert_allclose(z @ z.T, 1)


@pytest.mark.parametrize("d", [5, 70])
@pytest.mark.parametrize("n_components", [33, 64])
def test_float32_stays_float32_and_agrees(d, n_components):
    X = table(30, d)
    settings = {"gamma": 1 / d, "n_components": n_components, "random_state": 0}
    fine = FastfoodFeatures(**settings).fit_transform(X)
    coarse = FastfoodFeatures(**settings).fit_transform(X.astype(np.float32))
    assert (fine.dtype, coarse.dtype) == (np.float64, np.float32)
    np.testing.assert_allclose(coarse, fine, atol=1e-5)
    mixed = FastfoodFeatures(**settings).fit(X).transform(X.astype(np.float32))
    assert mixed.dtype == np.float32
    np.testing.assert_allclose(mixed, fine, atol=1e-5)


@pytest.mark.parametrize("d", [5, 70])
@pytest.mark.parametrize("n_components", [33, 64])
def test_threads_blocks_layout_and_sparsity_do_not_matter(d, n_components, monkeypatch):
    X = table(300, d)
    features = FastfoodFeatures(gamma=1 / d, n_components=n_components, random_state=0, n_jobs=1).fit(X)
    whole = features.transform(X)
    assert whole.flags.c_contiguous
    np.testing.assert_allclose(features.transform(csr_matrix(X)), whole, rtol=0, atol=1e-14)
    np.testing.assert_allclose(features.transform(np.asfortranarray(X)), whole, rtol=0, atol=1e-14)
    np.testing.assert_allclose(features.transform(X[::3]), whole[::3], rtol=0, atol=1e-14)
    monkeypatch.setattr(alakarte.estimators.fastfood_features, "BLOCK_BYTES", 1)  # 64 rows a block
    single = features.transform(X)
    np.testing.assert_allclose(single, whole, rtol=0, atol=1e-14)
    np.testing.assert_array_equal(features.set_params(n_jobs=3).transform(X), single)


def test_the_same_seed_gives_the_same_features():
    X = table(20)
    features = FastfoodFeatures(n_components=31, random_state=7).fit(X)
    for same in (clone(features).fit(X), pickle.loads(pickle.dumps(features))):
        np.testing.assert_array_equal(same.transform(X), features.transform(X))
    other = FastfoodFeatures(n_components=31, random_state=8).fit_transform(X)
    assert np.abs(other - features.transform(X)).max() > 0.1
    generator = FastfoodFeatures(random_state=np.random.default_rng(1)).fit_transform(X)
    np.testing.assert_array_equal(generator, FastfoodFeatures(random_state=np.random.default_rng(1)).fit_transform(X))


def test_names_and_pandas_output():
    pytest.importorskip("pandas")
    features = FastfoodFeatures(n_components=5, random_state=0).set_output(transform="pandas")
    frame = features.fit_transform(table())
    names = [f"fastfoodfeatures{i}" for i in range(5)]
    assert list(frame.columns) == names
    assert list(features.get_feature_names_out()) == names


def test_it_takes_the_place_of_rbf_sampler_in_a_pipeline():
    X, y = make_friedman1(300, noise=0.5, random_state=0)
    train, test = slice(0, 200), slice(200, 300)
    scores = []
    for sampler in (FastfoodFeatures, RBFSampler):
        model = make_pipeline(sampler(gamma=0.1, n_components=151, random_state=0), Ridge(1e-2))
        scores.append(model.fit(X[train], y[train]).score(X[test], y[test]))
    assert min(scores) > 0.75
    assert abs(scores[0] - scores[1]) < 0.08


REFUSED = [
    ({"kernel": "gm"}, "GPRegressor learns"),
    ({"kernel": None}, "rbf, ard"),
    ({"n_components": 0}, "columns ≥ 1"),
    ({"n_components": 2.5}, "columns ≥ 1"),
    ({"n_components": True}, "columns ≥ 1"),
    ({"gamma": -1.0}, "≥ 0"),
    ({"gamma": np.nan}, "≥ 0"),
    ({"gamma": np.inf}, "≥ 0"),
    ({"gamma": "auto"}, "scale"),
    ({"gamma": [1.0, 2.0]}, "each of the 5 inputs"),
    ({"lengthscale": 0.0}, "> 0"),
    ({"lengthscale": np.ones(4)}, "each of the 5 inputs"),
    ({"n_jobs": 0}, "n_jobs"),
]


def test_settings_that_cannot_be_used_are_refused_with_a_cure():
    for settings, says in REFUSED:
        with naming(settings), pytest.raises(InvalidInput, match=says):
            FastfoodFeatures(**settings).fit(table())

"""`GPRegressor` among scikit-learn's tools: pickles, clones, searches, pipelines, data frames, warm starts."""

import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alakarte import GPRegressor, log_density_scorer
from alakarte.kernels import ARD, RBF, GaussianMixture, PiecewiseLinear
from problems import MENU, small, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


@pytest.mark.parametrize("name", MENU)
def test_a_pickled_model_predicts_the_same_bits(name, data):
    model = small(MENU[name]).fit(*data)
    for copy in (pickle.loads(pickle.dumps(model)), clone(model).fit(*data)):
        for left, right in zip(
            model.predict(data[0], return_std=True), copy.predict(data[0], return_std=True), strict=True
        ):
            assert np.array_equal(left, right)
    assert pickle.loads(pickle.dumps(model)).log_marginal_likelihood(*data) == model.log_marginal_likelihood(*data)


def test_a_model_survives_joblib_on_disk(data, tmp_path):
    model = small().fit(*data)
    joblib.dump(model, tmp_path / "model")
    loaded = joblib.load(tmp_path / "model", mmap_mode="r")
    assert np.array_equal(loaded.predict(data[0]), model.predict(data[0]))


def test_a_model_does_not_keep_the_training_rows_unless_it_must(data):
    X, y, _ = table(3, n=4000)
    large = len(pickle.dumps(small("ard", max_iter=0).fit(X, y)))
    assert large < 2 * len(pickle.dumps(small("ard", max_iter=0).fit(X[:100], y[:100])))


def test_a_clone_has_the_settings_and_none_of_the_fit(data):
    model = small(PiecewiseLinear(n_knots=3, bounds={"amplitude": (0.1, 10)}), noise_std=0.2).fit(*data)
    copy = clone(model)
    assert repr(copy) == repr(model)
    assert copy.kernel is not model.kernel
    assert copy.get_params()["kernel__n_knots"] == 3
    with pytest.raises(NotFittedError):
        copy.predict(data[0])


def test_fit_leaves_the_users_kernel_alone(data):
    kernel = PiecewiseLinear(n_knots=2)
    before = kernel.get_params()
    model = small(kernel).fit(*data)
    assert kernel.get_params() == before
    kernel.n_knots = 7
    assert model.kernel_.kernel.n_knots == 2
    model.predict(data[0])


def test_a_grid_goes_over_settings_of_the_kernel(data):
    search = GridSearchCV(small(PiecewiseLinear()), {"kernel__n_knots": [1, 3]}, cv=2).fit(*data)
    assert search.best_params_["kernel__n_knots"] in (1, 3)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    mean, std = search.best_estimator_.predict(data[0], return_std=True)
    assert mean.shape == std.shape == (50,)


def test_a_grid_goes_over_kernels_by_name_and_by_object(data):
    grid = {"kernel": ["ard", "matern32", GaussianMixture(), PiecewiseLinear(2)]}
    search = GridSearchCV(small(), grid, cv=2, scoring=log_density_scorer).fit(*data)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_params_["kernel"] in grid["kernel"]


def test_a_pipeline_passes_the_deviation_on(data):
    X, y = data
    pipeline = make_pipeline(StandardScaler(), small("ard")).fit(X, y)
    mean, std = pipeline.predict(X, return_std=True)
    assert mean.shape == std.shape == (50,)
    assert np.isfinite(log_density_scorer(pipeline, X, y))
    latent = pipeline.predict(X, return_std=True, include_noise=False)[1]
    assert (latent < std).all()
    alone = small("ard").fit(X, y).predict(X, return_std=True)
    assert np.allclose(mean, alone[0], atol=1e-4)


def test_several_targets_go_through_scikit_learns_wrapper(data):
    X, y = data
    wrapper = MultiOutputRegressor(small("ard")).fit(X, np.column_stack([y, -y]))
    assert np.allclose(wrapper.predict(X)[:, 0], -wrapper.predict(X)[:, 1], atol=1e-3)


def test_names_of_a_data_frame_are_kept_and_checked(data):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(data[0], columns=["depth", "age", "slope"])
    model = small("ard").fit(frame, pd.Series(data[1]))
    assert list(model.feature_names_in_) == ["depth", "age", "slope"]
    assert np.array_equal(model.predict(frame), small("ard").fit(*data).predict(data[0]))
    assert all(name in model.summary() for name in frame)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame[["age", "depth", "slope"]])
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        model.predict(data[0])


def test_a_warm_start_continues(data):
    """The second fit starts where the first ended: no restarts, never a worse evidence."""
    model = small("ard", warm_start=True).fit(*data)
    first, theta = model.log_marginal_likelihood_, model.theta_.copy()
    model.fit(*data)
    assert model.log_marginal_likelihood_ >= first
    assert model.trace_["value"][0] == pytest.approx(first, rel=1e-12)
    assert len(model.starts_) == 1
    model.set_params(max_iter=0).fit(*data)
    model.set_params(max_iter=0).fit(data[0][:30], data[1][:30])
    assert model.theta_.shape == theta.shape


def test_a_warm_start_keeps_the_chosen_kernel():
    X, y, _ = table(2, n=100)
    model = GPRegressor(warm_start=True, n_restarts=2, max_iter=8, max_iter_restart=3, random_state=0, tol=1e9).fit(
        X, y
    )
    name = model.kernel_.kernel.name
    model.fit(X, y)
    assert model.kernel_.kernel.name == name
    assert model.ranking_ == []


def test_a_cold_start_forgets(data):
    model = small("ard").fit(*data)
    theta = model.theta_.copy()
    assert np.array_equal(model.fit(*data).theta_, theta)


@pytest.mark.parametrize("change", [{"kernel": "gm"}, {"n_frequencies": 9}, {"expansion": "dense"}])
def test_a_warm_start_after_a_change_of_the_model_starts_anew_or_goes_on(change, data):
    model = small("ard", warm_start=True).fit(*data)
    model.set_params(**change).fit(*data)
    assert np.isfinite(model.predict(data[0])).all()


def test_fixed_parameters_stay_in_the_users_units(data):
    X, y = data[0] * [1, 10, 100], 50 * data[1]
    fixed = {"lengthscale": [1.0, 20.0, 300.0], "amplitude": 40.0}
    model = small(ARD(fixed=fixed)).fit(X, y)
    assert np.allclose(model.kernel_.lengthscale, [1.0, 20.0, 300.0], rtol=1e-12)
    assert np.allclose(model.kernel_.amplitude, 40.0, rtol=1e-12)
    assert model.theta_labels_ == ["log_noise_std"]
    centre = small(GaussianMixture(fixed={"centre": 0.25})).fit(X, y).kernel_.centre
    assert np.allclose(centre, 0.25, rtol=1e-12)
    scale = small(RBF(fixed={"lengthscale": 1.5})).fit(X, y).kernel_.lengthscale
    assert np.allclose(scale, 1.5 * X.std(axis=0), rtol=1e-12)


def test_with_everything_fixed_there_is_nothing_to_learn(data):
    model = small(ARD(fixed={"lengthscale": 1.0, "amplitude": 1.0}), noise_std=0.3).fit(*data)
    assert model.theta_.size == 0
    assert model.converged_
    assert "nothing to learn" in model.stop_reason_
    assert model.noise_std_ == pytest.approx(0.3, rel=1e-12)
    value, gradient = model.log_marginal_likelihood(*data, eval_gradient=True)
    assert value == pytest.approx(model.log_marginal_likelihood_, rel=1e-12)
    assert gradient.shape == (0,)


@pytest.mark.parametrize("noise_std", [0.5, 1e-3, 0])
def test_a_fixed_noise_is_kept(noise_std, data):
    model = small("ard", noise_std=noise_std).fit(*data)
    assert "log_noise_std" not in model.theta_labels_
    assert model.noise_std_ == pytest.approx(noise_std, rel=1e-12, abs=1e-4 if noise_std == 0 else 0)  # the floor
    assert np.isfinite(model.predict(data[0], return_std=True)).all()


@pytest.mark.parametrize("name", ["ard", "gm", "pwl"])
def test_mixed_precision_learns_no_worse(name):
    X, y, _ = table(3, n=200)
    double, mixed = (small(name, precision=precision, max_iter=10).fit(X, y) for precision in ("double", "mixed"))
    assert mixed.log_marginal_likelihood_ > double.log_marginal_likelihood_ - 0.05 * 200
    assert mixed.log_marginal_likelihood(X, y) == pytest.approx(mixed.log_marginal_likelihood_, rel=1e-9)
    assert mixed.predict(X).dtype == np.float64


def test_more_data_are_learned_better():
    """A plain end-to-end sanity check: a smooth function with little noise is predicted to its noise."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, (300, 2))
    y = np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + 0.05 * rng.standard_normal(300)
    new = rng.uniform(-1.8, 1.8, (200, 2))
    truth = np.sin(2 * new[:, 0]) * np.cos(new[:, 1])
    for name in ("ard", "gm", "pwl"):
        model = GPRegressor(name, n_components=2, n_frequencies=24, n_restarts=2, random_state=0, n_jobs=1).fit(X, y)
        mean, std = model.predict(new, return_std=True, include_noise=False)
        assert np.sqrt(np.mean((mean - truth) ** 2)) < 0.05
        assert 0.03 < model.noise_std_ < 0.08
        assert np.mean(np.abs(mean - truth) < 2.6 * std) > 0.9


def test_defaults_of_the_paper():
    """150 iterations, 20 for every restart."""
    model = GPRegressor()
    assert (model.max_iter, model.max_iter_restart) == (150, 20)

"""A transform of the target inside the estimator: the same process as a fit of log y, said in units of y."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from alakarte import GPRegressor, InvalidInput, Unavailable, crps_scorer, log_density_scorer
from alakarte.kernels import ARD

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SHORT = {"max_iter": 6, "max_iter_restart": 3, "n_restarts": 1, "random_state": 0, "n_jobs": 1}


def table(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    return X, np.exp(np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.3 * rng.standard_normal(n))


X, y = table()
NEW, y_new = table(400, 1)


@pytest.fixture(scope="module")
def logs():
    """A model of y by its logarithm, and one of the logarithm itself."""
    model = GPRegressor("ard", target_transform="log", **SHORT).fit(X, y)
    return model, GPRegressor("ard", **SHORT).fit(X, np.log(y))


def test_it_is_the_process_of_the_logarithm(logs):
    model, plain = logs
    np.testing.assert_allclose(model.theta_, plain.theta_, rtol=1e-10)
    jacobian = -np.log(y).sum()
    assert model.log_marginal_likelihood_ == pytest.approx(plain.log_marginal_likelihood_ + jacobian)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_)
    further = model.log_marginal_likelihood(NEW, y_new, eval_gradient=True)
    known = plain.log_marginal_likelihood(NEW, np.log(y_new), eval_gradient=True)
    assert further[0] == pytest.approx(known[0] - np.log(y_new).sum())
    np.testing.assert_allclose(further[1], known[1], rtol=1e-9)


def test_predictions_are_in_units_of_y(logs):
    model, plain = logs
    plain.model_ = model.model_.__class__(**{**vars(plain.model_), "calibration": model.model_.calibration})
    t, t_std = plain.predict(NEW, return_std=True)
    mean, std = model.predict(NEW, return_std=True)
    np.testing.assert_allclose(mean, np.exp(t + t_std**2 / 2), rtol=1e-9)
    np.testing.assert_allclose(std, mean * np.sqrt(np.expm1(t_std**2)), rtol=1e-9)
    np.testing.assert_array_equal(model.predict(NEW), mean)
    np.testing.assert_allclose(model.predict_interval(NEW, 0.9), np.exp(plain.predict_interval(NEW, 0.9)), rtol=1e-9)
    levels = [0.1, 0.5, 0.9]
    np.testing.assert_allclose(model.predict_quantiles(NEW, levels), np.exp(plain.predict_quantiles(NEW, levels)))
    density = plain.log_predictive_density(NEW, np.log(y_new)) - np.log(y_new)
    np.testing.assert_allclose(model.log_predictive_density(NEW, y_new), density)
    assert model.log_predictive_density(NEW[:2], [-1.0, 0.0]).tolist() == [-np.inf, -np.inf]


@pytest.mark.parametrize("kind", ["log", "yeo-johnson"])
def test_densities_integrate_to_one_and_samples_have_the_moments(kind):
    model = GPRegressor("ard", target_transform=kind, **SHORT).fit(X, y)
    row, grid = NEW[:1], np.linspace(-30, 60, 40_001)
    density = np.exp(model.log_predictive_density(np.repeat(row, grid.size, axis=0), grid))
    step = grid[1] - grid[0]
    assert density.sum() * step == pytest.approx(1, abs=1e-3)
    assert (density * grid).sum() * step == pytest.approx(model.predict(row)[0], rel=1e-3)
    for with_noise in (True, False):
        samples = model.sample_y(NEW[:3], 20_000, include_noise=with_noise)
        mean, std = model.predict(NEW[:3], return_std=True, include_noise=with_noise)
        np.testing.assert_allclose(samples.mean(axis=1), mean, rtol=0.03)
        np.testing.assert_allclose(samples.std(axis=1), std, rtol=0.06)
        low, high = model.predict_interval(NEW[:3], 0.8, include_noise=with_noise)
        inside = (low[:, None] <= samples) & (samples <= high[:, None])
        np.testing.assert_allclose(inside.mean(axis=1), 0.8, atol=0.02)


def test_rows_come_and_go():
    """Those that came have their own Jacobian; what is left is the fit of the others."""
    model = GPRegressor("ard", target_transform="log", **SHORT).fit(X, y)
    before = model.log_marginal_likelihood_
    model.partial_fit(NEW[:30], y_new[:30])
    joined = np.concatenate([X, NEW[:30]]), np.concatenate([y, y_new[:30]])
    assert model.log_marginal_likelihood_ == pytest.approx(model.log_marginal_likelihood(*joined))
    with pytest.raises(InvalidInput, match=r"y = -2 at row 1 has no logarithm"):
        model.partial_fit(NEW[:2], [1.0, -2.0])
    model.forget(NEW[:30], y_new[:30])
    assert model.log_marginal_likelihood_ == pytest.approx(before)


def test_a_weight_of_two_is_the_row_twice():
    weight = np.tile([1.0, 2.0], 60)
    repeated = np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    settings = {"target_transform": "yeo-johnson", **SHORT}
    once, twice = GPRegressor("ard", **settings).fit(X, y, weight), GPRegressor("ard", **settings).fit(*repeated)
    np.testing.assert_allclose(once.predict(NEW), twice.predict(NEW), rtol=1e-9)


def test_several_targets_have_a_power_each():
    both = np.column_stack([y, -(y**2)])
    model = GPRegressor("ard", target_transform="yeo-johnson", **SHORT).fit(X, both)
    first, second = model.model_.scaling.transform.power
    assert first < 1 < second
    mean, std = model.predict(NEW, return_std=True)
    assert mean.shape == std.shape == (400, 2)
    assert model.predict_quantiles(NEW, [0.5]).shape == (400, 2, 1)
    assert model.sample_y(NEW[:4], 3).shape == model.sample_y(NEW[:4], 3, include_noise=False).shape == (4, 2, 3)
    assert model.log_predictive_density(NEW, np.column_stack([y_new, -(y_new**2)])).shape == (400,)
    low, high = model.predict_interval(NEW)
    assert ((low < mean) & (mean < high)).all()


def test_the_evidence_chooses():
    skewed = GPRegressor("ard", target_transform="auto", **SHORT).fit(X, y)
    assert skewed.model_.scaling.transform.kind == "log"
    assert "target         log y" in skewed.summary()
    plain = GPRegressor("ard", target_transform="auto", **SHORT).fit(X, np.log(y))
    assert plain.model_.scaling.transform is None
    known = clone(skewed).set_params(target_transform="log").fit(X, y)
    np.testing.assert_array_equal(skewed.predict(NEW), known.predict(NEW))


def test_scorers_know_of_it(logs):
    model = logs[0]
    assert log_density_scorer(model, NEW, y_new) == pytest.approx(model.log_predictive_density(NEW, y_new).mean())
    assert crps_scorer(model, NEW, y_new) > crps_scorer(GPRegressor("ard", **SHORT).fit(X, y), NEW, y_new)


@pytest.mark.parametrize("scorer", [log_density_scorer, crps_scorer])
def test_a_search_chooses_it(scorer):
    """Densities of y, and errors in its units, compare transforms, within pipelines too."""
    pipeline = make_pipeline(StandardScaler(), GPRegressor("ard", **SHORT))
    choices = {"gpregressor__target_transform": [None, "log"]}
    search = GridSearchCV(pipeline, choices, scoring=scorer, cv=2, error_score="raise").fit(X, y)
    assert search.best_params_["gpregressor__target_transform"] == "log"
    low, high = search.best_estimator_[-1].predict_interval(search.best_estimator_[:-1].transform(NEW))
    assert ((low > 0) & (low < high)).all()


def test_noise_that_depends_on_the_input():
    model = GPRegressor("ard", likelihood="heteroscedastic", target_transform="auto", **SHORT).fit(X, y)
    assert model.model_.scaling.transform.kind == "log"
    assert model.model_.noise_model.scaling.transform is None
    low, high = model.predict_interval(NEW)
    assert ((low > 0) & (low < high)).all()
    assert model.sample_y(NEW[:3], 2, include_noise=False).shape == (3, 2)


@pytest.mark.parametrize(
    ("settings", "target", "error", "text"),
    [
        ({"target_transform": "sqrt"}, y, InvalidInput, r"target_transform='sqrt': use None, 'log', 'yeo-johnson'"),
        ({"target_transform": "log"}, y - 1, InvalidInput, r"at row \d+ has no logarithm"),
        ({"target_transform": "log", "likelihood": "student_t"}, y, Unavailable, "use likelihood='gaussian'"),
        ({"target_transform": "auto", "noise_std": 0.1}, y, Unavailable, "choose 'log' or 'yeo-johnson'"),
    ],
)
def test_what_cannot_be_is_said_with_a_cure(settings, target, error, text):
    with pytest.raises(error, match=text):
        GPRegressor("ard", **settings, **SHORT).fit(X, target)


def test_covariances_are_refused(logs):
    with pytest.raises(Unavailable, match="sample_y"):
        logs[0].predict(NEW, return_cov=True)


def test_noise_is_given_in_units_of_the_transformed_target():
    model = GPRegressor(ARD(), target_transform="log", noise_std=0.3, **SHORT).fit(X, y)
    assert model.noise_std_ == pytest.approx(0.3)

"""What makes no sense is refused, with the value, the limit and the cure in the message."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from alakarte import GPRegressor, InvalidInput, Unavailable
from alakarte.kernels import ARD, Matern, MaternMixture, PiecewiseLinear
from problems import table

X, Y, _ = table(3)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"kernel": "squared"}, InvalidInput, r"kernel='squared' is not known: use auto, ard, .*matern32.*ssgpr"),
        ({"kernel": 3}, InvalidInput, "kernel=3 is not known"),
        ({"kernel": ARD}, InvalidInput, "not known"),
        ({"kernel": "pwl", "expansion": "exact"}, Unavailable, "'pwl' has no closed form.*rbf, ard, matern, gm, mm"),
        ({"kernel": "ssgpr", "expansion": "exact"}, Unavailable, "use expansion='fastfood'"),
        ({"kernel": "fsgbard", "expansion": "dense"}, Unavailable, "use expansion='fastfood'"),
        ({"expansion": "sinks"}, InvalidInput, "expansion='sinks': use one of auto, fastfood, dense, exact"),
        ({"n_components": 0}, InvalidInput, "n_components=0: give a whole number ≥ 1"),
        ({"n_frequencies": 2.5}, InvalidInput, "n_frequencies=2.5: give a whole number ≥ 1"),
        ({"n_restarts": True}, InvalidInput, "n_restarts=True"),
        ({"max_iter": -1}, InvalidInput, "max_iter=-1: give a whole number ≥ 0"),
        ({"max_iter_restart": None}, InvalidInput, "max_iter_restart=None"),
        ({"tol": -0.1}, InvalidInput, "tol=-0.1: give a number of nats ≥ 0"),
        ({"tol": "small"}, InvalidInput, "tol='small'"),
        ({"noise_std": -1.0}, InvalidInput, "noise_std=-1.0: give a standard deviation ≥ 0"),
        ({"noise_std": np.nan}, InvalidInput, "noise_std=nan"),
        ({"n_jobs": 0}, InvalidInput, "n_jobs=0"),
        ({"precision": "half"}, InvalidInput, "precision='half': use one of auto, double, mixed"),
        ({"kernel": Matern(nu=3.5)}, InvalidInput, "nu=3.5 must be 0.5, 1.5 or 2.5"),
        ({"kernel": MaternMixture(nu=1)}, InvalidInput, "nu=1 must be 0.5, 1.5 or 2.5"),
        ({"kernel": PiecewiseLinear(n_knots=0)}, InvalidInput, "n_knots must be a whole number ≥ 1"),
        (
            {"kernel": ARD(fixed={"lenghtscale": 1.0})},
            InvalidInput,
            "Unknown .* 'lenghtscale'.*amplitude",
        ),
        ({"kernel": ARD(bounds={"width": (1, 2)})}, InvalidInput, "Unknown kernel parameter 'width'"),
        (
            {"kernel": ARD(fixed={"lengthscale": [1.0, 2.0]})},
            InvalidInput,
            r"\(2,\); it must broadcast to \(3,\)",
        ),
        ({"kernel": ARD(fixed={"amplitude": -1.0})}, InvalidInput, "amplitude = -1.0 must be positive"),
        ({"kernel": ARD(bounds={"lengthscale": (2.0, 1.0)})}, InvalidInput, "2.0 is above 1.0"),
    ],
)
def test_settings(settings, error, message):
    with pytest.raises(error, match=message):
        GPRegressor(**({"n_components": 1, "n_frequencies": 4, "max_iter": 0} | settings)).fit(X, Y)


def test_errors_are_value_errors():
    assert issubclass(InvalidInput, ValueError)
    assert issubclass(Unavailable, ValueError)


def test_targets_of_another_shape():
    with pytest.raises(InvalidInput, match=r"shape=\(30, 0\).*at least one column"):
        GPRegressor().fit(X, np.empty((30, 0)))
    with pytest.raises(InvalidInput, match="dim 3"):
        GPRegressor().fit(X, np.zeros((30, 2, 2)))
    model = GPRegressor("ard", max_iter=0).fit(X, np.column_stack([Y, Y]))
    with pytest.raises(InvalidInput, match=r"shape \(30,\); this model was fitted to y of shape \(n, 2\)"):
        model.partial_fit(X, Y)


def test_no_target():
    with pytest.raises(InvalidInput, match="requires y"):
        GPRegressor().fit(X, None)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (-np.ones(30), r"sample_weight\[0\] = -1"),
        (np.zeros(30), "sample_weight sums to"),
        (np.ones(29), "sample_weight"),
    ],
)
def test_weights(weight, message):
    with pytest.raises(ValueError, match=message):
        GPRegressor().fit(X, Y, weight)


def test_calls_before_the_fit():
    model = GPRegressor()
    for call in (model.predict, model.sample_y, model.predict_interval, lambda x: model.summary()):
        with pytest.raises(NotFittedError):
            call(X)
    with pytest.raises(NotFittedError):
        model.log_marginal_likelihood(X, Y)


def test_calls_after_the_fit():
    model = GPRegressor("ard", n_components=1, n_frequencies=4, max_iter=0).fit(X, Y)
    with pytest.raises(InvalidInput, match="return_std and return_cov are both True"):
        model.predict(X, return_std=True, return_cov=True)
    with pytest.raises(InvalidInput, match="coverage=95 must lie between 0 and 1"):
        model.predict_interval(X, coverage=95)
    with pytest.raises(InvalidInput, match=r"theta has shape \(2,\); this model has \(5,\)"):
        model.log_marginal_likelihood(X, Y, theta=np.zeros(2))
    with pytest.raises(ValueError, match="3 features"):
        model.predict(X[:, :2])
    with pytest.raises(ValueError, match=r"shape \(30, 2\).*learned on 3 inputs"):
        model.kernel_(X[:, :2])
    with pytest.raises(AttributeError, match=r"no 'centre'; it has .*amplitude.*lengthscale"):
        _ = model.kernel_.centre
    with pytest.raises(Unavailable, match="not given by a density of the radius"):
        model.kernel_.radial_density(np.ones(2))
    with pytest.raises(Unavailable, match="point masses"):
        GPRegressor("ssgpr", n_components=1, n_frequencies=4, max_iter=0).fit(X, Y).kernel_.spectral_density(X)


def test_no_rows_are_refused_as_by_scikit_learn():
    fitted = GPRegressor("ard", n_components=1, n_frequencies=4, max_iter=0).fit(X, Y)
    for method in (fitted.predict, fitted.predict_interval, fitted.sample_y):
        with pytest.raises(ValueError, match=r"0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required"):
            method(np.empty((0, 3)))


def test_evidence_of_absurd_targets_is_refused():
    fitted = GPRegressor("ard", n_components=1, n_frequencies=4, max_iter=0).fit(X, Y)
    with pytest.raises(ValueError, match=r"y = 1e\+200 lies more than 1e\+100 standard deviations"):
        fitted.log_marginal_likelihood(X[:1], [1e200])


def test_more_components_than_rows():
    with pytest.raises(InvalidInput, match=r"n_components=100000: 30 rows .* at most 32"):
        GPRegressor("gm", n_components=100_000).fit(X, Y)

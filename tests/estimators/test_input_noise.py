"""Noise that depends on the input: learned where it is there, left alone where it is not, and the same online."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.calibrate as calibrate
from alakarte import GPRegressor, Unavailable
from alakarte.estimators import input_noise
from alakarte.estimators.input_noise import noise_ratio, weight_ratio
from contract.tables import FITS, check_predictions
from problems import naming, small

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
SETTINGS = {"random_state": 0, "n_jobs": 1}


def table(slope, n=1000, seed=0):
    """Noise whose logarithm rises along the first input."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, (n, 2))
    std = np.exp(-1.5 + slope * X[:, 0])
    return X, np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + std * rng.standard_normal(n), std


def both(slope):
    X, y, std = table(slope)
    models = [GPRegressor("ard", likelihood=name, **SETTINGS) for name in ("gaussian", "heteroscedastic")]
    return X, y, std, [model.fit(X[:200], y[:200]) for model in models]


def test_it_is_found_where_it_is_there():
    X, y, std, (normal, varying) = both(0.8)
    density = [model.log_predictive_density(X[200:], y[200:]).mean() for model in (normal, varying)]
    assert density[1] > density[0] + 0.2
    _, total = varying.predict(X[200:], return_std=True)
    _, latent = varying.predict(X[200:], return_std=True, include_noise=False)
    assert np.corrcoef(np.log(total**2 - latent**2), np.log(std[200:]))[0, 1] > 0.95
    low, high = varying.predict_interval(X[200:])
    assert np.mean((low < y[200:]) & (y[200:] < high)) > 0.88
    draws = varying.sample_y(X[200:260], 2000)
    assert np.std(draws, axis=1) == pytest.approx(total[:60], rel=0.15)
    covariance = varying.predict(X[200:260], return_cov=True)[1]
    assert np.sqrt(covariance.diagonal()) == pytest.approx(total[:60])
    assert "function of the inputs" in varying.summary()


def test_each_of_its_fits_begins_afresh():
    X, y, _ = table(0.8, n=150)
    settings = {"likelihood": "heteroscedastic", "max_iter": 10, **SETTINGS}
    cold, warm = (GPRegressor("gm", n_components=2, warm_start=go_on, **settings).fit(X, y) for go_on in (False, True))
    assert np.array_equal(cold.predict(X, return_std=True), warm.predict(X, return_std=True))


@pytest.mark.parametrize("interrupted", [1, 2])
def test_an_interrupted_fit_keeps_the_model_with_one_noise(monkeypatch, interrupted):
    X, y, _ = table(0.8, n=150)
    fits, one = [], input_noise.fit

    def fit(*arguments, **rest):
        fits.append(arguments)
        if len(fits) > interrupted:
            raise KeyboardInterrupt
        return one(*arguments, **rest)

    monkeypatch.setattr(input_noise, "fit", fit)
    model = GPRegressor("ard", likelihood="heteroscedastic", max_iter=10, **SETTINGS)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    normal = GPRegressor("ard", max_iter=10, **SETTINGS).fit(X, y)
    assert np.array_equal(model.predict(X, return_std=True), normal.predict(X, return_std=True))


def test_neighbours_are_believed_as_learned(monkeypatch):
    """How far neighbours were doubted was found with one noise for all rows."""
    doubted = calibrate.with_doubt
    monkeypatch.setattr(calibrate, "with_doubt", lambda *given: replace(doubted(*given), doubt=0.5))
    X, y, _ = table(0.8, n=300)
    settings = {"expansion": "local", "n_neighbors": 10, "max_iter": 5, **SETTINGS}
    normal = GPRegressor("ard", **settings).fit(X, y)
    varying = GPRegressor("ard", likelihood="heteroscedastic", **settings).fit(X, y)
    assert normal.model_.posterior.doubt == 0.5
    assert varying.model_.posterior.doubt == 0


def test_it_is_left_alone_where_it_is_not():
    X, y, _, (normal, varying) = both(0.0)
    density = [model.log_predictive_density(X[200:], y[200:]).mean() for model in (normal, varying)]
    assert density[1] > density[0] - 0.03


def test_weights_keep_their_sum_and_rows_come_and_go():
    X, y, _, (_, model) = both(0.8)
    noise = model.model_.noise_model
    assert weight_ratio(noise, X[:200]).mean() == pytest.approx(1)
    assert np.allclose(noise_ratio(noise, X) * weight_ratio(noise, X), 1)
    before = model.predict(X, return_std=True)
    after = model.partial_fit(X[200:], y[200:]).predict(X, return_std=True)
    assert (after[1] <= before[1] + 1e-9).all()
    again = pickle.loads(pickle.dumps(model)).forget(X[200:], y[200:]).predict(X, return_std=True)
    assert np.allclose(before, again, atol=1e-6)


def test_the_scale_of_the_noise_is_that_of_its_residuals():
    """Residuals of fresh rows, divided by their standard deviations, have variance one."""
    X, y, _, (_, model) = both(0.8)
    mean, std = model.predict(X[200:], return_std=True)
    assert np.mean(((y[200:] - mean) / std) ** 2) == pytest.approx(1, abs=0.25)


def test_what_it_has_no_meaning_for_is_refused():
    X, y, _ = table(0.5, 30)
    with pytest.raises(Unavailable, match=r"shape \(30, 2\).*one target"):
        GPRegressor(likelihood="heteroscedastic").fit(X, np.column_stack([y, y]))
    with pytest.raises(Unavailable, match=r"noise_std=0.1 is one for all rows.*'gaussian'"):
        GPRegressor(likelihood="heteroscedastic", noise_std=0.1).fit(X, y)


def test_awkward_tables():
    for case in FITS[::3]:
        with naming(case.name):
            check_predictions(small("ard", likelihood="heteroscedastic").fit(case.X, case.y), case.X)

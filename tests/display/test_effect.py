"""Effects are scikit-learn's partial dependence, with bands, and faster."""

import time

import numpy as np
import pytest
from sklearn.inspection import partial_dependence

from alakarte import GPRegressor
from alakarte.display.effect import EffectDisplay, effect
from alakarte.errors import Unavailable
from model.kept_models import RECIPES, X, fitted

plt = pytest.importorskip("matplotlib.pyplot")


@pytest.mark.parametrize("name", sorted(set(RECIPES) - {"features", "votes"}))
def test_every_model_with_a_function_has_effects(name):
    picture = EffectDisplay.from_estimator(fitted(name), X)
    assert picture.ax_.get_xlabel() == picture.names[0]
    assert np.isfinite(picture.mean).all()
    assert (picture.std >= 0).all()
    picture.figure_.canvas.draw()
    plt.close(picture.figure_)


def test_levels_of_a_category_stand_on_the_axis():
    picture = EffectDisplay.from_estimator(fitted("weights_fast"), X, 2)
    assert [t.get_text() for t in picture.ax_.get_xticklabels()] == ["0.0", "1.0", "2.0"]
    plt.close(picture.figure_)


def test_neighbours_of_classes_have_no_function():
    with pytest.raises(Unavailable, match="latent function"):
        EffectDisplay.from_estimator(fitted("votes"), X)


@pytest.mark.parametrize("settings", [{"expansion": "exact"}, {"n_frequencies": 64}])
def test_the_mean_is_that_of_brute_force_and_ten_times_as_fast(settings):
    rng = np.random.default_rng(0)
    rows = rng.standard_normal((600, 4))
    model = GPRegressor("ard", max_iter=0, random_state=0, n_jobs=1, **settings).fit(rows, np.sin(rows[:, 0]))
    effect(model.model_, rows, 0, rows[:3, 0])  # loads what is loaded once
    began = time.process_time()
    brute = partial_dependence(model, rows, [1], method="brute", kind="average", percentiles=(0, 1))
    between = time.process_time()
    mean, _ = effect(model.model_, rows, 1, brute["grid_values"][0])
    ours = time.process_time() - between
    np.testing.assert_allclose(mean[:, 0], brute["average"][0], rtol=0, atol=1e-8)
    assert between - began > 10 * ours

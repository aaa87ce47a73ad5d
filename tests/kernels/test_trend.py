"""`Trend`: a line through the rows that goes on, with its doubt, and nothing that is learned."""

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import Matern, Trend
from alakarte.kernels.trend import FAR
from alakarte.records import Shape

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_nothing_of_it_is_learned():
    (amplitude,) = Trend().parameters(Shape(3, (1,)))
    assert amplitude.size == 0
    assert np.exp(amplitude.fixed) == pytest.approx(FAR)


def test_it_is_a_line_with_a_slope_of_one_standard_deviation():
    """k(x, x') − v² = xx' and what a level brings, but for bends."""
    X = np.linspace(-1, 1, 41)[:, None]
    y = np.where(np.arange(41) % 2, 1.0, -1.0)
    model = GPRegressor(Trend() + Matern(), expansion="exact", max_iter=0, random_state=0).fit(X, y)
    samples = model.sample_y(np.array([[-30.0], [30.0]]), n_samples=2000, random_state=0)  # far beyond the other part
    assert samples.shape[1] == 2000
    rise = (samples[1] - samples[0]) / (60 / X.std())
    assert rise.std() < 1.0  # rows have told of it
    assert rise.std() > 0.01


def test_a_trend_goes_on_where_a_rough_kernel_turns_back():
    rng = np.random.default_rng(0)
    t = np.arange(160.0)[:, None]
    y = np.cumsum(0.3 + rng.standard_normal(160))
    errors = {}
    for kernel in (Matern(0.5), Trend() + Matern(0.5)):
        model = GPRegressor(kernel, random_state=0).fit(t[:120], y[:120])
        errors[len(kernel.terms)] = np.sqrt(np.mean((model.predict(t[120:]) - y[120:]) ** 2))
    assert errors[2] < 0.7 * errors[1]

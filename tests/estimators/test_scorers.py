"""The package's scorers are what they say, within cross-validation too."""

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score

from alakarte import coverage_scorer, log_density_scorer
from alakarte.metrics import log_density
from problems import small

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_cross_validation_with_the_packages_scorers(data):
    for expansion in ("fastfood", "exact"):
        model = small("ard", expansion=expansion, max_iter=30)
        density = cross_val_score(model, *data, scoring=log_density_scorer, cv=3)
        covered = cross_val_score(model, *data, scoring=coverage_scorer, cv=3)
        assert density.shape == covered.shape == (3,)
        assert np.isfinite(density).all()
        assert ((covered >= 0) & (covered <= 1)).all()


def test_scorers_are_what_they_say(data):
    X, y = data
    model = small("ard").fit(X, y)
    mean, std = model.predict(X, return_std=True)
    expected = -0.5 * np.log(2 * np.pi * std**2) - 0.5 * ((y - mean) / std) ** 2
    assert log_density_scorer(model, X, y) == pytest.approx(expected.mean(), rel=1e-12)
    assert np.allclose(log_density(y, mean, std), expected, rtol=1e-12)
    weight = np.arange(50.0)
    assert log_density_scorer(model, X, y, sample_weight=weight) == pytest.approx(np.average(expected, weights=weight))
    assert coverage_scorer(model, X, y, level=0.5) == np.mean(np.abs(y - mean) <= 0.6744897501960817 * std)

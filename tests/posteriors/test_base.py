"""Every kind of posterior: the dense process, samples with its moments."""

import numpy as np
import pytest

from alakarte.posteriors.posterior import LowRankPosterior, RowPosterior, WeightPosterior, posterior
from alakarte.process.objective import model_at
from problems import dense_process, problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")
NEW = 11


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize(
    ("n", "expansion", "kind"),
    [(40, "fastfood", WeightPosterior), (9, "fastfood", LowRankPosterior), (9, "exact", RowPosterior)],
)
def test_all_posteriors_agree_with_the_dense_process(n, expansion, kind):
    made, theta = problem("gm", (3, 2, 8), expansion, n=n)
    x = np.random.default_rng(5).standard_normal((NEW, 3))
    expected, got = dense_process(made, theta, x), posterior(model_at(made, theta))
    assert type(got) is kind
    assert relative(got.mean(x), expected.mean) < 1e-8
    assert relative(got.covariance(x), expected.covariance) < 1e-8
    assert relative(got.variance(x), got.covariance(x).diagonal()) < 1e-10


@pytest.mark.parametrize(("n", "expansion"), [(40, "fastfood"), (9, "fastfood"), (9, "exact")])
def test_samples_have_the_mean_and_covariance_of_the_posterior(n, expansion):
    made, theta = problem("ard", (3, 1, 8), expansion, n=n)
    x = np.random.default_rng(5).standard_normal((4, 3))
    got = posterior(model_at(made, theta))
    n_samples = 40_000
    samples = got.sample(x, n_samples, np.random.default_rng(0))
    covariance = got.covariance(x)
    error = np.abs(samples.mean(axis=1) - got.mean(x))
    assert (error < 5 * np.sqrt(covariance.diagonal() / n_samples)).all()
    scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
    assert (np.abs(np.cov(samples) - covariance) < 5 * np.sqrt(2 / n_samples) * scale).all()

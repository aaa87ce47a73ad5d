"""Every kind of posterior: the dense process, samples with its moments."""

from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

from alakarte.errors import IllConditioned
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.weights import WeightPosterior
from problems import dense_process, posterior_at, problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")
NEW = 11


def relative(a, b):
    return np.abs(a - b).max() / np.abs(b).max()


@pytest.mark.parametrize(
    ("n", "expansion", "kind"),
    [(40, "fastfood", WeightPosterior), (9, "fastfood", LowRankPosterior), (9, "exact", RowPosterior)],
)
def test_all_posteriors_agree_with_the_dense_process(n, expansion, kind):
    x = np.random.default_rng(5).standard_normal((NEW, 3))
    for n_targets in (1, 2):
        made, theta = problem("gm", (3, 2, 8), expansion, n=n, n_targets=n_targets)
        expected, got = dense_process(made, theta, x), posterior_at(made, theta)
        assert type(got) is kind
        assert relative(got.mean(x), expected.mean) < 1e-8
        assert relative(got.covariance(x), expected.covariance[:, :, None]) < 1e-8
        assert relative(got.variance(x), np.einsum("iit->it", got.covariance(x))) < 1e-10
        assert got.nlml == pytest.approx(expected.nlml, rel=1e-9)
        assert got.noise_variance == pytest.approx(np.exp(2 * made.layout.unpack(theta)["log_noise_std"]))
        assert got.total == made.rows.total


@pytest.mark.parametrize(("n", "expansion"), [(40, "fastfood"), (9, "fastfood"), (9, "exact")])
def test_samples_have_the_mean_and_covariance_of_the_posterior(n, expansion):
    made, theta = problem("ard", (3, 1, 8), expansion, n=n, n_targets=2)
    x = np.random.default_rng(5).standard_normal((4, 3))
    got = posterior_at(made, theta)
    n_samples = 40_000
    samples = got.sample(x, n_samples, np.random.default_rng(0))
    assert samples.shape == (4, 2, n_samples)
    for target in range(2):
        covariance, drawn = got.covariance(x)[:, :, target], samples[:, target]
        error = np.abs(drawn.mean(axis=1) - got.mean(x)[:, target])
        assert (error < 5 * np.sqrt(covariance.diagonal() / n_samples)).all()
        scale = np.sqrt(np.outer(covariance.diagonal(), covariance.diagonal()))
        assert (np.abs(np.cov(drawn) - covariance) < 5 * np.sqrt(2 / n_samples) * scale).all()
    between = np.corrcoef(samples[0])[0, 1]
    assert abs(between) < 5 / np.sqrt(n_samples)  # targets are independent given the kernel


@pytest.mark.parametrize(("n", "expansion"), [(40, "fastfood"), (9, "fastfood"), (9, "exact")])
@pytest.mark.parametrize("n_targets", [1, 2])
def test_rows_that_come_and_go_leave_the_posterior_of_the_rest(n, expansion, n_targets):
    made, theta = problem("gm", (3, 2, 8), expansion, n=n, n_targets=n_targets)
    some, others = made.rows.take(np.arange(n - 3)), made.rows.take(np.arange(n - 3, n))
    x = np.random.default_rng(5).standard_normal((NEW, 3))
    whole, less = posterior_at(made, theta), posterior_at(made.on(some), theta)
    for got, expected in ((less.changed(others, 1), whole), (whole.changed(others, -1), less)):
        assert relative(got.mean(x), expected.mean(x)) < 1e-7
        assert relative(got.variance(x), expected.variance(x)) < 1e-7
        assert got.nlml == pytest.approx(expected.nlml, rel=1e-7)
        assert got.total == pytest.approx(expected.total)
    with pytest.raises(IllConditioned):
        less.changed(replace(others, x=others.x + 9, weight=others.weight * 9), -1)


@pytest.mark.parametrize(("n", "expansion"), [(40, "fastfood"), (9, "fastfood"), (9, "exact")])
def test_it_is_its_arrays(n, expansion):
    """Put together again from copies of its arrays it predicts the same bits; with one of them changed it does not."""
    made, theta = problem("gm", (3, 2, 8), expansion, n=n)
    x, posterior = np.random.default_rng(5).standard_normal((NEW, 3)), posterior_at(made, theta)
    arrays = posterior.arrays()
    again = rebuilt(posterior, {name: array.copy(order="K") for name, array in arrays.items()})
    assert np.array_equal(again.mean(x), posterior.mean(x))
    assert np.array_equal(again.variance(x), posterior.variance(x))
    decisive = "basis" if "basis" in arrays else "factor"
    other = rebuilt(posterior, arrays | {decisive: arrays[decisive] * 2})
    assert not np.array_equal(other.variance(x), posterior.variance(x))


def rebuilt(record, arrays, prefix=""):
    """A record with its arrays and numbers taken from a dictionary by dotted name."""
    changes = {}
    for field in fields(record):
        value, name = getattr(record, field.name), prefix + field.name
        if name in arrays:
            changes[field.name] = arrays[name] if isinstance(value, np.ndarray) else arrays[name].item()
        elif is_dataclass(value):
            changes[field.name] = rebuilt(value, arrays, name + ".")
    return replace(record, **changes)

"""How much less far neighbours are believed: nothing where the kernel is right, much where near rows share a secret."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.kernels.registry import resolve
from alakarte.metrics import coverage
from alakarte.posteriors.calibration import calibration
from alakarte.posteriors.doubt import can_doubt, with_doubt
from alakarte.process.closed_form import closed_gram_full
from alakarte.process.problem import process_at
from alakarte.search.policy import DOFS
from posteriors.test_local import local_posterior
from problems import problem

pytestmark = pytest.mark.usefixtures("one_blas_thread")
K = 10
GROUPS, ROWS = 100, 8  # and rows of each: fewer than neighbours


def posterior_of(x, y, made, theta):
    return local_posterior(made.on(ArrayRows(x, y, np.ones(len(x)))), theta, K)


def process():
    made, theta = problem(resolve("matern12"), (3, 1, 8), "exact", n=30)
    return made, theta, process_at(made, theta)


def drawn(x, known, rng):
    """(n, 1) targets of the process itself."""
    gram = closed_gram_full(known.spectrum, known.closed_form, x) + known.noise_variance * np.eye(len(x))
    return np.linalg.cholesky(gram) @ rng.standard_normal((len(x), 1))


def groups(rng, n_groups=GROUPS):
    """(n, 3) rows that lie close to those of their group, and the number of the group."""
    group = np.repeat(np.arange(n_groups), ROWS)
    return rng.standard_normal((n_groups, 3))[group] + 0.02 * rng.standard_normal((len(group), 3)), group


def with_secrets(known, rng):
    """Rows x, targets y of groups with an effect each that no input tells, ten times the noise."""
    x, group = groups(rng)
    secret = 10 * np.sqrt(known.noise_variance) * rng.standard_normal((GROUPS, 1))
    return x, drawn(x, known, rng) + secret[group]


def test_a_kernel_that_is_right_is_not_doubted():
    made, theta, known = process()
    for seed in range(3):
        rng = np.random.default_rng(seed)
        x = groups(rng)[0]
        posterior = posterior_of(x, drawn(x, known, rng), made, theta)
        assert with_doubt(posterior, np.arange(len(x)), DOFS).doubt < 0.2


def test_new_groups_are_covered_where_rows_left_out_alone_promise_too_much():
    made, theta, known = process()
    x, y = with_secrets(known, np.random.default_rng(1))
    train, test = np.split(np.arange(len(x)), [80 * ROWS])
    learned = posterior_of(x[train], y[train], made, theta)
    covered = {}
    for name, posterior in {"learned": learned, "doubting": with_doubt(learned, train, DOFS)}.items():
        mean, variance = posterior.without_each(train)
        z = (y[train] - mean) / np.sqrt(variance + posterior.noise_variance)
        found = calibration(z, np.ones(len(z)), 0, ())
        mean, variance = posterior.mean_and_variance(x[test])
        std = found.scale * np.sqrt(variance + posterior.noise_variance)
        covered[name] = coverage(y[test], mean, std), coverage(z, 0.0, found.scale)
    assert covered["doubting"][0] > covered["learned"][0] + 0.1
    assert covered["doubting"][1] > 0.92


def test_doubt_is_found_anew_and_alike_for_any_threads_and_weights():
    made, theta, known = process()
    x, y = with_secrets(known, np.random.default_rng(1))
    posterior, picked = posterior_of(x, y, made, theta), np.arange(0, len(x), 2)
    found = with_doubt(posterior, picked, DOFS).doubt
    assert found > 0
    assert with_doubt(replace(posterior, doubt=3.0), picked, DOFS, n_jobs=2).doubt == found
    assert with_doubt(replace(posterior, weight=np.ones(len(x))), picked, DOFS).doubt == found


def test_there_must_be_rows_beyond_the_near_ones():
    made, theta, _ = process()
    x = np.random.default_rng(0).standard_normal((2 * K + 1, 3))
    assert can_doubt(posterior_of(x, x[:, :1], made, theta))
    assert not can_doubt(posterior_of(x[:-1], x[:-1, :1], made, theta))

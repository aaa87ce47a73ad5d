"""Components that contribute nothing are dropped, and nothing else changes."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.kernels import GaussianMixture
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.learn import Learned
from alakarte.search.optimise import Run
from alakarte.search.prune import pruned
from alakarte.search.stopping import NOT_BEGUN
from problems import naming, plan_of, problem, table, values_at

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def with_amplitudes(name, amplitudes, expansion="fastfood"):
    """A plan whose components are open, and a kernel learned with such amplitudes."""
    made, theta = problem(name, (2, len(amplitudes), 4), expansion)
    theta = made.layout.pack(values_at(made, theta) | {"log_amplitude": np.log(amplitudes)})
    run = Run(theta, nlml(made, theta), 1, NOT_BEGUN, 0, [])
    plan = replace(plan_of(name, made.rows), n_components=len(amplitudes))
    return plan, Learned(made, run, [run], [run], made.rows.total)


@pytest.mark.parametrize("name", ["gm", "mm", "pwl"])
def test_components_are_dropped_by_their_share_of_the_variance(name):
    """An amplitude of 2e-3 beside one of 1 has 4e-6 of the variance: below the 1e-5 that a component must have."""
    for small, left in ((2e-3, 2), (5e-3, 3)):
        plan, learned = pruned(*with_amplitudes(name, [1.0, small, 1.0]))
        assert plan.n_components == learned.problem.draws.shape.n_components == left
        assert learned.problem.draws.shape.n_frequencies == 4 * left
        kept = learned.problem.layout.unpack(learned.run.theta)
        assert np.exp(kept["log_amplitude"]) == pytest.approx([1.0] * 2 if left == 2 else [1.0, small, 1.0])
        assert np.isfinite(nlml(learned.problem, learned.run.theta))


@pytest.mark.parametrize("expansion", ["exact", "fastfood", "dense"])
@pytest.mark.parametrize("name", ["gm", "mm"])
def test_what_is_left_has_the_evidence_of_the_whole(name, expansion):
    plan, before = with_amplitudes(name, [1.0, 1e-6, 0.5, 1e-6], expansion)
    plan, after = pruned(plan, before)
    assert plan.n_components == 2
    assert after.run.theta.size < before.run.theta.size
    assert nlml(after.problem, after.run.theta) == pytest.approx(before.run.nlml, abs=1e-4)
    whole, left = (values_at(one.problem, one.run.theta) for one in (before, after))
    for key in ("log_amplitude", "log_lengthscale", "centre"):
        assert np.array_equal(left[key], whole[key][[0, 2]])
    assert left["log_noise_std"] == whole["log_noise_std"]
    assert np.array_equal(after.problem.layout.slow()[-5:], before.problem.layout.slow()[-5:])  # centres stay slow


def test_what_the_user_gave_stays():
    amplitudes = {"amplitude": (1e-6, 1e3)}
    for kernel, settings in (
        ("gm", {"n_components": 3}),
        ("gm", {"n_frequencies": 4}),
        ("gm", {"n_posterior_frequencies": 9}),
        ("gm", {"expansion": "exact"}),
        (GaussianMixture(bounds=amplitudes), {}),
        (GaussianMixture(fixed={"centre": 0.0}), {}),
    ):
        with naming(kernel, settings):
            plan, learned = with_amplitudes("gm", [1.0, 1e-5, 1.0])
            plan = replace(plan_of(kernel, learned.problem.rows, **settings), n_components=3)
            assert pruned(plan, learned) == (plan, learned)


def test_a_kernel_without_components_stays():
    made, theta = problem("ard", (2, 1, 4))
    run = Run(theta, 0.0, 1, NOT_BEGUN, 0, [])
    plan, learned = plan_of("ard", made.rows), Learned(made, run, [run], [run], 1.0)
    assert pruned(plan, learned) == (plan, learned)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # the fit is short
def test_components_without_weight_are_dropped(monkeypatch):
    X, y, _ = table(2, n=400)
    monkeypatch.setattr(policy, "VANISHED", 0.2)  # a fifth of the variance, so that some component falls
    settings = {"n_restarts": 2, "max_iter": 20, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}
    model = GPRegressor("gm", **settings).fit(X, y)
    assert model.n_components_ == len(model.kernel_.amplitude) < 4
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)

"""Neighbours beside features: who is kept, who is dropped early, what the user sees, and who is refused."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import alakarte.execution.budget as budget
import alakarte.search.fit as recipe
import alakarte.search.policy as policy
import alakarte.search.rough as rough
from alakarte import GPRegressor
from alakarte.errors import Unavailable
from alakarte.execution.budget import Budget
from alakarte.posteriors.calibration import UNCALIBRATED
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.posteriors.weights import WeightPosterior

QUICK = {"n_restarts": 1, "random_state": 0}
N = 5200  # more than closed forms bear


@pytest.fixture(autouse=True)
def short_stages(monkeypatch):
    monkeypatch.setattr(policy, "LOCAL_STAGES", ((300, 12, 3), (300, 12, 3), (300, 16, 6)))
    monkeypatch.setattr(policy, "FRESH_ROWS", 600)
    monkeypatch.setattr(policy, "FEATURE_MENU", ("ard",))
    monkeypatch.setattr(policy, "GROWTH_FLOPS", 1e9)


def inputs(n=N, d=2):
    return np.random.default_rng(0).uniform(-2, 2, (n, d))


def rough_target(X):
    """Steps in many places, of no period, and little noise."""
    rng = np.random.default_rng(1)
    chirp = np.sign(np.sin(3 * (X[:, 0] + 2) ** 2))
    return chirp + np.floor(1.5 * (X[:, 1] + 2) ** 1.5) + 0.05 * rng.standard_normal(len(X))


def smooth_target(X):
    return np.sin(X[:, 0]) * np.cos(X[:, 1]) + 0.1 * np.random.default_rng(1).standard_normal(len(X))


def test_neighbours_are_kept_where_the_function_is_rough():
    X = inputs()
    y = rough_target(X)
    model = GPRegressor(n_neighbors=30, max_iter=6, **QUICK).fit(X[:5000], y[:5000])
    assert isinstance(model.model_.posterior, LocalPosterior | SmoothAndRough)
    first = model.ranking_[0]
    assert first["n_neighbors"] == 30
    assert first["weight"] == 1
    assert first["left_out_log_density"] == model.left_out_log_density_
    features = [place for place in model.ranking_ if place["n_neighbors"] == 0]
    assert features[0]["left_out_log_density"] < model.left_out_log_density_
    model.model_ = replace(model.model_, calibration=UNCALIBRATED)  # as the rows left out were judged
    achieved = model.log_predictive_density(X[5000:], y[5000:]).mean()
    assert achieved == pytest.approx(model.left_out_log_density_, abs=0.3)
    assert f"{model.left_out_log_density_:.4f} nats per row" in model.summary()
    assert "left out" in model.summary()


def stages_learned(monkeypatch):
    """The stages that a fit goes through, in a list that fills."""
    stages, learn = [], rough.learn_local

    def counted(search, begun, given):
        stages.extend(given)
        return learn(search, begun, given)

    monkeypatch.setattr(rough, "learn_local", counted)
    return stages


def test_features_are_kept_where_the_function_is_smooth_and_neighbours_are_dropped_after_a_glance(monkeypatch):
    X, stages = inputs(), stages_learned(monkeypatch)
    model = GPRegressor(max_iter=6, **QUICK).fit(X, smooth_target(X))
    assert isinstance(model.model_.posterior, WeightPosterior)
    assert len(model.ranking_) == 1
    assert stages == 2 * list(policy.LOCAL_STAGES[:2])  # alone and beside features
    assert model.left_out_log_density_ == model.ranking_[0]["left_out_log_density"]
    assert model.rough_kernel_ is None


def glances(monkeypatch, alone, beside):
    """Whatever glances see, they say that these were the leads."""
    leads, further = {"mm": alone, "matern": beside}, rough._further

    def told(search, attempt, features, stages, **limit):
        if attempt.leads:
            return further(search, attempt, features, stages, **limit)
        return replace(attempt, leads=leads[attempt.learned.plan.kernel.name])

    monkeypatch.setattr(rough, "_further", told)


@pytest.mark.parametrize(("first_lead", "n_stages"), [(-1.4, 1), (-1.0, 0), (0.5, 0)])
def test_who_is_behind_goes_on_while_the_next_gain_may_suffice(monkeypatch, first_lead, n_stages):
    glances(monkeypatch, (first_lead, -0.6), (-1.0, -1.0))
    monkeypatch.setattr(recipe, "look_for_waves", lambda search: search)  # neighbours meet plain features
    stages = stages_learned(monkeypatch)
    X = inputs()
    model = GPRegressor(n_neighbors=30, max_iter=6, **QUICK).fit(X, rough_target(X))
    assert stages == list(policy.LOCAL_STAGES[2:]) * n_stages
    assert isinstance(model.model_.posterior, LocalPosterior) == bool(n_stages)


class Learning:
    """Log densities of four fresh rows that are better after each stage, by less and less."""

    local = type("Rows", (), {"fresh": np.arange(4)})

    def __init__(self, stage=0):
        self.stage = stage

    def log_density(self, fresh, k):
        return np.array([-1e6, 0.0, 0.0, 0.0]) + (2 - 0.5**self.stage)


def test_a_stage_counts_no_row_for_more_than_some_nats_and_is_the_last_if_the_next_is_not_expected_to_suffice(
    monkeypatch,
):
    monkeypatch.setattr(rough, "learn_local", lambda search, begun, stages: Learning(begun.stage + len(stages)))
    search = type("Search", (), {"budget": Budget()})
    features = rough.Judged(None, None, None, np.zeros(4), np.ones(4))
    begun = rough.Attempt(Learning(), np.full(4, 1.0))
    after = rough._further(search, begun, features, 5 * (None,))
    leads = [(-policy.WORST_ROW + 3 * (1 - 0.5**stage)) / 4 for stage in range(1, 6)]
    assert after.leads == pytest.approx(tuple(leads))
    begun = rough._further(search, begun, features, 2 * (None,))
    assert begun.reach == pytest.approx(2 * leads[1] - leads[0])
    for least, n_stages in ((begun.reach, 2), (begun.reach - 0.01, 5)):
        assert len(rough._further(search, begun, features, 3 * (None,), least=least).leads) == n_stages
    search.budget.interrupt()
    assert len(rough._further(search, begun, features, 3 * (None,)).leads) == 2


def test_neighbours_see_what_features_leave(monkeypatch):
    glances(monkeypatch, (-50.0, -50.0), (50.0, 50.0))  # none alone, all beside features
    monkeypatch.setattr(policy, "CLEAR_LEAD", -np.inf)
    X = inputs()
    y = 3 * smooth_target(X) + rough_target(X)
    model = GPRegressor(n_neighbors=30, max_iter=6, **QUICK).fit(X[:5000], y[:5000])
    posterior = model.model_.posterior
    assert isinstance(posterior, SmoothAndRough)
    assert model.rough_kernel_.lengthscale.shape == (2,)
    assert model.ranking_[0]["kernel"] == "ard + near matern"
    mean, std = model.predict(X[5000:], return_std=True)
    assert np.mean(np.abs(y[5000:] - mean) < 1.96 * std) > 0.88
    assert "neighbours     30 for what these leave" in model.summary()
    before = model.predict(X[:4])
    model.partial_fit(X[5000:], y[5000:]).forget(X[5000:], y[5000:])
    assert np.allclose(model.predict(X[:4]), before, atol=1e-6)


@pytest.mark.parametrize("first", ["near mm", "ard + near matern"])
def test_of_neighbours_that_clearly_beat_features_the_best_is_kept_by_however_little(monkeypatch, first):

    def ahead(search, attempt, features, stages, **limit):
        learned = rough.learn_local(search, attempt.learned, stages[:1])
        return replace(attempt, learned=learned, leads=(0.1, 0.1))

    monkeypatch.setattr(rough, "_further", ahead)

    def judged(monkeypatch, name, label):
        learn = getattr(rough, name)

        def told(search, *rest):
            found = learn(search, *rest)
            density = np.tile([10.001, 9.0] if label == first else [9.0, 10.0], len(found.log_density) // 2)
            return replace(found, log_density=density, candidate=replace(found.candidate, log_density=density.mean()))

        monkeypatch.setattr(rough, name, told)

    judged(monkeypatch, "_judged", "near mm")
    judged(monkeypatch, "_together", "ard + near matern")
    X = inputs()
    model = GPRegressor(n_neighbors=20, max_iter=4, **QUICK).fit(X, smooth_target(X))
    assert model.ranking_[0]["kernel"] == first
    assert len(model.ranking_) == 3


def test_neighbours_are_not_tried_where_the_user_has_chosen():
    X = inputs()
    for settings in ({"kernel": "ard"}, {"expansion": "fastfood"}, {"n_frequencies": 32}):
        model = GPRegressor(**{**QUICK, **settings}).fit(X, smooth_target(X))
        assert model.left_out_log_density_ is None


def test_too_many_rows_and_kernels_without_closed_form_are_refused_by_name(monkeypatch):
    X = inputs(50)
    with pytest.raises(Unavailable, match="kernel 'pwl' has no closed form: expansion='local'"):
        GPRegressor("pwl", expansion="local").fit(X, X[:, 0])
    monkeypatch.setattr(policy, "MOST_LOCAL_ROWS", 40)
    with pytest.raises(Unavailable, match="at most 40; these are 50"):
        GPRegressor("ard", expansion="local").fit(X, X[:, 0])


@pytest.mark.parametrize("kernel", ["rbf", "ard", "matern12", "matern32", "matern52", "gm", "mm", "auto"])
def test_every_closed_form_learns_by_its_neighbours(kernel):
    X = inputs(700)
    y = smooth_target(X)
    model = GPRegressor(kernel, expansion="local", n_neighbors=20, **QUICK).fit(X[:600], y[:600])
    assert np.std(model.predict(X[600:]) - y[600:]) < 0.3
    assert model.n_basis_ == 600
    assert "20 neighbours among 600 rows" in model.summary()
    assert "given their neighbours" in model.summary()
    assert model.n_posterior_frequencies_ == 0
    with pytest.raises(AttributeError, match="left_out_log_density_"):
        _ = model.log_marginal_likelihood_


def test_bits_do_not_depend_on_threads():
    X = inputs(900)
    y = rough_target(X)
    one, two = (
        GPRegressor("matern12", expansion="local", n_jobs=n_jobs, n_neighbors=9, **QUICK).fit(X, y) for n_jobs in (1, 2)
    )
    assert np.array_equal(one.theta_, two.theta_)
    for a, b in zip(one.predict(X, return_std=True), two.predict(X, return_std=True), strict=True):
        assert np.array_equal(a, b)


def test_a_weight_of_two_is_the_row_given_twice():
    X = inputs(400)
    y, weight = rough_target(X), np.where(np.arange(400) % 2, 2, 1)
    settings = {"kernel": "matern12", "expansion": "local", "n_neighbors": 9, **QUICK}
    weighted = GPRegressor(**settings).fit(X, y, sample_weight=weight)
    twice = GPRegressor(**settings).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert np.array_equal(weighted.predict(X), twice.predict(X))


def test_rows_in_a_memory_map_stay_there(tmp_path):
    X = inputs(25_000)
    y = rough_target(X)
    file = np.memmap(tmp_path / "X", dtype=np.float32, mode="w+", shape=X.shape)
    file[...] = X
    settings = {"kernel": "matern12", "expansion": "local", "n_neighbors": 9, **QUICK}
    mapped = GPRegressor(**settings).fit(file, y)
    plain = GPRegressor(**settings).fit(np.array(file), y)
    assert np.array_equal(mapped.predict(X[:50]), plain.predict(X[:50]))


def test_several_targets_share_their_neighbours():
    X = inputs(600)
    y = np.column_stack([rough_target(X), smooth_target(X)])
    model = GPRegressor("matern12", expansion="local", n_neighbors=20, **QUICK).fit(X, y)
    mean, std = model.predict(X[:5], return_std=True)
    assert mean.shape == std.shape == (5, 2)
    assert model.predict(X[:5], return_cov=True)[1].shape == (5, 5, 2)
    assert model.sample_y(X[:5], 3).shape == (5, 2, 3)


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_rows_are_all_neighbours(n):
    X = inputs(n)
    model = GPRegressor("matern12", expansion="local", random_state=0).fit(X, X[:, 0])
    assert np.isfinite(model.predict(X, return_std=True)).all()


def test_time_is_kept_for_neighbours(monkeypatch):
    """Features take all the time that they see, by a clock that nothing else moves."""
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(budget, "time", SimpleNamespace(monotonic=lambda: clock.now))
    monkeypatch.setattr(rough, "local_flops", lambda n_inputs: 2e9)

    def to_the_end(search, ranking):
        clock.now += search.budget.left()
        return ranking

    monkeypatch.setattr(recipe, "spend_time_left", to_the_end)
    X = inputs()
    model = GPRegressor(max_time=5, max_iter=6, **QUICK).fit(X, rough_target(X))
    assert clock.now > 4
    assert model.left_out_log_density_ is not None


def test_what_features_leave_is_not_asked_for_where_that_takes_too_long(monkeypatch):
    """On millions of rows the pass over all of them is work to be reckoned with."""
    monkeypatch.setattr(rough, "left_out_flops", lambda *sizes: 1e18)
    monkeypatch.setattr(rough, "_begin_with_the_rest", None)  # is not called
    X = inputs()
    model = GPRegressor(max_time=60, max_iter=6, **QUICK).fit(X, rough_target(X))
    assert isinstance(model.model_.posterior, LocalPosterior)


def test_what_was_not_finished_in_time_is_not_judged(monkeypatch):
    """Time ends in the first stage of neighbours: features stay, and no further work begins."""
    first = rough.learn_local

    def last_stage(search, begun, stages):
        search.budget.interrupted = True
        return first(search, begun, stages)

    def refuse(*_):
        raise AssertionError("more work after the end")

    monkeypatch.setattr(rough, "learn_local", last_stage)
    monkeypatch.setattr(rough, "_judged", refuse)
    monkeypatch.setattr(rough, "_together", refuse)
    X = inputs()
    with pytest.raises(KeyboardInterrupt):
        GPRegressor(max_iter=6, **QUICK).fit(X, rough_target(X))

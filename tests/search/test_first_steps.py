"""First steps in closed form before a long run with features: only of many inputs, and valued by the features."""

from dataclasses import replace

import numpy as np
import pytest

import alakarte.search.first_steps
from alakarte.process.objective import nlml
from alakarte.search import policy
from alakarte.search.first_steps import first_steps
from alakarte.search.learn import begin
from alakarte.search.set_up import set_up
from alakarte.search.starts import Start
from problems import rows_of, table
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def problem_on(d, monkeypatch, **settings):
    """A plan whose long run has features, and its problem on some rows."""
    monkeypatch.setattr(policy, "LEARN_CLOSED_FLOPS", 2e7)
    monkeypatch.setattr(policy, "KEEP_CLOSED_FLOPS", 2e7)
    monkeypatch.setattr(policy, "CLOSED_SCREEN_ROWS", 60)
    X, y, _ = table(d, n=400)
    search = search_for("ard", *rows_of(X, y), max_iter_restart=4, **settings)
    plan = search.plan(search.settings.kernel)
    rows = search.subsets.first(plan.screening_stage().n_rows)
    return search, plan, set_up(plan, rows, search.scaling, np.random.default_rng(0))


def test_many_inputs_begin_in_closed_form_and_are_valued_by_features(monkeypatch):
    search, plan, problem = problem_on(24, monkeypatch)
    assert plan.begins_closed_form
    assert not plan.learns_closed_form(problem.layout.size)
    assert problem.rows.n_rows == 60
    seen = []
    short = alakarte.search.first_steps.short_stage
    monkeypatch.setattr(
        alakarte.search.first_steps,
        "short_stage",
        lambda search, plan, problem, *rest: seen.append(problem.is_closed) or short(search, plan, problem, *rest),
    )
    start = Start(problem.layout.pack(problem.layout.unpack(np.zeros(problem.layout.size))))
    [run] = first_steps(search, plan, problem, [start])
    assert seen == [True]
    assert run.nlml == pytest.approx(nlml(problem, run.theta), rel=1e-6)
    assert not begin(search, plan).problem.is_closed


def test_few_inputs_and_given_frequencies_begin_with_features(monkeypatch):
    for d, settings in ((3, {}), (24, {"n_frequencies": 16})):
        _, plan, _ = problem_on(d, monkeypatch, **settings)
        assert not plan.begins_closed_form
    _, plan, _ = problem_on(24, monkeypatch)
    monkeypatch.setattr(policy, "LEARN_CLOSED_FLOPS", 1e5)  # too dear
    assert not replace(plan).begins_closed_form

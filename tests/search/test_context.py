"""What the steps of one fit share: rows in an order, sizes that are affordable, compressed tails."""

from dataclasses import replace

import numpy as np

import alakarte.execution.budget as budget
from alakarte.execution.randomness import Streams
from alakarte.search.context import in_random_order
from alakarte.search.cost import compare_columns, most_columns
from alakarte.search.policy import COLUMNS_BESIDE, LEAST_COLUMNS, SMALL_ROWS
from problems import naming, rows_of, table
from search.searches import search_for


def test_few_rows_stay_in_their_order_where_every_stage_takes_them_all():
    for n_rows, rows_asked_for, stay in ((50, None, True), (50, "auto", False), (50, 20, False)):
        rows, scaling = rows_of(*table(2, n=n_rows)[:2])
        search = search_for("ard", rows, scaling, n_learning_rows=rows_asked_for)
        assert sorted(search.subsets.order) == list(range(n_rows))
        assert np.array_equal(search.subsets.order, np.arange(n_rows)) is stay
    rows, scaling = rows_of(np.arange(SMALL_ROWS + 1.0)[:, None], np.arange(SMALL_ROWS + 1.0))
    settings = search_for("ard", rows, scaling, n_learning_rows=None).settings
    assert not np.array_equal(in_random_order(settings, rows, Streams(0)).order, np.arange(SMALL_ROWS + 1))


def test_a_limit_of_time_makes_more_columns_affordable():
    rows, scaling = rows_of(*table(2, n=300)[:2])
    quick, patient = (search_for("ard", rows, scaling, max_time=limit) for limit in (None, 60))
    assert quick.affordable(256) == patient.affordable(256) == 256
    assert quick.affordable(10**6) == max(most_columns(300), compare_columns(300))
    assert patient.affordable(10**6) == most_columns(300, patient=True) > quick.affordable(10**6)


def test_beside_neighbours_a_posterior_has_fewer_columns():
    rows, scaling = rows_of(*table(2, n=300)[:2])
    for kernel, n_neighbors, settings, fewer in (
        ("auto", 100, {}, True),
        ("ard", 100, {}, False),
        ("auto", 0, {}, False),
        ("auto", 100, {"expansion": "fastfood"}, False),
        ("auto", 100, {"max_time": 60}, False),
    ):
        with naming(kernel, n_neighbors, settings):
            search = search_for(kernel, rows, scaling, **settings)
            search = replace(search, settings=replace(search.settings, n_neighbors=n_neighbors))
            most = most_columns(300, patient="max_time" in settings)
            assert search.most_columns == (COLUMNS_BESIDE if fewer else most)
            assert most > COLUMNS_BESIDE


def test_numbers_of_the_user_stay_in_a_plan_unless_a_step_asks_for_others():
    rows, scaling = rows_of(*table(2, n=300)[:2])
    search = search_for("gm", rows, scaling, n_components=3, n_frequencies=5)
    plan, larger = search.plan(search.settings.kernel), search.plan(search.settings.kernel, 6)
    assert (plan.n_components, plan.n_frequencies, plan.n_rows, plan.n_inputs) == (3, 5, 300, 2)
    assert (larger.n_components, larger.n_frequencies) == (6, 5)


def test_tails_are_compressed_only_where_an_input_lies_far_out():
    X, y, _ = table(2, n=300)
    near = search_for("auto", *rows_of(np.clip(X, -2, 2), y))
    assert not near.compressed
    assert near.with_compressed_tails() is None
    X[0, 1] = 1e4
    far = search_for("auto", *rows_of(X, y))
    compressed = far.with_compressed_tails()
    assert compressed.compressed
    assert np.abs(compressed.rows.whole().x).max() < np.abs(far.rows.whole().x).max()
    assert np.array_equal(compressed.subsets.order, far.subsets.order)  # the same rows in every stage
    assert compressed.streams != far.streams


def test_with_little_time_kernels_are_compared_at_fewer_columns(monkeypatch):
    """The same number throughout a fit, whatever was observed meanwhile: scores at other columns do not compare."""
    monkeypatch.setattr(budget, "machine_rate", lambda: 1e9)
    rows, scaling = rows_of(*table(2, n=3000)[:2])
    columns = {
        limit: search_for("pwl", rows, scaling, max_time=limit).compare_columns for limit in (0.01, 5, 1e4, None)
    }
    assert columns[None] == columns[1e4] == compare_columns(3000)
    assert LEAST_COLUMNS <= columns[0.01] < columns[5] < columns[1e4]
    search = search_for("pwl", rows, scaling, max_time=5)
    search.budget.observe(1e12, 0.1)
    assert search.compare_columns == columns[5]


def test_a_closed_form_of_all_rows_is_kept_only_where_there_is_time_for_its_factor(monkeypatch):
    monkeypatch.setattr(budget, "machine_rate", lambda: 1e9)  # 9 s for the factor
    rows, scaling = rows_of(*table(2, n=3000)[:2])
    for limit, kept in ((0.1, False), (50, False), (200, True), (None, True)):
        search = search_for("ard", rows, scaling, max_time=limit)
        assert search.plan(search.settings.kernel).keeps_closed_form is kept
    asked = search_for("ard", rows, scaling, max_time=0.1, expansion="exact")
    assert asked.plan(asked.settings.kernel).keeps_closed_form

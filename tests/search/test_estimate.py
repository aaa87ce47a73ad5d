"""What a fit will take is told before it begins: more for more rows, columns of what will be made."""

from dataclasses import replace

import pytest

import alakarte.search.policy as policy
from alakarte.search.cost import most_columns
from alakarte.search.estimate import tell_estimate
from problems import rows_of, table
from search.searches import search_for


def told(kernel, n, n_neighbors=0, **settings):
    """Rows, columns, flops and bytes of the estimate."""
    X, y, _ = table(2, n=n)
    search = search_for(kernel, *rows_of(X, y), **settings)
    search = replace(search, settings=replace(search.settings, n_neighbors=n_neighbors))
    estimates = []
    search.progress.estimate = lambda *numbers: estimates.append(numbers)
    tell_estimate(search)
    return estimates[0]


def test_a_closed_form_has_as_many_columns_as_rows():
    n_rows, columns, flops, n_bytes = told("ard", 200)
    assert (n_rows, columns) == (200, 200)
    assert flops > 0
    assert n_bytes == 32 * 200**2


def test_an_expansion_may_grow_to_the_most():
    assert told("pwl", 300)[1] == most_columns(300)
    assert told("gm", 300, n_components=2, n_frequencies=5)[1] == 40


def test_more_work_is_estimated_as_more():
    assert told("ard", 400)[2] > told("ard", 200)[2]
    assert told("auto", 200)[2] > told("ard", 200)[2]
    assert told("ard", 200, max_iter=10)[2] < told("ard", 200)[2]


@pytest.mark.parametrize("expansion", ["auto", "fastfood"])
def test_of_many_rows_one_kernel_takes_the_last_rung(expansion, monkeypatch):
    """Half of four or five kernels would be two."""
    few = told("auto", 450, expansion=expansion)[2]
    alone = told("gm", 450, expansion=expansion)[2]
    monkeypatch.setattr(policy, "FEW_ROWS", 449)
    monkeypatch.setattr(policy, "MENU_OF_FEW_ROWS", ())
    assert told("auto", 450, expansion=expansion)[2] < few
    assert told("gm", 450, expansion=expansion)[2] == alone


def test_neighbours_are_in_the_estimate_where_they_are_tried(monkeypatch):
    monkeypatch.setattr(policy, "KEEP_CLOSED_FLOPS", 0.0)
    with_neighbours = told("auto", 300, n_neighbors=100)
    monkeypatch.setattr(policy, "LOCAL_STAGES", ())
    without = told("auto", 300, n_neighbors=100)
    assert without[2] < with_neighbours[2]
    assert without[1] <= policy.COLUMNS_BESIDE < most_columns(300)

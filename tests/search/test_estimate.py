"""What a fit will take is told before it begins: more for more rows, columns of what will be made."""

from alakarte.search.cost import most_columns
from alakarte.search.estimate import tell_estimate
from problems import rows_of, table
from search.searches import search_for


def told(kernel, n, **settings):
    """Rows, columns, flops and bytes of the estimate."""
    X, y, _ = table(2, n=n)
    search = search_for(kernel, *rows_of(X, y), **settings)
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

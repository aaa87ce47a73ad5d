"""How many rows each stage of learning sees, and where a kernel does without an expansion."""

from itertools import product
from types import SimpleNamespace

from alakarte.search.cost import evaluation_flops
from alakarte.search.policy import LAST_FLOPS, MAIN_ROWS, ROWS_TO_LEARN
from problems import naming, plan_of

SMALL = {"n_components": 1, "n_frequencies": 8, "expansion": "fastfood", "n_restarts": 2, "max_iter_restart": 4}


def plan_on(n_rows, n_inputs, kernel="ard", **settings):
    """The plan of a kernel on a table of so many rows and inputs."""
    return plan_of(kernel, SimpleNamespace(n_rows=n_rows, n_inputs=n_inputs), **settings)


def test_few_rows_are_all_learned_from():
    few, many = (plan_on(n_rows, 5, max_iter=9, **SMALL) for n_rows in (300, 10**6))
    assert few.screening_stage().n_rows == few.learning_stage(9).n_rows == 300
    assert few.last_stage(1024) is None
    screening, long = many.screening_stage(), many.learning_stage(9)
    assert screening.n_rows < long.n_rows == MAIN_ROWS < many.last_stage(1024).n_rows
    for rows in (None, 500):
        given = plan_on(10**6, 5, n_learning_rows=rows, max_iter=9, **SMALL)
        assert given.screening_stage().n_rows == given.learning_stage(9).n_rows == (rows or 10**6)
        assert given.second_stage().n_rows == (rows or 10**6)
        assert given.last_stage(1024) is None


def test_thousands_of_parameters_are_learned_from_more_rows():
    for n_rows in (20_000, 10**6):
        with naming(n_rows):
            plan = plan_on(n_rows, 8, "ssgpr", **SMALL | {"n_frequencies": 768})
            stage = plan.learning_stage(6146)
            assert stage.n_rows == min(n_rows, ROWS_TO_LEARN * 6146)
            assert stage.max_iter == 150
            assert plan.learning_stage(MAIN_ROWS // ROWS_TO_LEARN).n_rows == MAIN_ROWS


def test_the_last_stage_sees_all_rows_or_as_many_as_its_flops_allow():
    for n_rows, n_basis in product((9_000, 36_000, 10**6, 10**8), (256, 1024)):
        plan = plan_on(n_rows, 5, **SMALL)
        stage, again = (plan.last_stage(n_basis, doublings) for doublings in (0, 1))
        used = stage.max_iter * evaluation_flops(stage.n_rows, n_basis)
        with naming(n_rows, n_basis):
            assert used <= 1.001 * LAST_FLOPS
            assert stage.n_rows == n_rows or used > 0.99 * LAST_FLOPS
            assert again.n_rows == min(n_rows, 16 * stage.n_rows) or used < LAST_FLOPS


CLOSED = [  # kernel, settings, rows, inputs: closed or not
    ("ard", {}, 1000, 5, True),
    ("ard", {}, 4000, 5, True),
    ("ard", {}, 5000, 5, False),
    ("ard", {"n_components": 64}, 2000, 128, True),  # it has no components
    ("gm", {"n_components": 4}, 1000, 5, True),
    ("gm", {"n_components": 4}, 2308, 128, True),
    ("gm", {"n_components": 4}, 4000, 128, False),
    ("pwl", {}, 100, 2, False),
    ("ssgpr", {}, 100, 2, False),
    ("ard", {"n_frequencies": 8}, 100, 2, False),
    ("ard", {"n_posterior_frequencies": 100}, 100, 2, False),
    ("ard", {"n_posterior_frequencies": None}, 100, 2, False),
    ("ard", {"expansion": "exact", "n_posterior_frequencies": None}, 10_000, 2, True),
]


def test_closed_where_cheap_and_no_number_of_columns_is_given():
    for name, given, n_rows, n_inputs, expected in CLOSED:
        with naming(name, given, n_rows, n_inputs):
            plan = plan_on(n_rows, n_inputs, name, **given)
            assert plan.keeps_closed_form is expected
            assert plan.learns_closed_form(9) is expected
            assert not plan_on(n_rows, n_inputs, name, **given | {"expansion": "fastfood"}).keeps_closed_form

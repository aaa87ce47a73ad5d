"""How many rows each stage of learning sees, and where a kernel does without an expansion."""

from itertools import pairwise, product
from types import SimpleNamespace

from alakarte.search import policy
from alakarte.search.cost import closed_flops, evaluation_flops
from alakarte.search.policy import FIRST_ROWS, LAST_FLOPS, MAIN_ROWS, ROWS_TO_LEARN
from problems import naming, plan_of

SMALL = {"n_components": 1, "n_frequencies": 8, "expansion": "fastfood", "n_restarts": 2, "max_iter_restart": 4}


def plan_on(n_rows, n_inputs, kernel="ard", **settings):
    """The plan of a kernel on a table of so many rows and inputs."""
    return plan_of(kernel, SimpleNamespace(n_rows=n_rows, n_inputs=n_inputs), **settings)


def test_few_rows_are_all_learned_from():
    few, many = (plan_on(n_rows, 5, max_iter=9, **SMALL) for n_rows in (300, 10**6))
    [long] = few.rungs(9)
    assert few.screening_stage().n_rows == long.n_rows == 300
    assert few.last_stage(1024) is None
    screening, [long] = many.screening_stage(), many.rungs(9)
    assert screening.n_rows < long.n_rows == MAIN_ROWS < many.last_stage(1024).n_rows
    for rows in (None, 500):
        given = plan_on(10**6, 5, n_learning_rows=rows, max_iter=9, **SMALL)
        [long] = given.rungs(9)
        assert given.screening_stage().n_rows == long.n_rows == (rows or 10**6)
        assert given.second_stage().n_rows == (rows or 10**6)
        assert given.last_stage(1024) is None


def test_thousands_of_parameters_are_learned_from_more_rows():
    for n_rows in (20_000, 10**6):
        with naming(n_rows):
            plan = plan_on(n_rows, 8, "ssgpr", **SMALL | {"n_frequencies": 768})
            [stage] = plan.rungs(6146)
            assert stage.n_rows == min(n_rows, ROWS_TO_LEARN * 6146)
            assert stage.max_iter == 150
            assert [rung.n_rows for rung in plan.rungs(MAIN_ROWS // ROWS_TO_LEARN)] == [MAIN_ROWS]


LADDERS = {  # rows of the table: of the rungs, with 5 inputs
    1: [1],
    199: [199],
    399: [399],
    400: [200, 400],
    401: [200, 401],
    1000: [500, 1000],
    3000: [1500, 3000],
    3999: [999, 1999, 3999],  # a half is still dear
}


def test_the_ladder_has_half_of_the_rows_and_all_and_more_where_they_are_dear():
    for n_rows, expected in LADDERS.items():
        with naming(n_rows):
            assert [rung.n_rows for rung in plan_on(n_rows, 5).rungs(7)] == expected


def test_a_ladder_ends_with_all_rows_and_begins_where_steps_are_cheap():
    for n_rows, n_inputs in product((2, 150, 399, 400, 777, 1600, 2500, 3900), (1, 5, 26, 128)):
        with naming(n_rows, n_inputs):
            plan = plan_on(n_rows, n_inputs)
            assert plan.keeps_closed_form
            rows = [rung.n_rows for rung in plan.rungs(n_inputs + 2)]
            assert rows[-1] == n_rows
            assert all(less == more // 2 for less, more in pairwise(rows))
            assert len(rows) == 1 or rows[0] >= FIRST_ROWS
            assert len(rows) > 1 or n_rows < 2 * FIRST_ROWS
            cheap = closed_flops(rows[0], n_inputs, policy.FIRST_COMPONENTS) <= policy.LEARN_CLOSED_FLOPS
            assert cheap or rows[0] < 2 * FIRST_ROWS
            assert plan.screening_stage().n_rows == min(FIRST_ROWS, n_rows) <= rows[0]


def test_all_kernels_climb_the_same_ladder():
    for n_rows, n_inputs in product((150, 400, 1000, 1600), (1, 5, 26)):
        with naming(n_rows, n_inputs):
            plans = [plan_on(n_rows, n_inputs, name) for name in policy.CLOSED_MENU]
            assert all(plan.keeps_closed_form for plan in plans)
            ladders = [[rung.n_rows for rung in plan.rungs(size)] for plan in plans for size in (3, 50)]
            assert all(ladder == ladders[0] for ladder in ladders)


def test_a_rung_leaves_to_the_next_what_is_within_some_nats():
    plan = plan_on(3999, 5, tol=0.5)
    for rung in plan.rungs(7):
        with naming(rung.n_rows):
            assert rung.tol == max(0.5, policy.RUNG_NATS * rung.n_rows)
            cheap = closed_flops(rung.n_rows, 5, policy.FIRST_COMPONENTS) <= policy.LEARN_CLOSED_FLOPS
            assert rung.max_iter == (150 if cheap else policy.DEAR_ITERATIONS)
            assert rung.price == policy.PRICE * rung.n_rows
    assert [rung.max_iter for rung in plan_on(3999, 5, max_iter=3).rungs(7)] == [3, 3, 3]


def test_rows_that_are_given_have_no_ladder():
    for given in ({"n_learning_rows": 900}, {"n_learning_rows": None}, {"expansion": "exact"}):
        with naming(given):
            plan = plan_on(1000, 5, tol=0.5, **given)
            [long] = plan.rungs(7)
            assert long.n_rows == plan.screening_stage().n_rows == (given.get("n_learning_rows") or 1000)
            assert (long.max_iter, long.tol, long.price) == (150, 0.5, 0.0)


def test_the_rows_of_a_stage_lie_within_those_of_the_next():
    for n_rows, name, expansion in product((300, 1000, 3000, 10_000), ("ard", "gm", "pwl"), ("auto", "fastfood")):
        with naming(n_rows, name, expansion):
            plan = plan_on(n_rows, 5, name, expansion=expansion)
            rows = [stage.n_rows for stage in (plan.screening_stage(), *plan.rungs(30))]
            assert rows == sorted(rows)


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

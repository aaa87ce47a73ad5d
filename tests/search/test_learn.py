"""Learning one kernel: the best of the starts goes on, rung by rung, with centres and noise as free as rows allow."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

import alakarte.execution.budget as budget
import alakarte.search.learn
import alakarte.search.run_stage
from alakarte import GPRegressor
from alakarte.errors import IllConditioned
from alakarte.kernels.registry import resolve
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.process.problem import Problem
from alakarte.search import policy
from alakarte.search.learn import Learned, begin, climb, learn, learn_further
from alakarte.search.optimise import Run
from alakarte.search.plan import Stage
from alakarte.search.set_up import set_up
from alakarte.search.starts import Start, wave_start
from alakarte.search.stopping import NOT_BEGUN
from alakarte.search.waves import look_for_waves
from problems import naming, rows_of, scaling_of, set_value, table, values_at
from search.searches import search_for

pytestmark = pytest.mark.usefixtures("one_blas_thread")
SHORT = {"n_restarts": 4, "max_iter": 8, "max_iter_restart": 3}


def search_on(kernel, n=450, d=2, seed=0, **settings):
    """The search of a kernel, and its plan."""
    search = search_for(kernel, *rows_of(*table(d, n, seed)[:2]), **SHORT | settings)
    return search, search.plan(search.settings.kernel)


def test_best_of_the_restarts_continues():
    X, y, _ = table(3)
    settings = {"n_components": 1, "n_frequencies": 6, "n_restarts": 4, "max_iter": 5, "max_iter_restart": 3}
    with pytest.warns(ConvergenceWarning, match="max_iter=5"):
        model = GPRegressor("ard", **settings, random_state=0).fit(X, y)
    screened = [start["log_marginal_likelihood"] for start in model.starts_]
    assert len(screened) == 4
    assert len(set(screened)) == 4
    assert model.log_marginal_likelihood_ >= max(screened)
    assert model.trace_["value"][0] == pytest.approx(max(screened), rel=1e-12)


# --------------------------------------------------------------------------- the ladder


@pytest.mark.parametrize("kernel", ["ard", "gm"])
def test_a_kernel_is_learned_rung_by_rung_each_from_where_the_last_one_ended(kernel, monkeypatch):
    real, runs = alakarte.search.learn.long_run, []

    def recorded(search, plan, problem, theta, stage):
        runs.append((problem.rows.n_rows, stage.n_rows, theta, *real(search, plan, problem, theta, stage)))
        return runs[-1][-2:]

    monkeypatch.setattr(alakarte.search.learn, "long_run", recorded)
    search, plan = search_on(kernel, n=450)
    learned = learn(search, plan)
    assert [n_rows for n_rows, *_ in runs] == [n_rows for _, n_rows, *_ in runs] == [225, 450]
    for (*_, ended), (_, _, began, *_) in pairwise(runs):
        assert np.array_equal(ended.theta, began)
    assert learned.problem.rows is search.rows
    assert learned.run is runs[-1][-1]
    assert learned.run.nlml == pytest.approx(nlml(learned.problem, learned.run.theta), rel=1e-12)


@pytest.mark.parametrize(("kernel", "n_runs"), [("ard", 2), ("gm", 4)])  # a mixture has two trials besides
def test_all_runs_are_remembered_and_their_evaluations_counted(kernel, n_runs, monkeypatch):
    calls, real = [], alakarte.search.run_stage.nlml_gradient
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", lambda *a: calls.append(1) or real(*a))
    search, plan = search_on(kernel, n=900, max_iter=12)
    begun = begin(search, plan)
    assert begun.only_screened
    assert begun.n_evaluations == len(calls)
    learned = learn(search, plan)
    assert not learned.only_screened
    assert (len(learned.screened), len(learned.runs)) == (4, n_runs)
    assert learned.runs[-1] is learned.run
    assert learned.n_evaluations == len(calls) - begun.n_evaluations


def test_one_start_has_a_long_run_at_once():
    search, plan = search_on("ard", n=450, n_restarts=1)
    begun = begin(search, plan)
    assert (begun.runs, begun.screened, begun.run.n_iter) == ([], [], 0)
    learned = learn(search, plan)
    assert learned.problem.rows is search.rows
    assert np.isfinite(learned.run.nlml)


def test_without_time_a_result_stands_and_without_a_result_one_is_made():
    for n_restarts in (1, 2):
        search, plan = search_on("ard", n_restarts=n_restarts)
        begun = begin(search, plan)
        search.budget.interrupted = True
        climbed = climb(search, plan, begun, plan.rungs(4)[0])
        assert (climbed is begun) == (n_restarts == 2)
        assert np.isfinite(climbed.run.nlml)


@pytest.mark.parametrize("step", ["long_run", "nlml"])
def test_an_interruption_on_a_rung_keeps_what_the_rungs_before_have_learned(step, monkeypatch):
    """Also before the first number of that rung."""
    real = getattr(alakarte.search.learn, step)

    def interrupted(*arguments):
        problem = next(each for each in arguments if isinstance(each, Problem))
        if problem.rows.n_rows == 450:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(alakarte.search.learn, step, interrupted)
    search, plan = search_on("ard", n=450)
    try:
        learned = learn(search, plan)
    except KeyboardInterrupt:
        pytest.fail("half of the rows had been learned from, and that is lost")
    assert search.budget.interrupted
    assert learned.problem.rows.n_rows == 225
    assert np.isfinite(learned.run.nlml)


def test_a_warm_start_is_the_only_one():
    search, plan = search_on("ard")
    learned = learn(search, plan)
    again = begin(search, plan, warm=(learned.problem.draws, learned.run.theta))
    assert again.screened == []
    assert np.array_equal(again.run.theta, learned.run.theta)
    assert again.problem.draws is learned.problem.draws


def test_a_rung_without_a_number_leaves_what_was_learned_before(monkeypatch):
    search, plan = search_on("ard", n=450)
    half, whole = plan.rungs(4)
    before = climb(search, plan, begin(search, plan), half)
    monkeypatch.setattr(alakarte.search.run_stage, "nlml_gradient", lambda problem, theta: (np.nan, theta))
    after = climb(search, plan, before, whole)
    assert np.array_equal(after.run.theta, before.run.theta)
    assert after.nlml_per_row == pytest.approx(before.nlml_per_row, rel=1e-12)
    assert after.run.n_failed > 0


# --------------------------------------------------------------------------- starts from a simpler kernel


@pytest.mark.parametrize("n_restarts", [1, 2, 3, 4, 6])
def test_starts_from_a_simpler_kernel_are_among_the_restarts(n_restarts, monkeypatch):
    search, plan = search_on("ard", n=60)
    simpler = learn(search, plan)
    seen, real = [], alakarte.search.learn.first_steps
    monkeypatch.setattr(alakarte.search.learn, "first_steps", lambda *a: seen.append(a[3]) or real(*a))
    for kernel, n_nested in (("matern32", 1), ("gm", 2)):
        with naming(kernel):
            seen.clear()
            search, plan = search_on(kernel, n=60, n_restarts=n_restarts)
            begun = begin(search, plan, simpler=simpler)
            if n_restarts == 1:
                assert (seen, begun.screened) == ([], [])
                continue
            [starts] = seen
            assert len(starts) == len(begun.screened) == n_restarts
            noise = values_at(simpler.problem, simpler.run.theta)["log_noise_std"]
            inherited = [values_at(begun.problem, start.theta)["log_noise_std"] == noise for start in starts]
            assert inherited[-1]
            if n_restarts > n_nested:
                assert inherited == [index >= n_restarts - n_nested for index in range(n_restarts)]


def test_a_matern_kernel_begins_where_ard_ended():
    search, plan = search_on("ard", n=60)
    simpler = learn(search, plan)
    search, plan = search_on("matern32", n=60, max_iter_restart=1)
    begun = begin(search, plan, simpler=simpler)
    own = values_at(simpler.problem, simpler.run.theta)
    there = nlml(begun.problem, begun.problem.layout.pack(own))
    assert begun.screened[-1].trace[0][0] == pytest.approx(there, rel=1e-12)
    assert begun.run.nlml <= there


# --------------------------------------------------------------------------- centres


def test_centres_are_free_with_12_rows_per_parameter_in_the_table_and_6_in_the_stage():
    size = 6  # of gm with one component and two inputs: amplitude, two length-scales, two centres, noise
    for n_rows, in_stage, free in (
        (12 * size, 12 * size, True),
        (12 * size, 6 * size, True),
        (12 * size, 6 * size - 1, False),
        (12 * size - 1, 12 * size - 1, False),
        (12 * size - 1, 6 * size, False),
    ):
        with naming(n_rows, in_stage):
            search, plan = search_on("gm", n=n_rows, n_components=1)
            problem = set_up(plan, search.subsets.first(in_stage), search.scaling, np.random.default_rng(0))
            assert problem.layout.size == size
            assert not np.isinf(problem.layout.slow()).all()
            after = alakarte.search.learn._with_free_centres(plan, problem)
            assert np.isinf(after.layout.slow()).all() == free
            assert after.layout.bounds()[0].tolist() == problem.layout.bounds()[0].tolist()


def test_centres_become_free_as_rows_become_more():
    """150 parameters' worth of rows in the table, but the starts have 200: slow first, free on all rows."""
    search, plan = search_on("gm", n=500, d=2, n_components=8, max_iter=1)
    begun = begin(search, plan)
    assert (begun.problem.rows.n_rows, begun.problem.layout.size) == (200, 41)
    assert not np.isinf(begun.problem.layout.slow()).all()
    half, whole = plan.rungs(41)
    on_half = climb(search, plan, begun, half)
    assert np.isinf(on_half.problem.layout.slow()).all()
    assert np.isinf(climb(search, plan, on_half, whole).problem.layout.slow()).all()


# --------------------------------------------------------------------------- trials


def with_objectives(begun, values):
    """The same first steps, as if they had ended at such objectives."""
    screened = [replace(run, nlml=value, penalty=0.0) for run, value in zip(begun.screened, values, strict=True)]
    return replace(begun, screened=screened, run=screened[0], runs=[screened[0]])


def test_the_two_best_starts_of_a_mixture_take_a_few_steps_on_more_rows():
    search, plan = search_on("gm", n=450, max_iter=2)
    begun = begin(search, plan)
    begun = with_objectives(begun, [10.0, 30.0, 11.0, 30.0])
    problem = begun.problem.on(search.subsets.first(400))
    trials = alakarte.search.learn._trials(search, plan, problem, begun)
    assert len(trials) == 2
    for trial, started in zip(trials, (begun.screened[0], begun.screened[2]), strict=True):
        assert trial.n_iter <= policy.TRIAL_ITERATIONS
        assert trial.trace[0][0] == pytest.approx(nlml(problem, started.theta), rel=1e-12)
    climbed = climb(search, plan, begun, Stage(400, 0, 0.0))
    best = min(trials, key=lambda run: run.objective)
    assert np.array_equal(climbed.run.theta, best.theta)


def test_trials_are_the_steps_of_a_stage_that_has_no_more():
    search, plan = search_on("gm", n=900)
    begun = begin(search, plan)
    stage = plan.priced(search.rows.n_rows, policy.TRIAL_ITERATIONS)
    climbed = climb(search, plan, begun, stage)
    assert len(climbed.runs) == 2
    assert climbed.run is min(climbed.runs, key=lambda run: run.objective)
    assert climbed.problem.rows.n_rows == 900
    longer = climb(search, plan, begun, replace(stage, max_iter=policy.TRIAL_ITERATIONS + 1))
    assert len(longer.runs) == 3


def test_no_trials_where_one_start_is_clearly_ahead_or_a_kernel_has_no_components():
    search, plan = search_on("gm", n=450)
    begun = begin(search, plan)
    behind = policy.NEAR * begun.screened_total
    trials = alakarte.search.learn._trials
    for lead, n_trials in ((behind - 1, 2), (behind + 1, 0)):
        with naming(lead):
            apart = with_objectives(begun, [0.0, *[lead] * 3])
            for n_rows, n_expected in ((400, n_trials), (399, 0)):  # twice the rows of the screening, or fewer
                problem = apart.problem.on(search.subsets.first(n_rows))
                assert len(trials(search, plan, problem, apart)) == n_expected
    later = climb(search, plan, begun, plan.rungs(21)[0])
    assert trials(search, plan, later.problem, later) == []
    search, plan = search_on("ard", n=450)
    begun = begin(search, plan)
    assert trials(search, plan, begun.problem.on(search.rows), begun) == []


def image(side=22, n_inputs=2):
    """Rows on a lattice, or on a line, and an oblique wave."""
    places = np.stack(np.meshgrid(*[np.arange(float(side))] * 2), -1).reshape(-1, 2)
    X = places if n_inputs == 2 else places @ [[side], [1.0]]
    phase = places @ [1.1, 0.4] if n_inputs == 2 else 0.5 * X[:, 0]
    return X, np.sin(phase) + 0.1 * np.random.default_rng(0).standard_normal(side**2)


@pytest.mark.parametrize(("kernel", "n_inputs"), [("gm", 2), ("gm", 1), ("ssgpr", 2)])
def test_waves_of_several_inputs_are_tried_on_more_rows_as_they_were_found(kernel, n_inputs):
    """However far behind the second best start is: few rows of an image have led the bands astray."""
    search = look_for_waves(search_for(kernel, *rows_of(*image(n_inputs=n_inputs)), **SHORT))
    plan = search.plan(search.settings.kernel)
    begun = begin(search, plan)
    as_found = wave_start(begun.problem, plan.waves, Start(begun.from_waves)).theta
    assert np.array_equal(begun.from_waves[-2:], as_found[-2:])
    begun = with_objectives(begun, [0.0, *[1e6] * 3])
    problem = begun.problem.on(search.subsets.first(2 * int(begun.screened_total)))
    trials = alakarte.search.learn._trials(search, plan, problem, begun)
    if (kernel, n_inputs) != ("gm", 2):
        assert trials == []
        return
    for trial, theta in zip(trials, (begun.from_waves, begun.run.theta), strict=True):
        assert trial.trace[0][0] == pytest.approx(nlml(problem, theta), rel=1e-12)
    alone = replace(begun, screened=begun.screened[:1])  # the others refuted
    assert len(alakarte.search.learn._trials(search, plan, problem, alone)) == 2


# --------------------------------------------------------------------------- noise


def fitted_without_noise(n=30, spread=0.3):
    """A problem on rows each of which is there twice with another y, a theta of hardly any noise, and where noise is.

    The first of each two alone are fitted well without noise.
    """
    rng = np.random.default_rng(0)
    X = np.repeat(np.linspace(-3, 3, n)[:, None], 2, axis=0) + 1e-9 * rng.standard_normal((2 * n, 1))
    y = np.sin(X[:, 0]) + spread * rng.standard_normal(2 * n)
    search = search_for("ard", *rows_of(X, y))
    plan = search.plan(resolve("ard"))
    whole = replace(set_up(plan, search.rows, search.scaling, rng), computation=Computation.CLOSED)
    values = {"log_amplitude": np.zeros(1), "log_lengthscale": np.full(1, np.log(0.1))}
    theta = whole.layout.pack(values | {"log_noise_std": np.asarray(np.log(1e-4))})
    few = whole.on(search.rows.take(np.arange(0, 2 * n, 2)))
    return few, whole, theta, whole.layout.labels().index("log_noise_std")


def test_noise_stays_where_more_rows_cost_no_more():
    few, whole, theta, _ = fitted_without_noise()
    with_noise = set_value(whole, theta, log_noise_std=np.log(0.3))
    for point in (theta, with_noise):
        per_row = nlml(whole, point) / whole.rows.total
        for before in (per_row, per_row - 0.99 * policy.JUMP):
            assert alakarte.search.learn._with_enough_noise(whole, point, before) is point
    assert alakarte.search.learn._with_enough_noise(few, theta, nlml(few, theta) / few.rows.total) is theta


def test_rows_that_were_fitted_without_noise_get_the_best_of_some_noise_from_more_rows():
    few, whole, theta, noise = fitted_without_noise()
    after = alakarte.search.learn._with_enough_noise(whole, theta, nlml(few, theta) / few.rows.total)
    assert nlml(whole, after) < nlml(whole, theta) - 100
    others = np.arange(theta.size) != noise
    assert np.array_equal(after[others], theta[others])
    tried = [set_value(whole, theta, log_noise_std=0.5 * np.log(variance)) for variance in policy.MORE_NOISE]
    best = min(tried, key=lambda point: nlml(whole, point))
    assert np.allclose(after, best, rtol=1e-12)


def test_a_rung_begins_with_enough_noise():
    few, whole, theta, _ = fitted_without_noise()
    search = search_for("ard", whole.rows, scaling_of(whole.rows.x, whole.rows.y))
    run = Run(theta, nlml(few, theta), 0, NOT_BEGUN, 0, [])
    learned = Learned(few, run, [run, run], [run], few.rows.total)
    climbed = climb(search, search.plan(resolve("ard")), learned, Stage(whole.rows.n_rows, 0, 0.0))
    expected = alakarte.search.learn._with_enough_noise(whole, theta, learned.nlml_per_row)
    assert not np.array_equal(expected, theta)
    assert np.array_equal(climbed.run.theta, expected)


def test_a_start_that_more_rows_refute_gives_way_to_one_that_they_confirm():
    few, whole, theta, _ = fitted_without_noise()
    with_noise = set_value(whole, theta, log_noise_std=np.log(0.3))
    refuted, confirmed = (Run(point, nlml(few, point), 0, NOT_BEGUN, 0, []) for point in (theta, with_noise))
    refuted = replace(refuted, nlml=min(refuted.nlml, confirmed.nlml - 1))  # the best of few rows
    search = search_for("ard", whole.rows, scaling_of(whole.rows.x, whole.rows.y))
    learned = Learned(few, refuted, [confirmed, refuted], [refuted], few.rows.total)
    climbed = climb(search, search.plan(resolve("ard")), learned, Stage(whole.rows.n_rows, 0, 0.0))
    assert np.array_equal(climbed.run.theta, with_noise)
    assert climbed.screened == [confirmed, refuted]


def test_a_fixed_noise_stays():
    X, y, _ = table(1, n=60)
    search = search_for("ard", *rows_of(X, y), noise_std=1e-3)
    plan = search.plan(resolve("ard"))
    problem = set_up(plan, search.rows, search.scaling, np.random.default_rng(0))
    theta = np.zeros(problem.layout.size)
    assert np.array_equal(alakarte.search.learn._with_enough_noise(problem, theta, -1e9), theta)


@pytest.mark.parametrize("failure", [np.nan, np.inf, IllConditioned, np.linalg.LinAlgError, FloatingPointError])
def test_more_rows_that_give_no_number_are_no_end(failure, monkeypatch):
    """A fit goes on from where it is: the long run itself steps back from such points."""

    def failing(problem, theta):
        if isinstance(failure, type):
            raise failure("injected")
        return failure

    few, whole, theta, _ = fitted_without_noise()
    before = nlml(few, theta) / few.rows.total
    monkeypatch.setattr(alakarte.search.learn, "nlml", failing)
    assert np.array_equal(alakarte.search.learn._with_enough_noise(whole, theta, before), theta)


def test_a_long_run_does_not_begin_where_one_evaluation_takes_too_long(monkeypatch):
    monkeypatch.setattr(budget, "machine_rate", lambda: 1.0)
    search, plan = search_on("ard", max_time=1000.0)
    learned = begin(search, plan)
    search.budget._flops = search.budget._seconds = 0.0  # what was observed
    for stage in plan.rungs(learned.problem.layout.size):
        assert climb(search, plan, learned, stage) is learned
    theta = learned.run.theta
    assert learn_further(search, plan, learned, learned.problem, theta, stage) is learned

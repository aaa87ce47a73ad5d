"""Learn small, fit large: re-tuning, growth, subsets of rows, files larger than memory, budgets, the menu."""

import signal
import sys
import tracemalloc
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.optimize import minimize
from sklearn.exceptions import ConvergenceWarning

import alakarte.execution.budget
import alakarte.execution.progress
import alakarte.process.noise_and_gain
import alakarte.search.context
import alakarte.search.fit
import alakarte.search.grow
import alakarte.search.learn
from alakarte import GPRegressor
from alakarte.data.arrays import Rows
from alakarte.data.standardise import standardise
from alakarte.errors import InvalidInput
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.kernels import PiecewiseLinear
from alakarte.kernels.registry import kernels, resolve
from alakarte.process.noise_and_gain import retune, rows_profile, weights_profile
from alakarte.process.objective import model_at, nlml, row_signal
from alakarte.process.sums import statistics
from alakarte.search.free_frequencies import n_free, release, split
from alakarte.search.grow import enlarge, flops, grow, grows, most_columns, refit
from alakarte.search.optimise import Run
from alakarte.search.sizes import evaluation_flops, learning_columns, taste_columns
from alakarte.search.stages import (
    LAST_FLOPS,
    MAIN_ROWS,
    ROWS_EACH,
    last_stage,
    long_stage,
    screening_stage,
    second_stage,
    shuffle,
)
from problems import problem as problem_for
from problems import table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
SMALL = {"n_restarts": 2, "max_iter": 8, "max_iter_restart": 3, "random_state": 0, "tol": 1e9}


def big_table(n=21_000, d=3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)).astype(dtype)
    return X, (np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)).astype(dtype)


# --------------------------------------------------------------------------- noise and amplitude


def profile(model):
    rows, draws = model.problem.rows, model.problem.draws
    if model.form == "rows":
        return rows_profile(*row_signal(model), rows.total)
    return weights_profile(statistics(rows, model.features, 1), model.spectrum.weight_variance(draws.shape))


@pytest.mark.parametrize("form", ["weights", "rows"])
@pytest.mark.parametrize("name", ["ard", "gm", "pwl"])
@pytest.mark.parametrize(("gain_free", "noise_free"), [(True, True), (True, False), (False, True), (False, False)])
def test_noise_and_amplitude_are_the_best_there_are(name, form, gain_free, noise_free):
    problem, theta = problem_for(name, seed=1)  # with an optimum inside
    problem = replace(problem, form=form)
    model = model_at(problem, theta)
    tuned = retune(profile(model), model.noise_variance, 1e-12, gain_free=gain_free, noise_free=noise_free)
    layout = problem.layout

    def at(shift):
        values = dict(layout.unpack(theta))
        values["log_amplitude"] = values["log_amplitude"] + shift[0]
        values["log_noise_std"] = values["log_noise_std"] + shift[1]
        return nlml(problem, layout.pack(values))

    free = np.array([gain_free, noise_free])
    best = minimize(lambda shift: at(shift * free), np.zeros(2), method="Nelder-Mead", options={"fatol": 1e-6}).fun
    assert tuned.value == pytest.approx(best, abs=0.02 * max(1.0, abs(best) ** 0.5))
    reached = at([0.5 * np.log(tuned.gain), 0.5 * np.log(tuned.noise_variance / model.noise_variance)])
    assert tuned.value == pytest.approx(reached, rel=1e-6, abs=1e-6)  # the value is that of the full evidence


def test_factors_and_eigenvalues_tune_alike(monkeypatch):
    problem, theta = problem_for("ard")
    model = model_at(replace(problem, form="weights"), theta)
    left = retune(profile(model), model.noise_variance, 1e-12)
    monkeypatch.setattr(alakarte.process.noise_and_gain, "EIGEN", 0)
    right = retune(profile(model), model.noise_variance, 1e-12)
    assert left.value == pytest.approx(right.value, rel=1e-9)
    assert left.gain == pytest.approx(right.gain, rel=1e-6)


# --------------------------------------------------------------------------- more frequencies


def test_kernels_whose_parameters_are_frequencies_keep_them():
    assert {name for name in kernels() if not grows(resolve(name))} == {"fsard", "fsgbard", "ssgpr"}


def test_growth_ends_where_it_no_longer_pays():
    X, y, _ = table(2, n=300)
    model = GPRegressor("ard", expansion="fastfood", **SMALL).fit(X, y)
    assert model.n_posterior_frequencies_ > model.n_frequencies_
    assert "gain" in model.growth_reason_ or "most" in model.growth_reason_
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_growth_is_not_taken_back_and_only_taken_where_it_gains():
    problem, theta = problem_for("ard", n=200)
    first = refit(enlarge(problem, 16, np.random.default_rng(0)), theta, Budget())
    said = []
    grown = grow(first, problem, np.random.default_rng(1), Budget(), said.append)
    assert grown.value <= first.value
    assert said


@pytest.mark.parametrize("name", ["ard", "gm", "pwl", "ssgpr"])
def test_a_given_number_of_posterior_frequencies(name):
    X, y, _ = table(2, n=120)
    model = GPRegressor(name, n_components=2, n_frequencies=8, n_posterior_frequencies=40, **SMALL).fit(X, y)
    assert model.n_frequencies_ == 8
    assert model.n_posterior_frequencies_ == (8 if name == "ssgpr" else 40 if name != "ard" else 20)
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_a_given_number_of_frequencies_is_kept():
    X, y, _ = table(2, n=120)
    model = GPRegressor("gm", n_components=2, n_frequencies=8, **SMALL).fit(X, y)
    assert model.n_posterior_frequencies_ == 8
    assert model.n_basis_ == 64


@pytest.mark.parametrize("n_rows", [30, 1000, 40_000, 2_000_000, 10**8])
def test_sizes_stay_within_flops_and_memory(n_rows):
    most = most_columns(n_rows)
    assert 64 <= most <= 4096
    assert flops(n_rows, most) <= 4.1e12 or most == 64
    assert 512 <= taste_columns(n_rows) <= min(max(2048, learning_columns(n_rows)), 4096)


# --------------------------------------------------------------------------- rows


def test_few_rows_are_all_learned_from():
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 2, 9, 4, 0.1, None, 1)
    assert screening_stage(settings, 300).n_rows == long_stage(settings, 300, 9).n_rows == 300
    assert last_stage(settings, 300, 1024) is None
    screening, long = screening_stage(settings, 10**6), long_stage(settings, 10**6, 9)
    assert screening.n_rows < long.n_rows == MAIN_ROWS < last_stage(settings, 10**6, 1024).n_rows
    for rows in (None, 500):
        given = replace(settings, n_learning_rows=rows)
        assert screening_stage(given, 10**6).n_rows == long_stage(given, 10**6, 9).n_rows == (rows or 10**6)
        assert second_stage(replace(settings, n_learning_rows=rows), 10**6).n_rows == (rows or 10**6)
        assert last_stage(replace(settings, n_learning_rows=rows), 10**6, 1024) is None


@pytest.mark.parametrize("n_rows", [20_000, 10**6])
def test_thousands_of_parameters_are_learned_from_more_rows(n_rows):
    settings = alakarte.search.learn.Settings(resolve("ssgpr"), 1, 768, "fastfood", 2, 150, 4, 0.1, None, 1)
    stage = long_stage(settings, n_rows, 6146)
    assert stage.n_rows == min(n_rows, ROWS_EACH * 6146)
    assert stage.max_iter == 150
    assert long_stage(settings, n_rows, MAIN_ROWS // ROWS_EACH).n_rows == MAIN_ROWS


@pytest.mark.parametrize("n_basis", [256, 1024])
@pytest.mark.parametrize("n_rows", [9_000, 36_000, 10**6, 10**8])
def test_the_last_stage_sees_all_rows_or_as_many_as_its_flops_allow(n_rows, n_basis):
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 2, 150, 4, 0.1, None, 1)
    stage = last_stage(settings, n_rows, n_basis)
    used = stage.max_iter * evaluation_flops(stage.n_rows, n_basis)
    assert used <= 1.001 * LAST_FLOPS
    assert stage.n_rows == n_rows or used > 0.99 * LAST_FLOPS
    assert last_stage(settings, n_rows, n_basis, level=1).n_rows == min(n_rows, 16 * stage.n_rows) or used < LAST_FLOPS


def test_rows_in_random_order_lie_within_each_other_and_are_shared():
    x = np.arange(500.0)[:, None]
    rows = Rows(x, x, np.ones(500))
    shuffled = shuffle(rows, np.random.default_rng(0))
    small, large = shuffled.first(20), shuffled.first(200)
    assert shuffled.first(500) is rows
    assert shuffled.first(20) is small
    assert set(small.x[:, 0]) < set(large.x[:, 0])
    assert np.abs(large.x.mean() - x.mean()) < 40


def test_kernels_are_learned_from_the_same_rows_and_compared_in_one_pass_over_all(monkeypatch):
    X, y = big_table(n=12_000)
    passes, learned, real_pass, real = [], [], alakarte.search.grow.statistics_of_each, alakarte.search.context.go_on
    monkeypatch.setattr(
        alakarte.search.grow, "statistics_of_each", lambda *a: passes.append((a[0].n_rows, len(a[1]))) or real_pass(*a)
    )
    monkeypatch.setattr(alakarte.search.context, "go_on", lambda *a: learned.append(real(*a)) or learned[-1])
    monkeypatch.setattr(alakarte.search.fit, "HOPELESS", np.inf)
    stages, real_more = [], alakarte.search.fit.learn_more
    monkeypatch.setattr(alakarte.search.fit, "learn_more", lambda *a: stages.append(a[1].rows.n_rows) or real_more(*a))
    model = GPRegressor(random_state=0, n_restarts=2, max_iter=3, max_iter_restart=2, n_components=1).fit(X, y)
    assert len(model.ranking_) == 3
    assert len(learned) == 3
    assert all(one.problem.rows is learned[0].problem.rows for one in learned)
    assert passes[0] == (12_000, 3)
    assert {rows for rows, _ in passes} == {12_000}
    assert stages[-1] == 12_000


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_fit_from_some_rows_sees_them_all_in_the_end(n_jobs):
    X, y, _ = table(2, n=400)
    settings = SMALL | {"n_frequencies": 6, "n_learning_rows": 50, "n_jobs": n_jobs}
    model = GPRegressor("ard", **settings).fit(X, y)
    assert model.n_learning_rows_ == 50
    assert model._posterior.total == 400
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)
    assert (model.theta_ == GPRegressor("ard", **(settings | {"n_jobs": 2})).fit(X, y).theta_).all()


def test_float32_files_are_read_in_blocks_and_give_the_same_bits(tmp_path):
    X, y = big_table(dtype=np.float32)
    on_disk = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=X.shape)
    on_disk[:] = X
    settings = SMALL | {"n_frequencies": 8, "n_learning_rows": 300}
    models = [GPRegressor("ard", **settings).fit(x, t) for x, t in ((on_disk, y), (X.astype(float), y.astype(float)))]
    assert (models[0].theta_ == models[1].theta_).all()
    assert (models[0].predict(on_disk[:50]) == models[1].predict(X[:50].astype(float))).all()
    assert (models[0].predict(on_disk) == models[1].predict(X.astype(float))).all()


def test_a_large_table_is_never_copied():
    X, y = big_table(n=400_000, d=10, dtype=np.float32)
    model = GPRegressor("ard", n_frequencies=4, n_learning_rows=200, n_jobs=2, **(SMALL | {"max_iter": 1}))
    model.fit(X[:300], y[:300])  # what is loaded once does not count
    tracemalloc.start()
    try:
        model.fit(X, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < X.nbytes / 2


def test_a_bad_value_in_a_large_table_is_named():
    X, y = big_table()
    X[20_500, 1] = np.nan
    with pytest.raises(InvalidInput, match="row 20500, column 1, 1 not finite"):
        GPRegressor("ard").fit(X, y)
    with pytest.raises(InvalidInput, match="inconsistent"):
        GPRegressor("ard").fit(np.nan_to_num(X), y[:-1])


# --------------------------------------------------------------------------- budgets


def test_max_time_is_kept_and_gives_a_model():
    X, y, _ = table(3, n=3000)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = GPRegressor(max_time=0.2, random_state=0).fit(X, y)
    assert np.isfinite(model.predict(X[:5], return_std=True)).all()
    assert model.stop_reason_.startswith("max_time=0.2 s reached")
    assert len(model.ranking_) < 3


@pytest.mark.parametrize("limit", [3, 10, 40, 120])
@pytest.mark.parametrize("kernel", ["auto", "gm"])
def test_max_time_is_honoured_to_within_one_evaluation(monkeypatch, kernel, limit):
    """By a clock of its own, on which every evaluation takes a second."""
    X, y, _ = table(2, n=300)
    now, real = [0.0], alakarte.search.learn.nlml_gradient

    def timed(problem, theta):
        now[0] += 1
        return real(problem, theta)

    monkeypatch.setattr(alakarte.execution.budget, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(alakarte.search.learn, "nlml_gradient", timed)
    settings = {"n_restarts": 3, "n_jobs": 1, "random_state": 0, "n_components": 2}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GPRegressor(kernel, max_time=limit, tol=0.0, max_iter=10**6, **settings).fit(X, y)
    assert now[0] <= limit + 1
    assert np.isfinite(model.predict(X[:5], return_std=True)).all()


def test_only_a_limit_brings_more_work(monkeypatch):
    X, y, _ = table(2, n=400)
    real, calls = alakarte.search.fit.more, []
    monkeypatch.setattr(alakarte.search.fit, "more", lambda *arguments: calls.append(1) or real(*arguments))
    GPRegressor("gm", **SMALL).fit(X, y)
    assert not calls
    GPRegressor("gm", max_time=60, **SMALL).fit(X, y)
    assert calls


@pytest.fixture
def ctrl_c():
    """Python's own handler of SIGINT: a process started in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("after", [1, 3, 7])
def test_an_interruption_keeps_the_best_so_far(monkeypatch, after, ctrl_c):
    X, y, _ = table(2, n=200)
    calls, real = [], alakarte.search.learn.nlml_gradient

    def interrupted(problem, theta):
        calls.append(1)
        if len(calls) > after:
            signal.raise_signal(signal.SIGINT)
        return real(problem, theta)

    monkeypatch.setattr(alakarte.search.learn, "nlml_gradient", interrupted)
    settings = SMALL | {"n_jobs": 1, "n_restarts": 1, "tol": 0.0, "n_frequencies": 6}
    with pytest.warns(ConvergenceWarning, match="interrupted"):
        model = GPRegressor("ard", **settings).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert len(calls) == after + 1


def test_an_interruption_before_anything_is_known_passes_on(monkeypatch):
    def interrupted(problem, theta):
        raise KeyboardInterrupt

    X, y, _ = table(2, n=50)
    monkeypatch.setattr(alakarte.search.learn, "nlml_gradient", interrupted)
    with pytest.raises(KeyboardInterrupt):
        GPRegressor("ard", **SMALL).fit(X, y)


@pytest.mark.parametrize("value", [0, -1, "long", float("nan")])
def test_max_time_is_checked(value):
    X, y, _ = table(2, n=20)
    with pytest.raises(InvalidInput, match="max_time="):
        GPRegressor(max_time=value).fit(X, y)


@pytest.mark.parametrize(("name", "value"), [("n_learning_rows", 1), ("n_posterior_frequencies", "many")])
def test_sizes_are_checked(name, value):
    X, y, _ = table(2, n=20)
    with pytest.raises(InvalidInput, match=f"{name}="):
        GPRegressor(**{name: value}).fit(X, y)


# --------------------------------------------------------------------------- the menu


def in_order(ranking):
    """Best first, by evidence less half a nat a parameter."""
    score = [one["log_marginal_likelihood"] - one["n_parameters"] / 2 for one in ranking]
    return score == sorted(score, reverse=True)


def test_the_menu_ranks_by_evidence_at_equal_columns():
    X, y, _ = table(3, n=150)
    model = GPRegressor(n_jobs=1, expansion="fastfood", **SMALL).fit(X, y)
    assert {one["kernel"] for one in model.ranking_} == {"ard", "rbf", "pwl", "gm"}
    assert in_order(model.ranking_)
    columns = taste_columns(150)
    for one in model.ranking_:  # evenly over the components
        assert columns - 4 * one["n_components"] < one["n_basis"] <= columns
    assert model.kernel_.kernel.name == model.ranking_[0]["kernel"]
    text = model.summary()
    assert all(words in text for words in ("learned", "log evidence", "parameters", "columns"))
    again = GPRegressor(n_jobs=2, expansion="fastfood", **SMALL).fit(X, y)
    assert (again.theta_ == model.theta_).all()
    assert (again.predict(X) == model.predict(X)).all()


def test_a_few_nats_do_not_buy_many_parameters():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((60, 4))
    y = np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.3 * rng.standard_normal(60)
    model = GPRegressor(n_restarts=2, max_iter_restart=5, max_iter=40, random_state=0).fit(X, y)
    assert in_order(model.ranking_)
    assert model.kernel_.kernel.name == "ard"
    kept, most = model.ranking_[0], max(model.ranking_, key=lambda one: one["log_marginal_likelihood"])
    assert most["log_marginal_likelihood"] > kept["log_marginal_likelihood"] + 1
    assert most["n_parameters"] > kept["n_parameters"] + 4


def test_few_rows_have_a_menu_of_closed_forms():
    X, y, _ = table(3, n=150)
    model, again = (GPRegressor(n_jobs=n_jobs, **SMALL).fit(X, y) for n_jobs in (1, 2))
    columns = {one["kernel"]: one["n_basis"] for one in model.ranking_}
    assert columns == dict.fromkeys(("ard", "rbf", "matern", "gm", "mm"), 150)
    assert in_order(model.ranking_)
    assert (again.theta_ == model.theta_).all()
    assert (again.predict(X) == model.predict(X)).all()


def test_a_kernel_far_behind_after_a_few_steps_is_not_learned_further(monkeypatch):
    X, y, _ = table(3, n=150)
    real, names = alakarte.search.context.go_on, []
    monkeypatch.setattr(alakarte.search.context, "go_on", lambda *a: names.append(a[0].kernel.name) or real(*a))
    monkeypatch.setattr(alakarte.search.fit, "HOPELESS", 0.0)
    model = GPRegressor(**SMALL).fit(X, y)
    assert len(names) == len(model.ranking_) == 5  # few rows: there is time
    names.clear()
    monkeypatch.setattr(alakarte.search.fit, "FEW_ROWS", 100)
    model = GPRegressor(**SMALL).fit(X, y)
    assert len(names) == 1
    assert len(model.ranking_) == 4  # without rbf


def test_noise_held_down_at_first_finds_what_all_is_noise_hides(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (600, 32))  # two inputs of 32 count
    y = np.sin(5 * X[:, 0]) * np.cos(2.5 * X[:, 1]) + 0.1 * rng.standard_normal(600)
    found = {}
    for bound in (alakarte.search.learn.FIRST_NOISE_STD, 1e3):
        monkeypatch.setattr(alakarte.search.learn, "FIRST_NOISE_STD", bound)
        model = GPRegressor("ard", n_posterior_frequencies=None, max_iter=60, random_state=0).fit(X, y)
        found[bound] = model.log_marginal_likelihood_
    assert found[0.3] > found[1e3] + 20


def test_amplitudes_stay_near_the_targets_where_frequencies_are_drawn_afresh():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    y = X @ [1.0, 2.0, 3.0] + 0.01 * rng.standard_normal(80)  # a plane: any large amplitude will do
    largest = {}
    for fresh in ("auto", None):
        model = GPRegressor("pwl", n_posterior_frequencies=fresh, max_iter=60, random_state=0).fit(X, y)
        largest[fresh] = model.kernel_.amplitude.max() / y.std()
    assert largest["auto"] < 10.001 < largest[None]
    free = PiecewiseLinear(bounds={"amplitude": (1.0, 1e4)})
    model = GPRegressor(free, max_iter=60, random_state=0).fit(X, y)
    assert model.kernel_.amplitude.max() / y.std() > 10.001


def test_few_rows_of_a_round_function():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((560, 12))
    f = np.exp(-0.05 * (X**2).sum(axis=1))
    y, new = f[:60] + 0.01 * rng.standard_normal(60), slice(60, None)
    errors = {}
    for kernel in ("auto", "rbf", "ard"):
        model = GPRegressor(kernel, random_state=0, max_iter=40).fit(X[:60], y)
        mean, std = model.predict(X[new], return_std=True)
        errors[kernel] = np.sqrt(np.mean((mean - f[new]) ** 2)) / f.std()
        covered = np.mean(np.abs(f[new] - mean) < 1.96 * std)
        assert kernel != "auto" or covered > 0.95
    assert errors["auto"] < 0.7 * errors["rbf"] < errors["ard"]  # rough kernels, half as far off, share the average


def test_the_menu_of_exact_kernels():
    X, y, _ = table(2, n=60)
    model = GPRegressor(expansion="exact", **SMALL).fit(X, y)
    assert [one["kernel"] for one in model.ranking_].count("matern") == 1
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_a_warm_start_keeps_the_chosen_kernel():
    X, y, _ = table(2, n=100)
    model = GPRegressor(warm_start=True, **SMALL).fit(X, y)
    name = model.kernel_.kernel.name
    model.fit(X, y)
    assert model.kernel_.kernel.name == name
    assert model.ranking_ == []


def test_components_without_weight_are_dropped(monkeypatch):
    X, y, _ = table(2, n=400)
    monkeypatch.setattr(alakarte.search.learn, "VANISHED", 0.2)  # a fifth of the variance, so that some component falls
    model = GPRegressor("gm", **(SMALL | {"max_iter": 20})).fit(X, y)
    assert model.n_components_ == len(model.kernel_.amplitude) < 4
    assert model.log_marginal_likelihood(X, y) == pytest.approx(model.log_marginal_likelihood_, rel=1e-9)


def test_progress_says_what_to_expect(capsys):
    X, y, _ = table(2, n=200)
    GPRegressor("ard", verbose=2, **(SMALL | {"tol": 0.0})).fit(X, y)
    said = capsys.readouterr().out
    assert "200 rows: about" in said
    assert "MB beyond the data" in said
    assert " left" in said


def test_restarts_count_as_work_done():
    progress = alakarte.execution.progress.Progress(2, lambda value: -value)
    progress.plan(10, 10, 100.0, 0)
    report = progress.restart(2, 25.0)
    for index in (1, 2):
        report(index, Run(np.zeros(1), 1.0, 3, "", True, 0, []))
    assert (progress.finished, progress.planned) == (50.0, 100.0)


@pytest.mark.parametrize("installed", [True, False])
def test_a_bar_on_a_terminal_where_rich_is_installed(monkeypatch, capsys, installed):
    pytest.importorskip("rich")
    monkeypatch.setattr(alakarte.execution.progress, "_terminal", lambda: True)
    if not installed:
        monkeypatch.setitem(sys.modules, "rich.progress", None)
    X, y, _ = table(2, n=100)
    GPRegressor("ard", verbose=1, **(SMALL | {"tol": 0.0})).fit(X, y)
    said = capsys.readouterr().out
    assert "100 rows: about" in said
    assert ("━" in said or "╸" in said) == installed


def test_free_frequencies_are_kept_only_where_held_out_rows_prefer_them():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, (900, 2))
    y = np.sign(np.sin(6 * X[:, 0])) + 0.05 * rng.standard_normal(900)
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 1, 5, 2, 0.1, None, 1)
    scaling = standardise(X, y)
    rows = Rows(X, y[:, None], np.ones(900), scaling=scaling).whole()
    shuffled = shuffle(rows, np.random.default_rng(2))
    learned = alakarte.search.learn.learn(settings, shuffled, scaling, np.random.default_rng(0), Progress(0, None))
    final = refit(enlarge(learned.problem, 20, rng), learned.run.theta, Budget())
    said = []
    progress = Progress(0, None)
    progress.say = said.append
    found = release(settings, final, rows, scaling, np.random.default_rng(1), progress, Budget())
    before, after = (
        float(word.rstrip(",")) for word in said[-1].split() if word.strip("-,").replace(".", "").isdigit()
    )
    assert (found is not None) == (after > before)
    assert found is not None
    own, free, at = found
    assert own.kernel.name == "ssgpr"
    assert at.sums.total == 900
    assert free.problem.rows.n_rows == 810  # what judged it was not learned


def test_shares_become_whole_numbers():
    assert split(np.array([1.0, 1.0]), 10) == (5, 5)
    assert split(np.array([1.0, 0.0, 3.0]), 8) == (2, 1, 5)
    assert sum(split(np.array([1e-9, 1.0, 1e-9]), 7)) == 7
    assert n_free(100, 10) == 0
    assert n_free(10**6, 5) == 0
    assert 64 <= n_free(10**5, 5) <= 1024

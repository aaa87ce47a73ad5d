"""Fits that are killed and called again: the same bits as one that was left alone."""

import contextlib
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from alakarte import GPClassifier, GPCountRegressor, GPRegressor, InvalidInput, load
from alakarte.data.rows import Block
from alakarte.estimators import base
from alakarte.process import conditionals, design_matrix, latent_space, objective
from alakarte.process import votes as process_votes
from alakarte.search import learn_latent, local, run_stage, votes

N_CRASHES = int(os.environ.get("ALAKARTE_CRASHES", "0"))
SMALL = {
    "kernel": "ard",
    "n_restarts": 2,
    "max_iter": 12,
    "max_iter_restart": 3,
    "tol": 1e9,
    "n_frequencies": 8,
    "n_jobs": 1,
}
FIT = """
import sys
from alakarte import GPRegressor
from alakarte.execution.checkpoint import open_checkpoint
from estimators.test_going_on import SEED, bits, larger
print("begins", len(open_checkpoint(sys.argv[1], 1).results), flush=True)
model = GPRegressor(**SEED, checkpoint=sys.argv[1], checkpoint_interval=float(sys.argv[2]))
X, y = larger(int(sys.argv[3]))
print(bits(model.fit(X, y), X), flush=True)
"""
SEED = {"random_state": 0, "n_jobs": 1}


def larger(n):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.1 * rng.standard_normal(n)


def made(n=80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 2))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.standard_normal(n)


def bits(model, X):
    return [model.theta_.tobytes(), model.log_marginal_likelihood_, *(a.tobytes() for a in model.predict(X, True))]


class Crash(Exception):
    """What ends a fit in the middle."""


def stand_in(monkeypatch, function, home, user, name):
    """Let a module use this function as that of its home, under the name by which a checkpoint knows it."""
    function.__module__, function.__qualname__ = home.__name__, name
    monkeypatch.setattr(user, name, function)


def crash_after(monkeypatch, n_evaluations, home=objective, user=run_stage, name="nlml_gradient"):
    """Let the evaluation of that number end the fit, and collect theta of all."""
    calls, function = [], getattr(home, name)

    def evaluate(*arguments):
        calls.append(arguments[-1].copy())
        if len(calls) == n_evaluations:
            raise Crash
        return function(*arguments)

    stand_in(monkeypatch, evaluate, home, user, name)
    return calls


@pytest.mark.parametrize("seed", [0, None])
def test_the_same_call_after_a_crash_goes_on(tmp_path, monkeypatch, seed):
    X, y = made()
    path = tmp_path / "fit.ckpt"
    model = GPRegressor(**SMALL, random_state=seed, checkpoint=path)
    crash_after(monkeypatch, 8)  # within the starts, whatever the seed
    with pytest.raises(Crash):
        model.fit(X, y)
    assert path.exists()
    calls = crash_after(monkeypatch, 0)
    model.fit(X, y)
    assert os.listdir(tmp_path) == []
    assert 0 < len(calls) <= model.n_evaluations_ - 7
    if seed is not None:
        assert bits(model, X) == bits(GPRegressor(**SMALL, random_state=seed).fit(X, y), X)


def test_other_rows_or_settings_are_refused_by_name(tmp_path, monkeypatch):
    X, y = made()
    model = GPRegressor(**SMALL, random_state=0, checkpoint=tmp_path / "fit.ckpt")
    crash_after(monkeypatch, 5)
    with pytest.raises(Crash):
        model.fit(X, y)
    one_more = X.copy()
    one_more[17, 1] += 1e-9
    for settings, rows, text in (
        ({}, (X[:-1], y[:-1]), "the number of rows was 80, now it is 79"),
        ({}, (one_more, y), "the data was"),
        ({}, (X, y[::-1]), "the data was"),
        ({}, (X, y, np.full(80, 2.0)), r"the sum of weights was 80\.0, now it is 160\.0"),
        ({"max_iter": 13}, (X, y), "max_iter was 12, now it is 13"),
        ({"kernel": "gm"}, (X, y), "kernel was 'ard', now it is 'gm'"),
        ({"random_state": 1}, (X, y), "random_state was"),
    ):
        other = GPRegressor(**(SMALL | {"random_state": 0, "checkpoint": tmp_path / "fit.ckpt"} | settings))
        with pytest.raises(InvalidInput, match=text):
            other.fit(*rows)
    crash_after(monkeypatch, 0)
    model.set_params(n_jobs=2, verbose=0, checkpoint_interval=1).fit(X, y)


@pytest.mark.parametrize("estimator", [GPRegressor, GPClassifier, GPCountRegressor])
def test_two_exchanged_targets_are_another_fit(tmp_path, monkeypatch, estimator):
    X, _ = made(1500)
    y = np.arange(1500) % 2
    model = estimator(**SMALL, random_state=0, checkpoint=tmp_path / "fit.ckpt")
    monkeypatch.setattr(base, "in_random_order", crash)
    with pytest.raises(Crash):
        model.fit(X, y)
    exchanged = y.copy()
    exchanged[[700, 701]] = y[[701, 700]]
    with pytest.raises(InvalidInput, match="the data was"):
        model.fit(X, exchanged)
    with pytest.raises(Crash):
        model.fit(X, y)


def crash(*arguments):
    raise Crash


def test_settings_of_a_checkpoint_are_checked(tmp_path):
    X, y = made(20)
    for settings, text in (
        ({"checkpoint": 3}, "checkpoint=3: give the name of a file"),
        ({"checkpoint": "x", "checkpoint_interval": -1}, "checkpoint_interval=-1: give a number of seconds"),
        ({"checkpoint": tmp_path / "absent" / "x"}, "cannot be written"),
    ):
        with pytest.raises(InvalidInput, match=text):
            GPRegressor(**SMALL, **settings).fit(X, y)


def test_an_interrupted_fit_keeps_its_checkpoint(tmp_path, monkeypatch):
    X, y = made()
    model = GPRegressor(**SMALL, random_state=0, checkpoint=tmp_path / "fit.ckpt")
    monkeypatch.setattr(sys.modules[__name__], "Crash", KeyboardInterrupt)
    crash_after(monkeypatch, 12)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    crash_after(monkeypatch, 0)
    model.fit(X, y)
    assert bits(model, X) == bits(GPRegressor(**SMALL, random_state=0).fit(X, y), X)


def test_a_model_that_has_ended_writes_no_checkpoint_and_can_be_saved(tmp_path):
    X, y = made()
    path = tmp_path / "fit.ckpt"
    model = GPRegressor(**SMALL, random_state=0, checkpoint=path, checkpoint_interval=0).fit(X, y)
    model.partial_fit(X[:9], y[:9])
    assert os.listdir(tmp_path) == []
    model.save(tmp_path / "model.alakarte")
    assert np.array_equal(load(tmp_path / "model.alakarte").predict(X), model.predict(X))


def test_neighbours_go_on_after_a_crash(tmp_path, monkeypatch):
    X, y = made(120)
    settings = {"kernel": "rbf", "expansion": "local", "max_iter": 6, "random_state": 0, "n_jobs": 1}
    expected = GPRegressor(**settings).fit(X, y)
    calls = crash_after(monkeypatch, 8, conditionals, local, "conditional_nlml")
    model = GPRegressor(**settings, checkpoint=tmp_path / "fit.ckpt")
    with pytest.raises(Crash):
        model.fit(X, y)
    before = {theta.tobytes() for theta in calls[:7]}
    calls = crash_after(monkeypatch, 0, conditionals, local, "conditional_nlml")
    model.fit(X, y)
    assert calls
    assert calls[0].tobytes() not in before
    assert np.array_equal(model.predict(X), expected.predict(X))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("estimator", [GPCountRegressor, GPClassifier])
def test_a_kernel_under_another_likelihood_goes_on_after_a_crash(tmp_path, monkeypatch, estimator):
    X, y = made(60)
    y, settings = np.round(2 * y + 3), {"max_iter": 60, "tol": 0.1, "random_state": 0}
    y = y > 3 if estimator is GPClassifier else y
    expected = estimator(**(SMALL | settings)).fit(X, y)
    calls, evidence = [], learn_latent.latent_evidence

    def crash_at(n_gradients):
        calls.clear()

        def evaluate(*arguments, gradient, **named):
            calls.extend([gradient] if gradient else [])
            if gradient and len(calls) == n_gradients:
                raise Crash
            return evidence(*arguments, gradient=gradient, **named)

        monkeypatch.setattr(learn_latent, "latent_evidence", evaluate)

    model = estimator(**(SMALL | settings), checkpoint=tmp_path / "fit.ckpt")
    crash_at(4)
    with pytest.raises(Crash):
        model.fit(X, y)
    crash_at(0)
    model.fit(X, y)
    n_after = len(calls)
    crash_at(0)
    estimator(**(SMALL | settings)).fit(X, y)
    assert 0 < n_after == len(calls) - 3
    assert model.theta_.tobytes() == expected.theta_.tobytes()
    assert model.predict(X).tobytes() == expected.predict(X).tobytes()
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("part", [0, 1, 2])
def test_noise_that_depends_on_the_input_goes_on_after_a_crash(tmp_path, monkeypatch, part):
    """Whichever of its three fits has crashed: what those before have evaluated is not evaluated again."""
    X, y = made()
    settings = SMALL | {"random_state": 0, "likelihood": "heteroscedastic"}
    calls = crash_after(monkeypatch, 0)
    expected = bits(GPRegressor(**settings, checkpoint=tmp_path / "undisturbed").fit(X, y), X)
    n_calls = len(calls)
    model, crash_at = GPRegressor(**settings, checkpoint=tmp_path / "fit.ckpt"), (2 * part + 1) * n_calls // 6
    crash_after(monkeypatch, crash_at)
    with pytest.raises(Crash):
        model.fit(X, y)
    calls = crash_after(monkeypatch, 0)
    assert bits(model.fit(X, y), X) == expected
    assert len(calls) == n_calls - crash_at + 1
    assert os.listdir(tmp_path) == []


def interrupted_passes(monkeypatch, home, name, at):
    """Let a block of all rows end the fit, and count those that a function has seen, without the stages on few rows."""
    seen, function = [], getattr(home, name)

    def visit(*arguments):
        [block] = [each for each in arguments if isinstance(each, Block)]
        if len(block.x) > 300:
            seen.append(1)
            if len(seen) == at:
                raise Crash
        return function(*arguments)

    stand_in(monkeypatch, visit, home, home, name)
    return seen


PASSES = {
    "counts": (lambda **given: GPCountRegressor(**given), latent_space, "add_site_sums"),
    "counts, means and variances": (lambda **given: GPCountRegressor(**given), latent_space, "latent_moments"),
    "student-t": (lambda **given: GPRegressor(likelihood="student_t", **given), latent_space, "add_site_sums"),
    "two classes": (lambda **given: GPClassifier(**given), latent_space, "add_site_sums"),
    "two classes, Laplace": (lambda **given: GPClassifier(inference="laplace", **given), latent_space, "add_site_sums"),
    "three classes": (lambda **given: GPClassifier(**given), design_matrix, "_features_times"),
    "three classes, back": (lambda **given: GPClassifier(**given), design_matrix, "_add_features_values"),
}


@pytest.mark.parametrize("part", [0.4, 1.0])
@pytest.mark.parametrize("case", PASSES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_passes_after_learning_go_on_after_a_crash(tmp_path, monkeypatch, case, part):
    make, home, name = PASSES[case]
    monkeypatch.setattr(design_matrix, "KEPT_BYTES", 0)  # products with features are passes over the rows
    X, y = larger(4500)  # in lanes of several blocks
    target = np.floor(np.exp(np.clip(y, -3, 2)))
    if "classes" in case:
        target = np.digitize(y, [0.0] if "two" in case else [-0.5, 0.5])
    settings = SMALL | {"random_state": 0, "n_learning_rows": 300, "n_posterior_frequencies": 16}
    settings |= {"checkpoint_interval": 0, "n_restarts": 1}
    seen = interrupted_passes(monkeypatch, home, name, 0)
    expected = make(**settings, checkpoint=tmp_path / "undisturbed").fit(X, y if case == "student-t" else target)
    n_blocks = len(seen)
    assert n_blocks > 20
    at = max(1, int(part * n_blocks))
    model = make(**settings, checkpoint=tmp_path / "fit.ckpt")
    interrupted_passes(monkeypatch, home, name, at)
    with pytest.raises(Crash):
        model.fit(X, y if case == "student-t" else target)
    seen = interrupted_passes(monkeypatch, home, name, 0)
    model.fit(X, y if case == "student-t" else target)
    of_a_pass = -(-4500 // 1024) + 2
    assert 0 < len(seen) <= n_blocks - at + of_a_pass
    assert model.theta_.tobytes() == expected.theta_.tobytes()
    assert model.predict(X).tobytes() == expected.predict(X).tobytes()
    assert os.listdir(tmp_path) == []


def test_classes_by_neighbours_go_on_after_a_crash(tmp_path, monkeypatch):
    X, y = made(120)
    settings = {"kernel": "rbf", "expansion": "local", "max_iter": 6, "random_state": 0, "n_jobs": 1}
    model = GPClassifier(**settings, checkpoint=tmp_path / "fit.ckpt")
    crash_after(monkeypatch, 5, process_votes, votes, "conditional_log_loss")
    with pytest.raises(Crash):
        model.fit(X, y > 0)
    calls = crash_after(monkeypatch, 0, process_votes, votes, "conditional_log_loss")
    model.fit(X, y > 0)
    n_after, _ = len(calls), calls.clear()
    expected = GPClassifier(**settings).fit(X, y > 0)
    assert 0 < n_after == len(calls) - 4
    assert np.array_equal(model.predict_proba(X), expected.predict_proba(X))


def begun(checkpoint, interval, n):
    return begun_by(FIT, checkpoint, interval, n)


def begun_by(program, *arguments):
    """A process that has begun to fit, and how many results its checkpoint knows."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    paths = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": paths})
    return process, int(process.stdout.readline().split()[1])


def kill(process):
    process.kill()
    process.communicate()


def test_a_process_that_is_killed_twice_goes_on_to_the_same_result(tmp_path):
    X, y = larger(100)
    expected = str(bits(GPRegressor(**SEED).fit(X, y), X))
    path, before = tmp_path / "fit.ckpt", 0
    for n_bytes in (20_000, 60_000):
        process, n_known = begun(path, 0, 100)
        assert n_known >= before
        before = n_known + 1
        while process.poll() is None and not (path.exists() and path.stat().st_size > n_bytes):
            time.sleep(0.005)
        assert process.poll() is None
        kill(process)
    process, n_known = begun(path, 1, 100)
    assert n_known >= before
    assert process.communicate()[0].strip() == expected
    assert not path.exists()


@pytest.mark.skipif(N_CRASHES == 0, reason="make test-crashes")
def test_processes_that_are_killed_at_random_times_go_on_to_the_same_result(tmp_path):
    n = 500
    X, y = larger(n)
    began = time.monotonic()
    expected = str(bits(GPRegressor(**SEED).fit(X, y), X))
    seconds = time.monotonic() - began
    rng, path, n_after_first = random.Random(0), tmp_path / "fit.ckpt", 0
    for _ in range(N_CRASHES):
        process, _ = begun(path, 1, n)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0, 1) * seconds)
        kill(process)
        process, n_known = begun(path, 1, n)
        assert process.communicate()[0].strip() == expected
        assert not path.exists()
        n_after_first += n_known > 0
    print(f"{N_CRASHES} fits of {seconds:.1f} s were killed and went on, {n_after_first} with results from before")


FIT_ON_CLUSTER = """
import sys
import dask.array as da
from distributed import Client
from alakarte import GPRegressor
from alakarte.execution.checkpoint import open_checkpoint
from estimators.test_going_on import ON_CLUSTER, bits, larger
address, path = sys.argv[1:]
X, y = larger(60_000)
with Client(address):
    print("begins", len(open_checkpoint(path, 1).results), flush=True)
    model = GPRegressor(**ON_CLUSTER, checkpoint=path, checkpoint_interval=1)
    print(bits(model.fit(da.from_array(X, chunks=(9_000, 3)), da.from_array(y, chunks=9_000)), X[:500]), flush=True)
"""
ON_CLUSTER = SMALL | {"random_state": 0, "n_frequencies": 128, "n_learning_rows": None, "max_iter": 4}


@pytest.mark.skipif(N_CRASHES == 0, reason="make test-crashes")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
def test_drivers_of_a_cluster_that_are_killed_go_on_to_the_same_result(tmp_path):
    pytest.importorskip("distributed")
    from data.clusters import cluster

    X, y = larger(60_000)
    began = time.monotonic()
    expected = str(bits(GPRegressor(**ON_CLUSTER).fit(X, y), X[:500]))
    seconds = time.monotonic() - began
    n_crashes = -(-N_CRASHES // 4)  # each takes two more processes some seconds
    rng, path, n_after_first = random.Random(0), tmp_path / "fit.ckpt", 0
    with cluster(2, processes=True) as client:
        for _ in range(n_crashes):
            process, _ = begun_by(FIT_ON_CLUSTER, client.scheduler.address, path)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(rng.uniform(0, 1) * seconds)
            kill(process)
            process, n_known = begun_by(FIT_ON_CLUSTER, client.scheduler.address, path)
            assert process.communicate()[0].strip() == expected
            assert not path.exists()
            n_after_first += n_known > 0
    print(
        f"{n_crashes} drivers of fits of {seconds:.1f} s were killed, {n_after_first} went on with results from before"
    )

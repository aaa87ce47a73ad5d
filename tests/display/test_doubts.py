"""Every doubt is raised by its cause, and silent where there is none."""

from dataclasses import replace

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.display import doubts
from alakarte.display.answers import QUANTILES, ClassAnswers, NumberAnswers
from alakarte.metrics import standard_quantile
from model.kept_models import fitted

rng = np.random.default_rng(0)
SPREAD = standard_quantile(QUANTILES)


def normal(n=400, *, scale=1.0, shift=0.0, signal=3.0, left_out=False):
    """Answers of a model whose errors are `scale` times what it says, and `shift` besides."""
    mean = signal * rng.standard_normal((n, 1))
    y = mean + scale * rng.standard_normal((n, 1)) + shift
    return NumberAnswers(y, mean, mean[..., None] + SPREAD, left_out)


def classes(n=600, *, sharpen=1.0, signal=2.0):
    """Answers of a model whose log odds are `sharpen` times what is so."""
    odds = signal * rng.standard_normal(n)
    code = (rng.uniform(size=n) < 1 / (1 + np.exp(-odds))).astype(int)
    one = 1 / (1 + np.exp(-sharpen * odds))
    return ClassAnswers(np.column_stack([1 - one, one]), code, ("no", "yes"))


def test_coverage():
    assert doubts.coverage_off(normal()) is None
    assert "narrow" in doubts.coverage_off(normal(scale=2)).title
    assert "wide" in doubts.coverage_off(normal(scale=0.4)).title
    assert doubts.coverage_off(replace(normal(scale=0.4), whole=True)) is None
    assert doubts.coverage_off(normal(12, scale=1.2)) is None  # chance may do that


def test_shifted_predictions():
    assert doubts.shifted(normal()) is None
    assert "too low" in doubts.shifted(normal(shift=1.0)).title
    assert "too high" in doubts.shifted(normal(shift=-1.0)).title
    assert doubts.shifted(normal(8, shift=0.1)) is None


def test_probabilities():
    assert doubts.too_sure(classes()) is None
    assert "too sure" in doubts.too_sure(classes(sharpen=4)).title
    assert "timid" in doubts.too_sure(classes(sharpen=0.2)).title


def test_little_found():
    assert doubts.little_found(normal()) is None
    assert doubts.little_found(normal(signal=0.0)) is not None
    assert doubts.little_found(classes()) is None
    assert doubts.little_found(classes(signal=0.0)) is not None


def test_few_test_rows():
    assert doubts.few_test_rows(normal(30)) is None
    assert "12" in doubts.few_test_rows(normal(12)).seen
    assert doubts.few_test_rows(normal(12, left_out=True)) is None


def test_judged_by_its_own_rows():
    assert doubts.judged_by_own_rows(normal()) is None
    assert doubts.judged_by_own_rows(normal(left_out=True)) is not None


def test_few_rows_for_each_number():
    assert doubts.few_rows(100.0, 20) is None
    assert doubts.few_rows(100.0, 0) is None
    assert "4.0 rows" in doubts.few_rows(80.0, 20).seen


def history(values, *, converged):
    return replace(fitted("rows").model_.history, trace={"value": np.array(values)}, converged=converged)


def test_search_that_has_not_converged():
    climbing, flat = np.arange(40.0), np.append(np.arange(20.0), np.full(20, 20.0))
    assert doubts.not_converged(history(climbing, converged=True)) is None
    assert doubts.not_converged(history(flat, converged=False)) is None
    assert "still gained 10 nats" in doubts.not_converged(history(climbing, converged=False)).seen
    assert "first step" in doubts.not_converged(history([], converged=False)).seen


def test_a_search_cut_short_is_doubted():
    X = rng.uniform(-3, 3, (80, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] ** 2
    with pytest.warns(match="stopped early"):
        model = GPRegressor("ard", max_iter=5, max_iter_restart=1, n_restarts=1, random_state=0).fit(X, y)
    assert doubts.not_converged(model.model_.history) is not None


def at(name, bound):
    """Theta of a small model with one parameter at its lower (0) or upper (1) bound."""
    model = fitted("rows").model_
    theta, layout = model.theta.copy(), model.problem.layout
    place = layout.places(name)
    theta[place] = layout.bounds()[bound][place]
    return layout, theta


@pytest.mark.parametrize(
    ("name", "bound", "word"),
    [
        ("log_amplitude", 1, "amplitude is at its upper"),
        ("log_amplitude", 0, "amplitude is at its lower"),
        ("noise", 1, "noise is at its upper"),
        ("noise", 0, "noise is at its lower"),
    ],
)
def test_numbers_at_their_bounds(name, bound, word):
    layout, model = fitted("rows").model_.problem.layout, fitted("rows").model_
    full = next(p.name for p in layout.parameters if p.name.startswith(name) or f"log_{name}_" in p.name)
    [doubt] = doubts.at_its_bound(*at(full, bound), False)
    assert word in doubt.title
    inside = 0.5 * np.add(*layout.bounds())
    assert doubts.at_its_bound(layout, inside, False) == []
    assert model.theta.size == inside.size


def test_classes_that_are_told_apart_have_words_of_their_own():
    [doubt] = doubts.at_its_bound(*at("log_amplitude", 1), True)
    assert "classes" in doubt.seen


def test_inputs_far_out():
    seen, z, share = rng.uniform(-2, 2, (200, 3)), rng.uniform(-2, 2, (50, 3)), np.array([0.5, 0.5, 0.0])
    assert doubts.far_out(z, seen, share, "abc") is None
    z[0, 1] = 7.0
    assert doubts.far_out(z, seen, share, "abc").seen.endswith("above all in b, by up to 5 standard deviations.")
    z[0] = [0, 0, 9.0]  # an input that does not matter
    assert doubts.far_out(z, seen, share, "abc") is None
    z[:10, 0] = 3.0
    assert "10 of 50" in doubts.far_out(z, seen, share, "abc").seen
    assert doubts.far_out(z, None, share, "abc") is None  # without rows, four standard deviations
    z[0, 0] = 9.0
    assert doubts.far_out(z, None, share, "abc") is not None


def test_near_copies():
    seen, z = rng.standard_normal((3000, 3)), rng.standard_normal((200, 3))
    assert doubts.near_copies(z, seen) is None
    z[:20] = seen[:20] + 1e-5
    assert "20 of 200" in doubts.near_copies(z, seen).seen
    assert doubts.near_copies(seen[:50, :1], seen[:, :1]) is None  # along one input all rows are near


def test_unknown_words():
    assert doubts.unknown_levels({}, 10) is None
    assert "3 in colour" in doubts.unknown_levels({"colour": 3}, 10).seen

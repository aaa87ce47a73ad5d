"""What the peers are made of: encoding, choice by held-out rows, and the peers that need no other package."""

# ruff: noqa: E402  the room needs pandas
import numpy as np
import pytest

pd = pytest.importorskip("pandas")

from bench.likelihoods import class_peers
from bench.likelihoods.boosting import Rows, boosted
from bench.likelihoods.choice import best, divisions
from bench.likelihoods.count_peers import best_size, constant_nb, glm_nb
from bench.likelihoods.encoding import arrays, standardised, without_gaps
from bench.likelihoods.ours import note
from bench.likelihoods.rows import Split, two_classes, with_exposures
from bench.likelihoods.scores import class_losses
from scipy.special import expit
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression


def table():
    kinds = pd.Categorical(["u", "v", None, "u"], categories=["u", "v", "w"])
    return pd.DataFrame({"x": [1.0, np.nan, 3.0, 4.0], "kind": kinds})


def test_categories_become_columns_and_gaps_are_filled_and_marked():
    train, test = arrays(table(), table().iloc[:2])
    assert train.shape == (4, 2 + 3)  # x, where it is missing, and u, v, missing
    np.testing.assert_array_equal(train[:, 0], [1, 3, 3, 4])
    np.testing.assert_array_equal(train[:, 1], [0, 1, 0, 0])
    np.testing.assert_array_equal(test, train[:2])
    np.testing.assert_allclose(standardised(table(), table())[0].mean(axis=0), 0, atol=1e-15)


def test_frames_keep_their_categories_when_gaps_are_filled():
    train, test = without_gaps(table(), table().iloc[:2])
    assert [str(dtype) for dtype in train.dtypes] == ["float64", "float64", "category"]
    assert not train.iloc[:, :2].isna().any(axis=None)
    assert len(test) == 2
    whole = table()[["kind"]]
    assert without_gaps(whole, whole)[0] is whole


def test_held_out_rows_choose():
    split = two_classes(0, n=200)
    X = split.X.to_numpy()
    candidates = [LogisticRegression(C=C) for C in (1e-8, 1.0)]
    assert best(candidates, X, split.y).C == 1.0
    assert len(divisions(split.y)) == 5
    [(train, held)] = divisions(np.tile([0, 1], 3000))
    assert (len(train), len(held)) == (5400, 600)


def test_two_normals_have_the_log_odds_of_their_densities():
    X = np.random.default_rng(0).standard_normal((400, 3)) * np.where(np.arange(400) < 200, 1.0, 2.0)[:, None]
    table, y = pd.DataFrame(X), np.arange(400) // 200
    outcome = class_peers.two_normals(Split(table, y, table, y))
    normals = [norm(X[y == k].mean(), X[y == k].std()) for k in (0, 1)]
    log_odds = (normals[1].logpdf(X) - normals[0].logpdf(X)).sum(axis=1)
    np.testing.assert_allclose(outcome.predicted[:, 1], expit(log_odds), atol=1e-12)


@pytest.mark.parametrize("name", ["logistic", "rbf_sampler", "random_forest", "hist_gradient_boosting"])
def test_a_classifier_beats_the_base_rate(name, monkeypatch):
    monkeypatch.setattr(class_peers, "TREES", 20)
    split = two_classes(0, n=120)
    outcome = class_peers.PEERS[name](split)
    assert outcome.predicted.shape == (120, 2)
    np.testing.assert_allclose(outcome.predicted.sum(axis=1), 1)
    assert class_losses(split.y_test, outcome.predicted).mean() < np.log(2)


def test_an_exact_process_refuses_many_rows():
    with pytest.raises(ValueError, match="2001 training rows are more than the 2000"):
        class_peers.gpc(two_classes(0, n=2001))


def test_the_size_of_the_negative_binomial_is_recovered():
    rng = np.random.default_rng(0)
    mean = rng.uniform(1, 20, 20000)
    counts = rng.negative_binomial(3.0, 3.0 / (3.0 + mean))
    assert best_size(counts, mean) == pytest.approx(3.0, rel=0.05)
    assert constant_nb(with_exposures(0, n=400)).rate.std() == pytest.approx(0, abs=1e-12)


def test_a_linear_model_of_counts_recovers_rates_of_a_linear_model():
    pytest.importorskip("statsmodels")
    rng = np.random.default_rng(0)
    x, exposure = rng.standard_normal(3000), 10 ** rng.uniform(-1, 2, 3000)
    rate = np.exp(0.5 + 0.7 * x)
    y, X = rng.poisson(rate * exposure), pd.DataFrame({"x": x, "again": 2 * x})  # one column determines the other
    outcome = glm_nb(Split(X, y, X, y, exposure, exposure))
    np.testing.assert_allclose(outcome.rate, rate, rtol=0.05)


def test_boosting_starts_from_exposures_and_keeps_scores_of_rows_it_has_not_seen():
    pytest.importorskip("lightgbm")
    split = with_exposures(0, n=400)
    model = boosted(Rows(split.X, split.y, np.log(split.exposure)), {"objective": "poisson"})
    assert sorted(model.held) == list(range(300))
    mean = np.exp(model.held_scores)
    assert mean.sum() == pytest.approx(split.y.sum(), rel=0.2)


def test_a_note_tells_what_the_model_tells():
    class Model:
        n_basis_ = 64

    assert note(Model()) == "64 columns"

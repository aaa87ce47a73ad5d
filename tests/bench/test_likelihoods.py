"""Classes, counts and outliers beside peers: rows, losses, cells, resuming and the table; no data is needed."""

# ruff: noqa: E402  the room needs pandas
import json

import numpy as np
import pytest
from scipy import stats

pd = pytest.importorskip("pandas")

from bench.likelihoods import __main__ as command
from bench.likelihoods import run as runner
from bench.likelihoods.cells import METHODS, cells, settings
from bench.likelihoods.outcome import Outcome
from bench.likelihoods.rows import first, load, typed, with_exposures, with_outliers
from bench.likelihoods.run import COLUMNS, SHARED, scored
from bench.likelihoods.scores import (
    calibration_error,
    class_figures,
    class_losses,
    group_means,
    kept,
    negative_binomial_log_probability,
    paired,
    poisson_log_probability,
)
from bench.likelihoods.sets import COUNTS, SETS, SMALL
from bench.likelihoods.table import best_peer, grouped, holds, limit_of, report
from bench.lines import append, prepare, read
from bench.studies import other_splits


def line(name, method, loss, seed=0, **more):
    """A line as a run leaves it."""
    figures = {"loss": loss, "se": 0.01, "accuracy": 0.9, "ece": 0.01, "ece_drawn": 0.008, "rate_error": None}
    costs = {"seconds": 1.0, "peak_mb": 5.0, "n_train": 900, "n_test": 2000, "note": "a note"}
    groups = {"groups": " ".join(str(round(1e4 * loss) + step) for step in (-3, 0, 3))}
    shared = {"versions": {"numpy": "2"}, "settings": {"gpc": "one"}}
    return {"set": name, "method": method, "seed": seed} | figures | costs | groups | shared | more


def test_losses_are_those_of_scipy():
    counts, mean = np.array([0, 1, 7, 300]), np.array([0.3, 2.0, 7.0, 250.0])
    np.testing.assert_allclose(poisson_log_probability(counts, mean), stats.poisson.logpmf(counts, mean))
    np.testing.assert_allclose(
        negative_binomial_log_probability(counts, mean, 1.7), stats.nbinom.logpmf(counts, 1.7, 1.7 / (1.7 + mean))
    )
    proba = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    np.testing.assert_allclose(class_losses(np.array([1, 0, 1]), proba), -np.log([0.8, 0.5, 1e-15]))


def test_calibration_error_is_weighed_by_rows():
    confidence = np.array([0.9, 0.9, 0.9, 0.61])
    assert calibration_error(confidence, np.array([True, True, False, True])) == pytest.approx((0.7 + 0.39) / 4)
    rng = np.random.default_rng(0)
    proba = rng.dirichlet(np.ones(3), 4000)
    labels = np.array([rng.choice(3, p=row) for row in proba])
    figures = class_figures(labels, proba)
    assert abs(figures["ece"] - figures["ece_drawn"]) < 0.01
    assert figures["ece_drawn"] > 0
    overconfident = class_figures(labels, proba**4)
    assert overconfident["ece"] > overconfident["ece_drawn"] + 0.1


def test_groups_give_the_standard_error_of_a_paired_difference():
    rng = np.random.default_rng(0)
    hard = rng.exponential(1.0, 6000)
    ours, other = hard + 0.1 * rng.standard_normal(6000), hard + 0.02
    difference, error = paired([kept(ours, 1)], [kept(other, 1)])
    assert difference == pytest.approx(-0.02, abs=0.006)
    assert error == pytest.approx(0.1 / np.sqrt(6000), rel=0.4)
    assert kept(ours, 1)["se"] > 5 * error
    assert len(group_means(kept(ours, 3))) == 10
    assert len(group_means(kept(ours[:4], 1))) == 4


def test_text_and_named_columns_are_categories_and_the_rest_numbers():
    table = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [True, False], "soil": [3, 4], "label": [0, 1]})
    found = typed(table, ("soil",))
    assert [str(dtype) for dtype in found.dtypes] == ["float64", "category", "float64", "category", "int64"]
    assert found["b"].isna().tolist() == [False, True]


def test_outliers_are_a_twentieth_of_the_rows_and_ten_standard_deviations_away():
    y = np.random.default_rng(1).standard_normal(200)
    moved = with_outliers(y, 3)
    distance = np.abs(moved - y) / y.std()
    assert (distance > 0).sum() == 10
    np.testing.assert_allclose(distance[distance > 0], 10)
    np.testing.assert_array_equal(moved, with_outliers(y, 3))


def test_exposures_run_from_a_tenth_to_a_hundred_and_scale_the_counts():
    split = with_exposures(0)
    assert 0.1 <= split.exposure.min() < 0.12
    assert 85 < split.exposure.max() <= 100
    assert split.y_test.sum() == pytest.approx((split.rate_test * split.exposure_test).sum(), rel=0.02)
    assert len(first(1000, 50, 0)) == len(set(first(1000, 50, 0))) == 50


@pytest.mark.parametrize("marked", [False, True])
def test_a_marked_split_is_kept_and_others_are_quarters(tmp_path, monkeypatch, marked):
    table = pd.DataFrame({"x": np.arange(80.0), "kind": ["u", "v"] * 40})
    if marked:
        table["is_test"] = [1] * 10 + [0] * 70
    table["label"] = [0, 0, 0, 1] * 20
    (tmp_path / "classification").mkdir()
    table.to_csv(tmp_path / "classification" / "heart.csv.gz", index=False)
    monkeypatch.setenv("ALAKARTE_DATA", str(tmp_path))
    split = load(SETS["heart"], 0)
    assert list(split.X) == ["x", "kind"]
    assert (len(split.y), len(split.y_test)) == ((70, 10) if marked else (60, 20))
    if not marked:
        assert split.y_test.mean() == 0.25
    with pytest.raises(FileNotFoundError, match="counts/bike"):
        load(SETS["bike"], 0)


def test_all_that_is_asked_has_cells():
    todo = cells()
    keys = [tuple(cell.values()) for cell in todo]
    assert len(keys) == len(set(keys))
    assert {cell["set"] for cell in todo} == set(SETS) >= {*SMALL, *COUNTS}
    for each in SETS.values():
        seeds = {cell["seed"] for cell in todo if (cell["set"], cell["method"]) == (each.name, each.ours)}
        assert seeds == set(each.seeds)
        assert {name for asked in each.asked for name in asked.among} <= set(METHODS[each.kind])
    assert [cell["seed"] for cell in cells(["adult"], ["logistic"], [1, 2])] == [0]  # the split is marked
    assert [cell["seed"] for cell in cells(["heart"], ["logistic"], [1, 2])] == [1, 2]
    assert all(len(text) < 130 for text in settings().values())


def test_a_finished_cell_is_not_run_again(tmp_path, monkeypatch, capsys):
    path = tmp_path / "lines.tsv"
    ran = []

    def in_a_process(cell, max_time):
        ran.append(cell["method"])
        found = line("heart", cell["method"], 0.4)
        return None if cell["method"] == "gpc" else {name: found[name] for name in COLUMNS if name not in cell}

    monkeypatch.setattr(runner, "in_a_process", in_a_process)
    for _ in range(2):
        command.main(["run", "--sets", "heart", "--methods", "logistic", "gpc", "--seeds", "0", "--lines", str(path)])
    assert ran == ["logistic", "gpc", "gpc"]
    [found] = read(path)
    assert (found["set"], found["method"], found["loss"]) == ("heart", "logistic", 0.4)
    assert "logistic" in found["settings"]
    command.main(["table", "--lines", str(path)])
    assert "| heart | ≤ best peer + 0.02 |  | logistic 0.4000" in capsys.readouterr().out


def test_one_cell_is_scored_in_its_own_process(capsys):
    command.main(["one", json.dumps({"set": "exposure", "method": "constant_nb", "seed": 0})])
    found = json.loads(capsys.readouterr().out)
    assert set(COLUMNS) <= {*found, "set", "method", "seed"}
    assert found["loss"] > 2.5
    assert found["rate_error"] > 0.5
    command.main(["one", json.dumps({"set": "exposure", "method": "truth", "seed": 0})])
    assert json.loads(capsys.readouterr().out)["rate_error"] == 0


def test_outliers_are_scored_by_clean_standard_deviations():
    split = with_exposures(0)
    losses, _ = scored("outliers", split, Outcome(split.y_test + 2.0, 0.0))
    np.testing.assert_allclose(losses, 4.0)


def test_lines_come_back_as_they_were(tmp_path):
    path = tmp_path / "lines.tsv"
    prepare(path, COLUMNS)
    written = [line("heart", "logistic", 0.4125), line("bike", "glm_nb", 6.0, accuracy=None, note=None)]
    for each in written:
        append(path, each, COLUMNS, SHARED)
    assert read(path) == written


def test_the_table_says_what_holds():
    lines = [line("heart", "alakarte", 0.41, seed) for seed in range(3)]
    lines += [line("heart", "logistic", 0.40, seed) for seed in range(3)] + [line("heart", "gpc", 0.2)]
    lines += [line("pima", "alakarte", 0.45), line("pima", "logistic", 0.47)]
    lines += [line("bike", "alakarte", 4.7), line("bike", "glm_nb", 4.6), line("bike", "glm_poisson", 9.0)]
    lines += [line("concrete_outliers", "alakarte_student_t", 0.09), line("concrete_outliers", "alakarte", 1.0)]
    lines += [line("mnist30k", "alakarte", 0.1, accuracy=0.96, ece=0.03), line("mnist30k", "logistic", 0.2)]
    groups = grouped(lines)
    assert best_peer(SETS["heart"], groups["heart"]) == "logistic"  # gpc has one seed only
    [asked] = SETS["heart"].asked
    assert limit_of(SETS["heart"], asked, groups["heart"]) == pytest.approx(0.42)
    assert holds(SETS["heart"], asked, groups["heart"])
    text = report(lines)
    assert (
        "| heart | ≤ best peer + 0.02 | 0.4100 ± 0.0001 | logistic 0.4000 ± 0.0001 | +0.0100 ± 0.0000 | 0.42 | yes |"
        in text
    )
    assert "1 of 2 run: pima." in text
    assert "| 4.6 | **no** |" in text
    assert "| concrete_outliers | ≤ .33 | 0.3000" in text
    assert "Gaussian (more than .9 is expected): 1.000." in text
    assert "| mnist30k | accuracy ≥ .97 | 0.96 |  |  | 0.97 | **no** |" in text
    assert "above on mnist30k 0.0220." in text


def test_a_limit_by_a_peer_is_set_by_the_seeds_that_both_have():
    lines = [line("penbased", "alakarte", loss, seed) for seed, loss in enumerate((0.02, 0.5, 0.5))]
    groups = grouped([*lines, line("penbased", "lightgbm", 0.03)])
    [asked] = SETS["penbased"].asked
    assert limit_of(SETS["penbased"], asked, groups["penbased"]) == pytest.approx(0.03)
    assert holds(SETS["penbased"], asked, groups["penbased"])
    apart = grouped([*lines[1:], line("penbased", "lightgbm", 0.03)])
    assert limit_of(SETS["penbased"], asked, apart["penbased"]) is None


def test_other_splits_pair_the_losses_of_the_same_rows(monkeypatch, capsys):
    found = {"alakarte": np.array([0.3, 0.5, 0.1]), "logistic": np.array([0.2, 0.4, 0.3])}
    monkeypatch.setattr(other_splits, "losses", lambda name, method, seed: found[method] + 0.01 * seed)
    gap, error = other_splits.compare("sonar", "logistic", (3, 4))
    assert gap == pytest.approx(0.0)
    assert error == pytest.approx(0.0)  # the same on both splits
    assert "+0.0000 ± 0.1000" in capsys.readouterr().out  # of three rows: +.1, +.1, −.2
    assert other_splits.compare("sonar", "logistic", (3,), alone=True) is None
    assert "logistic 0.3300" in capsys.readouterr().out

"""The paper's experiments as a program: cells, resuming, which cells hold, table and figures from lines."""

import os

import numpy as np
import pytest
from bench.lines import append, prepare, read
from bench.paper import __main__ as command
from bench.paper import run as runner
from bench.paper.cells import PROTOCOL, Cell, baselines, cells, settings, sweep
from bench.paper.figures import draw
from bench.paper.lines import COLUMNS, LINES, SHARED, finished
from bench.paper.page import report
from bench.paper.published import METHODS, PAPER
from bench.paper.relative import beside_rbf
from bench.paper.table import holds, means, summary


def line(name, method, fold, rmse, mode="paper", **more):
    """A line as a run leaves it."""
    names = "log_density_standardised coverage log_evidence seconds cpu_seconds test_cpu_seconds"
    figures = dict.fromkeys(names.split(), 0.5)
    cell = {"set": name, "method": method, "fold": fold, "mode": mode, "Q": None, "m": None}
    rest = {"rmse": rmse, "rmse_over_std": 0.1, "peak_mb": 9.0, "chosen": "gm", "threads": None}
    return cell | figures | rest | {"n_train": 90, "n_test": 10, "evaluations": 7, "columns": 64} | more


def test_the_paper_has_34_sets_and_seven_methods():
    assert len(PAPER) == 34
    assert all(set(row.figures) == set(METHODS) for row in PAPER.values())
    gm = PAPER["concrete"].figures["gm"]
    assert (gm.mean, gm.sd, gm.half_unit) == (3.67, 0.71, 0.005)


def test_settings_are_those_of_the_paper():
    assert settings(Cell("yacht", "ard", 3, "paper"), 308)["expansion"] == "exact"
    gm = settings(Cell("yacht", "gm", 3, "paper"), 308)
    assert (gm["n_components"], gm["n_frequencies"], gm["expansion"]) == (5, 256, "fastfood")
    assert (gm["n_restarts"], gm["max_iter_restart"], gm["max_iter"]) == (10, 20, 150)
    assert (gm["n_learning_rows"], gm["n_posterior_frequencies"], gm["random_state"]) == (None, None, 3)
    medium = settings(Cell("kin40k", "ard", 0, "paper"), 40_000)
    assert (medium["n_components"], medium["n_frequencies"], medium["expansion"]) == (3, 256, "fastfood")
    large = settings(Cell("houseelectric", "rbf", 0, "paper"), 2_049_280)
    assert (large["n_components"], large["n_frequencies"], large["n_restarts"]) == (5, 8, 5)
    assert settings(Cell("yacht", "auto", 1, "auto"), 308) == {"random_state": 1}
    swept = settings(Cell("energy", "ard", 0, "sweep", 2, 64), 768)
    assert (swept["n_components"], swept["n_frequencies"], swept["expansion"]) == (2, 64, "fastfood")
    [base, _] = baselines(["yacht", "kin40k"])
    assert (base.set, base.method, settings(base, 308)["expansion"]) == ("yacht", "rbf", "fastfood")


def test_all_small_sets_have_enough_folds_and_first_folds_come_first():
    todo = cells(["yacht", "concrete", "kin40k"])
    count = {name: len({c.fold for c in todo if c.set == name}) for name in ("yacht", "concrete", "kin40k")}
    assert count == {"yacht": 10, "concrete": 3, "kin40k": 1}
    assert [c.fold for c in todo] == sorted(c.fold for c in todo)
    assert len(todo) == len({c.key() for c in todo}) == 8 * 14
    assert len(sweep()) == len({c.key() for c in sweep()}) == 2 * 7 * 10


def test_a_cell_holds_within_a_standard_deviation_and_half_a_unit():
    assert holds("concrete", "gm", [3.67 + 0.71 + 0.004])
    assert not holds("concrete", "gm", [3.67 + 0.71 + 0.006])
    assert holds("concrete", "gm", [3.0, 5.7])  # the mean decides
    assert holds("concrete", "auto", [3.67 * 1.02 + 0.004])
    assert not holds("concrete", "auto", [3.67 * 1.02 + 0.006])


def test_the_page_counts_and_marks_what_does_not_hold():
    lines = [line("concrete", "gm", k, 9.0) for k in range(2)] + [line("concrete", "pwl", 0, 3.0)]
    lines += [line("yacht", "auto", 0, 0.1, "auto"), line("concrete", "gm", 0, 98765.0, "sweep", Q=2, m=8)]
    page = report(lines)
    assert "**9 ± 0**<br>3.67 ± 0.71" in page
    assert "| 3<br>3.76 ± 0.59 |" in page
    assert "98765" not in page
    table = "\n".join(summary(means(lines)))
    assert "| gm | 0 | 1 |" in table
    assert "| pwl | 1 | 1 |" in table
    assert "| auto (sets with signal) | 1 | 1 |" in table
    assert "| all but rbf and auto | 1 (50%) | 2 |" in table


def test_figures_are_drawn_from_lines(tmp_path):
    pytest.importorskip("matplotlib")
    rng = np.random.default_rng(0)
    lines = [line(name, m, 0, rng.random()) for name in ("sml", "kin40k") for m in METHODS]
    lines += [line("energy", m, 0, rng.random(), "sweep", Q=q, m=32) for q in (1, 2) for m in METHODS]
    assert [path.name for path in draw(lines, tmp_path)] == [
        "paper_sweeps.svg",
        "paper_relative.svg",
        "paper_tradeoff.svg",
        "paper_ranks.svg",
    ]
    assert ">RMSE / std(y)</text>" in (tmp_path / "paper_sweeps.svg").read_text()  # text, not outlines of letters
    assert draw([], tmp_path) == []


def test_the_page_has_costs_beside_ard():
    error = dict.fromkeys(METHODS, 0.2) | {"gm": 0.1}
    lines = [line("sml", m, 0, 1.0, rmse_over_std=error[m], cpu_seconds=2.0 if m == "pwl" else 0.5) for m in METHODS]
    page = report(lines)
    assert "| accuracy | 1.00 | 1.00 | 1.00 | 2.00 | 1.00 | 1.00 | 1.00 |" in page
    assert "| training time | 1.00 | 1.00 | 1.00 | 1.00 | 4.00 | 1.00 | 1.00 |" in page


def test_figures_measure_by_fastfood_on_the_same_folds():
    exact = line("yacht", "rbf", 0, 1.0, rmse_over_std=1.0)
    lines = [exact, line("yacht", "rbf", 1, 1.0, "fastfood", rmse_over_std=0.4)]
    lines += [line("yacht", "gm", k, 1.0, rmse_over_std=r) for k, r in ((0, 9.0), (1, 0.2))]
    lines += [line("sml", m, 0, 1.0, rmse_over_std=r) for m, r in (("rbf", 0.2), ("gm", 1e-9))]
    assert beside_rbf(lines)["rmse_over_std"] == pytest.approx(
        {("yacht", "rbf"): 1.0, ("yacht", "gm"): 0.5, ("sml", "rbf"): 1.0, ("sml", "gm"): 1e-3 / 0.2}
    )


def test_a_set_that_is_not_there_says_how_to_get_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("ALAKARTE_DATA", str(tmp_path))
    lines = tmp_path / "lines.tsv"
    arguments = ["run", "yacht", "--folds", "0", "--methods", "rbf", "--side-by-side", "1", "--lines", str(lines)]
    assert command.main(arguments) == 1
    assert "treforevans/uci_datasets" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        command.main(["run", "nosuchset"])
    assert "is not in the paper" in capsys.readouterr().err


def test_a_line_comes_back_as_it_was_and_what_lines_share_is_stated_once(tmp_path):
    path, shared = tmp_path / "lines.tsv", {"versions": {"numpy": "2"}, "protocol": PROTOCOL}
    written = [line("concrete", "gm", 0, 1 / 3, **shared), line("concrete", "gm", 1, 2.0, "sweep", Q=2, m=8, **shared)]
    written.append(line("3droad", "auto", 0, np.float64(1e-9), "auto", **(shared | {"versions": {"numpy": "3"}})))
    prepare(path, COLUMNS)
    for one in written:
        append(path, one, COLUMNS, SHARED)
    assert path.read_text().count("max_iter_restart") == 2
    found = read(path)
    assert [one.pop("rmse") for one in found] == pytest.approx([one.pop("rmse") for one in written], rel=1e-5)
    assert found == written


def test_a_file_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "lines.tsv"
    path.write_text("set\trmse\nyacht\t0.1\n")
    with pytest.raises(ValueError, match="has the columns set, rmse"):
        prepare(path, COLUMNS)
    assert path.read_text() == "set\trmse\nyacht\t0.1\n"


@pytest.mark.parametrize("kept", ["", "head", "rows"])
def test_a_line_that_was_cut_off_is_neither_read_nor_kept(tmp_path, kept):
    path, one = tmp_path / "lines.tsv", line("yacht", "gm", 0, 0.1, versions={}, protocol={})
    prepare(path, COLUMNS)
    head = path.read_text()
    append(path, one, COLUMNS, SHARED)
    whole = path.read_text()
    before = {"": "", "head": head, "rows": whole}[kept]
    path.write_bytes(before.encode() + "yacht\tg…".encode()[:-1])
    assert len(read(path)) == (kept == "rows")
    prepare(path, COLUMNS)
    assert path.read_text() == (before or head)


@pytest.mark.skipif(not LINES.exists(), reason="the results are not part of a source distribution")
def test_committed_lines_are_compact_and_have_the_settings_of_their_cells():
    assert LINES.stat().st_size < 150_000
    lines = read(LINES)
    assert len(finished(lines)) == len(lines) > 1000
    assert all(one["protocol"] == PROTOCOL for one in lines)


@pytest.mark.skipif("ALAKARTE_DATA" not in os.environ, reason="ALAKARTE_DATA does not name a directory of data sets")
def test_a_run_resumes_and_never_runs_a_cell_twice(tmp_path):
    lines, said = tmp_path / "lines.tsv", []
    todo = [Cell("challenger", method, 0, "paper") for method in ("rbf", "ard")]
    assert runner.run(todo[:1], lines, say=said.append) == 0
    first = lines.read_text()
    assert runner.run(todo, lines, max_time=0.0, say=said.append) == 0  # over before it begins
    assert lines.read_text() == first
    lines.write_text(first + first.splitlines()[-1][:30])  # a line that was cut off
    assert runner.run(todo + todo, lines, side_by_side=2, say=said.append) == 0
    text = lines.read_text()
    assert text.startswith(first)
    found = read(lines)
    assert [entry["method"] for entry in found] == ["rbf", "ard"]
    assert "2 cells, 1 of them finished before" in said
    assert runner.run(todo, lines, say=said.append) == 0
    assert lines.read_text() == text
    assert {"rmse", "coverage", "seconds", "peak_mb", "protocol", "versions"} <= set(found[0])
    assert np.isfinite([entry["rmse"] for entry in found]).all()

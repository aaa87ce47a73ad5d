"""Fit, predict, evaluate and inspect, from files to files; and what is said when something is wrong."""

import csv
import io
import json
import sys
from datetime import date, timedelta

import numpy as np
import pytest

import alakarte
from alakarte.cli.main import main
from alakarte.display import EffectDisplay

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
NAMES = ("size", "colour", "day", "age", "price", "sold", "visits")


def rows_of_a_table(n=80, seed=0):
    """Numbers, words, dates and gaps, and three targets."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        size, colour, days = rng.standard_normal(), rng.choice(["red", "green", "blue"]), int(rng.integers(900))
        price = np.sin(size) + {"red": 0, "green": 1, "blue": -1}[colour] + 0.1 * rng.standard_normal()
        age = "" if rng.random() < 0.2 else f"{rng.standard_normal():.3f}"
        visits = rng.poisson(np.exp(0.5 * price))
        sold = "yes" if price > 0.3 else "no"
        rows.append([size, colour, date(2020, 1, 1) + timedelta(days), age, price, sold, visits])
    return rows


def write_csv(path, rows, names=NAMES, delimiter=","):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, delimiter=delimiter).writerows([names, *rows])
    return str(path)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tables, and a model of each task."""
    place = tmp_path_factory.mktemp("commands")
    table = write_csv(place / "table.csv", rows_of_a_table())
    write_csv(place / "new.csv", rows_of_a_table(30, seed=1))
    for target in ("price", "sold", "visits"):
        others = [part for name in ("price", "sold", "visits") if name != target for part in ("--drop", name)]
        command = ["fit", table, "--target", target, "-o", str(place / f"{target}.alk"), "--kernel", "rbf", *others]
        assert main([*command, "--json"]) == 0
    return place


def predicted(folder, model, capsys, *options, table="new.csv"):
    """Columns of a prediction to standard output, and what was remarked."""
    capsys.readouterr()
    assert main(["predict", str(folder / f"{model}.alk"), str(folder / table), *options]) == 0
    captured = capsys.readouterr()
    lines = list(csv.DictReader(io.StringIO(captured.out)))
    return {name: [line[name] for line in lines] for name in lines[0]}, captured.err


def test_a_model_of_numbers(folder, capsys):
    columns, remarks = predicted(folder, "price", capsys, "--std", "--interval", "0.9", "--keep", "day")
    assert list(columns) == ["day", "mean", "std", "low", "high"]
    assert remarks == ""
    mean, std, low, high, price = (np.array(columns[name], float) for name in ("mean", "std", "low", "high", "std"))
    assert (low < mean).all()
    assert (mean < high).all()
    assert (std > 0).all()
    price = np.array([row[4] for row in rows_of_a_table(30, seed=1)])
    assert np.sqrt(np.mean((mean - price) ** 2)) < 0.5


def test_predictions_are_those_of_the_model_in_python(folder, capsys):
    columns, _ = predicted(folder, "price", capsys)
    model = alakarte.load(folder / "price.alk")
    raw = {
        name: np.array(values, dtype=object) for name, values in zip(NAMES, zip(*as_text(), strict=True), strict=True)
    }
    assert [float(each) for each in columns["mean"]] == model.predict(model.schema_.table(raw)).tolist()
    assert model.model_.input_names == ("size", "colour", "day", "age", "age is missing")


def as_text():
    return [[str(value) for value in row] for row in rows_of_a_table(30, seed=1)]


def test_a_model_of_classes(folder, capsys):
    columns, _ = predicted(folder, "sold", capsys)
    assert list(columns) == ["label", "p(no)", "p(yes)"]
    assert np.allclose(np.array(columns["p(no)"], float) + np.array(columns["p(yes)"], float), 1)
    assert set(columns["label"]) <= {"yes", "no"}


def test_a_model_of_counts(folder, capsys):
    columns, _ = predicted(folder, "visits", capsys, "--interval", "0.8")
    assert all(float(low) == int(low) for low in columns["low"])
    assert (np.array(columns["mean"], float) > 0).all()


@pytest.mark.parametrize(("model", "measure"), [("price", "rmse"), ("sold", "accuracy"), ("visits", "log_density")])
def test_evaluation(folder, capsys, model, measure):
    capsys.readouterr()
    assert main(["evaluate", str(folder / f"{model}.alk"), str(folder / "new.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["rows"] == 30
    assert np.isfinite(found[measure])
    assert main(["evaluate", str(folder / f"{model}.alk"), str(folder / "new.csv")]) == 0
    assert measure in capsys.readouterr().out


@pytest.mark.parametrize("model", ["price", "sold", "visits"])
def test_a_report(folder, tmp_path, capsys, model):
    pytest.importorskip("matplotlib")
    page = tmp_path / "report.html"
    assert main(["report", str(folder / f"{model}.alk"), str(folder / "new.csv"), "-o", str(page)]) == 0
    assert "report.html: written" in capsys.readouterr().err
    text = page.read_text(encoding="utf-8")
    assert f"What was learned about {model}" in text
    assert "30 test rows" in text
    assert ">size<" in text
    assert main(["report", str(folder / f"{model}.alk"), str(folder / "no.csv"), "-o", str(page)]) == 2
    assert main(["report", str(folder / f"{model}.alk"), "-o", str(tmp_path / "nowhere" / "a.html")]) == 2


def test_effects_have_the_words_and_dates_of_the_table(folder):
    pytest.importorskip("matplotlib")
    model = alakarte.load(folder / "price.alk")
    names, rows = NAMES[:4], rows_of_a_table(30, seed=1)
    raw = {name: np.array([str(row[k]) or None for row in rows], dtype=object) for k, name in enumerate(names)}
    X = model.schema_.table(raw)
    marks = {
        name: [tick.get_text() for tick in EffectDisplay.from_estimator(model, X, name).ax_.get_xticklabels()]
        for name in ("colour", "age is missing", "day")
    }
    assert marks["colour"] == ["blue", "green", "red"]
    assert marks["age is missing"] == ["no", "yes"]
    assert all(date.fromisoformat(each) for each in marks["day"])


def test_inspection_says_whether_there_are_rows(folder, capsys):
    capsys.readouterr()
    assert main(["inspect", str(folder / "price.alk"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["columns"] == {"size": "number", "colour": "category", "day": "date", "age": "number"}
    assert (found["class"], found["target"], found["holds_training_rows"]) == ("GPRegressor", "price", True)
    assert main(["inspect", str(folder / "price.alk")]) == 0
    assert "holds rows of the training table" in capsys.readouterr().out


def test_the_task_is_seen_and_said(tmp_path, capsys):
    for target, task in (("price", "regression"), ("sold", "classification"), ("visits", "counts")):
        table = write_csv(
            tmp_path / "table.csv", [[r[0], r[NAMES.index(target)]] for r in rows_of_a_table(25)], ["x", target]
        )
        assert main(["fit", table, "--target", target, "-o", str(tmp_path / "m.alk"), "--kernel", "rbf"]) == 0
        captured = capsys.readouterr()
        assert f": {task} (--task says otherwise)" in captured.err
        assert "relevance" in captured.out


def test_rows_without_a_target_are_left_out(tmp_path, capsys):
    rows = [[0.1 * i, "" if i % 5 == 0 else 0.3 * i] for i in range(30)]
    table = write_csv(tmp_path / "table.csv", rows, ["x", "y"], delimiter=";")
    assert main(["fit", table, "--target", "y", "-o", str(tmp_path / "m.alk"), "--kernel", "rbf", "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["rows"] == 24
    assert "6 of 30 rows have no 'y'" in captured.err


def test_unknown_words_are_told(folder, tmp_path, capsys):
    rows = rows_of_a_table(10)
    rows[3][1] = "violet"
    write_csv(folder / "violet.csv", rows)
    columns, remarks = predicted(folder, "price", capsys, table="violet.csv")
    assert len(columns["mean"]) == 10
    assert "column 'colour': 1 rows with a word that the fit has not seen" in remarks


def test_files_of_arrow_in_and_out(folder, capsys):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import feather, parquet

    rows = list(zip(*rows_of_a_table(30, seed=1), strict=True))
    columns = {name: list(values) for name, values in zip(NAMES, rows, strict=True)}
    columns["age"] = [float(age) if age else None for age in columns["age"]]
    columns["colour"] = pa.array(columns["colour"]).dictionary_encode()
    table = pa.table(columns)
    parquet.write_table(table, folder / "new.parquet", row_group_size=7)
    feather.write_feather(table, str(folder / "new.feather"))
    expected, _ = predicted(folder, "price", capsys)
    for suffix in ("parquet", "feather"):
        out = folder / f"out.{suffix}"
        assert main(["predict", str(folder / "price.alk"), str(folder / f"new.{suffix}"), "-o", str(out)]) == 0
        read = parquet.read_table(out) if suffix == "parquet" else feather.read_table(str(out))
        assert read.column("mean").to_pylist() == [float(each) for each in expected["mean"]]
    assert not list(folder.glob(".*"))


def told(capsys, *command):
    """What a command prints as JSON."""
    capsys.readouterr()
    assert main([*map(str, command), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_weights_are_repeated_rows(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [
        [x, round(np.sin(x) + 0.1 * rng.standard_normal(), 6), w]
        for x, w in zip(rng.normal(size=40), [1, 2] * 20, strict=True)
    ]
    once = write_csv(tmp_path / "once.csv", rows, ["x", "y", "w"])
    twice = write_csv(tmp_path / "twice.csv", [row[:2] for row in rows for _ in range(row[2])], ["x", "y"])
    options = ["--target", "y", "--kernel", "rbf", "--task", "regression"]
    weighted = told(capsys, "fit", once, *options, "--weight", "w", "-o", tmp_path / "weighted.alk")
    repeated = told(capsys, "fit", twice, *options, "-o", tmp_path / "repeated.alk")
    assert weighted["log_evidence"] == pytest.approx(repeated["log_evidence"])
    assert list(weighted["relevance"]) == ["x"]
    measured = told(capsys, "evaluate", tmp_path / "weighted.alk", once, "--weight", "w")
    known = told(capsys, "evaluate", tmp_path / "repeated.alk", twice)
    assert (measured.pop("rows"), known.pop("rows")) == (40, 60)
    assert measured == pytest.approx(known)


def test_exposure_goes_from_the_fit_to_predictions(tmp_path, capsys):
    rng = np.random.default_rng(0)
    hours = rng.integers(1, 30, 60)
    rows = [[x, h, rng.poisson(h * np.exp(0.5 * x))] for x, h in zip(rng.normal(size=60), hours, strict=True)]
    table = write_csv(tmp_path / "counts.csv", rows, ["x", "hours", "visits"])
    model, options = tmp_path / "m.alk", ["--target", "visits", "--kernel", "rbf", "--task", "counts"]
    told(capsys, "fit", table, *options, "--exposure", "hours", "-o", model)
    with_hours = told(capsys, "evaluate", model, table, "--exposure", "hours")
    assert with_hours["log_density"] > told(capsys, "evaluate", model, table)["log_density"] + 1
    assert main(["predict", str(model), table, "--exposure", "hours", "--interval", "0.9"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    again = alakarte.load(model)
    X = np.array([[row[0]] for row in rows])
    assert [float(line["mean"]) for line in lines] == again.predict(X, exposure=hours).tolist()
    pytest.importorskip("matplotlib")
    pages = [tmp_path / "with.html", tmp_path / "without.html"]
    assert main(["report", str(model), table, "--exposure", "hours", "-o", str(pages[0])]) == 0
    assert main(["report", str(model), table, "-o", str(pages[1])]) == 0
    low = "Predictions are too low"  # where hours are taken as one
    assert [low in page.read_text(encoding="utf-8") for page in pages] == [False, True]


def test_a_transform_of_the_target(tmp_path, capsys):
    rng = np.random.default_rng(0)
    rows = [[x, np.exp(np.sin(x) + 0.4 * rng.standard_normal())] for x in rng.uniform(-3, 3, 80)]
    table = write_csv(tmp_path / "skewed.csv", rows, ["x", "y"])
    model = tmp_path / "m.alk"
    told(capsys, "fit", table, "--target", "y", "--kernel", "rbf", "--target-transform", "auto", "-o", model)
    assert told(capsys, "inspect", model)["target_transform"] == "log y"
    assert main(["predict", str(model), table, "--interval", "0.99"]) == 0
    lines = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert all(0 < float(line["low"]) < float(line["mean"]) < float(line["high"]) for line in lines)


# --- mistakes: one line that says what and what to do, exit status 2


def mistakes(folder):
    """Commands that are wrong, and words that must be said."""
    table, model, out = (str(folder / name) for name in ("table.csv", "price.alk", "out.alk"))
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text("size,colour,day,age\n")
    (folder / "uneven.csv").write_text('a,y\n1,2\n3,"4,5"\n6\n')
    (folder / "twice.csv").write_text("a,a,y\n1,2,3\n")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "damaged.alk").write_bytes((folder / "price.alk").read_bytes()[:-1])
    write_csv(folder / "words.csv", [["big", *row[1:]] for row in rows_of_a_table(5)])
    write_csv(folder / "fewer.csv", [row[1:] for row in rows_of_a_table(5)], NAMES[1:])
    write_csv(folder / "names.csv", [[f"person {i}", i] for i in range(300)], ["its name", "y"])
    return {
        "no such table": (["fit", str(folder / "tabel.csv"), "--target", "y", "-o", out], "there is no such file"),
        "no such column": (["fit", table, "--target", "prize", "-o", out], "no column 'prize'; it has size, colour"),
        "no target": (["fit", table, "-o", out], "--target"),
        "no output": (["fit", table, "--target", "price"], "--output"),
        "no such folder": (["fit", table, "--target", "price", "-o", str(folder / "no/m.alk")], "Make it first"),
        "empty": (["fit", str(folder / "empty.csv"), "--target", "y", "-o", out], "is empty"),
        "uneven rows": (["fit", str(folder / "uneven.csv"), "--target", "y", "-o", out], "has 1 fields, the header 2"),
        "a name twice": (["fit", str(folder / "twice.csv"), "--target", "y", "-o", out], "two columns of the name 'a'"),
        "no text": (["fit", str(folder / "binary.csv"), "--target", "y", "-o", out], "no text in UTF-8"),
        "a folder": (["fit", str(folder), "--target", "y", "-o", out], "is a folder"),
        "words as numbers": (["fit", table, "--target", "sold", "--task", "regression", "-o", out], "needs numbers"),
        "unknown task": (["fit", table, "--target", "sold", "--task", "clustering", "-o", out], "invalid choice"),
        "likelihood": (
            ["fit", table, "--target", "price", "--likelihood", "poisson", "-o", out],
            "regression has gaussian",
        ),
        "transform of classes": (
            ["fit", table, "--target", "sold", "--target-transform", "log", "-o", out],
            "is for regr",
        ),
        "logarithm": (["fit", table, "--target", "price", "--target-transform", "log", "-o", out], "Use 'yeo-johnson'"),
        "exposure of numbers": (["fit", table, "--target", "price", "--exposure", "size", "-o", out], "is for counts"),
        "exposure of a model": (["predict", model, table, "--exposure", "size"], "is for counts"),
        "weight": (["fit", table, "--target", "price", "--weight", "size", "-o", out], "give numbers ≥ 0 in all rows"),
        "weight of words": (["evaluate", model, table, "--weight", "sold"], "--weight sold: column 'sold' has"),
        "two roles": (["fit", table, "--target", "price", "--weight", "price", "-o", out], "has two roles"),
        "no such weight": (["evaluate", model, table, "--weight", "w"], "no column 'w'"),
        "kernel": (["fit", table, "--target", "price", "--kernel", "ardd", "-o", out], "kernel='ardd' is not known"),
        "many words": (["fit", str(folder / "names.csv"), "--target", "y", "-o", out], "--drop 'its name'"),
        "no model": (["predict", str(folder / "no.alk"), table], "there is no such file"),
        "table as model": (["predict", table, table], "is no model file of alakarte"),
        "damaged model": (["predict", str(folder / "damaged.alk"), table], "is damaged"),
        "damaged model inspected": (["inspect", str(folder / "damaged.alk")], "is damaged"),
        "missing column": (["predict", model, str(folder / "fewer.csv")], "column 'size' is not there"),
        "word in a number": (["predict", model, str(folder / "words.csv")], "'big', which is no number"),
        "no rows": (["predict", model, str(folder / "header.csv")], "has no rows"),
        "column to keep": (["predict", model, table, "--keep", "id"], "no column 'id'"),
        "coverage": (["predict", model, table, "--interval", "95"], "between 0 and 1"),
        "std of classes": (["predict", str(folder / "sold.alk"), table, "--std"], "probability of every class"),
        "no folder for predictions": (["predict", model, table, "-o", str(folder / "no/p.csv")], "Make it first"),
        "predictions of no kind": (
            ["predict", model, table, "-o", str(folder / "p.xlsx")],
            ".xlsx says no kind of tab",
        ),
        "a folder as model": (["fit", table, "--target", "price", "-o", str(folder)], "is a folder"),
        "unknown command": (["learn", table], "invalid choice"),
        "no arguments": (["predict"], "required"),
    }


def test_mistakes_are_told_in_one_line(folder, capsys):
    for name, (command, text) in mistakes(folder).items():
        capsys.readouterr()
        try:
            status = main(command)
        except SystemExit as end:
            status = end.code
        captured = capsys.readouterr()
        lines = [line for line in captured.err.splitlines() if "--task says otherwise" not in line]
        assert status == 2, name
        assert captured.out == "", name
        assert len(lines) == 1, (name, lines)
        assert text in lines[0], (name, lines)
    assert not (folder / "out.alk").exists()


def test_without_pyarrow_the_extra_is_named(folder, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (folder / "some.parquet").write_bytes(b"")
    assert main(["predict", str(folder / "price.alk"), str(folder / "some.parquet")]) == 2
    assert 'pip install "alakarte[parquet]"' in capsys.readouterr().err


def test_nothing_is_left_of_an_output_that_failed(folder, capsys):
    out = folder / "old.csv"
    out.write_text("as it was")
    assert main(["predict", str(folder / "price.alk"), str(folder / "words.csv"), "-o", str(out)]) == 2
    assert out.read_text() == "as it was"
    assert not list(folder.glob(".*"))
    capsys.readouterr()

"""A report of every kind of model: whole, small, of itself, and with the user's names in it."""

import re
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from alakarte import GPCountRegressor, GPRegressor, Unavailable
from alakarte.display.answers import left_out_answers
from alakarte.display.report import report
from alakarte.errors import InvalidInput
from model.kept_models import RECIPES, X, fitted, moved, y

plt = pytest.importorskip("matplotlib.pyplot")
MODELS = (  # one for each way through the report
    *("rows", "average", "two_targets", "weights_fast", "student_t", "input_noise", "two_classes"),
    *("three_classes_weights", "counts", "neighbours", "votes"),
)
VOID = {"meta", "link"}


class Page(HTMLParser):
    """Elements that are opened and closed, text, names, and addresses that are not in the page."""

    def __init__(self, text):
        super().__init__()
        self.open, self.text, self.names, self.elsewhere = [], "", [], []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        assert tag not in ("script", "iframe", "img", "object")
        for name, value in attributes:
            if name == "id":
                self.names.append(value)
            if name in ("src", "href", "xlink:href") and not value.startswith(("#", "data:")):
                self.elsewhere.append(value)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def checked(text):
    page = Page(text)
    assert page.elsewhere == []
    assert re.findall(r"url\((?!#)", text) == []
    assert "@import" not in text
    assert len(page.names) == len(set(page.names))
    named = set(page.names)
    assert set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text)) <= named
    assert len(text) < 3e6
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
    return page


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_report(name):
    page = checked(report(fitted(name), moved(X), RECIPES[name][1]))
    for title in ("What to doubt", "What was learned", "How sure it is", "How it was found"):
        assert title in page.text
    assert "24 test rows" in page.text
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", ["rows", "two_targets", "neighbours", "three_classes", "low_rank", "counts"])
def test_without_rows_those_of_the_fit_are_left_out(name):
    page = checked(report(fitted(name)))
    answers = left_out_answers(fitted(name), fitted(name).model_)
    assert ("Judged by its own rows" in page.text) == (answers is not None)
    assert ("Not judged by any row" in page.text) == (answers is None)
    assert (answers is None) == (name in ("low_rank", "counts"))


@pytest.mark.parametrize("name", ["rows", "average", "neighbours"])
def test_rows_left_out_are_those_of_the_posterior(name):
    model = fitted(name).model_
    answers = left_out_answers(fitted(name), model)
    refitted = fitted(name).model_.posterior
    kept = refitted.rows if name != "neighbours" else None
    assert sorted(answers.y[:, 0]) == pytest.approx(sorted(y))
    if kept is not None:
        without = refitted.changed(kept.take(np.array([3])), -1)
        mean = without.mean(kept.whole().x[3:4]) * model.scaling.y_scale + model.scaling.y_mean
        if name == "rows":  # those of an average change their weights, too
            assert answers.mean[3] == pytest.approx(mean[0], abs=1e-8)


def test_names_are_escaped_and_long_ones_are_there():
    pandas = pytest.importorskip("pandas")
    names = ["<b>bold</b> & $x$", "long " * 20, "größe 東"]
    table = pandas.DataFrame(X, columns=names)
    model = GPRegressor("ard", max_iter=0, random_state=0).fit(table, y)
    target = pandas.Series(y, name="<script>price</script>")
    page = checked(report(model, table, target))
    assert "<b>bold</b> & $x$" in page.text
    assert "<script>price</script>" in page.text
    assert "größe 東" in page.text


def test_the_method_writes_the_file_and_takes_exposure(tmp_path):
    rng = np.random.default_rng(0)
    rows, hours = rng.uniform(size=(60, 2)), rng.uniform(1, 5, 60)
    model = GPCountRegressor("rbf", max_iter=2, n_restarts=1, random_state=0)
    with pytest.warns(match="stopped early"):
        model.fit(rows, rng.poisson(3 * hours), exposure=hours)
    model.report(tmp_path / "report.html", rows, rng.poisson(3 * hours), exposure=hours)
    fair = (tmp_path / "report.html").read_text(encoding="utf-8")
    checked(fair)
    assert "too low" not in fair
    model.report(tmp_path / "report.html", rows, rng.poisson(3 * hours))
    assert "are too low on average" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_a_planted_cause_is_named_on_the_page():
    rng = np.random.default_rng(0)
    rows = rng.uniform(-1, 1, (120, 3))
    target = np.sin(3 * rows[:, 0]) + 0.1 * rng.standard_normal(120)
    model = GPRegressor("ard", random_state=0).fit(rows, target)
    fresh = rng.uniform(-1, 1, (100, 3))
    truth = np.sin(3 * fresh[:, 0]) + 0.1 * rng.standard_normal(100)
    assert "Nothing was found" in report(model, fresh, truth)
    assert "Rows lie outside" in report(model, fresh + np.array([6.0, 0, 0]), truth)
    assert "Test rows are near-copies" in report(model, rows, target)
    assert "Intervals are too narrow" in report(model, fresh, truth + rng.standard_normal(100))


def test_what_cannot_be_used_is_said():
    with pytest.raises(InvalidInput, match="y is given without X"):
        report(fitted("rows"), None, y)
    with pytest.raises(InvalidInput, match="24 rows and y 3"):
        report(fitted("rows"), X, y[:3])
    with pytest.raises(InvalidInput, match="is no number"):
        report(fitted("rows"), X, np.where(np.arange(24) == 2, np.nan, y))
    with pytest.raises(InvalidInput, match="none of the classes"):
        report(fitted("three_classes"), X, np.full(24, "blue", dtype=object))


def test_the_style_of_the_user_does_not_matter():
    before = report(fitted("rows"), X, y)
    with plt.style.context("dark_background"):
        assert report(fitted("rows"), X, y) == before


def test_without_matplotlib_the_extra_is_named(monkeypatch, tmp_path):
    for name in ("matplotlib", "matplotlib.pyplot", "matplotlib.figure", "matplotlib.style"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(Unavailable, match=r"alakarte\[plot\]"):
        fitted("rows").report(tmp_path / "report.html", X, y)
    assert not (tmp_path / "report.html").exists()

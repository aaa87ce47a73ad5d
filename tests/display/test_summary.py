"""The summary of a fit names what was learned and stays short."""

import pytest

from problems import MENU, naming, small, table

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_summary_names_every_parameter(data):
    for name in MENU:
        with naming(name):
            model = small(MENU[name]).fit(*data)
            text = model.summary()
            assert all(parameter in text for parameter in model.kernel_.parameters)
            assert f"{model.log_marginal_likelihood_:.2f}" in text
            assert MENU[name].name in text


def test_summary_of_a_wide_table_is_short():
    X, y, _ = table(30)
    text = small("ard", max_iter=0).fit(X, y).summary()
    assert "10 more inputs" in text
    assert len(text.splitlines()) < 40


def test_the_most_relevant_input_stands_first():
    X, y, _ = table(3, n=60)
    model = small("ard", max_iter=20).fit(X * [1.0, 10.0, 100.0], y + 3 * X[:, 1])
    lines = model.summary().splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("input")) + 1
    names, shown = zip(*(line.split()[:2] for line in lines[first : first + 3]), strict=True)
    order = (-model.relevance_).argsort()
    assert names == tuple(f"x{j}" for j in order)
    assert list(map(float, shown)) == sorted(map(float, shown), reverse=True)


def test_long_names_are_told_apart_and_waves_beyond_the_variance_have_no_senseless_share(monkeypatch):
    X, y, _ = table(2, n=40)
    names = ["living area of the house in m²", "living area of the house in m² is missing"]
    frame = pytest.importorskip("pandas").DataFrame(X, columns=names)
    model = small("ard", max_iter=0).fit(frame, y)
    text = model.summary()
    assert "…issing " in text
    assert "living area of the house in m²  " in text
    waves = [{"share": 42.0, "period": {"t": 3.0}}, {"share": 0.25, "period": {"t": 9.0}}]
    monkeypatch.setattr(type(model.model_), "periods", waves)
    text = model.summary()
    assert "3 along t, more than all of the variance" in text
    assert "9 along t, 25 % of the variance" in text

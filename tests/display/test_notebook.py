"""Notebooks show what was learned beside scikit-learn's diagram, once, and only after a fit."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import clone

from alakarte import GPRegressor
from alakarte.display.notebook import MOST_INPUTS, learned_html
from model.kept_models import RECIPES, X, fitted, y

MODELS = sorted(set(RECIPES) - {"features"})


@pytest.mark.parametrize("name", MODELS)
def test_every_model_shows_itself(name):
    model = fitted(name)
    text = learned_html(model.model_)
    HTMLParser().feed(text)
    assert f"Kernel {model.kernel_.kernel.name}" in text
    assert all(f">{each}</td>" in text for each in model.model_.input_names)
    shown = [float(share) for share in re.findall(r"</span>([\d.]+)%", text)]
    np.testing.assert_allclose(sorted(shown), sorted(100 * model.relevance_), atol=0.051)
    assert "nan" not in text


def test_it_stands_beside_the_diagram():
    model = fitted("rows")
    for text in (model._repr_html_(), model._repr_mimebundle_()["text/html"]):
        assert text.count("alakarte-learned") == 1
        assert "n_restarts" in text or "GPRegressor" in text
    assert "alakarte-learned" not in clone(model)._repr_html_()
    assert model._repr_mimebundle_()["text/plain"] == repr(model)
    with config_context(display="text"):
        assert "text/html" not in model._repr_mimebundle_()


def test_names_are_escaped_and_many_inputs_are_cut():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(X, columns=["<i>a</i>", 'b"c', "d" * 300])
    text = learned_html(GPRegressor("ard", max_iter=0, random_state=0).fit(table, y).model_)
    assert "&lt;i&gt;a&lt;/i&gt;" in text
    assert 'b"c' not in text
    wide = np.random.default_rng(0).standard_normal((30, 20))
    text = learned_html(GPRegressor("ard", max_iter=0, random_state=0).fit(wide, wide[:, 0]).model_)
    assert text.count("<tr>") == MOST_INPUTS
    assert "8 more inputs" in text

"""Reports in a real browser: nothing sticks out, nothing complains, nothing is asked of the network."""

import os

import numpy as np
import pytest

from alakarte.display.report import report
from browser.chromium import browser, installed
from model.kept_models import RECIPES, fitted, moved
from model.kept_models import X as ROWS

pytest.importorskip("matplotlib")
pytestmark = [
    pytest.mark.skipif("ALAKARTE_BROWSER" not in os.environ, reason="slow: make test-browser runs it"),
    pytest.mark.skipif(installed() is None, reason="no Chromium is installed"),
]
MODELS = ("average", "two_targets", "weights_fast", "two_classes", "three_classes", "counts", "neighbours")


@pytest.fixture(scope="module")
def tab():
    with browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Reports of small models; one of 200 inputs with long names."""
    from alakarte import GPRegressor

    pandas = pytest.importorskip("pandas")
    place = tmp_path_factory.mktemp("pages")
    for name in MODELS:
        (place / f"{name}.html").write_text(report(fitted(name), moved(ROWS), RECIPES[name][1]), encoding="utf-8")
    rng = np.random.default_rng(0)
    names = [f"a_very_long_name_without_any_place_to_break_it_{j}" * 3 for j in range(200)]
    table = pandas.DataFrame(rng.standard_normal((60, 200)), columns=names)
    wide = GPRegressor("ard", max_iter=0, random_state=0).fit(table, rng.standard_normal(60))
    (place / "wide.html").write_text(report(wide, table, rng.standard_normal(60)), encoding="utf-8")
    return place


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [320, 400, 1400])
@pytest.mark.parametrize("name", [*MODELS, "wide"])
def test_a_page(tab, pages, name, width, dark):
    tab.open((pages / f"{name}.html").as_uri(), width, dark=dark)
    assert tab.overflow() == (0, [])
    assert tab.requests() == []
    assert tab.complaints() == []
    paper = tab.value("getComputedStyle(document.body).backgroundColor")
    assert (sum(map(int, paper[4:-1].split(", "))) < 200) == dark


def test_what_is_looked_for_is_found(tab, tmp_path):
    """The page of the test itself: too wide, with an error, and an image from elsewhere."""
    page = tmp_path / "bad.html"
    page.write_text("<p style='width:900px'>x</p><img src='missing.png'><script>nothing()</script>", encoding="utf-8")
    tab.open(page.as_uri(), 400)
    wide, outside = tab.overflow()
    assert wide > 0
    assert "P" in outside
    assert [url.rsplit("/", 1)[1] for url in tab.requests()] == ["missing.png"]
    assert any("nothing" in text for text in tab.complaints())


def test_on_paper(tab, pages, tmp_path):
    tab.open((pages / "average.html").as_uri(), 1400, dark=True)
    tab.pdf(tmp_path / "page.pdf")
    assert (tmp_path / "page.pdf").read_bytes()[:5] == b"%PDF-"
    tab("Emulation.setEmulatedMedia", media="print")
    assert tab.value("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"  # light, even if dark
    tab("Emulation.setEmulatedMedia", media="")

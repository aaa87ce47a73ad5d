"""The site of the documentation in a real browser: nothing sticks out, complains, or asks for anything elsewhere."""

import os
from pathlib import Path

import pytest

from browser.chromium import browser, installed

SITE = Path(__file__).parents[2] / "docs/_build/html"
FOUND = sorted(path.relative_to(SITE).as_posix() for path in SITE.rglob("*.html")) if SITE.exists() else []
PAGES = [page for page in FOUND if not page.startswith("_static/")]  # pieces of the theme are no pages
pytestmark = [
    pytest.mark.skipif("ALAKARTE_DOCS" not in os.environ, reason="slow: make test-docs runs it"),
    pytest.mark.skipif(installed() is None, reason="no Chromium is installed"),
    pytest.mark.skipif(not PAGES, reason="no site has been built: make docs"),
]


@pytest.fixture(scope="module")
def tab():
    with browser() as opened:
        yield opened


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [400, 1400])
@pytest.mark.parametrize("page", PAGES)
def test_a_page(tab, page, width, dark):
    tab.open((SITE / page).as_uri(), width, dark=dark)
    assert tab.overflow()[0] == 0, tab.overflow()
    assert [url for url in tab.requests() if not url.startswith(("file://", "blob:"))] == []
    assert [text for text in tab.complaints() if "[PST]" not in text] == []  # what the theme tells of itself
    assert tab.value("document.documentElement.dataset.theme") == ("dark" if dark else "light")


@pytest.mark.parametrize("page", PAGES)
def test_pictures_of_a_page_are_there_and_links_lead_somewhere(tab, page):
    tab.open((SITE / page).as_uri(), 1400)
    assert tab.value("[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)") == []
    links = tab.value("[...document.querySelectorAll('a[href]')].map(a => a.href.split('#')[0].split('?')[0])")
    assert [link for link in set(links) if link.startswith("file://") and not Path(link[7:]).exists()] == []

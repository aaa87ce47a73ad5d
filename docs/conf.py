"""The site of the documentation: the pages as they stand in the repository, a gallery that is run, a reference."""

import os
import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))  # for `mathml`
sys.path.insert(0, str(ROOT / "src"))

import alakarte  # noqa: E402

project = "alakarte"
author = "the alakarte developers"
copyright = author
version = release = alakarte.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
    "mathml",
]
exclude_patterns = ["_build", "examples", "sg_execution_times.rst"]
templates_path = ["_templates"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4
autosummary_generate = True
autodoc_typehints = "none"  # the docstrings say them in words
numpydoc_show_class_members = False

html_context = {"default_mode": "auto"}
html_theme = "pydata_sphinx_theme"
html_title = "alakarte"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
html_copy_source = False
html_math_renderer = "mathml"
html_theme_options = {
    "logo": {"text": "alakarte"},
    "navbar_align": "left",
    "navigation_with_keys": False,
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}
html_sidebars = {"index": [], "guide/start": []}

os.environ.setdefault("MPLBACKEND", "Agg")
sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["auto_examples"],
    "abort_on_example_error": True,
    "within_subsection_order": "FileNameSortKey",
    "remove_config_comments": True,
    "show_signature": False,
    "capture_repr": (),  # pictures speak for themselves
    "download_all_examples": False,
    "write_computation_times": False,  # its page asks a CDN for scripts
}

# Pages whose text stands outside of this folder.
ELSEWHERE = {
    "project/changelog": "CHANGELOG.md",
    "project/contributing": "CONTRIBUTING.md",
    "project/measurements": "bench/README.md",
}
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]+)(#[^)]*)?\)")


def inside_the_site(text: str, folder: Path) -> str:
    """The text of a page with links that lead to other pages of the site; where there is no such page, their words."""

    def link(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target:
            return match[0]
        path = (folder / target).resolve()
        for page, file in ELSEWHERE.items():
            if path == ROOT / file:
                return f"[{words}](/{page}.md{anchor})"
        if path.is_relative_to(DOCS) and path.suffix:
            return f"[{words}](/{path.relative_to(DOCS).as_posix()}{anchor})"
        return words

    return LINK.sub(link, text)


def read_source(app: object, page: str, source: list[str]) -> None:
    """Take the text of a page from where it stands, and lead its links to pages of the site."""
    if page in ELSEWHERE:
        path = ROOT / ELSEWHERE[page]
        source[0] = inside_the_site(path.read_text(encoding="utf-8"), path.parent)
    elif (path := DOCS / f"{page}.md").exists():
        source[0] = inside_the_site(source[0], path.parent)


def is_skipped(app: object, what: str, name: str, member: object, skip: bool, options: object) -> bool:
    """Whether a method stays out of the reference: what scikit-learn brings, but for `fit_transform`."""
    of_sklearn = (getattr(member, "__module__", None) or "").startswith("sklearn.") or name.endswith("_request")
    return skip or (of_sklearn and name != "fit_transform")


def setup(app: object) -> None:
    """Hang these functions into Sphinx."""
    app.connect("source-read", read_source)  # type: ignore[attr-defined]
    app.connect("autodoc-skip-member", is_skipped)  # type: ignore[attr-defined]

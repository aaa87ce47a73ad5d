"""Displays as SVG within a page: colours that follow the page, light or dark, and no name that two pictures share.

In: a function that draws on an axis. Out: a figure of HTML. Nothing in it refers to another place.
"""

import html
import re
from collections.abc import Callable
from typing import Any

from alakarte.display.canvas import BAND, PALE, POINTS, REFERENCE, SAMPLES, SHADES, Display, svg

WIDE = 4.6  # inches: as wide as a phone, with letters that can be read there
_LIGHT = (*SHADES, BAND, POINTS, REFERENCE, PALE, SAMPLES, "#000000", "#cccccc", "#ffffff")
_DARK = (
    *("#9dbdf2", "#f0a063", "#78cdb8", "#c4aeea", "#d6c861", "#b4b4b4"),
    *("#56719f", "#c8c8c8", "#9a9a9a", "#3c4a63", "#8c9cbd", "#e4e4e4", "#555555", "#16191e"),
)


def figure(plot: Callable[[Any], Display], caption: str, key: str) -> str:
    """A picture with its caption; `key` tells its names from those of others."""
    drawn = svg(plot, WIDE)
    drawn = drawn[drawn.index("<svg") :]
    drawn = re.sub(r"<metadata>.*?</metadata>\s*", "", drawn, flags=re.DOTALL)
    drawn = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", drawn, count=1))
    drawn = re.sub(r'\bid="', f'id="{key}-', drawn)
    drawn = re.sub(r'(url\(#|href="#)', rf"\g<1>{key}-", drawn)
    for place, colour in enumerate(_LIGHT):
        drawn = drawn.replace(colour, f"var(--c{place})")
    said = html.escape(caption)
    drawn = drawn.replace("<svg ", f'<svg role="img" aria-label="{said}" ', 1)
    return f"<figure>{drawn.strip()}<figcaption>{said}</figcaption></figure>"


def colours(dark: bool) -> str:
    """The colours of pictures, as CSS."""
    return " ".join(f"--c{place}: {colour};" for place, colour in enumerate(_DARK if dark else _LIGHT))

"""A page of HTML that needs nothing from elsewhere: its style, and the few elements that a report is made of.

In: text, which is escaped here, and pieces of HTML that were made here. Out: HTML. Light and dark, narrow and wide, on
paper.
"""

import html
from collections.abc import Sequence

from alakarte.display.inline import colours

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1f24; --soft: #59616e; --paper: #fff; --line: #d9dde4; --panel: #f5f7fa;
  --doubt: #a24a10; --good: #256b54; %(light)s }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e8eb; --soft: #a3abb8; --paper: #16191e;
  --line: #363c46; --panel: #1f242b; --doubt: #f0a063; --good: #78cdb8; %(dark)s } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 68rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, "Segoe UI", Roboto, "DejaVu Sans", Arial, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.6rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
h3 { font-size: 1rem; margin: 0 0 0.3rem; }
p { margin: 0.5rem 0; max-width: 44rem; }
.soft, figcaption { color: var(--soft); font-size: 0.9rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.7rem; margin: 1rem 0; }
.tile { background: var(--panel); border: 1px solid var(--line); border-radius: 0.4rem; padding: 0.6rem 0.8rem; }
.tile b { display: block; font-size: 1.3rem; line-height: 1.3; }
.doubt { border-left: 0.3rem solid var(--doubt); background: var(--panel); padding: 0.6rem 0.9rem; margin: 0.8rem 0;
  break-inside: avoid; }
.good { border-left-color: var(--good); }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%%, 26rem), 1fr)); gap: 1.2rem; }
figure { margin: 0; break-inside: avoid; }
figure svg { display: block; width: 100%%; max-width: 33rem; height: auto; }
svg text { fill: var(--ink); }
.table { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.6rem 0; font-variant-numeric: tabular-nums; }
th, td { overflow-wrap: break-word; text-align: right; padding: 0.2rem 0.8rem 0.2rem 0;
  border-bottom: 1px solid var(--line); }
th:first-child, td:first-child { text-align: left; max-width: 18rem; }
th { overflow-wrap: normal; vertical-align: bottom; }
pre { overflow-x: auto; font-size: 0.8rem; background: var(--panel); padding: 0.8rem; }
summary { cursor: pointer; }
@media (max-width: 30rem) { th, td { padding-right: 0.4rem; font-size: 0.85rem; } }
@media print { body { max-width: none; padding: 0; font-size: 10pt; } .figures { grid-template-columns: 1fr 1fr; }
  pre { white-space: pre-wrap; } h2 { break-after: avoid; } .table { break-inside: avoid; } }
"""


def page(title: str, body: Sequence[str]) -> str:
    """A whole page."""
    style = _STYLE % {"light": colours(dark=False), "dark": colours(dark=True)}
    head = (
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{html.escape(title)}</title><link rel="icon" href="data:,"><style>{style}</style>'
    )
    lines = "\n".join(body)
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body>\n{lines}\n</body></html>\n'


def element(name: str, text: str, css: str = "") -> str:
    """An element with text in it."""
    kind = f' class="{css}"' if css else ""
    return f"<{name}{kind}>{html.escape(text)}</{name}>"


def section(title: str, parts: Sequence[str]) -> str:
    """A heading, and what stands below it."""
    return "\n".join(["<section>", element("h2", title), *parts, "</section>"])


def box(title: str, texts: Sequence[str], css: str) -> str:
    """A framed remark."""
    inside = [element("h3", title), *(element("p", text) for text in texts)]
    return f'<div class="{css}">{"".join(inside)}</div>'


def tiles(pairs: Sequence[tuple[str, str]]) -> str:
    """Figures with what they are."""
    each = [f'<div class="tile">{element("b", value)}{element("span", what, "soft")}</div>' for value, what in pairs]
    return f'<div class="tiles">{"".join(each)}</div>'


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table; its first column has names."""
    lines = ["".join(element("td", cell) for cell in row) for row in rows]
    top = "".join(element("th", cell) for cell in head)
    inside = "".join(f"<tr>{line}</tr>" for line in [top, *lines])
    return f'<div class="table"><table>{inside}</table></div>'


def figures(drawn: Sequence[str]) -> str:
    """Pictures beside each other, where there is room."""
    return f'<div class="figures">{"".join(drawn)}</div>'


def folded(title: str, text: str) -> str:
    """Text as it is, behind a title."""
    return f"<details>{element('summary', title)}{element('pre', text)}</details>"

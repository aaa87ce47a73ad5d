"""How figures are drawn: matplotlib without a screen, and SVG files whose text is text.

In: a figure. Out: a file that is the same, byte for byte, whenever the figure is.
"""

from pathlib import Path

STYLE = {
    "svg.fonttype": "none",  # text, in the reader's own sans-serif face
    "svg.hashsalt": "alakarte",  # the same names of clips and markers every time
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana"],  # faces of one width, and then whatever the reader has
    "font.size": 9,
}


def pyplot():
    """matplotlib.pyplot, set up."""
    try:
        import matplotlib
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("The figures need matplotlib: pip install matplotlib.") from error
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams.update(STYLE)
    return plt


def axes(plt, rows: int, columns: int, width: float = 3.6, height: float = 3.2):
    """A figure of panels without upper and right borders; sizes in inches, of a panel."""
    size = width * columns, height * rows
    figure, panels = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for panel in panels.flat:
        panel.spines[["top", "right"]].set_visible(False)
    return figure, panels


def plain_numbers(panel, which: str, ticks=None) -> None:
    """A logarithmic axis, "x" or "y", with plain numbers, at these ticks or at 1, 2 and 5 of every power of ten."""
    from matplotlib import ticker

    axis = getattr(panel, f"{which}axis")
    if ticks is not None:
        axis.set_ticks(ticks, labels=[f"{tick:g}" for tick in ticks])
    else:
        axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axis.set_minor_locator(ticker.NullLocator())


def save(plt, figure, path: Path) -> Path:
    """Write an SVG file and forget the figure."""
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    text = path.read_text(encoding="utf-8")
    path.write_text("".join(f"{line.rstrip()}\n" for line in text.splitlines()), encoding="utf-8")
    return path

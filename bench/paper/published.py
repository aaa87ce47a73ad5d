"""The paper's own table, and when one of our cells holds beside it.

In: `published.txt`. Out: `PAPER[set]`, with group, rows and, for every method, mean, standard deviation and the half
unit of the last digit printed.
"""

from dataclasses import dataclass
from pathlib import Path

METHODS = ("rbf", "ard", "fsard", "gm", "pwl", "fsgbard", "ssgpr")
NO_SIGNAL = ("challenger", "fertility", "forest", "solar")


@dataclass(frozen=True)
class Figure:
    """One cell of the table."""

    mean: float
    sd: float
    half_unit: float

    @property
    def limit(self) -> float:
        """The largest mean of ours that holds."""
        return self.mean + self.sd + self.half_unit


@dataclass(frozen=True)
class Published:
    """One row of the table."""

    name: str
    group: str  # small, medium, large
    n_rows: int
    figures: dict[str, Figure]

    @property
    def best(self) -> Figure:
        """The method with the least mean."""
        return min(self.figures.values(), key=lambda figure: figure.mean)

    @property
    def auto_limit(self) -> float:
        """The largest mean of the library's own choice that is at least as good as the best of the row."""
        return self.best.mean * 1.02 + self.best.half_unit


def _figure(text: str) -> Figure:
    mean, sd = text.split("/")
    decimals = len(mean.partition(".")[2])
    return Figure(float(mean), float(sd), 0.5 * 10.0**-decimals)


def _read() -> dict[str, Published]:
    lines = (Path(__file__).parent / "published.txt").read_text(encoding="ascii").splitlines()
    methods = lines[1].split()[3:]
    table = {}
    for line in lines[2:]:
        name, group, n_rows, *figures = line.split()
        pairs = zip(methods, map(_figure, figures), strict=True)
        table[name] = Published(name, group, int(n_rows), dict(pairs))
    return table


PAPER = _read()

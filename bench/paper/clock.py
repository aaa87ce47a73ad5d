"""How long the cells that are left will take, from those that are finished.

In: lines and cells. Out: seconds, and durations in words.
"""

START = 3.0  # seconds to start a process and read the data


class Clock:
    """A cell takes as long as others of the same set and method, else of the method, else of all."""

    def __init__(self, lines):
        self.seconds = {}
        for line in lines:
            self.add(line)

    def add(self, line: dict) -> None:
        """Count one finished run."""
        for key in _kinds(line["set"], line["method"], line["Q"], line["m"]):
            self.seconds.setdefault(key, []).append(line["seconds"] + START)

    def left(self, cells) -> float:
        """Seconds of all these cells, one after the other."""
        return sum(self._expected(cell) for cell in cells)

    def _expected(self, cell) -> float:
        known = [key for key in _kinds(cell.set, cell.method, cell.Q, cell.m) if key in self.seconds]
        return sum(self.seconds[known[0]]) / len(self.seconds[known[0]]) if known else 0.0


def _kinds(name, method, Q, m) -> tuple:
    """From like to unlike."""
    return (name, method, Q, m), method, None


def duration(seconds: float) -> str:
    """Seconds, minutes or hours."""
    minutes = seconds / 60
    return f"{seconds:.0f} s" if minutes < 2 else f"{minutes:.0f} min" if minutes < 120 else f"{minutes / 60:.1f} h"

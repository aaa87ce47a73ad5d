"""The sets: series that packages ship, and those that are made. Each with what it must show."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bench.patterns import made

# inputs (n, d), targets (n,), held out (n,)
Rows = tuple[np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class PatternSet:
    """A set with its bounds."""

    rows: Callable[[np.random.Generator], Rows]
    most_error: float  # RMSE / std(y of all rows), or / noise
    least_coverage: float  # of 95 % bands
    noise: float | None = None  # by which errors are divided, where it is known and asked for
    period: float | None = None  # rows, that seasonal peers are told
    kernel: str | None = None  # asked for by name


def _series(y) -> Rows:
    y = np.asarray(y, dtype=float)
    return np.arange(float(len(y)))[:, None], y, made.last(len(y))


def _co2(rng: np.random.Generator) -> Rows:
    from statsmodels.datasets import co2

    monthly = co2.load_pandas().data["co2"].resample("MS").mean()
    t, y, _ = _series(monthly.to_numpy())
    there = np.isfinite(y)
    return t[there], y[there], made.last(int(there.sum()))


def _airline(rng: np.random.Generator) -> Rows:
    from statsforecast.utils import AirPassengers

    return _series(AirPassengers)


def _log_airline(rng: np.random.Generator) -> Rows:
    x, y, held = _airline(rng)
    return x, np.log(y), held


def _log_gdp(rng: np.random.Generator) -> Rows:
    from statsmodels.datasets import macrodata

    return _series(np.log(macrodata.load_pandas().data["realgdp"]))


def _sunspots(rng: np.random.Generator) -> Rows:
    from statsmodels.datasets import sunspots

    return _series(sunspots.load_pandas().data["SUNACTIVITY"])


SINES = {
    f"sine-{cycles}-{'regular' if regular else 'irregular'}": PatternSet(
        made.sine(cycles, regular=regular), 1.1 if cycles > 1 else np.inf, 0.9, noise=0.1
    )
    for cycles in (1, 3, 20, 200)
    for regular in (True, False)
}
SETS = {
    "co2": PatternSet(_co2, 0.09, 0.85, period=12),
    "log-airline": PatternSet(_log_airline, 0.20, 0.85, period=12),
    "airline": PatternSet(_airline, 0.20, 0.85, period=12),
    "log-gdp": PatternSet(_log_gdp, 0.10, 0.90, period=1),
    "sunspots": PatternSet(_sunspots, 1.40, 0.75, period=11),
    "decaying": PatternSet(made.decaying_waves, 0.46, 0.88, period=32),
    "sawtooth": PatternSet(made.sawtooth, 0.29, 0.88),
    **SINES,
    "tread-64": PatternSet(made.tread(64, 24), 0.12, 0.92),
    "tread-scattered": PatternSet(made.scattered_tread, 0.20, 0.92),
    "tread-320": PatternSet(made.tread(320, 100), 0.16, 0.92),
    "brick": PatternSet(made.brick, 0.50, 0.90),
    "space": PatternSet(made.waves_in_space, 1.10, 0.75, noise=0.3),
    "many-points": PatternSet(made.many_points, 1.02, 0.93, noise=1.0, kernel="gm"),
}

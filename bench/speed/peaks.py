"""Peak memory beyond the data, each in a fresh process (Linux).

In: sizes. Out: megabytes of an evaluation, of fits of few and many rows, and of predictions for few and many rows.
"""

from bench.memory import resident, start_peak
from bench.speed.fresh import fresh
from bench.speed.timing import show

EVALUATION = """
from bench.speed.peaks import peak_above
from bench.speed.problems import objective
print(peak_above(objective("ard", {n}, 8, 1, 768)))
"""

FIT = """
from alakarte import GPRegressor
from bench.speed.peaks import peak_above
from bench.speed.problems import table
X, y = table({n}, 11)
model = GPRegressor("ard", n_components=1, n_frequencies=96, n_restarts=1, max_iter=1, n_learning_rows=None)
model.fit(X[:3000], y[:3000])
print(peak_above(lambda: model.fit(X, y)))
"""

PREDICTION = """
from alakarte import GPRegressor
from bench.speed.peaks import peak_above
from bench.speed.problems import table
X, y = table({n}, 8)
model = GPRegressor("ard", n_components=1, n_frequencies=768, max_iter=0).fit(X[:3000], y[:3000])
print(peak_above(lambda: model.predict(X)) - X.shape[0] * 8 / 1e6)
"""


def peak_above(work) -> float:
    """Megabytes that `work` needed at most beyond what was resident before."""
    before = start_peak()
    work()
    return resident("VmHWM") - before


def peaks() -> None:
    """An evaluation, predictions and fits."""
    peak = fresh(EVALUATION.format(n=36_000))
    show("value + gradient, n=36000, D=1536: memory above the data", f"{peak:.0f} MB", "≤ 300 MB", peak <= 300)
    few, many = (fresh(PREDICTION.format(n=n)) for n in (100_000, 1_000_000))
    figure = f"{few:.0f} and {many:.0f} MB"
    show("peak of predict beyond rows and means, 10⁵ and 10⁶ rows, D=1536", figure, "within 50 MB", many - few <= 50)
    small, large = (fresh(FIT.format(n=n)) for n in (200_000, 2_000_000))
    figure = f"{small:.0f} and {large:.0f} MB"
    what = "peak of a fit beyond its data, D=192, n=200 000 and 2 000 000"
    show(what, figure, "within 50 MB", abs(large - small) <= 50)

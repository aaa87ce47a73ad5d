"""The posterior on all rows with more frequencies than were learned with: fresh ones from the learned spectrum.

In: a learned problem and theta. Out: `Refit`: noise and common amplitude re-tuned, grown while the evidence pays.
Kernels whose parameters are their frequencies (fsard, fsgbard, ssgpr) keep theirs.
"""

import time
from dataclasses import dataclass, replace

import numpy as np

from alakarte.execution.budget import Budget
from alakarte.features.draws import draw
from alakarte.kernels.base import Kernel
from alakarte.parameters import Layout
from alakarte.process.noise_and_gain import retune, rows_profile, weights_profile
from alakarte.process.objective import Model, Problem, model_at, nlml, row_signal
from alakarte.process.sums import statistics_of_each
from alakarte.process.weight_space import noise_floor
from alakarte.records import Shape, Statistics
from alakarte.search.sizes import columns_each

GAIN = 0.002  # nats a row: less than this from twice the columns, and growth ends
FLOPS = 4e12  # of one posterior
BYTES = 5.5e8  # of the symmetric matrices of one posterior: 4096 columns
_COPIES = 4  # of D×D numbers at the same time: two lanes, the scaled Gram, its factor
_FACTORS = 10  # Cholesky factors while re-tuning
_MULTIPLE = 64


@dataclass(frozen=True)
class Refit:
    """A model on all rows after re-tuning, its nlml to the rounding of sums, and those sums where it has them."""

    model: Model
    theta: np.ndarray
    value: float
    sums: Statistics | None
    reason: str = ""  # why it did not grow further

    @property
    def n_basis(self) -> int:
        """Columns, or rows of an exact kernel."""
        features = self.model.features
        return self.model.problem.rows.n_rows if features is None else features.n_basis


def grows(kernel: Kernel) -> bool:
    """Whether the parameters of a kernel do not depend on the number of its frequencies."""
    few, many = (kernel.parameters(Shape(2, (m,))) for m in (3, 5))
    return all(a.shape == b.shape for a, b in zip(few, many, strict=True))


def enlarge(problem: Problem, size: int, rng, *, each: bool = False) -> Problem:
    """The same problem with fresh frequencies, evenly over its components: `size` columns, or frequencies of each."""
    shape = problem.draws.shape
    if not each:
        size = max(1, size // (columns_each(problem.layout.parameters) * shape.n_components))
    shape = Shape(shape.n_inputs, (size,) * shape.n_components)
    form = "auto" if problem.form == "exact" else problem.form
    return replace(problem, draws=draw(shape, problem.draws.expansion, rng), form=form)


def flops(n_rows: int, n_basis: int) -> float:
    """Of one posterior: the Gram and some Cholesky factors."""
    k = min(n_rows, n_basis)
    return float(n_rows) * n_basis * k + _FACTORS * float(k) ** 3 / 3


def most_columns(n_rows: int, patient: bool = False) -> int:
    """Columns that flops and memory allow; with `patient`, four times the memory, and a clock in place of flops."""
    columns = np.sqrt(BYTES * (4 if patient else 1) / (8 * _COPIES))
    while not patient and columns > _MULTIPLE and flops(n_rows, columns) > FLOPS:
        columns *= 0.95
    return max(_MULTIPLE, int(columns) // _MULTIPLE * _MULTIPLE)


def refit(problem: Problem, theta, budget: Budget) -> Refit:
    """One pass over the rows, then noise and common amplitude."""
    return refit_each([problem], [theta], budget)[0]


def refit_each(problems: list[Problem], thetas, budget: Budget) -> list[Refit]:
    """Several on the same rows, in one pass over them."""
    began = time.perf_counter()
    models = [model_at(problem, theta) for problem, theta in zip(problems, thetas, strict=True)]
    passing = [model for model in models if model.form == "weights"]
    sums = {}
    if passing:
        rows, n_jobs = passing[0].problem.rows, passing[0].problem.n_jobs
        found = statistics_of_each(rows, [model.features for model in passing], n_jobs)
        sums = {id(model): one for model, one in zip(passing, found, strict=True)}
    made = [_tuned(model, theta, sums.get(id(model))) for model, theta in zip(models, thetas, strict=True)]
    work = sum(flops(one.model.problem.rows.n_rows, one.n_basis) for one in made)
    budget.observe(work, time.perf_counter() - began)
    return made


def exact_fit(problem: Problem, theta) -> Refit:
    """Without an expansion, as it was learned."""
    return Refit(model_at(problem, theta), theta, nlml(problem, theta), None, "the closed form needs none")


def _tuned(model: Model, theta, sums: Statistics | None) -> Refit:
    """The best noise and common amplitude."""
    problem, n_jobs, rows = model.problem, model.problem.n_jobs, model.problem.rows
    variance = model.spectrum.weight_variance(problem.draws.shape)
    if sums is not None:
        profile = weights_profile(sums, variance, n_jobs)
    else:
        profile = rows_profile(*row_signal(model), rows.total, n_jobs)
    free = {p.name for p in problem.layout.parameters if p.fixed is None}
    size = rows.n_rows if model.features is None else min(rows.n_rows, variance.size)
    least = noise_floor(size, rows.total, model.spectrum.log_amplitude)
    gain_free, noise_free = "log_amplitude" in free, "log_noise_std" in free
    tuned = retune(profile, model.noise_variance, least, gain_free=gain_free, noise_free=noise_free)
    theta = _tuned_theta(problem.layout, theta, tuned)
    return Refit(model_at(problem, theta), theta, tuned.value, sums)


def _tuned_theta(layout: Layout, theta, tuned) -> np.ndarray:
    values = dict(layout.unpack(theta))
    with np.errstate(divide="ignore"):
        values["log_amplitude"] = values["log_amplitude"] + 0.5 * np.log(tuned.gain)
        values["log_noise_std"] = np.asarray(0.5 * np.log(tuned.noise_variance))
    return layout.clip(layout.pack(values))


def grow(first: Refit, problem: Problem, streams, budget: Budget, report) -> Refit:
    """Twice the columns, again and again, on the rows of `problem`, until that no longer pays or is too dear."""
    best, most = first, most_columns(problem.rows.n_rows, budget.max_time is not None)
    reason = f"{most} columns are the most that time and memory are spent on"
    while best.n_basis < most and not budget.stop():
        size = min(2 * best.n_basis, most)
        if size < 1.3 * best.n_basis:
            break
        if budget.seconds(flops(problem.rows.n_rows, size)) > budget.left():
            reason = f"no time for {size} columns"
            break
        try:
            larger = refit(enlarge(problem, size, streams(size)), best.theta, budget)
        except KeyboardInterrupt:
            budget.interrupted = True
            continue
        gained = best.value - larger.value
        report(f"{larger.n_basis} columns: log evidence {'+' if gained > 0 else ''}{gained:.1f}")
        if gained < GAIN * problem.rows.total:
            reason = f"twice as many gain {max(gained, 0):.1f} nats"
            break
        best = larger
    else:
        reason = budget.stop() or reason
    return replace(best, reason=reason)

"""Small problems for the tests, and the process written out densely: the oracle of everything else.

Kernels are found by the registry, so a new kernel file is tested without a new line here. Shapes are awkward on
purpose: padding (d = 3, 5, 9), no padding (d = 4), one input, several stacks, and fewer frequencies than p. Cases are
pairwise: every kernel with every expansion and every shape, every shape with every expansion. ALAKARTE_ALL_CASES=1
gives the whole product.
"""

import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest
from scipy.linalg import hadamard

from alakarte import GPRegressor
from alakarte.data.arrays import ArrayRows
from alakarte.data.standardise import standardise
from alakarte.data.summary import summarise
from alakarte.estimators.checks import check_settings
from alakarte.execution.randomness import Streams
from alakarte.kernels import ARD, RBF, GaussianMixture, Matern, MaternMixture, PiecewiseLinear
from alakarte.kernels.registry import kernels
from alakarte.likelihoods import Gaussian
from alakarte.posteriors.build import build_posterior
from alakarte.process.computation import Computation
from alakarte.process.objective import nlml
from alakarte.process.problem import Problem, process_at
from alakarte.search.plan import Plan
from alakarte.search.set_up import set_up
from alakarte.search.sizes import choose_sizes
from alakarte.search.starts import make_starts

SHAPES = [(3, 2, 8), (5, 1, 6), (4, 3, 4), (1, 2, 3), (9, 2, 5)]  # (d, Q, m); the last has m < p = 16
MENU = {name: kind() for name, kind in sorted(kernels().items()) if not name.startswith("matern")}
DEFAULTS = {"weighted": True, "n_targets": 1, "noise_std": None}  # of `problem`
MENU |= {f"matern{nu}": Matern(nu) for nu in (0.5, 1.5, 2.5)} | {"pwl4": PiecewiseLinear(n_knots=4)}
MENU |= {"gm_full": GaussianMixture(covariance="full")}
ALONE = dict(MENU)  # without the sums: with and without centres, with and without closed forms, one kernel twice
SUMS = {
    "ard+gm": ARD() + GaussianMixture(),
    "rbf+rbf+mm": RBF() + RBF() + MaternMixture(0.5),
    "matern+pwl": Matern() + PiecewiseLinear(),
}
MENU |= SUMS


def expansions(kernel) -> list[str]:
    """The expansions that a kernel has: what it declares."""
    dense = [] if kernel.needs_stacks else ["dense"]
    return ["fastfood", *dense, *(["exact"] if kernel.has_closed_form else [])]


def ways(expansion) -> list[dict]:
    """Every way to compute the same number."""
    if expansion == "exact":
        return [{"computation": Computation.CLOSED}]
    transforms = ("fast", "matrix") if expansion == "fastfood" else ("matrix",)
    return [
        {"computation": computation, "transform": transform}
        for computation in (Computation.WEIGHTS, Computation.ROWS)
        for transform in transforms
    ]


def table(d, n=30, seed=0):
    """X (n, d), y (n,), whole weights (n,)."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n), rng.integers(1, 4, n).astype(float)


def scaling_of(X, y, weight=None, likelihood=None):
    """The scaling that a fit would use, for y (n,) or (n, T)."""
    y = y.reshape(len(y), -1)
    return standardise(X, weight, *(likelihood or Gaussian()).scaling(y, weight))


def rows_of(X, y, weight=None, **how):
    """Standardised rows, and their scaling."""
    weight, scaling = np.ones(len(X)) if weight is None else weight, scaling_of(X, y, weight)
    return ArrayRows(scaling.inputs(X), scaling.target(y.reshape(len(y), -1)), weight, **how), scaling


def plan_of(kernel, rows, **settings):
    """The plan of a kernel on some rows, with the settings of a `GPRegressor`."""
    estimator = GPRegressor(kernel, n_jobs=1, **settings)
    settings = check_settings(estimator, Gaussian(estimator.noise_std))
    return _plan(settings, settings.kernel, (rows.n_rows, rows.n_inputs))


def _plan(settings, kernel, size):
    if len(kernel.terms) > 1:
        return Plan(settings, kernel, 0, 0, *size).with_parts([_plan(settings, term, size) for term in kernel.terms])
    return Plan(settings, kernel, *choose_sizes(kernel, settings.n_components, settings.n_frequencies, *size), *size)


def problem(kernel, shape=(3, 2, 8), expansion="fastfood", *, n=30, seed=0, **how):
    """A `Problem` and a theta a little away from one of its starts.

    `how` may have `weighted`, `n_targets`, `noise_std`, and fields of the problem.
    """
    weighted, n_targets, noise_std = (how.pop(*default) for default in DEFAULTS.items())
    d, n_components, n_frequencies = shape
    kernel = MENU[kernel] if isinstance(kernel, str) else kernel
    X, y, weight = table(d, n, seed)
    if n_targets > 1:
        y = np.column_stack([(t + 1) * y + t * np.cos(X[:, 0]) for t in range(n_targets)])
    rows, scaling = rows_of(X, y, weight if weighted else np.ones(n), block_rows=13)
    sizes = {"n_components": n_components, "n_frequencies": n_frequencies, "expansion": expansion}
    plan = plan_of(kernel, rows, **sizes, noise_std=noise_std)
    rng = np.random.default_rng(seed + 1)
    made = set_up(plan, rows, scaling, rng)
    theta = make_starts(made, summarise(rows.x, rows.weight, rng), 3, Streams(seed))[1].theta
    theta = made.layout.clip(theta + 0.1 * rng.standard_normal(theta.size))
    return replace(made, **how), theta


def posterior_at(problem: Problem, theta):
    """The posterior that a fit would keep."""
    return build_posterior(process_at(problem, theta), nlml(problem, theta))


def values_at(problem: Problem, theta) -> dict:
    """Named parameters."""
    return problem.layout.unpack(theta)


def set_value(problem: Problem, theta, **named):
    """Theta with some of its named arrays replaced."""
    return problem.layout.pack(values_at(problem, theta) | {k: np.asarray(v, float) for k, v in named.items()})


def phases(projection, n_frequencies, x) -> np.ndarray:
    """(rows, F) of a fast transform or a matrix product."""
    out = np.empty((len(x), n_frequencies))
    projection.phases(x, out)
    return out


def small(kernel="gm", **settings) -> GPRegressor:
    """A regressor whose fits are short."""
    sizes = {"n_components": 2, "n_frequencies": 6, "n_restarts": 2, "max_iter": 5, "max_iter_restart": 2}
    return GPRegressor(kernel, **(sizes | {"n_jobs": 1, "random_state": 0} | settings))


def same_bits(a, b, X) -> bool:
    """Two fitted models that nothing tells apart."""
    left, right = (model.predict(X, return_std=True) for model in (a, b))
    return (
        np.array_equal(a.theta_, b.theta_)
        and a.log_marginal_likelihood_ == b.log_marginal_likelihood_
        and a.noise_std_ == b.noise_std_
        and all(np.array_equal(u, v) for u, v in zip(left, right, strict=True))
    )


# --------------------------------------------------------------------------- the dense process, in NumPy


def explicit_frequencies(spectrum, draws) -> np.ndarray:
    """(F, d), every matrix of section 3.2 written out; centres aside."""
    shape = draws.shape
    if spectrum.frequencies is not None:
        return spectrum.frequencies.T
    if draws.stacks is None:
        return as_seen(draws.directions.T, spectrum, shape)
    p, stacks = shape.n_padded, draws.stacks
    H = hadamard(p).astype(float)
    signs = stacks.signs if spectrum.signs is None else spectrum.signs
    gaussians = stacks.gaussians if spectrum.gaussians is None else spectrum.gaussians
    products = [
        H @ np.diag(g) @ np.eye(p)[pi] @ H @ np.diag(b) / np.sqrt(p) / np.linalg.norm(drawn)
        for g, pi, b, drawn in zip(gaussians, stacks.permutation, signs, stacks.gaussians, strict=True)
    ]
    rows = np.concatenate(products)[stacks.position, : shape.n_inputs]
    return as_seen(rows, spectrum, shape)


def as_seen(directions, spectrum, shape) -> np.ndarray:
    """(F, d) frequencies from directions (F, d): their length, and the scale or the map of their component."""
    if spectrum.input_map is None:
        return directions * spectrum.input_scale[shape.component] * spectrum.radii[:, None]
    rows = zip(directions, spectrum.radii, spectrum.input_map[shape.component], strict=True)
    return np.array([A.T @ (radius * row) for row, radius, A in rows])


def explicit_kernel(problem: Problem, theta, x, other) -> np.ndarray:
    """k(x, other) = Σ_ω v_q²/m_q cos ωᵀτ; where there are centres, one half at ω + μ and one at ω − μ."""
    shape, spectrum = problem.draws.shape, problem.kernel.spectrum(values_at(problem, theta), problem.draws)
    if problem.is_closed:
        return closed_kernel(problem, theta, x, other)
    omega = explicit_frequencies(spectrum, problem.draws)
    variance = (np.exp(spectrum.log_amplitude) ** 2 / np.array(shape.counts))[shape.component]
    if spectrum.centre is not None:
        mu = spectrum.centre[shape.component]
        omega, variance = np.concatenate([omega + mu, omega - mu]), np.concatenate([variance, variance]) / 2
    return ((np.exp(1j * x @ omega.T) * variance) @ np.exp(-1j * other @ omega.T).T).real


def closed_kernel(problem: Problem, theta, x, other) -> np.ndarray:
    """The textbook's kernels, on differences of rows; a sum is added up part by part."""
    kernel, values = problem.kernel, values_at(problem, theta)
    if len(kernel.terms) == 1:
        return textbook_kernel(kernel, values, x, other)
    parts = zip(kernel.terms, kernel.split(values, problem.draws.shape), strict=True)
    return sum(textbook_kernel(term, part, x, other) for term, part in parts)


def textbook_kernel(kernel, values, x, other) -> np.ndarray:
    """Of one kernel that is no sum."""
    amplitude, scale = (
        np.exp(values["log_amplitude"]),
        np.exp(-np.atleast_2d(values.get("log_lengthscale", np.log(30.0)))),
    )
    tau = x[:, None, :] - other[None, :, :]
    total = 0.0
    for q in range(amplitude.size):
        scaled = tau * scale[min(q, len(scale) - 1)]
        if "mixing" in values:
            J = values["mixing"][q]
            scaled = scaled @ (np.eye(J.shape[1]) + J.T @ J)
        r = np.linalg.norm(scaled, axis=2)
        cosine = np.cos(tau @ values["centre"][q]) if "centre" in values else 1.0
        total = total + amplitude[q] ** 2 * textbook_profile(kernel, r) * cosine
    return total


def textbook_profile(kernel, r):
    """k(r)/k(0) of the kernels with a closed form."""
    if kernel.name not in ("matern", "mm"):
        return np.exp(-0.5 * r**2)
    if kernel.nu == 0.5:
        return np.exp(-r)
    if kernel.nu == 1.5:
        return (1 + np.sqrt(3) * r) * np.exp(-np.sqrt(3) * r)
    return (1 + np.sqrt(5) * r + 5 / 3 * r**2) * np.exp(-np.sqrt(5) * r)


@dataclass(frozen=True)
class DenseProcess:
    """The n×n process on rows repeated by their weights."""

    nlml: float  # summed over targets
    mean: np.ndarray  # (rows, T)
    covariance: np.ndarray  # (rows, rows), of each target


def dense_process(problem: Problem, theta, x_new=None) -> DenseProcess:
    """Evidence and latent predictions by the textbook."""
    repeats = problem.rows.weight.astype(int)
    x, y = np.repeat(problem.rows.x, repeats, axis=0), np.repeat(problem.rows.y, repeats, axis=0)
    x_new = x[:1] if x_new is None else x_new
    s = np.exp(2 * values_at(problem, theta)["log_noise_std"])
    K = explicit_kernel(problem, theta, x, x) + s * np.eye(len(x))
    cross, prior = explicit_kernel(problem, theta, x_new, x), explicit_kernel(problem, theta, x_new, x_new)
    log_det = len(x) * np.log(2 * np.pi) + np.linalg.slogdet(K)[1]
    evidence = 0.5 * sum(log_det + target @ np.linalg.solve(K, target) for target in y.T)
    return DenseProcess(evidence, cross @ np.linalg.solve(K, y), prior - cross @ np.linalg.solve(K, cross.T))


def taylor_order(function, point, value, gradient, steps=(1e-3, 1e-4)) -> float:
    """Order at which |f(x + h v) − f(x) − h g·v| falls between two steps, along a random direction of length one.

    A wrong gradient has order 1 along every direction; a right one may lack curvature along one: three are tried.
    """
    orders, rng = [], np.random.default_rng(0)
    while len(orders) < 3 and max(orders, default=0.0) < 1.9:
        direction = rng.standard_normal(point.size)
        direction /= np.linalg.norm(direction)
        high, low = (abs(function(point + h * direction) - value - h * gradient @ direction) for h in steps)
        orders.append(float(np.log(high / low) / np.log(steps[0] / steps[1])))
    return max(orders)


# --------------------------------------------------------------------------- cases


def pairwise(product) -> list[tuple]:
    """Cases in which any two values that meet in the product still meet, found greedily; all of it if so wished."""
    product = list(product)
    if os.environ.get("ALAKARTE_ALL_CASES") == "1":
        return product
    pairs = {case: set(combinations(enumerate(case), 2)) for case in product}
    left, chosen = set().union(*pairs.values()), set()
    while left:
        best = max(product, key=lambda case: len(pairs[case] & left))
        chosen.add(best)
        left -= pairs[best]
    return [case for case in product if case in chosen]


@contextmanager
def naming(*case):
    """What fails inside says in which case: for loops within one test."""
    try:
        yield
    except BaseException as error:
        error.add_note("in the case " + ", ".join(map(str, case)))
        raise


def every(cases):
    """A test of each of these cases."""
    ids = [f"{name}-{d}.{q}.{m}-{expansion}" for name, (d, q, m), expansion in cases]
    return pytest.mark.parametrize(("name", "shape", "expansion"), cases, ids=ids)


PRODUCT = [(name, shape, way) for name in MENU for way in expansions(MENU[name]) for shape in SHAPES]
every_case = every(pairwise(PRODUCT))
every_expansion = every(pairwise(case for case in PRODUCT if case[2] != "exact"))


def heavy(n=300, seed=0):
    """A function of the order of magnitude: few rows lie a hundred times as far out as the others."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 2))
    X[::5] *= np.exp(rng.uniform(2, 6, (len(X[::5]), 1)))
    return X, np.arcsinh(X[:, 0]) + 0.5 * np.arcsinh(X[:, 1]) + 0.05 * rng.standard_normal(n)

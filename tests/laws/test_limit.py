"""φ V φᵀ is an unbiased estimate of the closed-form kernel, and its error falls as m^-½ (as m⁻¹ for a hat in d = 1).

Standard errors are taken over independent replicates: the rows of one stack are dependent. A replicate is a component
where the kernel has components, otherwise a run of whole stacks."""

from itertools import product

import numpy as np
import pytest
from scipy.special import gamma, jv

from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels.base import ClosedForm
from alakarte.kernels.full_covariance import rank_of
from alakarte.kernels.trend import FAR
from alakarte.records import Shape
from problems import ALONE as MENU
from problems import pairwise, textbook_profile

pytestmark = pytest.mark.usefixtures("one_blas_thread")
AMPLITUDE, EDGE, WIDTH = 1.3, 0.4, 0.9
GAPS, WEIGHTS = np.array([0.5, 0.8, 0.3, 0.6, 0.4]), np.array([0.3, 2.0, 0.7, 1.1])
STANDARD_ERRORS = 5


def lengthscales(d):
    return np.linspace(0.7, 1.6, d)


def centre(d):
    return np.linspace(-0.9, 1.1, d)


def mixing(d):
    """J of a full covariance, of the rank that its kernel has by itself."""
    rank = rank_of("full", None, d)
    return 0.7 * np.sin(1 + np.arange(d) * np.arange(1, rank + 1)[:, None])


def values_of(kernel, shape):
    """The same hyperparameters in every component."""
    chosen = {
        "log_amplitude": np.log(AMPLITUDE),
        "log_lengthscale": np.log(lengthscales(shape.n_inputs)),
        "centre": centre(shape.n_inputs),
        "mixing": mixing(shape.n_inputs),
        "hat_edge": EDGE,
        "log_hat_width": np.log(WIDTH),
        "log_knot_gaps": np.log(GAPS),
        "log_knot_weights": np.log(WEIGHTS),
    }
    if kernel.name == "rbf":
        chosen["log_lengthscale"] = np.log(0.9)
    return {p.name: np.array(np.broadcast_to(chosen[p.name], p.shape)) for p in kernel.parameters(shape)}


MEANT = {name: kernel for name, kernel in MENU.items() if name not in ("fsard", "fsgbard", "ssgpr")}


def replicates(kernel, m, n_replicates, expansion, x, other):
    """(R, pairs) independent estimates of k(x, other), x (pairs, d), each from m frequencies."""
    d = x.shape[1]
    counts = (m,) * n_replicates if kernel.has_components else (m * n_replicates,)
    shape = Shape(d, counts)
    assert expansion == "dense" or kernel.has_components or m % shape.n_padded == 0
    draws = draw(shape, expansion, np.random.default_rng([0, m, d]))
    spectrum = kernel.spectrum(values_of(kernel, shape), draws)
    features = feature_map(spectrum, draws)
    parts = features.phi(x) * spectrum.weight_variance(shape) * features.phi(other)
    per_frequency = parts.reshape(len(x), -1, shape.n_frequencies).sum(axis=1)
    share = 1 if kernel.has_components else n_replicates  # V divides by all frequencies
    return share * per_frequency.reshape(len(x), n_replicates, m).sum(axis=2).T


def limit(kernel, d, tau):
    """k(τ) of the whole spectrum, for τ (pairs, d)."""
    scale = 1 / {"rbf": np.full(d, 0.9), "trend": np.full(d, FAR)}.get(kernel.name, lengthscales(d))
    scaled = tau * scale
    if kernel.covariance == "full":
        scaled = scaled @ (np.eye(d) + mixing(d).T @ mixing(d))
    r = np.linalg.norm(scaled, axis=1)
    if kernel.name == "pwl":
        return AMPLITUDE**2 * sphere_average(kernel.n_knots, d, r)
    cosine = np.cos(tau @ centre(d)) if kernel.name in ("gm", "mm") else 1.0
    return AMPLITUDE**2 * textbook_profile(kernel, r) * cosine


def sphere_average(n_knots, d, r):
    """∫ ρ(t) Ω_d(t r) dt with ρ linear between knots, by Gauss–Legendre on every segment."""
    if n_knots == 1:
        knots, alpha = EDGE + WIDTH * np.arange(3), np.array([0.0, 1.0, 0.0])
    else:
        knots, alpha = np.concatenate([[0], np.cumsum(GAPS)]), np.concatenate([[0], WEIGHTS, [0]])
    node, weight = np.polynomial.legendre.leggauss(30)
    low, high = knots[:-1, None], knots[1:, None]
    t = (low + high) / 2 + (high - low) / 2 * node
    mass = (high - low) / 2 * weight * np.interp(t, knots, alpha)
    z = t[..., None] * r
    omega = gamma(d / 2) * (2 / z) ** (d / 2 - 1) * jv(d / 2 - 1, z)
    return (mass[..., None] * omega).sum(axis=(0, 1)) / mass.sum()


def pairs(d, n=8):
    rng = np.random.default_rng(7)
    return rng.standard_normal((n, d)), rng.standard_normal((n, d))


def slope(sizes, errors):
    return np.polyfit(np.log(sizes), np.log(errors), 1)[0]


# d is padded to 4, to 8, not padded
@pytest.mark.parametrize(("name", "d", "expansion"), pairwise(product(MEANT, [3, 5, 8], ["fastfood", "dense"])))
def test_expansion_is_unbiased(name, d, expansion):
    x, other = pairs(d)
    got = replicates(MENU[name], 8, 1000, expansion, x, other)
    error = np.abs(got.mean(axis=0) - limit(MENU[name], d, x - other))
    assert (error < STANDARD_ERRORS * got.std(axis=0, ddof=1) / np.sqrt(len(got))).all()


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
@pytest.mark.parametrize("name", MEANT)
def test_error_falls_with_the_root_of_the_number_of_frequencies(name, expansion):
    d, sizes = 5, 8 * np.array([1, 4, 16])
    x, other = pairs(d)
    truth = limit(MENU[name], d, x - other)
    errors = [np.sqrt(np.mean((replicates(MENU[name], m, 100, expansion, x, other) - truth) ** 2)) for m in sizes]
    assert -0.6 < slope(sizes, errors) < -0.4


@pytest.mark.parametrize("expansion", ["fastfood", "dense"])
@pytest.mark.parametrize("n_knots", [1, 4])
def test_error_falls_faster_for_a_radial_density_of_one_input(n_knots, expansion):
    """In d = 1 a stratified radius is all there is to a frequency: the points are a quadrature."""
    kernel, sizes = MENU["pwl" if n_knots == 1 else "pwl4"], np.array([4, 16, 64, 256])
    x, other = pairs(1)
    truth = limit(kernel, 1, x - other)
    errors = [np.sqrt(np.mean((replicates(kernel, m, 50, expansion, x, other) - truth) ** 2)) for m in sizes]
    assert -1.1 < slope(sizes, errors) < -0.9


def test_one_hat_of_one_input_has_a_closed_form():
    """k(τ) = v² cos((μ+σ)aτ) sinc²(σaτ/2)."""
    tau = np.linspace(-6, 6, 40)
    a = 1 / lengthscales(1)[0]
    closed = AMPLITUDE**2 * np.cos((EDGE + WIDTH) * a * tau) * np.sinc(WIDTH * a * tau / 2 / np.pi) ** 2
    assert np.abs(limit(MENU["pwl"], 1, tau[:, None]) - closed).max() < 1e-12
    x, other = tau[:, None] + 0.3, np.full((40, 1), 0.3)
    got = replicates(MENU["pwl"], 2000, 3, "fastfood", x, other)
    assert np.abs(got - closed).max() < 5 / 2000


def test_every_kernel_with_a_limit_is_tested():
    """A new kernel without a closed form belongs in the list of those that have none."""
    shape = Shape(2, (4,))
    for name, kernel in MENU.items():
        made = {p.name: np.zeros(p.shape) for p in kernel.parameters(shape)}
        assert (kernel.closed_form(made) is None) == (name not in MEANT)
        assert name not in MEANT or isinstance(kernel.closed_form(made), ClosedForm) == (kernel.name != "pwl")

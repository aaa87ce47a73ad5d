"""Compiled sines, cosines and features against their twins, an extended-precision oracle and central differences.

Tests whose id holds "small" also run as plain Python, see `test_jit.py`."""

import numpy as np
import pytest

from alakarte.compiled import reference, waves
from problems import naming

# rows, frequencies, components
SHAPES = {
    "small-1": (3, 1, 1),
    "small-5": (4, 5, 2),
    "small-no-rows": (0, 5, 2),
    "small-no-frequencies": (3, 0, 2),
    "24": (65, 24, 3),
    "1025": (3, 1025, 4),
}
LIMIT = {np.float32: 8192.0, np.float64: 1e5}
ERROR = {np.float32: 1.3e-7, np.float64: 2.3e-16}
dtypes = pytest.mark.parametrize("dtype", [np.float32, np.float64])
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())


def sincos(x):
    sine, cosine = np.full(x.shape, 7, x.dtype), np.full(x.shape, 7, x.dtype)
    waves.sincos(x, sine, cosine)
    return sine, cosine


def assert_accurate(x, factor=1):
    sine, cosine = sincos(x)
    exact = x.astype(np.longdouble)
    assert np.abs(sine - np.sin(exact)).max() <= factor * ERROR[x.dtype.type]
    assert np.abs(cosine - np.cos(exact)).max() <= factor * ERROR[x.dtype.type]


@dtypes
def test_error_below_two_ulp_of_one(dtype):
    rng = np.random.default_rng(0)
    limit = LIMIT[dtype]
    assert_accurate(np.linspace(-limit, limit, 400_001, dtype=dtype))
    assert_accurate(np.linspace(-4, 4, 200_001, dtype=dtype))
    assert_accurate((limit * np.exp(-30 * rng.random(100_000))).astype(dtype))
    # a few steps around multiples of π/4, where quadrants change and sin or cos nearly vanish
    near = (np.arange(-5000, 5001) * (np.pi / 4)).astype(dtype)
    for step in range(-2, 3):
        assert_accurate(near * (1 + step * np.finfo(dtype).eps).astype(dtype))


@dtypes
def test_large_arguments(dtype):
    rng = np.random.default_rng(0)
    top = 100 if dtype == np.float64 else 30
    # the angle brought into one period is rounded once more
    assert_accurate((rng.choice([-1, 1], 30_000) * 10.0 ** rng.uniform(3, top, 30_000)).astype(dtype), factor=2)
    mixed = np.linspace(-3, 3, 3000, dtype=dtype)
    alone = sincos(mixed)
    mixed[::700] = np.finfo(dtype).max
    assert_accurate(mixed, factor=2)
    near = mixed <= 3
    for values, undisturbed in zip(sincos(mixed), alone, strict=True):
        np.testing.assert_array_equal(values[near], undisturbed[near])


@dtypes
def test_nan_inf_and_zeros_small(dtype):
    x = np.array([0.5, np.nan, -0.0, np.inf, 0.0, -np.inf, -2.0], dtype)
    with np.errstate(invalid="ignore"):  # as plain Python inf − inf warns
        sine, cosine = sincos(x)
    np.testing.assert_array_equal(np.isnan(sine), ~np.isfinite(x))
    np.testing.assert_array_equal(np.isnan(cosine), ~np.isfinite(x))
    finite = np.isfinite(x)
    np.testing.assert_allclose(sine[finite], np.sin(x[finite]), rtol=0, atol=ERROR[dtype])
    np.testing.assert_allclose(cosine[finite], np.cos(x[finite]), rtol=0, atol=ERROR[dtype])
    assert sine[4] == 0
    assert cosine[4] == 1


@dtypes
def test_odd_and_even(dtype):
    x = np.random.default_rng(0).uniform(0, 1e4, 10_001).astype(dtype)
    sine, cosine = sincos(x)
    mirrored_sine, mirrored_cosine = sincos(-x)
    np.testing.assert_array_equal(mirrored_sine, -sine)
    np.testing.assert_array_equal(mirrored_cosine, cosine)


@dtypes
def test_sincos_of_any_shape_small(dtype):
    for shape in ((0,), (7,), (3, 5), (2, 3, 4)):
        with naming(shape):
            x = np.random.default_rng(0).standard_normal((*shape, 2)).astype(dtype)[..., 0]
            sine, cosine = np.empty((2, *shape[::-1]), dtype)[0].T, np.empty(shape, dtype)
            waves.sincos(x, sine, cosine)
            np.testing.assert_allclose(sine, np.sin(x), rtol=0, atol=ERROR[dtype])
            np.testing.assert_allclose(cosine, np.cos(x), rtol=0, atol=ERROR[dtype])


def draw(shape, dtype):
    n_rows, n_frequencies, n_components = shape
    rng = np.random.default_rng(0)
    arrays = {
        "phase": 5 * rng.standard_normal((n_rows, n_frequencies)),
        "shift": rng.standard_normal((n_rows, n_components)),
        "phi_p": rng.standard_normal((n_rows, 4 * n_frequencies)),
        "residual": rng.standard_normal(n_rows),
        "row_weight": rng.random(n_rows),
        "weight_mean": rng.standard_normal(4 * n_frequencies),
    }
    draws = {name: array.astype(dtype) for name, array in arrays.items()}
    draws["component"] = np.sort(rng.integers(0, n_components, n_frequencies))
    return draws


def pairs(module, draws, pick):
    """Every function on pairs; `pick` gives each input and output its layout."""
    phase, n = pick(draws["phase"]), draws["phase"].shape[1]
    phi = pick(np.full((phase.shape[0], 2 * n), np.nan, phase.dtype))
    module.wave_pairs(phase, phi)
    phase_bar = pick(np.full_like(draws["phase"], np.nan))
    rows = (draws["residual"], draws["weight_mean"][: 2 * n], draws["row_weight"])
    module.wave_pairs_pullback(phi, pick(draws["phi_p"][:, : 2 * n]), *rows, phase_bar)
    return phi, phase_bar, module.wave_pairs_dot(phase, rows[1])


def products(module, draws, pick):
    phase, shift, component = pick(draws["phase"]), pick(draws["shift"]), draws["component"]
    phi = pick(np.full((phase.shape[0], 4 * phase.shape[1]), np.nan, phase.dtype))
    module.wave_products(phase, shift, component, phi)
    phase_bar, zeta_bar = (pick(np.full_like(draws["phase"], np.nan)) for _ in range(2))
    rows = (draws["residual"], draws["weight_mean"], draws["row_weight"])
    module.wave_products_pullback(phi, pick(draws["phi_p"]), *rows, phase_bar, zeta_bar)
    return phi, phase_bar, zeta_bar, module.wave_products_dot(phase, shift, component, rows[1])


def agree(results, expected, n_terms):
    for result, twin in zip(results, expected, strict=True):
        assert result.dtype == twin.dtype
        assert result.shape == twin.shape
        eps = np.finfo(twin.dtype).eps
        scale = max(1.0, np.abs(twin).max(initial=0)) * np.sqrt(n_terms + 1)
        np.testing.assert_allclose(result, twin, rtol=0, atol=10 * eps * scale)


def strided(array):
    """The same values, no two of them neighbours."""
    out = np.zeros(tuple(2 * k for k in array.shape), array.dtype)[::2, ::2]
    out[...] = array
    return out


@shapes
@pytest.mark.parametrize("features", [pairs, products])
def test_features_agree_with_their_twins(features, shape):
    for dtype in (np.float32, np.float64):
        draws = draw(shape, dtype)
        expected = features(reference, draws, np.asarray)
        for layout in (np.asarray, np.asfortranarray, strided):
            with naming(dtype, layout):
                agree(features(waves, draws, layout), expected, shape[1])


def test_pullbacks_are_the_derivatives():
    # Σ Φ∘Φ_bar moves by ⟨phase_bar, u⟩ + ⟨zeta_bar, v⟩ when phase and shift move along u and v, Φ_bar held
    draws = draw((6, 9, 3), np.float64)
    rng = np.random.default_rng(1)
    u, v, h = rng.standard_normal((6, 9)), rng.standard_normal((6, 3)), 1e-5
    moved = [{**draws, "phase": draws["phase"] + s * u, "shift": draws["shift"] + s * v} for s in (h, -h)]
    for features, width in ((pairs, 18), (products, 36)):
        phi, phase_bar, *rest = features(waves, draws, np.asarray)
        bar = draws["phi_p"][:, :width] - draws["residual"][:, None] * draws["weight_mean"][:width]
        bar *= draws["row_weight"][:, None]
        ahead, behind = (features(waves, move, np.asarray)[0] for move in moved)
        slope = np.sum((ahead - behind) / (2 * h) * bar)
        expected = np.sum(phase_bar * u) + (np.sum(rest[0] * v[:, draws["component"]]) if features is products else 0)
        np.testing.assert_allclose(slope, expected, rtol=1e-7)
        np.testing.assert_allclose(rest[-1], phi @ draws["weight_mean"][:width], rtol=1e-12, atol=1e-13)


@dtypes
@pytest.mark.parametrize("width", [1, 160])
def test_sums_in_any_order_leave_the_sines_exact(width, dtype):
    # the reduction x − k π/2 would be lost if its terms, too, could be added in any order
    rng = np.random.default_rng(0)
    phase = rng.uniform(-LIMIT[dtype], LIMIT[dtype], (2000, width)).astype(dtype)
    exact = phase.astype(np.longdouble)
    total = (np.cos(exact) + np.sin(exact)).sum(axis=1)
    mean = waves.wave_pairs_dot(phase, np.ones(2 * width, dtype))
    assert np.abs(mean - total).max() <= 3 * width**0.5 * ERROR[dtype] * max(1, np.abs(total).max())
    shift, component = np.zeros((2000, 1), dtype), np.zeros(width, int)
    mean = waves.wave_products_dot(phase, shift, component, np.ones(4 * width, dtype))
    assert np.abs(mean - total).max() <= 3 * width**0.5 * ERROR[dtype] * max(1, np.abs(total).max())


@dtypes
@pytest.mark.parametrize("features", [pairs, products])
def test_a_row_does_not_depend_on_the_others(features, dtype):
    draws = draw((40, 1100, 3), dtype)
    together = features(waves, draws, np.asarray)
    per_row = ("phase", "shift", "phi_p", "residual", "row_weight")
    for i in (0, 17, 39):
        alone = features(waves, {**draws, **{name: draws[name][i : i + 1] for name in per_row}}, np.asarray)
        for result, all_rows in zip(alone, together, strict=True):
            np.testing.assert_array_equal(result[0], all_rows[i])


def test_a_wrong_shape_is_refused():
    phase, phi, row = np.zeros((3, 2)), np.zeros((3, 8)), np.zeros(3)
    component = np.zeros(2, int)
    with pytest.raises(ValueError, match="shape"):
        waves.sincos(phase, np.zeros((3, 2)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="shape"):
        waves.wave_pairs(phase, phi)
    with pytest.raises(ValueError, match="shape"):
        waves.wave_products(phase, np.zeros((3, 1)), component, phi[:2])
    with pytest.raises(ValueError, match="shape"):
        waves.wave_pairs_pullback(phi, phi, row, phi[0], row, phase)
    with pytest.raises(ValueError, match="shape"):
        waves.wave_products_pullback(phi, phi, row, phi[0], row, phase[:2], np.zeros((3, 2)))

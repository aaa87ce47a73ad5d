"""The compiled transform against its twin, exact matrices and its own adjoint.

Tests whose id holds "small" also run as plain Python, see `test_jit.py`."""

import numpy as np
import pytest
from scipy import linalg

from alakarte.compiled import fastfood, reference
from problems import naming

# rows, inputs, stacks, kept frequencies (None: all)
SHAPES = {
    "small-1": (5, 1, 3, None),
    "small-2": (18, 2, 2, 3),
    "small-8": (17, 5, 3, 20),
    "small-16": (9, 16, 1, None),
    "small-empty": (0, 5, 2, 9),
    "small-none-kept": (4, 3, 2, 0),
    "small-8-many": (3, 7, 19, None),
    "4": (33, 3, 5, 7),
    "16-many": (40, 10, 21, 200),
    "32-many": (16, 32, 6, 150),
    "64": (1, 33, 3, None),
    "128": (50, 100, 3, 301),
    "256": (31, 129, 1, 17),
    "512": (16, 385, 2, None),
    "1024": (19, 513, 1, 77),
    "2048": (8, 1025, 1, None),
    "4096": (3, 4096, 1, 4000),
}
DTYPES = [np.float32, np.float64]
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
dtypes = pytest.mark.parametrize("dtype", DTYPES)


def draw(shape, dtype, seed=0):
    """x and the arguments of `project` after it, without the output."""
    n_rows, n_inputs, n_stacks, n_kept = shape
    rng = np.random.default_rng(seed)
    p = 1 << (n_inputs - 1).bit_length()
    x = rng.standard_normal((n_rows, n_inputs))
    a, b, g, f = (rng.standard_normal((n_stacks, k)) for k in (n_inputs, p, p, p))
    permutation = np.array([rng.permutation(p) for _ in range(n_stacks)])
    position = np.sort(rng.permutation(n_stacks * p)[:n_kept])
    x, a, b, g, f = (array.astype(dtype) for array in (x, a, b, g, f))
    return x, a, b, permutation, g, f, position


def call(module, arguments):
    phase = np.full((arguments[0].shape[0], arguments[-1].size), np.nan, arguments[0].dtype)
    module.project(*arguments, phase)
    return phase


def close(result, expected, scale=None):
    """Equal to rounding of sums of terms as large as the largest entry, `scale` if given."""
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    scale = np.abs(expected).max(initial=1e-30) if scale is None else scale
    np.testing.assert_allclose(result, expected, rtol=0, atol=30 * np.finfo(expected.dtype).eps * scale)


@shapes
def test_project_agrees_with_its_twin(shape):
    for dtype in (np.float32, np.float64):
        with naming(dtype):
            arguments = draw(shape, dtype)
            close(call(fastfood, arguments), call(reference, arguments))


@shapes
def test_pullback_agrees_with_its_twin(shape):
    for dtype in (np.float32, np.float64):
        with naming(dtype):
            arguments = draw(shape, dtype)
            phase_bar = np.random.default_rng(1).standard_normal((shape[0], arguments[-1].size)).astype(dtype)
            results = fastfood.project_pullback(*arguments, phase_bar)
            expected = reference.project_pullback(*arguments, phase_bar)
            assert len(results) == len(expected) == 4
            for result, twin in zip(results, expected, strict=True):
                close(result, twin)


@shapes
def test_pullback_is_the_adjoint_in_each_argument(shape):
    # project is linear in each of a, B, G, κ∘S alone, so J v = project(…, v, …)
    arguments = draw(shape, np.float64)
    rng = np.random.default_rng(2)
    phase_bar = rng.standard_normal((shape[0], arguments[-1].size))
    bars = fastfood.project_pullback(*arguments, phase_bar)
    for k, bar in zip((1, 2, 4, 5), bars, strict=True):
        v = rng.standard_normal(arguments[k].shape)
        forward = call(fastfood, (*arguments[:k], v, *arguments[k + 1 :])) * phase_bar
        tolerance = 1e-13 * (np.abs(forward).sum() + np.abs(bar * v).sum())
        assert abs(forward.sum() - np.sum(bar * v)) <= tolerance


@dtypes
def test_strided_arguments_small(dtype):
    x, a, b, permutation, g, f, position = draw((21, 6, 3, 19), dtype)
    expected = call(reference, (x, a, b, permutation, g, f, position))
    wide = np.zeros((42, 18), dtype)
    wide[::2, ::3] = x
    arguments = [np.asfortranarray(array) for array in (a, b, permutation, g, f)]
    phase = np.full((21, 2 * position.size), np.nan, dtype)[:, ::2]
    fastfood.project(wide[::2, ::3], *arguments, np.repeat(position, 2)[::2], phase)
    close(phase, expected)
    phase_bar = np.asfortranarray(expected)
    result = fastfood.project_pullback(wide[::2, ::3], *arguments, position, phase_bar)
    twin = reference.project_pullback(x, a, b, permutation, g, f, position, expected)
    for bar, bar_twin in zip(result, twin, strict=True):
        close(bar, bar_twin)


@dtypes
def test_indices_of_any_integer_type_small(dtype):
    x, a, b, permutation, g, f, position = draw((3, 4, 2, 5), dtype)
    expected = call(reference, (x, a, b, permutation, g, f, position))
    close(call(fastfood, (x, a, b, permutation.astype(np.int32), g, f, position.astype(np.int16))), expected)


@dtypes
def test_hadamard_is_exact_on_integers(dtype):
    for p in (2**k for k in range(13)):
        with naming(p):
            rows = np.random.default_rng(p).integers(-9, 10, (19, p))
            x = rows.astype(dtype)
            fastfood.hadamard(x)
            np.testing.assert_array_equal(x, rows.astype(float) @ linalg.hadamard(p, dtype=float))


@dtypes
def test_hadamard_writes_into_strided_rows_small(dtype):
    for p in (1, 8, 32):
        for n_rows in (0, 1, 17):
            with naming(p, n_rows):
                wide = np.random.default_rng(0).integers(-9, 10, (n_rows, 2 * p)).astype(dtype)
                expected = wide[:, ::2].copy()
                untouched = wide[:, 1::2].copy()
                reference.hadamard(expected)
                fastfood.hadamard(wide[:, ::2])
                np.testing.assert_array_equal(wide[:, ::2], expected)
                np.testing.assert_array_equal(wide[:, 1::2], untouched)


@dtypes
def test_a_row_does_not_depend_on_the_others(dtype):
    arguments = draw((37, 20, 2, 50), dtype)
    together = call(fastfood, arguments)
    for i in (0, 15, 16, 36):
        np.testing.assert_array_equal(call(fastfood, (arguments[0][i : i + 1], *arguments[1:]))[0], together[i])


@dtypes
def test_nan_and_inf_stay_in_their_row(dtype):
    arguments = draw((20, 40, 1, None), dtype)
    clean = call(fastfood, arguments)
    arguments[0][3, 7], arguments[0][4, 0] = np.nan, np.inf
    phase = call(fastfood, arguments)
    assert np.isnan(phase[3]).all()
    assert not np.isfinite(phase[4]).any()
    np.testing.assert_array_equal(np.delete(phase, [3, 4], axis=0), np.delete(clean, [3, 4], axis=0))


def test_a_wrong_shape_is_refused():
    arguments = draw((3, 4, 2, 5), np.float64)
    for shape in ((3, 6), (2, 5), (5,)):
        with pytest.raises(ValueError, match="shape"):
            fastfood.project(*arguments, np.zeros(shape))
        with pytest.raises(ValueError, match="shape"):
            fastfood.project_pullback(*arguments, np.zeros(shape))

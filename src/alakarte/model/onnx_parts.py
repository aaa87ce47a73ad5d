"""Standardised inputs, mean and variance of the latent function as parts of a graph of ONNX.

In: records of a `FittedModel`. Out: values of a `Graph`, in standardised units, and a bound on the rounding of the
mean, for inputs within 4 standard deviations. Posteriors that are not listed here are refused by name.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.standardise import FAR, Scaling
from alakarte.errors import Unavailable
from alakarte.features.dense import MatrixProduct
from alakarte.features.fastfood import FastTransform
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import solve_rows_lower
from alakarte.model.onnx_graph import Graph, Value
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.reach import Reach
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.weights import FeaturePosterior, WeightPosterior
from alakarte.records import Array

REACH = 4.0  # standard deviations of an input for which the bound holds
_POLYNOMIALS = {1: (1.0,), 3: (1.0, 1.0), 5: (1.0, 1.0, 1.0 / 3)}  # of √(2ν) r, before its exponential


@dataclass(frozen=True)
class Latent:
    """Mean (rows, T) and variance (rows, 1) or (rows, T), and what rounding may add to the mean."""

    mean: Value
    variance: Value
    bound: float


def inputs(graph: Graph, scaling: Scaling, X: Value) -> Value:
    """Standardised inputs (rows, d), in double precision: large offsets would cancel."""
    x = graph.cast(X, np.float64)
    if scaling.encoding is not None:
        x = _one_hot(graph, scaling, x)
    centred = graph.apply("Sub", x, _double(graph, scaling.x_mean))
    z = graph.apply("Mul", centred, _double(graph, scaling.x_live / scaling.x_scale))
    z = graph.apply("Clip", z, _double(graph, -FAR), _double(graph, FAR))
    if scaling.tails is None:
        return z
    middle, edge = scaling.tails.middle, scaling.tails.edge
    u = graph.apply("Sub", z, _double(graph, middle))
    size = graph.apply("Div", graph.apply("Abs", u), _double(graph, edge))
    near = graph.apply("LessOrEqual", size, _double(graph, np.ones(len(edge))))
    grown = graph.apply("Log", graph.apply("Max", size, _double(graph, np.ones(len(edge)))))
    length = graph.apply("Mul", graph.apply("Add", grown, _double(graph, np.ones(len(edge)))), _double(graph, edge))
    drawn = graph.apply("Add", graph.apply("Mul", graph.apply("Sign", u), length), _double(graph, middle))
    return graph.apply("Where", near, z, drawn)


def _double(graph: Graph, array: object) -> Value:
    return graph.constant(np.asarray(array, dtype=np.float64), np.float64)


def _one_hot(graph: Graph, scaling: Scaling, x: Value) -> Value:
    """(rows, d) from the table of numbers; levels that are words have no place in a table of numbers."""
    assert scaling.encoding is not None
    columns = []
    for j, levels in enumerate(scaling.encoding.levels):
        column = graph.apply("Gather", x, graph.constant([j], np.int64), axis=1)
        if levels is None:
            columns.append(column)
            continue
        if levels.are_words:
            raise Unavailable(f"to_onnx: column {j} is a category of words, and its input is numbers: encode it first.")
        columns.append(graph.cast(graph.apply("Equal", column, _double(graph, levels.numbers)), np.float64))
        if levels.missing:
            columns.append(graph.cast(graph.apply("IsNaN", column), np.float64))
    return graph.apply("Concat", *columns, axis=1)


def latent(graph: Graph, posterior: Posterior, z: Value) -> Latent:
    """Mean and variance of a posterior, in the graph's precision."""
    if isinstance(posterior, LatentPosterior):
        return latent(graph, posterior.core, z)
    if isinstance(posterior, Average):
        return _average(graph, posterior, z)
    if isinstance(posterior, RowPosterior):
        return _rows(graph, posterior, z)
    if isinstance(posterior, WeightPosterior | LowRankPosterior):
        return _features(graph, posterior, z)
    raise Unavailable(
        f"to_onnx: {type(posterior).__name__} has no form of ONNX; it has one for features and for closed forms. Keep "
        "this model with save."
    )


def members(graph: Graph, posterior: Posterior, z: Value) -> list[tuple[float, Latent]]:
    """Weight, mean and variance of each kernel: probabilities are averaged, not functions."""
    core = posterior.core if isinstance(posterior, LatentPosterior) else posterior
    if not isinstance(core, Average):
        return [(1.0, latent(graph, core, z))]
    return [(float(w), latent(graph, member, z)) for w, member in zip(core.weights, core.members, strict=True)]


def _features(graph: Graph, posterior: FeaturePosterior, z: Value) -> Latent:
    phi, phase_size = _phi(graph, posterior.features, graph.cast(z, graph.dtype))
    free = None
    if posterior.reach is not None:
        known, unknown = _shares(graph, posterior.reach, posterior.features, z)
        free = graph.apply("Mul", graph.apply("Mul", phi, unknown), graph.constant(posterior.root_variance))
        phi = graph.apply("Mul", phi, known)
    mean = graph.apply("MatMul", phi, graph.constant(posterior.weight_mean))
    squares = graph.sum_of_squares(graph.apply("MatMul", phi, graph.constant(_covariance_root(posterior))))
    if free is not None:
        squares = graph.apply("Add", squares, graph.sum_of_squares(free))
    unit, D = np.finfo(graph.dtype).eps, posterior.n_basis
    n_waves = 2 if posterior.features.centre is None else 4  # of a frequency
    per_column = unit * (n_waves * phase_size + D + 4)
    bound = float((np.abs(posterior.weight_mean) * per_column[:, None]).sum(axis=0).max())
    return Latent(mean, squares, bound)


def _shares(graph: Graph, reach: Reach, features: FeatureMap, z: Value) -> tuple[Value, Value]:
    """√(1 − h) and √h (rows, D): what rows reach, and what they do not; h in double precision."""
    apart = graph.apply("Unsqueeze", z, graph.constant([1], np.int64))
    boxes, zero = reach.boxes, _double(graph, np.zeros((1, *reach.boxes.low.shape)))
    below = graph.apply("Sub", _double(graph, boxes.low[None]), apart)
    above = graph.apply("Sub", apart, _double(graph, boxes.high[None]))
    gap = graph.apply("Max", below, above, zero)  # (rows, B, d)
    columns = []
    for scale, dof in zip(reach.scale, reach.dof.tolist(), strict=True):
        scaled = graph.apply("Mul", gap, _double(graph, scale))
        r2 = graph.apply("ReduceSumSquare", scaled, graph.constant([2], np.int64), keepdims=0)
        g = _profile(graph, dof, r2, len(boxes.weight))
        told = _double(graph, reach.per_row * reach.weight[:, None])
        columns.append(graph.apply("MatMul", graph.apply("Mul", g, g), told))
    known = graph.apply("Min", graph.apply("Concat", *columns, axis=1), _double(graph, np.ones((1, len(columns)))))
    unknown = graph.apply("Sub", _double(graph, np.ones((1, len(columns)))), known)
    place = graph.constant(features.column_component, np.int64)
    roots = [graph.cast(graph.apply("Sqrt", share), graph.dtype) for share in (known, unknown)]
    return graph.apply("Gather", roots[0], place, axis=1), graph.apply("Gather", roots[1], place, axis=1)


def _phi(graph: Graph, features: FeatureMap, z: Value) -> tuple[Value, Array]:
    """Φ (rows, D), and for each column what a rounding of its phase may amount to, in units of rounding."""
    W = _frequencies(features)
    phase = graph.apply("MatMul", z, graph.constant(W))
    waves = [graph.apply("Cos", phase), graph.apply("Sin", phase)]
    size = (len(W) + 2) * REACH * np.abs(W).sum(axis=0)
    if features.centre is None:
        return graph.apply("Concat", *waves, axis=1), np.tile(size, 2)
    shift = graph.apply("MatMul", z, graph.constant(features.centre))
    place = graph.constant(features.component, np.int64)
    others = [graph.apply("Gather", graph.apply(name, shift), place, axis=1) for name in ("Cos", "Sin")]
    products = [graph.apply("Mul", wave, other) for other in others for wave in waves]
    size = np.tile(size + (len(W) + 2) * REACH * np.abs(features.centre).sum(axis=0)[features.component], 4)
    phi = graph.apply("Concat", *products, axis=1)
    if features.columns is None:
        return phi, size
    return graph.apply("Gather", phi, graph.constant(features.columns, np.int64), axis=1), size[features.columns]


def _frequencies(features: FeatureMap) -> Array:
    """(d, F)."""
    projection = features.projection
    if isinstance(projection, MatrixProduct):
        return projection.frequencies
    assert isinstance(projection, FastTransform)
    return projection.matrix()


def _covariance_root(posterior: FeaturePosterior) -> Array:
    """(D, k) whose product with φ has the variance as its sum of squares."""
    scale, D = posterior.root_variance, posterior.n_basis
    if isinstance(posterior, LowRankPosterior):
        shrink = posterior.basis * (posterior.shrinkage - 1)
        return np.asarray(scale[:, None] * (np.eye(D) + shrink @ posterior.basis.T))
    assert isinstance(posterior, WeightPosterior)
    rows = np.zeros((D, len(posterior.factor)))
    rows[:, :D] = np.diag(scale)
    return solve_rows_lower(posterior.factor, rows)[:, :D]


def _rows(graph: Graph, posterior: RowPosterior, z: Value) -> Latent:
    """k(x, X) α and k(x, x) − ‖L⁻¹k‖², in double precision whatever the graph has: the difference cancels."""
    kernel, size = None, 0.0
    spectrum = posterior.spectrum
    dofs = np.broadcast_to(posterior.closed_form.dof, spectrum.log_amplitude.shape).tolist()
    for q, dof in enumerate(dofs):
        variance = float(np.exp(2 * spectrum.log_amplitude[q]))
        part = _profile(graph, dof, _r2(graph, *_scaled(graph, posterior, z, q)), len(posterior.x))
        if spectrum.centre is not None:
            angle = graph.apply("MatMul", z, _double(graph, spectrum.centre[q][:, None]))
            turned = graph.apply("Sub", angle, _double(graph, (posterior.x @ spectrum.centre[q])[None]))
            part = graph.apply("Mul", part, graph.apply("Cos", turned))
        weighted = graph.apply("Mul", part, _double(graph, variance * posterior.root_weight))
        kernel = weighted if kernel is None else graph.apply("Add", kernel, weighted)
        size += variance
    assert kernel is not None
    inverse = solve_rows_lower(posterior.factor, np.eye(len(posterior.factor)))  # rows are columns of L⁻¹
    explained = graph.sum_of_squares(graph.apply("MatMul", kernel, _double(graph, inverse)))
    left = graph.apply("Sub", _double(graph, [[size]]), explained)
    variance_left = graph.apply("Max", left, _double(graph, [[0.0]]))
    mean = graph.apply("MatMul", kernel, _double(graph, posterior.alpha))
    n, d = posterior.x.shape
    weights = np.abs(posterior.alpha * posterior.root_weight[:, None]).sum(axis=0).max()
    bound = float(np.finfo(np.float64).eps * (n + 4 * d + 16) * size * weights)
    return Latent(graph.cast(mean, graph.dtype), graph.cast(variance_left, graph.dtype), bound)


def _scaled(graph: Graph, posterior: RowPosterior, z: Value, q: int) -> tuple[Array, Value]:
    """Training rows (n, d) and queries as the profile of a component sees them: a∘x, or Ax."""
    spectrum = posterior.spectrum
    if spectrum.input_map is None:
        scale = spectrum.input_scale[q]
        return posterior.x * scale, graph.apply("Mul", z, _double(graph, scale))
    A = spectrum.input_map[q]
    return posterior.x @ A.T, graph.apply("MatMul", z, _double(graph, A.T))


def _r2(graph: Graph, rows: Array, scaled: Value) -> Value:
    """(rows, n) r² of scaled rows, from differences: squares of large numbers would cancel."""
    apart = graph.apply("Unsqueeze", scaled, graph.constant([1], np.int64))
    differences = graph.apply("Sub", apart, _double(graph, rows[None]))
    return graph.apply("ReduceSumSquare", differences, graph.constant([2], np.int64), keepdims=0)


def _profile(graph: Graph, dof: int, r2: Value, n: int) -> Value:
    """(rows, n) g(r²)."""
    if dof == 0:
        return graph.apply("Exp", graph.apply("Mul", r2, _double(graph, np.full(n, -0.5))))
    t = graph.apply("Sqrt", graph.apply("Mul", r2, _double(graph, np.full(n, float(dof)))))
    total = _double(graph, np.full(n, _POLYNOMIALS[dof][-1]))
    for coefficient in _POLYNOMIALS[dof][-2::-1]:  # Horner
        total = graph.apply("Mul", total, t)
        total = graph.apply("Add", total, _double(graph, np.full(n, coefficient)))
    return graph.apply("Mul", total, graph.apply("Exp", graph.apply("Neg", t)))


def _average(graph: Graph, posterior: Average, z: Value) -> Latent:
    """Σ w_k μ_k and Σ w_k (σ_k² + (μ_k − μ)²)."""
    parts = [latent(graph, member, z) for member in posterior.members]
    pairs, T = list(zip(posterior.weights, parts, strict=True)), posterior.n_targets
    mean = graph.apply("Sum", *(graph.times(part.mean, np.full(T, weight)) for weight, part in pairs))
    spreads = []
    for weight, part in pairs:
        apart = graph.apply("Sub", part.mean, mean)
        spread = graph.apply("Add", part.variance, graph.apply("Mul", apart, apart))
        spreads.append(graph.times(spread, np.full(T, weight)))
    bound = float(sum(w * part.bound for w, part in zip(posterior.weights, parts, strict=True)))
    return Latent(mean, graph.apply("Sum", *spreads), bound)

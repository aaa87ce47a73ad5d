"""From a transformed target's normal predictions to those of y, as a part of a graph of ONNX: see transformed.

In: means and standard deviations (rows, T) of t = g(y). Out: those of y by the same nodes, and ends of intervals.
All in double precision inside: an exponential would enlarge rounding.
"""

import numpy as np

from alakarte.data.target_transform import LARGEST_EXPONENT, TargetTransform, YeoJohnson
from alakarte.model.onnx_graph import Graph, Value
from alakarte.model.transformed import standard_nodes
from alakarte.records import Array


def mapped_moments(graph: Graph, transform: TargetTransform, mean: Value, std: Value) -> tuple[Value, Value]:
    """Mean and standard deviation (rows, T) of y, in the graph's precision."""
    nodes, weights = standard_nodes()
    last = graph.constant([2], np.int64)
    centre, spread = (graph.apply("Unsqueeze", graph.cast(each, np.float64), last) for each in (mean, std))
    t = graph.apply("Add", centre, graph.apply("Mul", spread, _double(graph, nodes)))
    y = inverse(graph, transform, t)
    average = graph.apply("MatMul", y, _double(graph, weights[:, None]))
    deviation = graph.apply("Sub", y, average)
    variance = graph.apply("MatMul", graph.apply("Mul", deviation, deviation), _double(graph, weights[:, None]))
    both = (average, graph.apply("Sqrt", variance))
    return tuple(graph.cast(graph.apply("Squeeze", each, last), graph.dtype) for each in both)  # type: ignore[return-value]


def mapped(graph: Graph, transform: TargetTransform, t: Value) -> Value:
    """The y (rows, T) of t (rows, T), in the graph's precision."""
    last = graph.constant([2], np.int64)
    y = inverse(graph, transform, graph.apply("Unsqueeze", graph.cast(t, np.float64), last))
    return graph.cast(graph.apply("Squeeze", y, last), graph.dtype)


def inverse(graph: Graph, transform: TargetTransform, t: Value) -> Value:
    """The y of t (rows, T, k), in double precision."""
    largest = _double(graph, LARGEST_EXPONENT)
    if not isinstance(transform, YeoJohnson):
        return graph.apply("Exp", graph.apply("Min", t, largest))
    scale, centre = _double(graph, transform.scale[:, None]), _double(graph, transform.centre[:, None])
    v = graph.apply("Div", t, scale)
    size = graph.apply("Abs", v)
    above, below = (_exponent(graph, size, power[:, None]) for power in (transform.power, 2 - transform.power))
    exponent = graph.apply("Where", graph.apply("GreaterOrEqual", v, _double(graph, 0.0)), above, below)
    grown = graph.apply("Sub", graph.apply("Exp", graph.apply("Min", exponent, largest)), _double(graph, 1.0))
    return graph.apply("Add", graph.apply("Mul", graph.apply("Mul", graph.apply("Sign", v), grown), scale), centre)


def _exponent(graph: Graph, size: Value, power: Array) -> Value:
    """log(1 + p|v|)/p, or |v| where p (T, 1) is zero."""
    flat = power == 0
    p = _double(graph, np.where(flat, 1.0, power))
    logarithm = graph.apply("Log", graph.apply("Add", graph.apply("Mul", size, p), _double(graph, 1.0)))
    return graph.apply("Where", graph.constant(flat, np.bool_), size, graph.apply("Div", logarithm, p))


def _double(graph: Graph, array: object) -> Value:
    return graph.constant(np.asarray(array, dtype=np.float64), np.float64)

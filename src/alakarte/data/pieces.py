"""A table in a few pieces of rows, cut by its size alone.

In: values with weights, an array or columns on a cluster. Out: a function's result for each piece, in order: what is
computed per piece and added along a fixed tree has the same bits wherever the pieces lie.
"""

from collections.abc import Callable
from functools import singledispatch
from itertools import pairwise
from operator import add
from typing import Any

import numpy as np

from alakarte.data.merge import MERGE_ROWS
from alakarte.data.rows import lane_edges
from alakarte.execution.tree import total_of
from alakarte.records import Array, Integers


def piece_edges(n_rows: int) -> Integers:
    """Where pieces begin and end; a small table is one."""
    return lane_edges(n_rows, 0) if n_rows > MERGE_ROWS else np.array([0, n_rows])


@singledispatch
def over_pieces(values: Any, weight: Any, function: Callable[..., Any], *arguments: Any) -> list[Any]:
    """function(values, weight, *arguments) of each piece of values (n, …) and weights (n,)."""
    edges = piece_edges(len(values))
    return [function(values[low:high], in_a_row(weight[low:high]), *arguments) for low, high in pairwise(edges)]


def in_a_row(weight: Array) -> Array:
    """Weights (n,) one after the other in memory, also of one number for all: products have other last digits else."""
    return np.ascontiguousarray(weight)


def sum_over_pieces(values: Any, weight: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """The sum of function(values, weight, *arguments), numbers or arrays, of each piece."""
    return total_of(over_pieces(values, weight, function, *arguments), add)


def sum_of_weights(weight: Any) -> float:
    """Of weights (n,), added piece by piece."""
    return float(sum_over_pieces(weight, weight, sum_of_piece))


def sum_of_piece(values: Array, weight: Array) -> float:
    """Σ w of a piece."""
    return float(np.asarray(weight).sum())

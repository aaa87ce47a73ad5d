"""From the user's table to rows: the one door through which data come in, whatever holds them.

In: what a user gave to `fit` or `partial_fit`. Out: `Table`. A new kind of table is read here, and becomes `Rows`.
"""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.categories import Encoding
from alakarte.data.cluster_pieces import ClusterColumns, Pieces
from alakarte.data.cluster_rows import ClusterRows
from alakarte.data.columns import in_memory, is_dask
from alakarte.data.dask_table import cluster_pieces
from alakarte.data.merge import MERGE_ROWS, merge_rows
from alakarte.data.pieces import in_a_row, piece_edges, sum_of_weights
from alakarte.data.read import check_total, read_categories, read_inputs, read_training
from alakarte.data.scan import Scan, as_scan
from alakarte.data.scanned import scanned_further, scanned_inputs, scanned_training
from alakarte.data.standardise import Scaling, standardise
from alakarte.data.target_transform import Transformed, check_targets, learn_transform
from alakarte.errors import InvalidInput
from alakarte.execution.progress import Progress
from alakarte.records import Array, Integers

TableRows: TypeAlias = ArrayRows | ClusterRows
Change = Callable[..., tuple[Array, Array]]  # x, y, weight of a piece → other targets (rows, T) and weights (rows,)
TargetScaling = Callable[[Any, Any], tuple[Array, Array]]  # y (n, T), weight (n,) → centre and scale (T,)


@dataclass(frozen=True)
class Table:
    """Rows, how they are standardised, and the shape of one target entry: () for y (n,), (T,) for y (n, T)."""

    rows: TableRows
    scaling: Scaling
    target_shape: tuple[int, ...]


@dataclass(frozen=True)
class Checked:
    """A table that was read: inputs (n, variables), targets (n, T), weights (n,), the levels of categories."""

    inputs: Array
    target: Array
    weight: Array
    encoding: Encoding | None
    target_shape: tuple[int, ...]

    def targets(self) -> tuple[Any, Any]:
        """Targets (n, T) and weights (n,), for what is computed per piece."""
        return self.target, self.weight

    def weighted(self) -> "Checked":
        """The rows with a weight alone."""
        rows = self.weight > 0
        if rows.all():
            return self
        return replace(self, inputs=self.inputs[rows], target=self.target[rows], weight=self.weight[rows])

    def changed(self, change: Change, *arguments: Any) -> "Checked":
        """The same inputs with other targets and weights, change(x, y, weight, *arguments) of each piece."""
        parts = [
            change(self.inputs[low:high], self.target[low:high], in_a_row(self.weight[low:high]), *arguments)
            for low, high in pairwise(piece_edges(len(self.target)))
        ]
        target, weight = (np.concatenate(each) for each in zip(*parts, strict=True))
        return replace(self, target=target, weight=weight)

    def some(self, n_rows: int, rng: np.random.Generator) -> "Checked":
        """At most so many of the rows with a weight, drawn at random."""
        rows = np.flatnonzero(self.weight > 0)
        rows = rows[_drawn(rows.size, n_rows, rng)]
        return replace(self, inputs=self.inputs[rows], target=self.target[rows], weight=self.weight[rows])

    def table(self, target_scaling: TargetScaling, transform: str | None = None) -> Table:
        """Merged, in memory and standardised where it is small; targets by the transform of that name."""
        check_targets(transform, self.target, self.weight)
        inputs, target, weight = merge_rows(self.inputs, self.target, self.weight)
        found = None if transform is None else learn_transform(transform, target, weight)
        centre_and_scale = target_scaling(target if found is None else Transformed(target, found), weight)
        scaling = replace(standardise(inputs, weight, *centre_and_scale, self.encoding), transform=found)
        if target_scaling is plain_targets:
            scaling = scaling.with_plain_targets(target.shape[1])
        rows = ArrayRows(inputs, target, weight, scaling=scaling)
        return Table(rows.standardised() if len(inputs) <= MERGE_ROWS else rows, scaling, self.target_shape)


@dataclass(frozen=True)
class OnCluster:
    """A large table that was read on a cluster, and stays there."""

    pieces: Pieces
    target_shape: tuple[int, ...]
    encoding: Encoding | None = None
    verbose: int = 0

    def targets(self) -> tuple[Any, Any]:
        """Targets (n, T) and weights (n,), for what is computed per piece."""
        return ClusterColumns(self.pieces, 1), ClusterColumns(self.pieces, 2)

    def weighted(self) -> "OnCluster":
        """All rows: none is here without a weight."""
        return self

    def changed(self, change: Change, *arguments: Any) -> "OnCluster":
        """The same inputs with other targets and weights, change(x, y, weight, *arguments) of each piece."""
        return replace(self, pieces=self.pieces.changed(change, *arguments))

    def some(self, n_rows: int, rng: np.random.Generator) -> Checked:
        """At most so many of the rows, drawn at random, on the driver."""
        inputs, target, weight = self.pieces.take(_drawn(self.pieces.n_rows, n_rows, rng))
        return Checked(inputs, target, weight, self.encoding, self.target_shape)

    def table(self, target_scaling: TargetScaling, transform: str | None = None) -> Table:
        """Standardised where it lies, targets by the transform of that name."""
        with closing(_speaking(self.verbose)):
            return self._table(target_scaling, transform)

    def _table(self, target_scaling: TargetScaling, transform: str | None) -> Table:
        x: Any = ClusterColumns(self.pieces, 0)
        y, weight = self.targets()
        total = sum_of_weights(weight)
        check_total(np.array([total]))
        check_targets(transform, y, weight)
        found = None if transform is None else learn_transform(transform, y, weight)
        centre_and_scale = target_scaling(y if found is None else Transformed(y, found), weight)
        scaling = standardise(x, weight, *centre_and_scale, self.encoding)
        if target_scaling is plain_targets:
            scaling = scaling.with_plain_targets(self.pieces.n_targets)
        scaling = replace(scaling, transform=found)
        return Table(ClusterRows(self.pieces, scaling, total), scaling, self.target_shape)


def _speaking(verbose: int) -> Progress:
    """Progress before there is anything to learn."""
    return Progress(verbose, lambda nlml, total: nlml)


def _drawn(n: int, n_rows: int, rng: np.random.Generator) -> Integers:
    """At most so many of the numbers below n, ascending."""
    return np.sort(rng.choice(n, n_rows, replace=False)) if n > n_rows else np.arange(n)


def read_table(estimator: Any, X: Any, y: Any, sample_weight: Any) -> Checked | OnCluster:
    """What a user gave to `fit`, checked."""
    if is_dask(X):
        with closing(_speaking(estimator.verbose)) as progress:
            pieces, target_shape, encoding = cluster_pieces(estimator, X, y, sample_weight)
            if pieces.n_rows > MERGE_ROWS:
                progress.say(f"{pieces.n_rows:,} rows on the cluster, in {len(pieces.futures)} pieces")
                return OnCluster(pieces, target_shape, encoding, estimator.verbose)
    X, y, sample_weight = map(in_memory, (X, y, sample_weight))
    X = as_scan(X)
    if isinstance(X, Scan):
        scanned = scanned_training(estimator, X, y, sample_weight)
        inputs, target, weight, encoding = scanned.inputs, scanned.target, scanned.weight, scanned.encoding
    else:
        encoding = read_categories(X, estimator.categorical_features, sample_weight)
        inputs, target, weight = read_training(estimator, X, y, sample_weight, encoding)
    return Checked(inputs, target.reshape(len(target), -1), weight, encoding, target.shape[1:])


def training_table(estimator: Any, X: Any, y: Any, sample_weight: Any, target_scaling: TargetScaling) -> Table:
    """A table to learn from, whose targets are as they were given."""
    return read_table(estimator, X, y, sample_weight).table(target_scaling)


def query_table(estimator: Any, X: Any, scaling: Scaling) -> Array:
    """Inputs (n, variables) of rows to predict, with the variables of the fit; those of a scan mapped from a spool."""
    X = as_scan(in_memory(X))
    return (scanned_inputs if isinstance(X, Scan) else read_inputs)(estimator, X, scaling.encoding)


def _further(estimator: Any, X: Any, y: Any, sample_weight: Any, scaling: Scaling) -> tuple[Array, Array, Array]:
    """Inputs, targets and weights of rows that join a fitted model; those of Dask come to the driver."""
    X, y, sample_weight = map(in_memory, (X, y, sample_weight))
    X = as_scan(X)
    if isinstance(X, Scan):
        scanned = scanned_further(estimator, X, y, sample_weight, scaling.encoding)
        return scanned.inputs, scanned.target, scanned.weight
    return read_training(estimator, X, y, sample_weight, scaling.encoding, reset=False)


def plain_targets(y: Array, weight: Array) -> tuple[Array, Array]:
    """The scaling of targets that stay as they are."""
    return np.zeros(y.shape[1]), np.ones(y.shape[1])


def further_targets(estimator: Any, X: Any, y: Any, sample_weight: Any, scaling: Scaling) -> ArrayRows:
    """Rows that join a fitted model, whose targets (n, T) stay as they are."""
    inputs, target, weight = _further(estimator, X, y, sample_weight, scaling)
    inputs, target, weight = merge_rows(inputs, target, weight)
    return ArrayRows(inputs, target, weight, scaling=scaling.with_plain_targets(target.shape[1]))


def further_rows(
    estimator: Any, X: Any, y: Any, sample_weight: Any, scaling: Scaling, target_shape: tuple[int, ...]
) -> ArrayRows:
    """Rows that join a fitted model, standardised by its scaling; their targets have the shape of its own."""
    inputs, target, weight = _further(estimator, X, y, sample_weight, scaling)
    if target.shape[1:] != target_shape:
        fitted = f"(n, {target_shape[0]})" if target_shape else "(n,)"
        raise InvalidInput(f"y has shape {target.shape}; this model was fitted to y of shape {fitted}.")
    target = target.reshape(len(target), -1)
    if scaling.transform is not None:
        scaling.transform.check(target, weight)
    inputs, target, weight = merge_rows(inputs, target, weight)
    return ArrayRows(inputs, target, weight, scaling=scaling)

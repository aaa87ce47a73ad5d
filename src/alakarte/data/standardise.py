"""Centre and scale of inputs and target, from training rows only, safe from 1e-310 to 1e304 and with large offsets.

In: the user's columns and weights. Out: `Scaling`, which maps both ways. Knows nothing of kernels.
The table is visited in blocks of rows: no second copy of it beside the standardised one.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.categories import Encoding, Levels
from alakarte.data.compress import Tails
from alakarte.data.pieces import over_pieces, sum_of_piece, sum_over_pieces
from alakarte.data.target_transform import TargetTransform
from alakarte.errors import InvalidInput
from alakarte.parameters import Units
from alakarte.records import Array, Flags, Variables

# Standardised inputs are cut here: a query further away than this says nothing, and must stay finite.
FAR = 1e8
# A target further from the mean than this, in standard deviations, has no finite square.
_FAR_TARGET = 1e100
# Training values stay below this: predictions some thousand times larger are still finite.
_LARGEST = 1e304
_LARGEST_ROOT = 1e150  # likewise for squares
_BLOCK_ROWS = 4096


@dataclass(frozen=True)
class Scaling:
    """x̂ = (x − x_mean)/x_scale, constant inputs become 0; ŷ = (t − y_mean)/y_scale, t = y or its transform.

    With an `encoding`, inputs x̂ are one-hot columns beside the standardised numbers. Those keep their zeros and ones,
    because a rare level divided by its own spread would be far from all others: two levels are √2 apart, as two rows of
    a standardised number are on average.
    """

    x_mean: Array  # (d,)
    x_scale: Array  # (d,)
    x_live: Flags  # (d,) whether the input varies
    y_mean: Array  # (T,)
    y_scale: Array  # (T,)
    tails: Tails | None = None  # of the inputs, compressed if there
    encoding: Encoding | None = None  # of categories, if there are any
    level_std: Array | None = None  # (d,) standard deviation of one-hot columns, one for numbers; None: numbers alone
    has_targets: bool = True  # else they stay as they are, and are standardised elsewhere
    transform: TargetTransform | None = None  # of y, before it is centred: then "units of y" are those of t

    @property
    def variables(self) -> Variables | None:
        """The user's variables, where some are categories; None: each is an input."""
        return None if self.encoding is None else self.encoding.variables

    @property
    def n_variables(self) -> int:
        """Columns of the user's table."""
        return self.x_mean.size if self.encoding is None else len(self.encoding.levels)

    @property
    def standardised_std(self) -> Array:
        """(d,) standard deviation of each standardised input among the training rows: of a number one, or zero."""
        live = self.x_live.astype(np.float64)
        return live if self.level_std is None else live * self.level_std

    def inputs(self, x: Array) -> Array:
        """Standardised inputs (rows, d), row-major, a copy, of a table of numbers x (rows, variables)."""
        if self.encoding is not None:
            x = self.encoding.one_hot(x)
        with np.errstate(over="ignore"):
            z = np.subtract(x, self.x_mean, order="C")
            z /= self.x_scale
        np.clip(z, -FAR, FAR, out=z)
        if not self.x_live.all():
            z[:, ~self.x_live] = 0.0
        return z if self.tails is None else self.tails.compress(z)

    def units(self, *, several: bool = False) -> Units:
        """Of inputs and targets; `several`: y has an axis of targets."""
        return Units(self.x_scale, self.y_scale, several, self.variables)

    def with_plain_targets(self, n_targets: int) -> "Scaling":
        """The same for so many targets that are standardised already."""
        return replace(self, y_mean=np.zeros(n_targets), y_scale=np.ones(n_targets), has_targets=False, transform=None)

    @property
    def y_variance(self) -> Array:
        """(T,) y_scale², for covariances in the user's units."""
        largest = float(self.y_scale.max())
        if largest > _LARGEST_ROOT:
            raise InvalidInput(
                f"The standard deviation of y is {largest:.3g}; beyond {_LARGEST_ROOT:g} covariances do not fit "
                "into float64: ask for return_std, or divide y by a constant."
            )
        return self.y_scale**2

    def log_evidence(self, nlml: float, total: float) -> float:
        """In nats of the user's y, of rows of weight `total` whose standardised targets have this nlml.

        A transform adds its mean log slope in the rows of the fit; `excess_log_slope` is what other rows have beyond.
        """
        per_row = -np.log(self.y_scale).sum()
        if self.transform is not None:
            per_row += self.transform.mean_log_slope.sum()
        return float(-nlml + total * per_row)

    def excess_log_slope(self, y: Array, weight: Array) -> float:
        """In nats, of rows with targets y (n, T) and weights (n,); 0 without a transform."""
        return 0.0 if self.transform is None else self.transform.excess_log_slope(y, weight)

    def target(self, y: Array) -> Array:
        """Standardised copy of y (rows, T)."""
        if self.transform is not None:
            y = self.transform.forward(y)
        with np.errstate(over="ignore"):
            z = np.subtract(y, self.y_mean, dtype=np.float64, order="C")  # products have the same bits for any layout
            z /= self.y_scale
        if self.has_targets and np.abs(z).max(initial=0.0) > _FAR_TARGET:
            row, column = np.unravel_index(int(np.argmax(np.abs(z))), z.shape)
            raise InvalidInput(
                f"y = {y[row, column]:.3g} lies more than {_FAR_TARGET:g} standard deviations from the mean of the "
                f"training rows, {self.y_mean[column]:.3g} ± {self.y_scale[column]:.3g}: check that value and its "
                "weight."
            )
        return z


def moments(values: Array, weight: Array | None, name: str = "X", first: int = 0) -> tuple[Array, Array, Flags]:
    """Mean, standard deviation and whether the column varies, of values (n, k) with weights (n,) or None.

    Errors call them columns of `name`, from the column `first` on.
    """
    weight = np.broadcast_to(1.0, len(values)) if weight is None else weight
    ends = np.array(over_pieces(values, weight, _ends))
    low, high = ends[:, 0].min(axis=0), ends[:, 1].max(axis=0)
    _check_size(np.maximum(high, -low), name, first)
    middle = (low + high) / 2
    size = np.maximum(high - middle, middle - low)
    size = np.where(size > 0, size, 1.0)
    total = sum_over_pieces(values, weight, sum_of_piece)
    offset = sum_over_pieces(values, weight, _weighted_sum, middle, size, 0.0, 1) / total
    spread = np.sqrt(sum_over_pieces(values, weight, _weighted_sum, middle, size, offset, 2) / total)
    live = (high > low) & (spread > 0)
    mean = np.where(live, middle + offset * size, low)
    return mean, np.where(live, np.maximum(spread * size, np.finfo(float).smallest_subnormal), 1.0), live


def _ends(values: Array, weight: Array) -> tuple[Array, Array]:
    """Least and largest value (k,) of each column of a piece."""
    low, high = (np.asarray(end(axis=0), dtype=np.float64) for end in (values.min, values.max))
    return low, high


def _weighted_sum(
    values: Array,
    weight: Array,
    middle: Array,
    size: Array,
    offset: Array | float,
    power: int,
) -> Array:
    """Σ w (r − offset)^power over the rows of a piece.

    r = (values − middle)/size lies within ±1, so squares do not overflow.
    """
    total = np.zeros(values.shape[1])
    for start in range(0, len(values), _BLOCK_ROWS):
        part = slice(start, start + _BLOCK_ROWS)
        relative = np.subtract(values[part], middle, order="C")  # the same bits for any memory layout
        relative /= size
        relative -= offset
        if power == 2:
            relative *= relative
        relative *= weight[part, None]
        total += relative.sum(axis=0)
    return total


def _weight_of_levels(values: Array, weight: Array, levels: Levels) -> Array:
    """(k,) of the rows of a piece with each level; values (rows, 1)."""
    return np.asarray(np.bincount(levels.places(values[:, 0]), weight, levels.n_columns), dtype=np.float64)


def _check_size(largest: Array, name: str, first: int) -> None:
    column = int(np.argmax(largest))
    if largest[column] > _LARGEST:
        where = f"{name}[:, {first + column}]" if largest.size > 1 or first else name
        raise InvalidInput(
            f"{where} reaches {largest[column]:.3g} in size, beyond {_LARGEST:g}: divide it by a constant."
        )


def standardise(
    x: Array, weight: Array | None, y_mean: Array, y_scale: Array, encoding: Encoding | None = None
) -> Scaling:
    """Scaling of training rows x (n, variables), and of targets by the centre and scale (T,) of their likelihood.

    Of two or more levels of a category, each column varies; the standard deviation of a level of share p is √(p(1−p)).
    """
    weight = np.broadcast_to(1.0, len(x)) if weight is None else weight
    if encoding is None:
        return Scaling(*moments(x, weight), y_mean, y_scale)
    d = encoding.n_columns
    mean, scale, live, level_std = np.zeros(d), np.ones(d), np.ones(d, dtype=bool), np.ones(d)
    for numbers, columns in encoding.runs_of_numbers():
        mean[columns], scale[columns], live[columns] = moments(x[:, numbers], weight, first=numbers.start)
    for j, levels in encoding.categories.items():
        columns = encoding.columns_of(j)
        share = sum_over_pieces(x[:, j : j + 1], weight, _weight_of_levels, levels)
        share = share / share.sum()
        live[columns] = levels.n_columns > 1
        level_std[columns] = np.sqrt(share * (1 - share))
    return Scaling(mean, scale, live, y_mean, y_scale, encoding=encoding, level_std=level_std)

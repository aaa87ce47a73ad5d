"""Names of values: the same in every process, another for every change."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.execution.digest import digest
from alakarte.kernels import ARD
from alakarte.process.computation import Computation


@dataclass(frozen=True)
class Record:
    """Some fields, one of which does not tell records apart."""

    array: np.ndarray
    number: float
    n_jobs: int = field(default=1, compare=False)


def test_every_change_gives_another_name():
    x = np.arange(6.0)
    values = [
        x,
        x.astype(np.float32),
        x.reshape(2, 3),
        x + 1e-15,
        1.0,
        1,
        "1",
        None,
        (1, 2),
        (1, (2,)),
        {"a": x},
        {"b": x},
        Record(x, 1.0),
        Record(x, 2.0),
        Computation.CLOSED,
        Computation.ROWS,
        ARD(),
        ARD(fixed={"lengthscale": 2.0}),
        partial(np.sum, axis=0),
        partial(np.sum, axis=1),
        np.zeros((0, 2)),
    ]
    assert len({digest(value) for value in values}) == len(values)


def test_equal_values_have_one_name():
    x = np.arange(6.0).reshape(2, 3)
    assert digest(x) == digest(np.asfortranarray(x))
    assert digest(Record(x, 1.0)) == digest(Record(x.copy(), 1.0, n_jobs=2))
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})
    assert digest([1, 2]) == digest((1, 2))
    assert digest("word", {"a": 1.5}).startswith("48172feba0825715")  # in every process


def test_rows_are_known_by_number_weight_and_some_of_them():
    rng = np.random.default_rng(0)
    x, y, weight = rng.standard_normal((500, 2)), rng.standard_normal((500, 1)), np.ones(500)
    same = digest(ArrayRows(x, y, weight))
    assert same == digest(ArrayRows(x.copy(), y, weight, block_rows=7))
    for other in (ArrayRows(x[:-1], y[:-1], weight[:-1]), ArrayRows(x, -y, weight), ArrayRows(x, y, 2 * weight)):
        assert digest(other) != same

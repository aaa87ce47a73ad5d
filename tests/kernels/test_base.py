"""The paper's numbers of parameters and of basis functions, and what each kernel declares, for all of the menu."""

from itertools import product

import numpy as np
import pytest

from alakarte import GPRegressor
from alakarte.errors import Unavailable
from alakarte.kernels.base import ClosedForm
from alakarte.kernels.registry import resolve
from alakarte.process.problem import process_at
from alakarte.records import Shape
from problems import ALONE as MENU
from problems import SHAPES, naming, problem, table, values_at

COUNTS = {
    "rbf": lambda d, q, m, p, t: 3,
    "trend": lambda d, q, m, p, t: 1,
    "ard": lambda d, q, m, p, t: d + 2,
    "fsard": lambda d, q, m, p, t: q * m + d + 2,
    "fsgbard": lambda d, q, m, p, t: q * m + t * p + t * d + d + 2,
    "gm": lambda d, q, m, p, t: q * (2 * d + 1) + 1,
    "gm_full": lambda d, q, m, p, t: q * (2 * d + 1 + d * min(d - 1, 4)) + 1,
    "pwl": lambda d, q, m, p, t: q * (d + 3) + 1,
    "ssgpr": lambda d, q, m, p, t: q * m * d + 2,
    "mm": lambda d, q, m, p, t: q * (2 * d + 1) + 1,
    "matern0.5": lambda d, q, m, p, t: d + 2,
    "matern1.5": lambda d, q, m, p, t: d + 2,
    "matern2.5": lambda d, q, m, p, t: d + 2,
    "pwl4": lambda d, q, m, p, t: q * (1 + d + 5 + 4) + 1,  # K + 1 gaps and K weights
}
PADDED = {1: 1, 3: 4, 4: 4, 5: 8, 9: 16}


def test_number_of_parameters():
    for name, shape in product(COUNTS, SHAPES):
        d, q, m = shape
        p, (made, theta) = PADDED[d], problem(name, shape)
        labels = made.layout.labels()
        with naming(name, shape):
            assert made.draws.shape.n_padded == p
            assert theta.size == made.layout.size == COUNTS[name](d, q, m, p, -(-q * m // p))
            assert len(labels) == len(set(labels)) == theta.size


def test_every_kernel_of_the_menu_has_its_count():
    assert set(COUNTS) == set(MENU)


def test_number_of_basis_functions():
    """2Qm columns, 4Qm around centres."""
    for name in MENU:
        with naming(name):
            X, y, _ = table(3)
            model = GPRegressor(MENU[name], n_components=2, n_frequencies=5, max_iter=0, random_state=0).fit(X, y)
            assert model.n_basis_ == MENU[name].columns_per_frequency * 10
            assert model.theta_.size == len(model.theta_labels_)


def test_what_a_kernel_declares_is_what_it_does():
    for name, kernel in MENU.items():
        with naming(name):
            made, theta = problem(name, (3, 2, 8))
            values = values_at(made, theta)
            assert kernel.has_closed_form == isinstance(kernel.closed_form(values), ClosedForm)
            few, many = (kernel.parameters(Shape(3, (m,))) for m in (3, 5))
            grown = any(left.shape != right.shape for left, right in zip(few, many, strict=True))
            assert kernel.learns_frequencies == grown
            columns = process_at(made, theta).features.n_basis
            assert kernel.columns_per_frequency == columns // made.draws.shape.n_frequencies
            if kernel.needs_stacks:
                with pytest.raises(Unavailable, match="fastfood"):
                    problem(name, (3, 2, 8), "dense")
            else:
                problem(name, (3, 2, 8), "dense")


NESTS = {"ard": "rbf", "matern0.5": "ard", "matern1.5": "ard", "matern2.5": "ard", "gm": "ard", "mm": "matern"}
NESTS["gm_full"] = "ard"


def test_a_kernel_that_nests_another_has_starts_from_it_with_all_its_parameters():
    for name, kernel in MENU.items():
        with naming(name):
            assert kernel.nests == NESTS.get(name)
            start = {p.name: np.full(p.shape, 0.25) for p in kernel.parameters(Shape(3, (8, 8)))}
            if kernel.nests is None:
                assert kernel.nested({"log_amplitude": np.zeros(1), "log_lengthscale": np.zeros(3)}, start) == []
                continue
            simpler = {p.name: np.zeros(p.shape) for p in resolve(kernel.nests).parameters(Shape(3, (8,)))}
            assert set(simpler) == {"log_amplitude", "log_lengthscale"}
            made = kernel.nested(simpler, start)
            assert made
            for values in made:
                assert {key: np.shape(value) for key, value in values.items()} == {
                    p.name: p.shape for p in kernel.parameters(Shape(3, (8, 8)))
                }

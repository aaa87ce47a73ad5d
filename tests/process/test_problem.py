"""How a problem is computed, on how many rows, and what fresh frequencies change."""

import re

import numpy as np
import pytest

from alakarte.errors import Unavailable
from alakarte.process.computation import Computation
from alakarte.process.problem import process_at, require_closed_form
from problems import MENU, naming, problem


def test_the_form_follows_rows_and_columns():
    made, _ = problem("gm", (3, 2, 8))  # 64 columns
    assert made.n_basis == 64
    assert [made.computation_for(n) for n in (63, 64, 65)] == [
        Computation.ROWS,
        Computation.WEIGHTS,
        Computation.WEIGHTS,
    ]
    assert [made.kept_computation(n) for n in (31, 32, 63)] == [
        Computation.ROWS,
        Computation.WEIGHTS,
        Computation.WEIGHTS,
    ]
    closed, _ = problem("gm", (3, 2, 8), "exact")
    assert closed.is_closed
    assert (
        {closed.computation_for(n) for n in (1, 10**6)}
        == {closed.kept_computation(n) for n in (1, 10**6)}
        == {Computation.CLOSED}
    )


def test_fresh_frequencies_are_an_expansion_of_the_same_kernel():
    for expansion in ("fastfood", "exact"):
        made, theta = problem("ard", (3, 1, 8), expansion)
        fresh = made.with_fresh_frequencies(16, np.random.default_rng(0))
        assert fresh.draws.shape.counts == (16,)
        assert not fresh.is_closed
        assert process_at(fresh, theta).features.n_basis == 32


def test_a_kernel_without_a_closed_form_is_refused_by_name():
    for name, kernel in MENU.items():
        with naming(name):
            if kernel.has_closed_form:
                require_closed_form(kernel)
            else:
                with pytest.raises(Unavailable, match=re.escape(f"kernel '{kernel.name}' has no closed form")):
                    require_closed_form(kernel)


def test_noise_below_rounding_is_lifted_to_the_floor():
    made, theta = problem("ard", (3, 1, 8))
    assert not process_at(made, theta).floored
    low = made.layout.pack(made.layout.unpack(theta) | {"log_noise_std": np.asarray(-30.0)})
    assert process_at(made, low).floored
    assert process_at(made, low).noise_variance > 0

"""How many rows each stage of learning sees."""

from dataclasses import replace
from itertools import product

import pytest

import alakarte.search.learn
from alakarte.kernels.registry import resolve
from alakarte.search.sizes import evaluation_flops
from alakarte.search.stages import (
    LAST_FLOPS,
    MAIN_ROWS,
    ROWS_EACH,
    last_stage,
    long_stage,
    screening_stage,
    second_stage,
)
from problems import naming

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_few_rows_are_all_learned_from():
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 2, 9, 4, 0.1, None, 1)
    assert screening_stage(settings, 300).n_rows == long_stage(settings, 300, 9).n_rows == 300
    assert last_stage(settings, 300, 1024) is None
    screening, long = screening_stage(settings, 10**6), long_stage(settings, 10**6, 9)
    assert screening.n_rows < long.n_rows == MAIN_ROWS < last_stage(settings, 10**6, 1024).n_rows
    for rows in (None, 500):
        given = replace(settings, n_learning_rows=rows)
        assert screening_stage(given, 10**6).n_rows == long_stage(given, 10**6, 9).n_rows == (rows or 10**6)
        assert second_stage(replace(settings, n_learning_rows=rows), 10**6).n_rows == (rows or 10**6)
        assert last_stage(replace(settings, n_learning_rows=rows), 10**6, 1024) is None


def test_thousands_of_parameters_are_learned_from_more_rows():
    for n_rows in (20_000, 10**6):
        with naming(n_rows):
            settings = alakarte.search.learn.Settings(resolve("ssgpr"), 1, 768, "fastfood", 2, 150, 4, 0.1, None, 1)
            stage = long_stage(settings, n_rows, 6146)
            assert stage.n_rows == min(n_rows, ROWS_EACH * 6146)
            assert stage.max_iter == 150
            assert long_stage(settings, n_rows, MAIN_ROWS // ROWS_EACH).n_rows == MAIN_ROWS


def test_the_last_stage_sees_all_rows_or_as_many_as_its_flops_allow():
    settings = alakarte.search.learn.Settings(resolve("ard"), 1, 8, "fastfood", 2, 150, 4, 0.1, None, 1)
    for n_rows, n_basis in product((9_000, 36_000, 10**6, 10**8), (256, 1024)):
        stage, again = (last_stage(settings, n_rows, n_basis, level=level) for level in (0, 1))
        used = stage.max_iter * evaluation_flops(stage.n_rows, n_basis)
        with naming(n_rows, n_basis):
            assert used <= 1.001 * LAST_FLOPS
            assert stage.n_rows == n_rows or used > 0.99 * LAST_FLOPS
            assert again.n_rows == min(n_rows, 16 * stage.n_rows) or used < LAST_FLOPS

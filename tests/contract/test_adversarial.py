"""The 52 awkward tables of the reliability figures, one by one, then further ones, layouts and units.

Each gives finite predictions without a warning, or a ValueError or TypeError that says what is wrong, where, and what
to do about it: the words that must be in the message stand next to the case, in `tables.py`.
"""

import numpy as np
import pytest

from alakarte.data import merge, read, table
from contract.tables import (
    CASES,
    FITS,
    FURTHER,
    MODELS,
    REFUSALS,
    TABLE,
    TARGET,
    Case,
    check_predictions,
    check_refusal,
    frame,
    model,
    named,
    pd,
)
from problems import naming

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_there_are_52_tables():
    assert len({case.name for case in CASES}) == len(CASES) == 52


@named(FITS)
def test_table_gives_finite_predictions(case):
    for name in MODELS:
        with naming(name):
            check_predictions(model(name).fit(case.X, case.y), case.X)


def test_tables_that_are_standardised_block_by_block(monkeypatch):
    """As tables of more than MERGE_ROWS rows are: neither merged nor copied."""
    monkeypatch.setattr(read, "MERGE_ROWS", 0)
    monkeypatch.setattr(merge, "MERGE_ROWS", 0)
    monkeypatch.setattr(table, "MERGE_ROWS", 0)
    for case in FITS:
        for name in ("ard", "exact ard"):
            with naming(case.name, name):
                check_predictions(model(name).fit(case.X, case.y), case.X)


@named(REFUSALS)
def test_table_is_refused_with_a_clear_message(case):
    check_refusal(case.error, model().fit, case.X, case.y)


@named(FURTHER)
def test_further_table(case):
    if case.error:
        check_refusal(case.error, model().fit, case.X, case.y)
    else:
        check_predictions(model().fit(case.X, case.y), case.X)


def test_a_column_vector_is_one_target_in_a_table():
    fitted = model().fit(TABLE, TARGET[:, None])
    np.testing.assert_array_equal(fitted.predict(TABLE), model().fit(TABLE, TARGET).predict(TABLE)[:, None])


LAYOUTS = [
    "objects that are numbers",
    "numeric strings",
    "Fortran order",
    "other byte order",
    "read-only",
    "nested lists",
]


def test_layout_does_not_change_a_bit():
    plain = model("gm").fit(TABLE, TARGET).predict(TABLE)
    cases = [case for case in FITS if case.name in LAYOUTS]
    assert len(cases) == len(LAYOUTS)
    for case in [*cases, Case("DataFrame", frame(), pd.Series(TARGET))]:
        with naming(case.name):
            np.testing.assert_array_equal(model("gm").fit(case.X, case.y).predict(case.X), plain)


@pytest.mark.parametrize("name", MODELS)
def test_units_do_not_change_a_bit(name):
    """Powers of two: scaling by them is exact, so that the standardised table is the same."""
    plain = model(name).fit(TABLE, TARGET).predict(TABLE, return_std=True)
    for power in (-1000, -600, 600, 1000):
        unit = 2.0**power
        inputs = model(name).fit(TABLE * unit, TARGET).predict(TABLE * unit, return_std=True)
        target = model(name).fit(TABLE, TARGET * unit).predict(TABLE, return_std=True)
        with naming(power):
            np.testing.assert_array_equal(inputs, plain)
            np.testing.assert_array_equal(np.array(target) / unit, plain)

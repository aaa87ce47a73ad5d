"""The choice of computation: by rows, columns and flops, nothing else."""

from alakarte.process.computation import Computation, evidence_computation, kept_computation, without_expansion


def test_the_smaller_system_is_solved():
    assert [evidence_computation(n, 64) for n in (1, 63, 64, 1000)] == [
        Computation.ROWS,
        Computation.ROWS,
        Computation.WEIGHTS,
        Computation.WEIGHTS,
    ]


def test_sums_are_kept_unless_rows_are_far_fewer_than_columns():
    assert [kept_computation(n, 64) for n in (1, 31, 32, 1000)] == [
        Computation.ROWS,
        Computation.ROWS,
        Computation.WEIGHTS,
        Computation.WEIGHTS,
    ]


def test_a_closed_form_is_used_where_it_is_asked_for_or_cheap():
    cases = [(asked, possible, flops) for asked in (True, False) for possible in (True, False) for flops in (1.0, 3.0)]
    got = [without_expansion(asked=a, possible=p, flops=f, most_flops=2.0) for a, p, f in cases]
    assert got == [True, True, True, True, True, False, False, False]

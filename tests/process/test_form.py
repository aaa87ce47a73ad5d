"""The choice of form: by rows, columns and flops, nothing else."""

from alakarte.process.form import Form, evidence_form, kept_form, without_expansion


def test_the_smaller_system_is_solved():
    assert [evidence_form(n, 64) for n in (1, 63, 64, 1000)] == [Form.ROWS, Form.ROWS, Form.WEIGHTS, Form.WEIGHTS]


def test_sums_are_kept_unless_rows_are_far_fewer_than_columns():
    assert [kept_form(n, 64) for n in (1, 31, 32, 1000)] == [Form.ROWS, Form.ROWS, Form.WEIGHTS, Form.WEIGHTS]


def test_a_closed_form_is_used_where_it_is_asked_for_or_cheap():
    cases = [(asked, possible, flops) for asked in (True, False) for possible in (True, False) for flops in (1.0, 3.0)]
    got = [without_expansion(asked=a, possible=p, flops=f, most_flops=2.0) for a, p, f in cases]
    assert got == [True, True, True, True, True, False, False, False]

"""Steps that go on after a crash: the state after the last one, and the passes of the step at work alone."""

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Work
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.steps import Steps

X = np.linspace(0, 1, 50)[:, None]


def add(sums, scratch, block):
    visited.append(len(block.x))
    sums[0] += (block.y * block.weight[:, None]).sum()


def double(scratch, block, factor):
    visited.append(len(block.x))
    return factor * block.y


visited = []


def passes(rows, targets):
    """The sum and the values of each row with other targets (50,)."""
    others = rows.with_targets(targets[:, None], np.ones(50))
    [total] = others.map_sum(add, lambda: [np.zeros(())], work=Work())
    return float(total), others.map_rows(double, 1, 2.0, work=Work())


def test_passes_of_a_step_are_made_once_and_those_of_earlier_steps_forgotten(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    rows = ArrayRows(X, X, np.ones(50)).remembered(checkpoint)
    steps = Steps(checkpoint, "iteration", 1)
    assert steps.recall() is None
    sizes = []
    for number in range(4):
        targets = np.full(50, float(number))
        visited.clear()
        with steps.step():
            first = passes(rows, targets)
            again = passes(rows, targets)
        assert visited == [50, 50]
        assert first[0] == again[0] == 50 * number
        assert np.array_equal(first[1], again[1])
        steps.ended(targets, np.array([number]))
        sizes.append(len(checkpoint.results))
        state = Steps(checkpoint, "iteration", 1).recall()
        assert [part.tolist() for part in state] == [targets.tolist(), [number]]
    assert sizes == [3, 3, 3, 3]  # a state, a sum, values of rows
    assert Steps(checkpoint, "iteration", 2).recall() is None
    steps.forget()
    assert not checkpoint.results


def test_targets_that_differ_in_one_row_are_other_targets(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    n = 1000  # of which a name of the table's own rows looks at a hundred
    rows = ArrayRows(np.zeros((n, 1)), np.zeros((n, 1)), np.ones(n)).remembered(checkpoint)
    with Steps(checkpoint, "iteration").step():
        totals = []
        for row in range(5):
            targets = np.zeros((n, 1))
            targets[row + 3] = row + 1
            totals.append(
                float(rows.with_targets(targets, np.ones(n)).map_sum(add, lambda: [np.zeros(())], work=Work())[0])
            )
    assert totals == [1, 2, 3, 4, 5]


def test_outside_a_step_and_without_a_checkpoint_nothing_is_kept(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    rows = ArrayRows(X, X, np.ones(50))
    passes(rows.remembered(checkpoint), np.ones(50))
    assert not checkpoint.results
    steps = Steps()
    with steps.step():
        passes(rows, np.ones(50))
    steps.ended(np.ones(3))
    assert steps.recall() is None


def test_who_is_around_forgets_what_is_inside(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    rows = ArrayRows(X, X, np.ones(50)).remembered(checkpoint)
    with checkpoint.passes() as names:
        steps = Steps(checkpoint, "iteration")
        with steps.step():
            passes(rows, np.ones(50))
        steps.ended(np.ones(3))
    assert len(checkpoint.results) == 3
    checkpoint.forget(names)
    assert not checkpoint.results

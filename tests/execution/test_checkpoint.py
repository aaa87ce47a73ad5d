"""Results on disk: written whole, by the clock; nothing but plain arrays is read."""

import os
import pickle
import sys

import numpy as np
import pytest

from alakarte.data.arrays import ArrayRows
from alakarte.data.rows import Work
from alakarte.errors import IllConditioned, InvalidInput
from alakarte.execution.checkpoint import Checkpoint, check_identity, open_checkpoint


def test_results_come_back_bit_by_bit(tmp_path):
    path = str(tmp_path / "fit.ckpt")
    checkpoint = Checkpoint(path, interval=0)
    check_identity(checkpoint, {"kernel": "ard"})
    results = {"a": [np.asarray(np.pi), np.arange(6.0).reshape(2, 3)], "b": [np.asfortranarray(np.eye(3, 2))], "c": []}
    results["single"] = [np.array([1.5, np.nan], dtype=np.float32)]
    for name, arrays in results.items():
        checkpoint.keep(name, arrays)
    again = open_checkpoint(path, 60)
    assert again.identity == {"kernel": "ard"}
    for name, arrays in results.items():
        found = again.recall(name)
        assert [a.tobytes() for a in found] == [a.tobytes() for a in arrays]
        assert [(a.shape, a.flags.f_contiguous) for a in found] == [(a.shape, a.flags.f_contiguous) for a in arrays]
    assert again.recall("d") is None
    assert os.listdir(tmp_path) == ["fit.ckpt"]
    again.remove()
    assert os.listdir(tmp_path) == []


def test_it_is_written_when_it_is_time(tmp_path):
    path = tmp_path / "fit.ckpt"
    checkpoint = Checkpoint(str(path), interval=1000)
    checkpoint.keep("a", [np.zeros(2)])
    assert not path.exists()
    checkpoint.written -= 1001
    checkpoint.keep("b", [np.zeros(2)])
    assert open_checkpoint(str(path), 1).results.keys() == {"a", "b"}


def test_what_is_remembered_does_not_change_with_its_array(tmp_path):
    checkpoint, array = Checkpoint(str(tmp_path / "x"), 1000), np.zeros(2)
    checkpoint.keep("a", [array])
    array += 1
    checkpoint.recall("a")[0][:] = 2
    assert checkpoint.recall("a")[0].tolist() == [0, 0]


def test_without_a_path_nothing_is_remembered(tmp_path):
    checkpoint = Checkpoint()
    checkpoint.write()
    checkpoint.remove()
    assert not checkpoint.remembers
    assert checkpoint.evaluations(pow, 2)(3) == 8
    assert not pickle.loads(pickle.dumps(Checkpoint(str(tmp_path / "x")))).remembers


@pytest.mark.parametrize("damage", ["cut", "bit", "text", "empty", "pickle"])
def test_a_damaged_file_is_told(tmp_path, damage):
    path = tmp_path / "fit.ckpt"
    checkpoint = Checkpoint(str(path))
    checkpoint.keep("a", [np.arange(100.0)])
    checkpoint.write()
    content = bytearray(path.read_bytes())
    content[-50] ^= 1
    damaged = {"cut": content[:-9], "bit": content, "text": b"words\n", "empty": b"", "pickle": pickle.dumps(sys.path)}
    path.write_bytes(damaged[damage])
    with pytest.raises(InvalidInput, match="is no checkpoint of a fit, or it is damaged"):
        open_checkpoint(str(path), 1)


def test_another_fit_is_refused_by_name(tmp_path):
    checkpoint = Checkpoint(str(tmp_path / "x"))
    check_identity(checkpoint, {"kernel": "'ard'", "tol": "0.1"})
    check_identity(checkpoint, {"kernel": "'ard'", "tol": "0.1"})
    with pytest.raises(InvalidInput, match=r"another fit: kernel was 'ard', now it is 'gm'\. Give the same again"):
        check_identity(checkpoint, {"kernel": "'gm'", "tol": "0.1"})


def test_a_file_that_cannot_be_written(tmp_path, monkeypatch):
    with pytest.raises(InvalidInput, match=r"cannot be written \(No such file or directory\)"):
        Checkpoint(str(tmp_path / "absent" / "x")).begin()
    checkpoint = Checkpoint(str(tmp_path / "absent" / "x"), interval=0)
    with pytest.warns(UserWarning, match="the fit goes on"):
        checkpoint.keep("a", [np.zeros(1)])


def test_evaluations_are_computed_once_and_leave_no_sums(tmp_path):
    x = np.linspace(0, 1, 40)[:, None]
    checkpoint, calls = Checkpoint(str(tmp_path / "x"), 1000), []
    rows = ArrayRows(x, x, np.ones(40), checkpoint=checkpoint)

    def add(sums, scratch, block, theta):
        calls.append(theta[0])
        sums[0] += theta[0] * block.x.sum()

    def evaluate(factor, theta):
        [total] = rows.map_sum(add, lambda: [np.zeros(())], factor * theta, work=Work())
        return float(total), theta

    function = checkpoint.evaluations(evaluate, 2.0)
    first = function(np.array([3.0]))
    assert function(np.array([3.0])) == first
    assert calls == [6.0]
    assert len(checkpoint.results) == 1


@pytest.mark.parametrize(
    ("error", "n_kept"),
    [(IllConditioned, 0), (FloatingPointError, 0), (np.linalg.LinAlgError, 0), (KeyboardInterrupt, 1), (OSError, 1)],
)
def test_an_evaluation_that_fails_numerically_leaves_no_sums_and_one_that_is_cut_off_does(tmp_path, error, n_kept):
    x = np.linspace(0, 1, 40)[:, None]
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    rows = ArrayRows(x, x, np.ones(40), checkpoint=checkpoint)

    def add(sums, scratch, block):
        sums[0] += block.x.sum()

    def evaluate(theta):
        rows.map_sum(add, lambda: [np.zeros(())], work=Work())
        raise error

    with pytest.raises(error):
        checkpoint.evaluations(evaluate)(np.ones(1))
    assert len(checkpoint.results) == n_kept


def test_a_pass_over_the_rows_goes_on_at_the_lane_where_it_was(tmp_path):
    n = 1100  # two lanes
    rng = np.random.default_rng(0)
    x = rng.standard_normal((n, 1))
    path, visited = str(tmp_path / "x"), []

    def add(sums, scratch, block):
        visited.append(len(block.x))
        if len(visited) == fails:
            raise KeyboardInterrupt
        sums[0] += np.exp(block.x).sum()

    def total(checkpoint):
        rows = ArrayRows(x, x, np.ones(n), block_rows=100, checkpoint=checkpoint)
        return rows.map_sum(add, lambda: [np.zeros(())], work=Work())[0]

    fails = 0
    expected, n_blocks = total(Checkpoint()), len(visited)
    for fails in (n_blocks - 1, 0):
        checkpoint = open_checkpoint(path, 0)
        visited.clear()
        if fails:
            with pytest.raises(KeyboardInterrupt):
                total(checkpoint)
        else:
            assert total(checkpoint) == expected
            assert len(visited) == n_blocks // 2
            assert total(checkpoint) == expected  # a finished pass is not made again
            assert len(visited) == n_blocks // 2

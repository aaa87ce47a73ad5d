"""Damaged and forged files are refused, by one exception and in little memory; a file is written whole or not."""

import os
import threading
import tracemalloc

import numpy as np
import pytest
from bench.files.forgeries import damaged, of_a_regressor, of_any_model, with_header

from alakarte import InvalidFile, load
from alakarte.model import container
from alakarte.model.container import Contents, read, write
from model.kept_models import RECIPES, fitted

N_DAMAGED = 10_000 if os.environ.get("ALAKARTE_ALL_FILES") else 300
MOST_MEMORY = 50e6


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "model.alk"
    fitted("rows").save(path)
    return path.read_bytes()


def refusal(path, bytes_):
    """The message with which a file is refused, in bounded memory."""
    path.write_bytes(bytes_)
    tracemalloc.start()
    try:
        with pytest.raises(InvalidFile) as caught:
            load(path)
        assert tracemalloc.get_traced_memory()[1] < MOST_MEMORY
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(f"{path}: ")
    return str(caught.value)


def test_damaged_files_are_refused(file, tmp_path):
    rng = np.random.default_rng(0)
    for _ in range(N_DAMAGED):
        refusal(tmp_path / "model.alk", damaged(file, rng))


@pytest.mark.parametrize("name", ["rows", "weights_fast", "three_classes_weights", "features"])
def test_forged_files_are_refused(name, tmp_path):
    fitted(name).save(tmp_path / "model.alk")
    file = (tmp_path / "model.alk").read_bytes()
    forged = list(of_any_model(file))
    assert len(forged) >= 60
    for what, bytes_ in forged:
        assert refusal(tmp_path / "model.alk", bytes_), what


def test_forged_models_are_refused(file, tmp_path):
    for what, bytes_ in of_a_regressor(file):
        assert refusal(tmp_path / "model.alk", bytes_), what


def test_every_value_of_the_header_of_an_array_matters(file, tmp_path):
    """An unknown version is refused by name, and what belongs to nothing is refused."""
    text = refusal(tmp_path / "model.alk", file.replace(b'"version":"1"', b'"version":"9"', 1))
    assert "version 9 of the format" in text

    def add(declared):
        end = max(entry["data_offsets"][1] for name, entry in declared.items() if name != "__metadata__")
        declared["more"] = {"dtype": "F64", "shape": [0], "data_offsets": [end, end]}

    assert "belongs to nothing" in refusal(tmp_path / "model.alk", with_header(file, add))


def test_arrays_of_all_types_come_back(tmp_path):
    rng = np.random.default_rng(0)
    arrays = {name: rng.integers(0, 2, (3, 2)).astype(dtype) for name, dtype in container.DTYPES.items()}
    arrays |= {"none": np.empty((0, 3)), "one": np.array(2.5), "big": np.arange(3, dtype=">f8")}
    write(tmp_path / "file", Contents({"a": "ä"}, arrays))
    found = read(tmp_path / "file")
    assert found.text["a"] == "ä"
    for name, array in arrays.items():
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(found.arrays[name], array)


def test_arrays_begin_at_a_cache_line(file):
    assert (8 + int.from_bytes(file[:8], "little")) % container.ALIGNED == 0


def test_a_file_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "model.alk"
    write(path, Contents({}, {"x": np.ones(3)}))
    before = path.read_bytes()

    def fails(descriptor):
        raise OSError("no space left on device")

    monkeypatch.setattr(container.os, "fsync", fails)
    with pytest.raises(OSError, match="no space"):
        write(path, Contents({}, {"x": np.zeros(3)}))
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_a_reader_never_sees_half_a_file(tmp_path):
    """One thread writes again and again while another reads."""
    path, done = tmp_path / "model.alk", threading.Event()
    fitted("rows").save(path)

    def write_again():
        for _ in range(30):
            fitted("rows").save(path)
        done.set()

    writer = threading.Thread(target=write_again)
    writer.start()
    while not done.is_set():
        assert load(path).n_basis_ == len(RECIPES["rows"][1])
    writer.join()


def test_what_is_no_file_is_refused_as_python_does(tmp_path):
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "missing.alk")
    with pytest.raises(IsADirectoryError):
        load(tmp_path)


def test_a_pipe_is_refused_and_not_waited_for():
    with pytest.raises(InvalidFile, match="no regular file"):
        load("/dev/zero")

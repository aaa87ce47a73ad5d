"""`python -m bench.files.fuzz [seconds]`: atheris on `alakarte.load` (pip install atheris).

Half of the inputs are taken as they are, half are signed first, so that they come past the hash. Any exception but
`InvalidFile` is a finding. What is loaded none the less predicts a row: it may give any number, but must not crash.
"""

import contextlib
import sys
import tempfile
import warnings
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["alakarte.model", "alakarte.estimators.load"]):
    import alakarte
    import alakarte.model.container
    import alakarte.model.decode
    import alakarte.model.files
    import alakarte.model.kept

from bench.files.forgeries import signed

FOLDER = tempfile.TemporaryDirectory()
PATH = Path(FOLDER.name) / "model.alk"


def try_file(data: bytes) -> None:
    """One input: a byte that says whether it is signed, then a file."""
    file = data[1:]
    if data[:1] and data[0] & 1:
        length = int.from_bytes(file[:8], "little")
        file = signed(file[8 : 8 + length], file[8 + length :], length if length < 2**63 else 0)
    PATH.write_bytes(file)
    try:
        model = alakarte.load(PATH)
    except alakarte.InvalidFile:
        return
    with contextlib.suppress(Exception):
        model.predict([[0.0] * model.n_features_in_], return_std=True)


def seeds(folder: Path) -> None:
    """Small models to begin with."""
    short = {"max_iter": 1, "max_iter_restart": 1, "n_restarts": 1, "random_state": 0}
    X, y = [[0.0], [1.0], [2.0], [4.0]], [0, 1, 0, 1]
    models = [
        alakarte.GPRegressor("ard", **short),
        alakarte.GPRegressor("gm", n_components=1, n_frequencies=2, **short),
        alakarte.GPClassifier("rbf", n_frequencies=2, **short),
        alakarte.FastfoodFeatures(n_components=3, random_state=0),
    ]
    for i, model in enumerate(models):
        model.fit(X, y).save(PATH)
        for flag in (b"\x00", b"\x01"):
            (folder / f"{i}{flag[0]}").write_bytes(flag + PATH.read_bytes())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    seconds = sys.argv[1] if len(sys.argv) > 1 else "600"
    corpus = Path(FOLDER.name) / "corpus"
    corpus.mkdir()
    seeds(corpus)
    options = [
        f"-max_total_time={seconds}",
        "-max_len=65536",
        "-len_control=0",
        "-print_final_stats=1",
        "-rss_limit_mb=4096",
    ]
    atheris.Setup([sys.argv[0], *options, str(corpus)], try_file)
    atheris.Fuzz()

"""`PYTHONPATH=tests python -m model.make_golden name …`: makes golden files of new kinds; those that are there stay."""

import gzip
import sys
import tempfile
from pathlib import Path

import numpy as np

from model.kept_models import GOLDEN, answers, fitted

if __name__ == "__main__":
    folder = Path(__file__).parent / "golden"
    for name in sys.argv[1:] or GOLDEN:
        with tempfile.TemporaryDirectory() as place:
            fitted(name).save(Path(place) / "model.alk")
            file = (Path(place) / "model.alk").read_bytes()
        (folder / f"{name}.alk.gz").write_bytes(gzip.compress(file, mtime=0))
        found = [part.astype(str) if part.dtype == object else part for part in answers(fitted(name))]
        np.savez_compressed(folder / f"{name}.npz", **{str(place): part for place, part in enumerate(found)})

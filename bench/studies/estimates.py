"""The first estimate of `verbose` beside the seconds that the fit took; compiled code should be cached.

In: the data sets of ALAKARTE_DATA. Out: a line per set, smallest first. Run it while nothing else runs.

    python -m bench.studies.estimates [set ...]
"""

import argparse
import io
import re
import time
import warnings
from contextlib import redirect_stdout

from alakarte import GPRegressor
from bench.folds import fold

SETS = (
    "autos",
    "breastcancer",
    "yacht",
    "housing",
    "energy",
    "concrete",
    "wine",
    "sml",
    "parkinsons",
    "bike",
    "kin40k",
    "protein",
)
WARM_UP = ("autos",)
UNITS = {"s": 1.0, "min": 60.0}


def estimated_and_taken(name: str) -> tuple[int, float, float]:
    """Rows of fold 0, the seconds that `verbose` told first, and those that the fit took."""
    X, y, _, _ = fold(name, 0)
    said = io.StringIO()
    began = time.perf_counter()
    with redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        GPRegressor(verbose=1, random_state=0).fit(X, y)
    seconds = time.perf_counter() - began
    told = re.search(r"rows: about ([\d.]+) (s|min)", said.getvalue())
    assert told is not None, "the first line of verbose has another form now: change this pattern"
    return len(X), float(told[1]) * UNITS[told[2]], seconds


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.studies.estimates",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", nargs="*")
    sets = parser.parse_args(arguments).sets or SETS
    for name in WARM_UP:
        estimated_and_taken(name)
    print("set             rows  estimate  seconds   ratio")
    for name in sets:
        n_rows, told, seconds = estimated_and_taken(name)
        verdict = "holds" if 0.5 <= told / seconds <= 2 else "NO"
        print(f"{name:<12}{n_rows:8}{told:10.1f}{seconds:9.1f}{told / seconds:8.2f}  {verdict}", flush=True)


if __name__ == "__main__":
    main()

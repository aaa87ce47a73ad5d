"""Whether a few cells, run from scratch, still agree with the committed lines.

In: nothing but the data sets. Out: the number of cells that do not.
"""

import sys
import tempfile
from pathlib import Path

from bench.lines import read
from bench.paper.cells import cells
from bench.paper.lines import LINES, finished
from bench.paper.published import PAPER
from bench.paper.run import run

SETS = ("concreteslump", "machine", "yacht")


def smoke(names=SETS) -> int:
    """Run three sets × seven methods × one fold and compare."""
    committed = finished(read(LINES))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lines.tsv"
        n_bad = run(cells(names, folds=[0], modes=("paper",)), path, side_by_side=2)
        for key, line in finished(read(path)).items():
            if complaint := differs(line, committed.get(key)):
                print(f"{line['set']} {line['method']}: {complaint}", file=sys.stderr)
                n_bad += 1
    print("all agree with the committed lines" if not n_bad else f"{n_bad} do not agree")
    return n_bad


def differs(line: dict, committed: dict | None) -> str:
    """What is wrong, if anything."""
    if committed is None:
        return "no committed line to compare with"
    # another processor rounds otherwise and may end in another optimum
    slack = max(0.1 * committed["rmse"], 0.5 * PAPER[line["set"]].figures[line["method"]].sd)
    if abs(line["rmse"] - committed["rmse"]) <= slack:
        return ""
    return f"RMSE {line['rmse']:.4g}, committed {committed['rmse']:.4g}, allowed ± {slack:.2g}"

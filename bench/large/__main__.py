"""Large tables beside peers.

    python -m bench.large [set …] [--methods …] [--folds …] [--max-time S] [--out FILE]    run what has no line yet
    python -m bench.large growth memmap parquet parquet_defaults neighbours predictions    rows that are generated
    python -m bench.large --table                                                          print what there is
    python -m bench.large --plot [FILE]                                                    draw what there is

Sets are read from the directory named by ALAKARTE_DATA. Cells that have a line are shown and not run again. With
`--table` or `--plot` nothing is run.
"""

import argparse
import json
from pathlib import Path

from bench.large import near
from bench.large.cells import SETS, cells
from bench.large.generated import GENERATED
from bench.large.peers import METHODS
from bench.large.plot import plot
from bench.large.run import LINES, one, run
from bench.large.table import pooled, table
from bench.lines import read

FIGURE = Path("docs/figures/large.svg")


def parse(arguments):
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.large", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", default=list(SETS), metavar="set")
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    parser.add_argument("--folds", nargs="+", type=int)
    parser.add_argument("--max-time", type=float, help="seconds of a fit, for methods that have such a limit")
    parser.add_argument("--out", type=Path, default=LINES, help="file of lines")
    parser.add_argument(
        "--plot", type=Path, nargs="?", const=FIGURE, metavar="FILE", help="draw error against time, run nothing"
    )
    parser.add_argument("--table", action="store_true", help="print the table, run nothing")
    parser.add_argument("--one", help=argparse.SUPPRESS)  # a cell as JSON, for the process of its own
    options = parser.parse_args(arguments)
    if unknown := set(options.sets) - {*SETS, *GENERATED}:
        parser.error(f"there is no set {min(unknown)!r} here; choose from {', '.join((*SETS, *GENERATED))}")
    return options


def main(arguments=None) -> None:
    """Run, print or draw."""
    options = parse(arguments)
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
    elif options.table or options.plot:
        show(read(options.out), options)
    else:
        for name in options.sets:
            if name in GENERATED:
                GENERATED[name]()
        sets = [name for name in options.sets if name not in GENERATED]
        if sets:
            print(pooled(run(cells(sets, options.folds, options.methods, options.max_time), options.out)))


def show(lines, options) -> None:
    """Table and figure of the lines that are there."""
    if options.table:
        print(table(lines), pooled(lines), near.table(lines), sep="\n\n")
    if options.plot:
        print(plot(lines, options.plot))


if __name__ == "__main__":
    main()

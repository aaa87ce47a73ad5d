"""Classes, counts and outliers beside peers.

    python -m bench.likelihoods run [--sets …] [--methods …] [--seeds …] [--max-time S] [--lines FILE]
    python -m bench.likelihoods table [--lines FILE]

Sets are read from the directory named by ALAKARTE_DATA. Cells that have a line are shown and not run again; `table`
runs nothing.
"""

import argparse
import json
from pathlib import Path

from bench.likelihoods.cells import NAMES, cells
from bench.likelihoods.run import LINES, one, run
from bench.likelihoods.sets import SETS
from bench.likelihoods.table import report
from bench.lines import read


def parse(arguments):
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.likelihoods", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="run what has no line yet")
    runner.add_argument("--sets", nargs="+", choices=SETS, metavar="set", help=", ".join(SETS))
    runner.add_argument("--methods", nargs="+", choices=NAMES, metavar="method", help=", ".join(NAMES))
    runner.add_argument("--seeds", nargs="+", type=int, help="0, 1 and 2 unless told; marked splits have 0 only")
    runner.add_argument("--max-time", type=float, help="seconds after which a cell is given up")
    table = commands.add_parser("table", help="print the tables made of the lines")
    for command in (runner, table):
        command.add_argument("--lines", type=Path, default=LINES)
    commands.add_parser("one").add_argument("cell", type=json.loads)  # for the process of its own
    return parser.parse_args(arguments)


def main(arguments=None) -> None:
    """Run or print."""
    options = parse(arguments)
    if options.command == "one":
        print(json.dumps(one(options.cell)))
    elif options.command == "table":
        print(report(read(options.lines)))
    else:
        run(cells(options.sets, options.methods, options.seeds), options.lines, options.max_time)


if __name__ == "__main__":
    main()

"""Periods found, patterns continued: series and images, the last quarter or a block held out, beside peers.

    python -m bench.patterns run [--sets …] [--methods …] [--seeds …] [--lines FILE]
    python -m bench.patterns table [--lines FILE]

Errors are RMSE / std(y), or / noise where that is known. Series come from statsmodels and statsforecast, a photograph
from scikit-image, all else is made. Cells that have a line are not run again; `table` runs nothing.
"""

import argparse
from pathlib import Path

from bench.lines import read
from bench.patterns.methods import METHODS
from bench.patterns.run import LINES, run
from bench.patterns.sets import SETS
from bench.patterns.table import report


def main(arguments=None) -> None:
    """Run or print."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.patterns", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="run what has no line yet")
    runner.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS), metavar="set", help=", ".join(SETS))
    runner.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS), metavar="method")
    runner.add_argument("--seeds", nargs="+", type=int, default=[0, 1, 2])
    table = commands.add_parser("table", help="print the table made of the lines")
    for command in (runner, table):
        command.add_argument("--lines", type=Path, default=LINES)
    options = parser.parse_args(arguments)
    if options.command == "table":
        print(report(read(options.lines)))
    else:
        run(options.sets, options.methods, options.seeds, options.lines)


if __name__ == "__main__":
    main()

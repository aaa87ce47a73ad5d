"""The paper's experiments.

    python -m bench.paper run [set …] [--mode paper auto sweep fastfood] [--folds …] [--methods …] [--max-time S]
    python -m bench.paper table [--out FILE]
    python -m bench.paper figures [--out FOLDER]
    python -m bench.paper smoke

Sets are read from the directory named by ALAKARTE_DATA; without names, all of the paper's sets that are there.
"""

import argparse
import sys
from pathlib import Path

from bench.folds import directory
from bench.lines import read
from bench.paper.cells import SWEEP_SETS, baselines, cells, sweep
from bench.paper.figures import draw
from bench.paper.lines import LINES
from bench.paper.page import report
from bench.paper.published import METHODS, PAPER
from bench.paper.run import run
from bench.paper.smoke import smoke


def there(name: str) -> bool:
    """Whether a set is in the data directory."""
    try:
        return bool(directory(name))
    except FileNotFoundError:
        return False


def known(name: str) -> str:
    """A set of the paper."""
    if name not in PAPER:
        raise argparse.ArgumentTypeError(f"{name!r} is not in the paper; its sets are {', '.join(PAPER)}")
    return name


def parse(arguments):
    """Options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m bench.paper", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run", help="run what has no line yet")
    runner.add_argument("sets", nargs="*", type=known, metavar="set")
    runner.add_argument("--mode", nargs="+", choices=("paper", "auto", "sweep", "fastfood"), default=["paper", "auto"])
    runner.add_argument("--folds", nargs="+", type=int, choices=range(10))
    runner.add_argument("--methods", nargs="+", choices=METHODS, default=METHODS)
    runner.add_argument("--max-time", type=float, help="seconds after which no new run starts")
    runner.add_argument("--side-by-side", type=int, default=2, help="runs at a time, one thread each if more than one")
    runner.add_argument("--lines", type=Path, default=LINES)
    for name, default in (("table", None), ("figures", Path("docs/figures"))):
        command = commands.add_parser(name, help=f"make the {name} from the lines")
        command.add_argument("--out", type=Path, default=default)
        command.add_argument("--lines", type=Path, default=LINES)
    commands.add_parser("smoke", help="three sets from scratch, compared with the committed lines")
    return parser.parse_args(arguments)


def chosen(options) -> list:
    """The cells that the options name."""
    names = options.sets or [name for name in PAPER if there(name)]
    if not names:
        directory("yacht")  # says how to get the data
    todo = []
    if {"paper", "auto"} & set(options.mode):
        todo += cells(names, options.folds, options.methods, options.mode)
    if "sweep" in options.mode:
        swept = options.sets or [name for name in SWEEP_SETS if name in names]
        todo += sweep(swept, options.folds or (0,), options.methods)
    if "fastfood" in options.mode:
        todo += baselines(names, options.folds or (0,))
    return todo


def show_table(options) -> None:
    """The page, printed or in a file."""
    text = report(read(options.lines))
    if options.out:
        options.out.write_text(text, encoding="utf-8")
    else:
        print(text)


def main(arguments=None) -> int:
    """Exit code."""
    options = parse(arguments)
    if options.command == "run":
        return min(run(chosen(options), options.lines, options.max_time, options.side_by_side), 1)
    if options.command == "smoke":
        return min(smoke(), 1)
    if options.command == "table":
        show_table(options)
    else:
        print(*draw(read(options.lines), options.out), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

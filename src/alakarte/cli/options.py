"""The commands and their options, with an example each: what `--help` shows.

Out: a parser whose errors are one line. Knows no command's work.
"""

import argparse
import sys
from importlib.metadata import version
from pathlib import Path
from typing import NoReturn

TRANSFORMS = ("log", "yeo-johnson", "auto")
TASKS = ("regression", "classification", "counts")


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        """One line, exit status 2."""
        self.exit(2, f"{self.prog}: {message}. See {self.prog} --help.\n")


def parser() -> Parser:
    """Of all commands."""
    top = Parser(prog="alakarte", description="Gaussian processes that learn their kernel.")
    top.add_argument("--version", action="version", version=f"alakarte {version('alakarte')}")
    commands = top.add_subparsers(dest="command", metavar="command", parser_class=Parser)
    _fit(
        _command(commands, "fit", "learn a model from a table", "alakarte fit houses.csv --target price -o houses.alk")
    )
    _predict(
        _command(
            commands,
            "predict",
            "predict the rows of a table, however large",
            "alakarte predict houses.alk new.parquet --interval 0.9 -o predicted.parquet",
        )
    )
    evaluate = _command(
        commands,
        "evaluate",
        "compare predictions with what was observed",
        "alakarte evaluate houses.alk test.csv --json",
    )
    _model_and_table(evaluate)
    _weight(evaluate)
    _exposure(evaluate)
    _json(evaluate)
    report = _command(
        commands,
        "report",
        "write a page on what was learned, how sure it is and what to doubt",
        "alakarte report houses.alk test.csv -o report.html",
    )
    report.add_argument("model", type=Path, help="a file that alakarte fit has written")
    report.add_argument("table", type=Path, nargs="?", help="rows the model has not learned from, with their target")
    report.add_argument("-o", "--output", type=Path, required=True, help="the page to write, such as report.html")
    _exposure(report)
    inspect = _command(
        commands, "inspect", "say what is in a model file, without running it", "alakarte inspect houses.alk"
    )
    inspect.add_argument("model", type=Path, help="a file that alakarte has written")
    _json(inspect)
    _json(_command(commands, "doctor", "check this installation, and fit a small model", "alakarte doctor"))
    _command(
        commands, "demo", "learn kernels on two sets of data and compare them; offline, under a minute", "alakarte demo"
    )
    return top


def _command(commands: "argparse._SubParsersAction[Parser]", name: str, does: str, example: str) -> Parser:
    return commands.add_parser(
        name, help=does, description=f"{does[0].upper()}{does[1:]}.", epilog=f"Example: {example}"
    )


def _fit(options: Parser) -> None:
    options.add_argument("table", type=Path, help="CSV with a header, Parquet or Feather; words are categories")
    options.add_argument("--target", required=True, help="the column to predict")
    options.add_argument("-o", "--output", type=Path, required=True, help="the model file to write, such as model.alk")
    options.add_argument("--task", choices=TASKS, help="by looking at the target if left out")
    options.add_argument("--likelihood", help="gaussian or student_t; of counts negative_binomial or poisson")
    options.add_argument(
        "--target-transform", choices=TRANSFORMS, help="of skewed numbers: what is learned instead of the target"
    )
    options.add_argument("--kernel", default="auto", help="auto, or one by name, such as ard")
    options.add_argument(
        "--drop", action="append", default=[], metavar="COLUMN", help="a column to leave out; repeatable"
    )
    _weight(options)
    _exposure(options)
    options.add_argument("--max-time", type=float, metavar="SECONDS", help="end the fit by then")
    options.add_argument("--seed", type=int, default=0, help="of all random numbers; 0 if left out")
    _json(options)


def _predict(options: Parser) -> None:
    _model_and_table(options)
    options.add_argument(
        "-o", "--output", type=Path, help="CSV, Parquet or Feather; CSV on standard output if left out"
    )
    options.add_argument("--std", action="store_true", help="also the standard deviation of a new observation")
    options.add_argument("--interval", type=float, metavar="COVERAGE", help="also an interval, such as 0.95")
    options.add_argument("--keep", action="append", default=[], metavar="COLUMN", help="a column to copy; repeatable")
    _exposure(options)


def _weight(options: Parser) -> None:
    options.add_argument("--weight", metavar="COLUMN", help="numbers ≥ 0; a row of weight 2 counts as two")


def _exposure(options: Parser) -> None:
    options.add_argument("--exposure", metavar="COLUMN", help="of counts: how long, or how many, was observed; 1 else")


def _model_and_table(options: Parser) -> None:
    options.add_argument("model", type=Path, help="a file that alakarte fit has written")
    options.add_argument("table", type=Path, help="CSV, Parquet or Feather, with the columns of the fit")


def _json(options: Parser) -> None:
    options.add_argument("--json", action="store_true", help="for programs: one JSON object on standard output")


def note(text: str) -> None:
    """A remark for people, beside the results."""
    print(f"alakarte: {text}", file=sys.stderr)

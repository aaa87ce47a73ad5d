"""The command line, `python -m alakarte` or `alakarte`: parses, calls a command, turns errors into one line.

Exit status: 0, 1 where an installation does not work, 2 for a mistake of the user, 130 after Ctrl-C.
"""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path

from alakarte.cli.demo import demo
from alakarte.cli.doctor import doctor
from alakarte.cli.evaluate import evaluate
from alakarte.cli.fit import fit
from alakarte.cli.inspect_file import inspect_file
from alakarte.cli.mistakes import Mistake
from alakarte.cli.options import parser
from alakarte.cli.predict import predict
from alakarte.cli.report import report


def _demo(options: argparse.Namespace) -> int:
    demo(report=Path("alakarte_demo.html"))
    return 0


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "fit": fit,
    "predict": predict,
    "evaluate": evaluate,
    "report": report,
    "inspect": inspect_file,
    "doctor": doctor,
    "demo": _demo,
}


def main(argv: list[str] | None = None) -> int:
    """Run the command in `argv` (that of the process if None) and return its exit status."""
    options = parser().parse_args(argv)
    if options.command is None:
        parser().print_help()
        return 0
    try:
        return COMMANDS[options.command](options)
    except (Mistake, OSError) as error:
        if isinstance(error, BrokenPipeError):  # `| head` has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        print(f"alakarte {options.command}: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130

"""The command line, `python -m alakarte` or `alakarte`: parses and prints, computes nothing."""

import argparse
from importlib.metadata import version

from alakarte.cli.demo import demo


def main(argv: list[str] | None = None) -> int:
    """Run the command in `argv` (that of the process if None) and return its exit status."""
    parser = argparse.ArgumentParser(prog="alakarte", description="Gaussian processes that learn their kernel.")
    parser.add_argument("--version", action="version", version=f"alakarte {version('alakarte')}")
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("demo", help="learn kernels on two sets of data and compare them; offline, under a minute")
    arguments = parser.parse_args(argv)
    if arguments.command == "demo":
        demo()
    else:
        parser.print_help()
    return 0

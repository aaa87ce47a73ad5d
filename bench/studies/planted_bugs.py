"""Bugs planted one at a time in a copy of the tree, and the first test that notices each of them.

    python -m bench.studies.planted_bugs . bench/studies/planted_bugs.json caught.tsv [--ids 3 7 …]

In: a tree of sources and tests, and a list of {"id", "room", "file", "old", "new", "what"}: `old`, which stands exactly
once in `file`, becomes `new`. An entry may name test files that are "likely" to notice; they run first. Out: a line for
each bug; ids that the table has already are left out, so that a run that was cut short goes on where it ended.
"""

import argparse
import csv
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

COLUMNS = ("id", "room", "file", "what", "caught by", "run")
NOT_CAUGHT = "not caught"
LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", "__pycache__", "*.nbi", "*.nbc")
ALL_PASSED, SOME_FAILED, INTERRUPTED = 0, 1, 2  # pytest's exit codes; an error while tests are collected interrupts


def plant(tree: Path, bug: dict) -> None:
    """Make the one edit of a bug."""
    path = tree / bug["file"]
    text = path.read_text(encoding="utf-8")
    if (count := text.count(bug["old"])) != 1:
        raise SystemExit(f"bug {bug['id']}: {bug['old']!r} stands {count} times in {bug['file']}, not once.")
    path.write_text(text.replace(bug["old"], bug["new"]), encoding="utf-8")


def environment(tree: Path, bug: dict, scratch: Path) -> dict:
    """Variables under which tests import the copy; compiled code is cached afresh where the bug may be in it."""
    variables = {"PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree)]), "PYTHONDONTWRITEBYTECODE": "1"}
    if "compiled" in Path(bug["file"]).parts:
        variables["NUMBA_CACHE_DIR"] = str(scratch / "numba")
    return os.environ | variables


def first_failure(output: str) -> str:
    """Node id of the first test, or file, that pytest's short summary names."""
    named = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", output, re.MULTILINE)
    if named is None:
        raise SystemExit(f"pytest failed and named no test:\n{output[-2000:]}")
    return named[1]


def run_tests(tree: Path, paths: list[str], variables: dict) -> str | None:
    """First failing test among some paths, or all if there are none; None where they pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-rfE", "--tb=no", "-p", "no:cacheprovider", *paths]
    done = subprocess.run(command, cwd=tree, env=variables, capture_output=True, text=True)
    if done.returncode == ALL_PASSED:
        return None
    if done.returncode not in (SOME_FAILED, INTERRUPTED):
        raise SystemExit(f"pytest ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return first_failure(done.stdout)


def hunt(tree: Path, bug: dict, scratch: Path) -> tuple[str, str]:
    """The test that catches a bug, and which tests were run to find it."""
    variables = environment(tree, bug, scratch)
    likely = [path for path in bug.get("likely", []) if (tree / path.split("::")[0]).exists()]
    if likely and (test := run_tests(tree, likely, variables)):
        return test, " ".join(likely)
    return run_tests(tree, [], variables) or NOT_CAUGHT, "all tests"


def judged(tree: Path, bug: dict) -> dict:
    """The line of one bug, from a copy of the tree that has it."""
    with tempfile.TemporaryDirectory(prefix="planted_") as folder:
        scratch = Path(folder)
        copy = scratch / "tree"
        shutil.copytree(tree, copy, ignore=LEFT_OUT)
        plant(copy, bug)
        test, run = hunt(copy, bug, scratch)
    return {column: bug.get(column) for column in COLUMNS[:4]} | {"caught by": test, "run": run}


def known_ids(table: Path) -> set[str]:
    """Ids of the lines that are there."""
    if not table.exists():
        return set()
    with table.open(encoding="utf-8", newline="") as lines:
        return {line["id"] for line in csv.DictReader(lines, delimiter="\t")}


def append(table: Path, line: dict) -> None:
    """One more line, under a heading if it is the first."""
    begins = not table.exists()
    with table.open("a", encoding="utf-8", newline="") as lines:
        writer = csv.DictWriter(lines, COLUMNS, delimiter="\t", lineterminator="\n")
        if begins:
            writer.writeheader()
        writer.writerow(line)


def main() -> None:
    """Plant every bug that was asked for and is not in the table yet."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tree", type=Path, help="the tree, which is copied and stays as it is")
    parser.add_argument("bugs", type=Path, help="JSON, a list of bugs")
    parser.add_argument("table", type=Path, help="TSV, to which a line per bug is appended")
    parser.add_argument("--ids", nargs="+", help="these bugs only")
    arguments = parser.parse_args()
    done = known_ids(arguments.table)
    for bug in json.loads(arguments.bugs.read_text(encoding="utf-8")):
        wanted = arguments.ids is None or str(bug["id"]) in arguments.ids
        if wanted and str(bug["id"]) not in done:
            line = judged(arguments.tree, bug)
            append(arguments.table, line)
            print(f"{bug['id']:>3}  {line['caught by']}", flush=True)


if __name__ == "__main__":
    main()

"""`python -m bench.studies.reliability`: what the tests try to break the library with, counted; docs/reliability.md.

It counts cases and runs none: `make test` runs them all, and fails if one of them fails.
"""

import subprocess
import sys
from collections import Counter
from pathlib import Path

PAGE = Path("docs/reliability.md")
QUESTIONS = {
    "awkward tables (constant columns, absurd units, copies, few rows): finite predictions, or a clear refusal": (
        "tests/contract/test_adversarial.py",
        "tests/contract/test_adversarial_likelihoods.py",
    ),
    "queries, weights and settings that make no sense: refused by name and value": (
        "tests/contract/test_adversarial_queries.py",
        "tests/contract/test_refusals.py",
    ),
    "random problems, and all kernels at their limits": ("tests/contract/test_robustness.py",),
    "scikit-learn's own checks of estimators": ("tests/contract/test_scikit_learn.py",),
    "fits that end in the middle and are called again: the same bits": (
        "tests/estimators/test_going_on.py",
        "tests/execution/test_checkpoint.py",
    ),
    "model files, damaged, forged, half written, read meanwhile": ("tests/model/test_container.py",),
    "predictors of single rows, and work done by several threads": (
        "tests/model/test_predictor.py",
        "tests/execution/test_threads.py",
    ),
    "blocks, threads and kinds of memory: the same bits": (
        "tests/laws/test_invariance.py",
        "tests/data/test_scanned.py",
    ),
    "rows on a cluster, workers that die among them": (
        "tests/estimators/test_on_cluster.py",
        "tests/execution/test_cluster.py",
    ),
}
HEAD = """# Reliability

What the tests try to break the library with. `python -m bench.studies.reliability` counts the cases and writes this
page; `make test` runs them, and one that fails fails the whole. Many cases try several inputs each.

| tried | cases | in |
|---|---|---|
"""
TAIL = """
More of the same takes too long for every change:

| command | tries |
|---|---|
| `make test-files` | 10,000 model files with a flipped bit, cut off or added to, and forged ones: all refused |
| `make fuzz` | the loader of model files, guided by coverage, for ten minutes |
| `make test-crashes` | fits killed at 20 random times and called again: the same bits |
| `make test-oldest` | everything with the oldest versions of all packages |
| `make test-bare` | everything without any optional package |
| `make test-all` | every case of the laws, instead of pairwise ones |

Seconds and memory under load, of millions of rows, are in [what was measured](large.md).
"""


def cases(files):
    """How many cases pytest finds in each of some test files."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-qq", *files]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    counts = Counter()
    for line in lines:
        file, colon, number = line.rpartition(": ")
        if colon and number.isdecimal():
            counts[file] = int(number)
    return counts


def page():
    """The page as text."""
    counts = cases([file for files in QUESTIONS.values() for file in files])
    rows = [
        f"| {question} | {sum(counts[file] for file in files)} | {', '.join(f'`{file}`' for file in files)} |"
        for question, files in QUESTIONS.items()
    ]
    return HEAD + "\n".join(rows) + "\n" + TAIL


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

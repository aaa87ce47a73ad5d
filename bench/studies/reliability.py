"""`python -m bench.studies.reliability`: what the library was put through, and what came of it; docs/reliability.md.

Everything on that page is run here: tests, models that many threads ask, fits that are killed, workers that die, files
that are damaged or forged. Some minutes on two cores; needs `pip install -e ".[test]"`.
"""

import re
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from os import environ
from pathlib import Path
from xml.etree import ElementTree

from bench.files.damage import tried
from bench.studies.load import THREADS, line, loads

PAGE = Path("docs/reliability.md")
SECONDS, CRASHES, FILES = 10.0, 6, 2000
DISTURBED = {"killed": 3, "both killed": 1, "stopped": 1, "cut off": 0, "scaled": 1}
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

What the library was put through, and what came of it. `python -m bench.studies.reliability` has run all of this and
written the page.

## Bad inputs tried

Many cases try several inputs each. `make test` runs them for every change, and one that fails fails the whole.

| tried | cases | failed | in |
|---|---|---|---|
"""
LOAD = f"""
## Load held

{THREADS} threads ask one model for {SECONDS:.0f} seconds, on two cores, while one more thread fits others. Each answer
is compared with that to the same question asked alone.

| asked for | answers | per second | slowest | with other bits |
|---|---|---|---|---|
"""
FAULTS = """
## Faults survived

Each fit is disturbed at a random time; it has survived where all of its bits are those of a fit that was left alone. On
a cluster a process that is gone is seen at once, one that is silent after a while.

| what happened to a fit | times | the same bits | longer than undisturbed, at most |
|---|---|---|---|
"""
REFUSED = """
## Files refused

Copies of four model files of 20 KB to 8 MB with a flipped bit, cut off or added to; and files of the right form and
with the right hash that say what cannot be. Refused means the one exception, before anything was made of the file.

| files | tried | refused | longest | memory at most |
|---|---|---|---|---|
"""
TAIL = """
## More

Some takes too long for every change, or for this page:

| command | tries |
|---|---|
| `make test-files` | 10,000 damaged files, and all forged ones |
| `make fuzz` | the loader of model files, guided by coverage, for ten minutes |
| `make test-crashes` | fits killed at 20 random times and called again |
| `make test-cluster` | 36 fits on a cluster that is disturbed, and one whose scheduler dies |
| `make test-oldest` | everything with the oldest versions of all packages |
| `make test-bare` | everything without any optional package |
| `make test-all` | every case of the laws, instead of pairwise ones |

Seconds and memory under load, of millions of rows, are in [what was measured](large.md).
"""


def printed(*command: str, **variables: str) -> str:
    """What a module prints, whatever its status."""
    run = subprocess.run(
        [sys.executable, "-m", *command], capture_output=True, text=True, check=False, env=environ | variables
    )
    return run.stdout


def outcomes(files: list[str]) -> tuple[Counter, Counter]:
    """How many cases of each test file were run, and how many of these failed."""
    ran, failed = Counter(), Counter()
    with tempfile.TemporaryDirectory() as folder:
        told = Path(folder) / "told.xml"
        printed("pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit1", f"--junitxml={told}", *files)
        for case in ElementTree.parse(told).iter("testcase"):
            endings = {each.tag for each in case}
            ran[case.get("file")] += "skipped" not in endings
            failed[case.get("file")] += bool(endings & {"failure", "error"})
    return ran, failed


def of_tests() -> Iterator[str]:
    """A row for each question that tests ask."""
    ran, failed = outcomes([file for files in QUESTIONS.values() for file in files])
    for question, files in QUESTIONS.items():
        counts = (sum(each[file] for file in files) for each in (ran, failed))
        yield "| {} | {} | {} | {} |".format(question, *counts, ", ".join(f"`{file}`" for file in files))


def of_load() -> Iterator[str]:
    """A row for each way to ask."""
    return (line(name, load) for name, load in loads(SECONDS))


def of_faults() -> Iterator[str]:
    """A row for each fault."""
    case = "test_processes_that_are_killed_at_random_times_go_on_to_the_same_result"
    command = ("-s", "-q", "-p", "no:cacheprovider", "tests/estimators/test_going_on.py", "-k", case)
    told = printed("pytest", *command, ALAKARTE_CRASHES=str(CRASHES))
    same = CRASHES if "were killed and went on" in told else "not all"
    yield f"| its process was killed, and the same call begun anew | {CRASHES} | {same} | |"
    told = printed("bench.large.disturbed", *(str(number) for number in DISTURBED.values()))
    words = {
        "killed": "one of two workers of a cluster was killed",
        "both killed": "both workers were killed",
        "stopped": "one worker was stopped, and answered no more",
        "scaled": "the cluster went to one worker, and then to three",
    }
    for name, happened in words.items():
        ends = re.findall(rf"^{name} +at .*s, +(-?[\d.]+) s late, equal: (True|False)", told, re.MULTILINE)
        late = max((float(seconds) for seconds, _ in ends), default=0.0)
        yield f"| {happened} | {len(ends)} | {sum(equal == 'True' for _, equal in ends)} | {max(late, 0.0):.0f} s |"


def of_files() -> Iterator[str]:
    """A row for each kind of file."""
    for kind, files, missed, slowest, largest in tried(FILES):
        yield f"| {kind} | {files:,} | {files - len(missed):,} | {slowest:.0f} ms | {largest:.0f} MB |"


def main() -> None:
    """Run all of it and write the page."""
    warnings.simplefilter("ignore")
    page = ""
    for head, rows in ((HEAD, of_tests()), (LOAD, of_load()), (FAULTS, of_faults()), (REFUSED, of_files())):
        part = head + "\n".join(rows) + "\n"
        print(part, flush=True)
        page += part
    PAGE.write_text(page + TAIL, encoding="utf-8")


if __name__ == "__main__":
    main()

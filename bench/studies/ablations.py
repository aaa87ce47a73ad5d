"""What each step of the search earns: the default on folds of small sets, as it is and with one step left out.

    python -m bench.studies.ablations run [--folds 5 6 …] [--steps step …]   adds lines to the file of results
    python -m bench.studies.ablations table                                  prints the table of those lines

In: folds of `SETS`. Out: for every step that is left out CPU seconds, log RMSE and log density beside the search as it
is, means over folds with their standard errors. Runs go side by side in two processes of one thread each.
"""

import argparse
import math
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from statistics import mean, stdev
from unittest import mock

import alakarte.kernels.ard
import alakarte.search.competition
import alakarte.search.learn
import alakarte.search.plan
import alakarte.search.policy
from alakarte import GPRegressor
from alakarte.kernels.registry import kernels
from bench import lines
from bench.folds import fold
from bench.scores import scores_of

SETS = ("autos", "breastcancer", "yacht", "autompg", "housing", "forest", "energy", "concrete", "wine")
LINES = Path(__file__).parents[1] / "results" / "ablations.tsv"
COLUMNS = {"step": None, "set": None, "fold": None, "cpu_seconds": 4, "rmse": 6, "log_density": 6}
POLICY, LEARN = alakarte.search.policy, alakarte.search.learn

# What takes the place of each step: (object, attribute, stand-in).
LEFT_OUT = {
    "nothing": [],
    "ladder": [(alakarte.search.plan.Plan, "_ladder", lambda plan: [plan.n_rows])],
    "nested starts": [(kind, "nests", None) for kind in kernels().values()],
    "trials": [(LEARN, "_trials", lambda *_: [])],
    "free centres": [(LEARN, "_with_free_centres", lambda plan, problem: problem)],
    "dropping": [(POLICY, "DROPPED", math.inf)],
    "more noise": [(POLICY, "JUMP", math.inf)],
    "tails": [(alakarte.search.competition, "draw_in_tails", lambda search, learned: (search, learned))],
    "early stopping": [(POLICY, "RUNG_NATS", 0.0)],
}


def one(job: tuple[str, str, int]) -> dict:
    """The line of one fit."""
    step, name, k = job
    X, y, X_test, y_test = fold(name, k)
    warnings.simplefilter("ignore")
    with ExitStack() as stack:
        for place, attribute, stand_in in LEFT_OUT[step]:
            stack.enter_context(mock.patch.object(place, attribute, stand_in))
        began = time.process_time()
        model = GPRegressor(random_state=k, n_jobs=1).fit(X, y)
        seconds = time.process_time() - began
    found = scores_of(model, X_test, y_test, y.std())
    error, density = found["rmse_over_std"], found["log_density_standardised"]
    return {"step": step, "set": name, "fold": k, "cpu_seconds": seconds, "rmse": error, "log_density": density}


def run(steps, folds) -> None:
    """All fits that have no line yet."""
    lines.prepare(LINES, COLUMNS)
    done = {(line["step"], line["set"], line["fold"]) for line in lines.read(LINES)}
    jobs = [(step, name, k) for step in steps for name in SETS for k in folds]
    with ProcessPoolExecutor(2) as pool:
        for line in pool.map(one, [job for job in jobs if job not in done]):
            lines.append(LINES, line, COLUMNS)


def table() -> None:
    """Print each step beside the search as it is."""
    found = {(line["step"], line["set"], line["fold"]): line for line in lines.read(LINES)}
    print(f"{'left out':<16}{'folds':>6}{'CPU s':>8}{'log RMSE':>18}{'log density':>20}")
    for step in LEFT_OUT:
        pairs = [(found["nothing", *key[1:]], line) for key, line in found.items() if key[0] == step]
        if len(pairs) < 2:
            continue
        seconds = mean(line["cpu_seconds"] for _, line in pairs)
        error = [math.log(line["rmse"] / whole["rmse"]) for whole, line in pairs]
        density = [line["log_density"] - whole["log_density"] for whole, line in pairs]
        text = "".join(f"{mean(each):+11.4f} ± {stdev(each) / len(each) ** 0.5:.4f}" for each in (error, density))
        print(f"{step:<16}{len(pairs):>6}{seconds:8.2f}{text}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("run", "table"))
    parser.add_argument("--folds", type=int, nargs="+", default=[5, 6, 7])
    parser.add_argument("--steps", nargs="+", choices=list(LEFT_OUT), default=list(LEFT_OUT))
    options = parser.parse_args()
    if options.what == "run":
        run(options.steps, options.folds)
    table()


if __name__ == "__main__":
    main()

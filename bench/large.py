"""Large tables beside peers: `python -m bench.large [set …] [--methods …] [--folds …] [--max-time …] [--out …]`.

Every cell runs in a process of its own and adds a JSON line: RMSE (own units and over std(y)), log density, coverage,
seconds, peak memory beyond the data. Cells that are there already are not run again. `--plot FILE` draws error against
time from the lines, `--table` prints them all. `memmap` and `growth` in place of a set run the parts on generated rows.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

from alakarte import GPRegressor
from alakarte.metrics import coverage, log_density
from bench.folds import fold
from bench.memory import resident, start_peak
from bench.peers import METHODS

SETS = ("kin40k", "protein", "bike", "sml", "gas", "pumadyn32nm", "keggdirected", "parkinsons", "houseelectric")
PEERS = {"kin40k", "protein", "bike"}
FOLDS = {"sml": range(5), "gas": range(5), "pumadyn32nm": range(5)}
LINES = Path(__file__).parent / "results" / "large.jsonl"


def load(name, k):
    """X_train, y_train, X_test, y_test; bike (a log count) without the two inputs whose sum is the count."""
    x_train, y_train, x_test, y_test = fold(name, k)
    last = -2 if name == "bike" else None
    return x_train[:, :last], y_train, x_test[:, :last], y_test


def one(cell):
    """One result; printed as JSON by the child process."""
    warnings.simplefilter("ignore")
    data = load(cell["set"], cell["fold"])
    before = start_peak()
    settings = {"max_time": cell["max_time"]} if cell["max_time"] else {}
    mean, std, seconds, note = METHODS[cell["method"]](*data[:3], **settings)
    y_train, y_test = data[1], data[3]
    rmse = float(np.sqrt(np.mean((mean - y_test) ** 2)))
    return {
        "rmse": rmse,
        "rmse_over_std": rmse / float(y_train.std()),
        "log_density": float(log_density(y_test, mean, std).mean() + np.log(y_train.std())),
        "coverage": float(coverage(y_test, mean, std)),
        "n_test": len(y_test),
        "seconds": seconds,
        "peak_mb": resident("VmHWM") - before,
        "note": note,
    }


def child(cell):
    """Run one cell in another process; None if a peer is missing or fails, with a message."""
    command = [sys.executable, "-m", "bench.large", "--one", json.dumps(cell)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1] if done.stderr.strip() else f"exit code {done.returncode}"
        print(f"{cell['set']:<15}{cell['method']:<20} skipped: {last}", flush=True)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def show(cell, result):
    name = cell["method"] + (f" {cell['max_time']:g} s" if cell["max_time"] else "")
    print(
        f"{cell['set']:<15}{cell['fold']:>2} {name:<20}{result['rmse']:10.4f}{result['rmse_over_std']:9.4f}"
        f"{result['log_density']:9.3f}{result['coverage']:7.3f}{result['seconds']:9.1f} s{result['peak_mb']:7.0f} MB"
        f"  {result['note']}",
        flush=True,
    )


def pooled(lines):
    """Coverage over all test rows of the library's default fits."""
    ours = [line for line in lines if line["method"] == "alakarte" and not line["max_time"]]
    rows = np.array([line["n_test"] for line in ours], dtype=float)
    covered = np.array([line["coverage"] for line in ours])
    if len(ours):
        print(f"coverage of 95 % intervals, pooled over {int(rows.sum())} test rows: {rows @ covered / rows.sum():.4f}")


def table(lines):
    """All lines as Markdown, means over folds."""
    print("| set | method | RMSE, own units | over std | log density | coverage | seconds | MB |")
    print("|---" * 8 + "|")
    groups = {}
    for line in sorted(lines, key=lambda line: (SETS.index(line["set"]), line["method"] != "alakarte")):
        groups.setdefault((line["set"], line["method"], line["max_time"]), []).append(line)
    names = ("rmse", "rmse_over_std", "log_density", "coverage", "seconds", "peak_mb")
    for (name, method, max_time), group in groups.items():
        label = method.replace("_", " ") + (f", {max_time:g} s" if max_time else "")
        label += f", {len(group)} folds" if len(group) > 1 else ""
        means = [np.mean([line[figure] for line in group]) for figure in names]
        cells = (f"{mean:.{digits}f}" for mean, digits in zip(means, (4, 4, 3, 3, 0, 0), strict=True))
        print(f"| {name} | {label} | " + " | ".join(cells) + " |")


def growth():
    """Seconds of a default fit against rows, on 8 inputs."""
    rng = np.random.default_rng(0)
    for n in (1_000, 10_000, 100_000):
        X = rng.standard_normal((n, 8))
        y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.standard_normal(n)
        began = time.perf_counter()
        model = GPRegressor(random_state=0).fit(X, y)
        seconds = time.perf_counter() - began
        print(f"fit of {n} × 8: {seconds:.1f} s, {model.kernel_.kernel.name}, {model.n_basis_} columns", flush=True)


MEMMAP = """
import sys, time
import numpy as np
from alakarte import GPRegressor
n, folder = int(sys.argv[1]), sys.argv[2]
X = np.memmap(folder + "/X", dtype=np.float32, mode="r", shape=(n, 10))
y = np.memmap(folder + "/y", dtype=np.float32, mode="r", shape=(n,))
def anonymous():
    fields = dict(line.split(":") for line in open("/proc/self/status") if line.startswith("Rss"))
    return int(fields["RssAnon"].split()[0]) / 1024
import threading
peak, done = [0.0], threading.Event()
def watch():
    while not done.wait(0.05):
        peak[0] = max(peak[0], anonymous())
threading.Thread(target=watch, daemon=True).start()
began = time.perf_counter()
model = GPRegressor("ard", n_restarts=1, n_learning_rows=10_000, n_posterior_frequencies=512, random_state=0).fit(X, y)
print(time.perf_counter() - began, peak[0], model.noise_std_)
done.set()
"""


def memmap(sizes=(2_000_000, 20_000_000)):
    """Generated rows in float32 files, read block by block: seconds a row and resident memory that is no page cache.

    Learned from 10,000 rows, whatever their number, so that seconds a row are those of the passes over all of them.
    """
    a_row = []
    for n in sizes:
        with tempfile.TemporaryDirectory() as folder:
            X = np.memmap(f"{folder}/X", dtype=np.float32, mode="w+", shape=(n, 10))
            y = np.memmap(f"{folder}/y", dtype=np.float32, mode="w+", shape=(n,))
            rng = np.random.default_rng(0)
            for start in range(0, n, 1_000_000):
                part = slice(start, start + 1_000_000)
                X[part] = rng.standard_normal((len(X[part]), 10), dtype=np.float32)
                y[part] = np.sin(X[part, 0]) + X[part, 1] + 0.1 * rng.standard_normal(len(X[part]), dtype=np.float32)
            X.flush()
            y.flush()
            command = [sys.executable, "-W", "ignore", "-c", MEMMAP, str(n), folder]
            out = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
        seconds, megabytes, noise = map(float, out)
        a_row.append(seconds / n)
        print(
            f"memmap of {n} × 10 float32: {seconds:.1f} s, {1e6 * seconds / n:.2f} µs a row, "
            f"{megabytes:.0f} MB that are no page cache, noise {noise:.3f} (0.1)",
            flush=True,
        )
    print(f"seconds a row, the larger over the smaller: {a_row[1] / a_row[0]:.2f}")


def plot(lines, path):
    """Error against time, one panel a set."""
    import matplotlib

    matplotlib.use("svg")
    import matplotlib.pyplot as plt

    names = [name for name in SETS if sum(line["set"] == name and line["fold"] == 0 for line in lines) > 1]
    figure, axes = plt.subplots(1, len(names), figsize=(3.6 * len(names), 3.2), constrained_layout=True, squeeze=False)
    markers = dict(zip(METHODS, "oXsDv", strict=True))
    for axis, name in zip(axes[0], names, strict=True):
        for line in lines:
            if line["set"] == name and line["fold"] == 0:
                axis.plot(line["seconds"], line["rmse_over_std"], markers[line["method"]], color="black", markersize=6)
                text = line["method"] + (f" {line['max_time']:g} s" if line["max_time"] else "")
                axis.annotate(f" {text}", (line["seconds"], line["rmse_over_std"]), fontsize=8)
        axis.set(title=name, xlabel="seconds to fit", xscale="log")
        axis.margins(x=0.5, y=0.1)
        axis.set_ylim(bottom=0)
    axes[0][0].set_ylabel("RMSE / std(y)")
    figure.savefig(path)
    print(f"wrote {path}")


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sets", nargs="*", default=list(SETS))
    parser.add_argument("--methods", nargs="+", choices=METHODS)
    parser.add_argument("--folds", nargs="+", type=int)
    parser.add_argument("--max-time", type=float)
    parser.add_argument("--out", type=Path, default=LINES)
    parser.add_argument("--plot", type=Path)
    parser.add_argument("--table", action="store_true", help="print what there is, run nothing")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.one:
        print(json.dumps(one(json.loads(options.one))))
        return
    lines = [json.loads(text) for text in options.out.read_text().splitlines()] if options.out.exists() else []
    if options.table:
        table(lines)
        pooled(lines)
        return
    GPRegressor(random_state=0, max_iter=2).fit(np.eye(9), np.arange(9.0))  # compile once, before any clock runs
    options.out.parent.mkdir(exist_ok=True)
    for name in options.sets:
        if name in ("memmap", "growth"):
            globals()[name]()
            continue
        for k in options.folds or FOLDS.get(name, [0]):
            for method in options.methods or (METHODS if name in PEERS else ["alakarte"]):
                cell = {"set": name, "fold": k, "method": method, "max_time": options.max_time}
                result = next((line for line in lines if all(line[key] == cell[key] for key in cell)), None)
                if result is None and (found := child(cell)):
                    result = cell | found
                    lines.append(result)
                    with options.out.open("a", encoding="utf-8") as stream:
                        stream.write(json.dumps(result) + "\n")
                if result is not None:
                    show(cell, result)
    pooled(lines)
    if options.plot:
        plot(lines, options.plot)


if __name__ == "__main__":
    main(sys.argv[1:])

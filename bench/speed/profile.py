"""Where the time of one evaluation goes, by samples of py-spy: pip install py-spy; nothing else should run.

    python -m bench.speed.profile

In: the objectives of `bench.speed.problems`. Out: for each, the share of samples in the innermost functions of the
package.
"""

import collections
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.speed.problems import objective, one_blas_thread

SECONDS = 15
# kernel, rows, inputs, components, frequencies of each
SIZES = {"1536": ("ard", 36_000, 8, 1, 768), "192": ("ard", 200_000, 11, 1, 96), "gm": ("gm", 36_000, 8, 2, 192)}
FUNCTIONS = {  # what each function mostly waits for
    "add_gram": "symmetric product ΦᵀΦ (BLAS)",
    "times_symmetric": "product ΦP (BLAS)",
    "_guarded": "sines and cosines",
    "wave_pairs_pullback": "pullback of the waves",
    "wave_products_pullback": "pullback of the waves",
    "phases": "phases x W (BLAS)",
    "pullback": "sums for the frequencies (BLAS)",
}


def work(name: str) -> None:
    """Evaluate one objective over and over, for py-spy to look at."""
    evaluate = objective(*SIZES[name])
    with one_blas_thread():
        evaluate()
        began = time.perf_counter()
        while time.perf_counter() < began + SECONDS:
            evaluate()


def samples(name: str) -> list[str]:
    """Stacks of a process that evaluates one objective, each with its count."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "samples"
        record = ["py-spy", "record", "--format", "raw", "--rate", "250", "--threads", "--output", str(out)]
        command = [*record, "--", sys.executable, "-m", "bench.speed.profile", name]
        subprocess.run(command, check=True, capture_output=True)
        return out.read_text().splitlines()


def profile(name: str) -> None:
    """Print the shares of one objective."""
    shares = collections.Counter()
    for line in samples(name):
        stack, count = line.rsplit(" ", 1)
        if "nlml_gradient" in stack or "visit" in stack:
            mine = [frame for frame in stack.split(";") if "alakarte" in frame]
            function = mine[-1].split(" ")[0]
            shares[FUNCTIONS.get(function, function)] += int(count)
    total = sum(shares.values())
    kernel, n, d, *_ = SIZES[name]
    print(f"\n{kernel}, n = {n}, d = {d}: share of {total} samples over both threads")
    for function, count in shares.most_common(12):
        print(f"{count / total:8.1%}  {function}")


if __name__ == "__main__":
    if sys.argv[1:]:
        work(sys.argv[1])
    else:
        for size in SIZES:
            profile(size)

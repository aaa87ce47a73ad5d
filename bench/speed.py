"""Speed as ratios, each measured in one run, alternating with its rival, best of several: `make bench`.

    python -m bench.speed [part …]   parts: evaluation sincos projection transformer exact predict memory import first

A ratio of times does not depend on how fast the machine is today; it does on what else runs: nothing else should.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from alakarte import FastfoodFeatures, GPRegressor
from alakarte.compiled.layout import aligned
from alakarte.compiled.waves import sincos
from alakarte.data.arrays import Rows
from alakarte.data.standardise import standardise
from alakarte.data.summary import summarise
from alakarte.execution.threads import one_blas_thread
from alakarte.features.draws import draw
from alakarte.features.fastfood import fast_transform
from alakarte.features.feature_map import feature_map
from alakarte.kernels.registry import resolve
from alakarte.process.objective import nlml_gradient
from alakarte.records import Shape
from alakarte.search.learn import Settings, set_up
from alakarte.search.starts import starts


def best_of(repeats, **work):
    """Least seconds of each piece of work, run in turn."""
    least = dict.fromkeys(work, np.inf)
    for _ in range(repeats):
        for name, function in work.items():
            time.sleep(0.2)  # threads of the last contender that still spin would slow the next
            began = time.perf_counter()
            function()
            least[name] = min(least[name], time.perf_counter() - began)
    return least


def line(work, figure, target, holds):
    print(f"{work:<66}{figure:<34}{target:<22}{'yes' if holds else 'NO'}", flush=True)


def table(n, d, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d))
    return X, np.sin(X.sum(axis=1)) + 0.1 * rng.standard_normal(n)


def problem(kernel, n, d, Q, m, precision="double", n_jobs=2):
    """An objective at its start."""
    X, y = table(n, d)
    weight, rng = np.ones(n), np.random.default_rng(0)
    scaling = standardise(X, y, weight)
    rows = Rows(scaling.inputs(X), scaling.target(y)[:, None], weight)
    kernel = resolve(kernel)
    settings = Settings(kernel, Q, m, "fastfood", 1, 1, 1, 0.1, None, n_jobs, precision)
    made = set_up(settings, rows, scaling, rng)
    return made, starts(kernel, made.layout, summarise(rows.x, weight, rng), made.draws, 1, rng)[0]


def gemm_side_by_side(D, dtype=np.float64):
    """Work of two single-threaded products 2048×D by D×D, one in each of two threads; flops and function."""
    blocks = [np.random.default_rng(i).standard_normal((2048, D)).astype(dtype) for i in range(2)]
    outs = [np.empty_like(block) for block in blocks]
    matrix = np.random.default_rng(9).standard_normal((D, D)).astype(dtype)
    times = max(1, int(2e10 / (2 * 2048 * D * D)))

    def one(i):
        for _ in range(times):
            np.matmul(blocks[i], matrix, out=outs[i])

    def both():
        threads = [threading.Thread(target=one, args=(i,)) for i in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    return 2 * times * 2 * 2048 * D * D, both


def torch_objective(made, theta):
    """The same value and gradient by torch's autograd, all threads; None without torch."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(2)
    values = made.layout.unpack(theta)
    unit = {**values, "log_lengthscale": np.zeros_like(values["log_lengthscale"])}
    directions = feature_map(made.kernel.spectrum(unit, made.draws), made.draws, "matrix").projection.frequencies
    X, y, U = (torch.from_numpy(np.ascontiguousarray(a)) for a in (made.rows.x, made.rows.y, directions))
    n, m = len(X), U.shape[1]

    def evaluate():
        parts = [
            torch.tensor(values[k], requires_grad=True) for k in ("log_amplitude", "log_lengthscale", "log_noise_std")
        ]
        log_v, log_l, log_s = parts
        phase = (X * torch.exp(-log_l)) @ U
        phi = torch.cat([torch.cos(phase), torch.sin(phase)], dim=1)
        s, root = torch.exp(2 * log_s), torch.exp(log_v) / m**0.5
        M = torch.eye(2 * m, dtype=X.dtype) + (phi.T @ phi) * root**2 / s
        L = torch.linalg.cholesky(M)
        half = torch.linalg.solve_triangular(L, phi.T @ y * root / s, upper=False)
        value = 0.5 * (n * torch.log(2 * np.pi * s) + 2 * torch.log(torch.diagonal(L)).sum())
        value = value + 0.5 * ((y * y).sum() / s - (half * half).sum())
        value.backward()
        return value.item(), np.concatenate([part.grad.numpy().ravel() for part in parts])

    return evaluate


def evaluation():
    for n, d, m, limit, faster, repeats in ((36_000, 8, 768, 1.20, 1.8, 8), (200_000, 11, 96, 1.6, 3.0, 20)):
        made, theta = problem("ard", n, d, 1, m)
        mixed, D = problem("ard", n, d, 1, m, "mixed")[0], 2 * m
        gm, gm_theta = problem("gm", n, d, 2, m // 4)
        flops, gemm = gemm_side_by_side(D)
        rival = torch_objective(made, theta)
        work = {"ours": lambda made=made, theta=theta: nlml_gradient(made, theta), "gemm": gemm}
        work["mixed"] = lambda mixed=mixed, theta=theta: nlml_gradient(mixed, theta)
        work["gm"] = lambda gm=gm, theta=gm_theta: nlml_gradient(gm, theta)
        with one_blas_thread():
            ours = nlml_gradient(made, theta)
            seconds = best_of(repeats, **work)
        bound = 3 * n * D**2 / flops * seconds["gemm"]
        what = f"value + gradient, n={n}, d={d}, D={D}"
        ratio = seconds["ours"] / bound
        line(f"{what}: ard", f"{seconds['ours']:.3f} s = {ratio:.2f} × bound", f"≤ {limit:.2f} ×", ratio <= limit)
        ratio = seconds["gm"] / seconds["ours"]
        line(f"{what}: gm / ard", f"{ratio:.2f} ×", "≤ 1.10 ×", ratio <= 1.1)
        ratio = seconds["mixed"] / seconds["ours"]
        line(f"{what}: mixed / double", f"{ratio:.2f} ×", "≤ 0.62 ×", ratio <= 0.62)
        if rival is None:
            print(f"{what}: torch autograd skipped, torch is not installed")
            continue
        theirs = rival()
        assert abs(ours[0] - theirs[0]) < 1e-6 * abs(theirs[0]), (ours[0], theirs[0])
        assert np.allclose(ours[1], theirs[1], rtol=1e-4, atol=1e-4 * np.abs(theirs[1]).max())
        seconds = best_of(
            repeats // 3, torch=rival, ours=lambda made=made, theta=theta: limited(nlml_gradient, made, theta)
        )
        ratio = seconds["torch"] / seconds["ours"]
        line(
            f"{what}: torch autograd / ours",
            f"{seconds['torch']:.2f} s, {ratio:.2f} ×",
            f"≥ {faster} ×",
            ratio >= faster,
        )


def limited(function, *arguments):
    with one_blas_thread():
        return function(*arguments)


def copy_twice(x, first, second):
    np.copyto(first, x)
    np.copyto(second, x)


def sincos_part():
    for dtype, target in ((np.float64, 12), (np.float32, 5)):
        x = (np.random.default_rng(0).standard_normal(1 << 21) * 10).astype(dtype)
        sine, cosine = np.empty_like(x), np.empty_like(x)

        def two(function, x=x, sine=sine, cosine=cosine):
            halves = (slice(0, x.size // 2), slice(x.size // 2, None))
            threads = [threading.Thread(target=function, args=(x[h], sine[h], cosine[h])) for h in halves]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        two(sincos)
        seconds = best_of(
            30,
            numpy=lambda x=x, s=sine, c=cosine: (np.sin(x, out=s), np.cos(x, out=c)),
            one=lambda x=x, s=sine, c=cosine: sincos(x, s, c),
            two=lambda two=two: two(sincos),
            copy=lambda two=two: two(copy_twice),
        )
        ratio, each = seconds["numpy"] / seconds["two"], {k: v / x.size * 1e9 for k, v in seconds.items()}
        what = f"sin and cos of 2^21 {np.dtype(dtype).name}: NumPy / ours on two threads"
        figure = f"{ratio:.1f} × ({each['two']:.2f}, NumPy {each['numpy']:.2f} ns)"
        line(what, figure, f"≥ {target} ×", ratio >= target)
        copy = seconds["numpy"] / seconds["copy"]
        print(f"    what memory allows: two plain copies {each['copy']:.2f} ns, {copy:.1f} × NumPy's sines")
        few = [array[: 1 << 13] for array in (x, sine, cosine)]
        seconds = best_of(
            30,
            numpy=lambda few=few: [(np.sin(few[0], out=few[1]), np.cos(few[0], out=few[2])) for _ in range(100)],
            ours=lambda few=few: [sincos(*few) for _ in range(100)],
        )
        print(f"    2^13 numbers, in the cache, one thread each: {seconds['numpy'] / seconds['ours']:.1f} ×")


def projection():
    cases = ((32, np.float32, 1.5), (128, np.float64, 3), (512, np.float64, 8), (1024, np.float64, 14))
    cases = [*cases, (128, np.float32, 3), (512, np.float32, 8), (1024, np.float32, 14)]
    for d, dtype, target in cases:
        shape = Shape(d, (8192,))
        draws = draw(shape, "fastfood", np.random.default_rng(0))
        spectrum = resolve("ard").spectrum({"log_amplitude": np.zeros(1), "log_lengthscale": np.zeros(d)}, draws)
        fast = fast_transform(spectrum, draws).astype(dtype)
        matrix = feature_map(spectrum, draws, "matrix").projection.astype(dtype)
        x = np.random.default_rng(1).standard_normal((2048, d)).astype(dtype)
        phase, other = aligned((2048, 8192), dtype), aligned((2048, 8192), dtype)
        fast.phases(x, phase)
        with threadpool_limits(1):
            seconds = best_of(
                7,
                fast=lambda fast=fast, x=x, phase=phase: fast.phases(x, phase),
                matrix=lambda matrix=matrix, x=x, other=other: matrix.phases(x, other),
            )
        assert np.abs(phase - other).max() < 1e-3 * np.abs(other).max()
        ratio = seconds["matrix"] / seconds["fast"]
        what = f"projection, d={d}, {np.dtype(dtype).name}, one thread: product / Fastfood"
        line(what, f"{ratio:.1f} ×", f"≥ {target} ×", ratio >= target)


def transformer():
    X = np.random.default_rng(0).standard_normal((4096, 512))
    ours = FastfoodFeatures(n_components=8192, gamma=1e-3, random_state=0).fit(X)
    theirs = RBFSampler(n_components=8192, gamma=1e-3, random_state=0).fit(X)
    seconds = best_of(5, ours=lambda: ours.transform(X), theirs=lambda: theirs.transform(X))
    ratio = seconds["theirs"] / seconds["ours"]
    line("FastfoodFeatures.transform, 512 → 8192: RBFSampler / ours", f"{ratio:.1f} ×", "≥ 10 ×", ratio >= 10)


def exact():
    X, y = table(1500, 5)
    theirs = GaussianProcessRegressor(ConstantKernel() * RBF(np.ones(5)) + WhiteKernel(0.01), optimizer=None).fit(X, y)
    made = GPRegressor("ard", expansion="exact", max_iter=0, random_state=0).fit(X, y)
    seconds = best_of(
        5,
        ours=lambda: made.log_marginal_likelihood(X, y, eval_gradient=True),
        theirs=lambda: theirs.log_marginal_likelihood(theirs.kernel_.theta, eval_gradient=True),
    )
    ratio = seconds["theirs"] / seconds["ours"]
    figure = f"{ratio:.1f} × ({seconds['ours'] * 1e3:.0f} ms)"
    line("exact ard, one evaluation, n=1500, d=5: scikit-learn / ours", figure, "≥ 4 ×", ratio >= 4)


def predict():
    X, y = table(4000, 8)
    Z = np.random.default_rng(1).standard_normal((100_000, 8))
    ours = GPRegressor("ard", n_components=1, n_frequencies=768, max_iter=0, random_state=0).fit(X, y)
    theirs = make_pipeline(RBFSampler(n_components=1536, random_state=0), Ridge()).fit(X, y)
    seconds = best_of(5, ours=lambda: ours.predict(Z), theirs=lambda: theirs.predict(Z))
    ratio = seconds["theirs"] / seconds["ours"]
    line("predict the mean, 10⁵ rows, D=1536: RBFSampler + Ridge / ours", f"{ratio:.1f} ×", "≥ 8 ×", ratio >= 8)


PEAK = """
from bench.speed import problem, limited, peak_above
from alakarte.process.objective import nlml_gradient
made, theta = problem("ard", {n}, {d}, 1, {m})
print(peak_above(lambda: limited(nlml_gradient, made, theta)))
"""

FIT_PEAK = """
from bench.speed import table, peak_above
from alakarte import GPRegressor
X, y = table({n}, 11)
model = GPRegressor("ard", n_components=1, n_frequencies=96, n_restarts=1, max_iter=1, n_learning_rows=None)
model.fit(X[:3000], y[:3000])
print(peak_above(lambda: model.fit(X, y)))
"""

PREDICT_PEAK = """
from bench.speed import table, peak_above
from alakarte import GPRegressor
X, y = table({n}, 8)
model = GPRegressor("ard", n_components=1, n_frequencies=768, max_iter=0).fit(X[:3000], y[:3000])
print(peak_above(lambda: model.predict(X)) - X.shape[0] * 8 / 1e6)
"""


def peak_above(work):
    """MB that `work` needed at most beyond what was resident before (Linux)."""

    def status(key):
        lines = Path("/proc/self/status").read_text().splitlines()
        return next(int(entry.split()[1]) for entry in lines if entry.startswith(key)) / 1024

    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    before = status("VmRSS")
    work()
    return status("VmHWM") - before


def python(code, **variables):
    command = [sys.executable, "-W", "ignore", "-c", code]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=os.environ | variables)
    return float(done.stdout)


def memory():
    peak = python(PEAK.format(n=36_000, d=8, m=768))
    line("value + gradient, n=36000, D=1536: memory above the data", f"{peak:.0f} MB", "≤ 300 MB", peak <= 300)
    small, large = (python(FIT_PEAK.format(n=n)) for n in (200_000, 2_000_000))
    extra = large - small
    few, many = (python(PREDICT_PEAK.format(n=n)) for n in (100_000, 1_000_000))
    figure = f"{few:.0f} and {many:.0f} MB"
    line("peak of predict beyond rows and means, 10⁵ and 10⁶ rows, D=1536", figure, "within 50 MB", many - few <= 50)
    figure = f"{small:.0f} and {large:.0f} MB"
    line("peak of a fit beyond its data, D=192, n=200 000 and 2 000 000", figure, "within 50 MB", abs(extra) <= 50)


def import_time():
    clock = "time.perf_counter()"
    base = f"import time, sklearn.gaussian_process; t = {clock}; import alakarte; print({clock} - t)"
    seconds = min(python(base) for _ in range(5))
    line("import alakarte beyond import sklearn.gaussian_process", f"{seconds:.2f} s", "< 0.5 s", seconds < 0.5)


FIRST = """
import time
began = time.perf_counter()
import numpy as np
from alakarte import GPRegressor
imported = time.perf_counter()
rng = np.random.default_rng(0)
X = rng.standard_normal((100, 3))
y = np.sin(X[:, 0]) + 0.1 * rng.standard_normal(100)
GPRegressor({kernel!r}, max_iter=1000, random_state=0).fit(X, y).predict(X)
print(time.perf_counter() - {since})
"""


def first_fit():
    for kernel in ("auto", "gm", "ard", "fsgbard"):
        with tempfile.TemporaryDirectory() as folder:
            first = python(FIRST.format(kernel=kernel, since="imported"), NUMBA_CACHE_DIR=folder)
            later = python(FIRST.format(kernel=kernel, since="began"), NUMBA_CACHE_DIR=folder)
        what = f"first fit of 100 × 3 and prediction, empty cache, {kernel}"
        line(what, f"{first:.1f} s + imports; then {later:.1f} s in all", "< 5 s", first < 5)


PARTS = {
    "evaluation": evaluation,
    "sincos": sincos_part,
    "projection": projection,
    "transformer": transformer,
    "exact": exact,
    "predict": predict,
    "memory": memory,
    "import": import_time,
    "first": first_fit,
}


def main(names):
    for name in names or PARTS:
        PARTS[name]()


if __name__ == "__main__":
    main(sys.argv[1:])

"""One fit for each kernel and expansion, as digests of what it learned and predicts: a change of names may change none.

    python -m bench.studies.bits > before.txt      and, after the change,      python -m bench.studies.bits > after.txt

In: nothing but the public interface, so the same file runs on either side. Out: a line for each fit, the evidence in
plain digits and digests of theta, of means and standard deviations. `diff before.txt after.txt` must say nothing.
"""

import hashlib
import sys
import warnings

import numpy as np

from alakarte import GPRegressor

SMALL = {"n_components": 2, "n_frequencies": 8, "n_restarts": 2, "max_iter": 12, "max_iter_restart": 5}
KERNELS = ("rbf", "ard", "matern12", "matern32", "matern52", "fsard", "fsgbard", "gm", "mm", "pwl", "ssgpr")
EXACT = ("rbf", "ard", "matern12", "matern32", "matern52", "gm", "mm")


def table(n_rows: int, n_inputs: int):
    """X (n, d), y (n,) and whole weights (n,)."""
    rng = np.random.default_rng(7)
    X = rng.standard_normal((n_rows, n_inputs)) * np.geomspace(0.1, 10, n_inputs)
    y = np.sin(X[:, 0] * 10) + np.abs(X[:, -1]) / 10 + 0.1 * rng.standard_normal(n_rows)
    return X, y, rng.integers(1, 3, n_rows).astype(float)


def digest(*arrays) -> str:
    """Twelve letters that change with any bit."""
    return hashlib.sha256(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)).hexdigest()[:12]


def line(name: str, model, X) -> str:
    """What a fitted model learned and predicts."""
    mean, std = model.predict(X, return_std=True)
    evidence = f"{float(model.log_marginal_likelihood_)!r:<22}"
    return f"{name:<34}{evidence}theta {digest(model.theta_)}  predictions {digest(mean, std)}"


def fits():
    """Name and settings of each fit, with the number of its rows."""
    for kernel in KERNELS:
        for expansion in ("fastfood", "dense", "exact"):
            if (expansion == "exact" and kernel not in EXACT) or (kernel, expansion) == ("fsgbard", "dense"):
                continue
            yield f"{kernel} {expansion}", 200, {"kernel": kernel, "expansion": expansion, **SMALL}
    few = {"n_restarts": 2, "max_iter": 10, "max_iter_restart": 4}
    yield "gm mixed", 1500, {"kernel": "gm", "precision": "mixed", "expansion": "fastfood", **SMALL}
    yield "pwl grown", 3000, {"kernel": "pwl", **few}
    yield "auto few rows", 150, {**few}
    yield "auto many rows", 9000, {**few}
    yield "auto in blocks", 30_000, {"n_restarts": 2, "max_iter": 3, "max_iter_restart": 2}


def main() -> None:
    """Print a line for each fit, and one after rows have come and gone."""
    warnings.simplefilter("ignore")
    for name, n_rows, settings in fits():
        X, y, weight = table(n_rows + 50, 5)
        model = GPRegressor(random_state=0, **settings).fit(X[:n_rows], y[:n_rows], weight[:n_rows])
        print(line(name, model, X), flush=True)
        if settings.get("expansion") != "exact":
            model.partial_fit(X[n_rows:], y[n_rows:]).forget(X[:20], y[:20], weight[:20])
            print(line(f"{name}, changed", model, X), flush=True)


if __name__ == "__main__":
    sys.exit(main())

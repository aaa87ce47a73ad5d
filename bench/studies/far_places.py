"""How honest features are at places ever farther from all rows, by draws of the process that they stand for.

Out: for some kernels, inputs and numbers of frequencies, by distance beyond the rows in length-scales: the share of new
observations within 95 % intervals, the standard deviation, and the error. Kernel and noise are given, not learned; each
draw is a sum of 8,000 waves of its own. `--plain`: as features alone would have it.

    python -m bench.studies.far_places [--draws 8] [--plain]
"""

import argparse
import warnings
from dataclasses import replace

import numpy as np

from alakarte import GPRegressor
from alakarte.kernels import ARD, Matern
from alakarte.posteriors.reach import Reach

DISTANCES = (0, 1, 2, 3, 4, 5, 8, 15, 30)
CASES = (("ard", 1, 0.1, 64), ("ard", 1, 0.1, 256), ("ard", 2, 0.5, 128), ("ard", 2, 0.5, 512), ("ard", 3, 1.0, 256))
CASES += (("matern32", 2, 0.5, 512),)
N_ROWS, EACH, NOISE = 1500, 40, 0.2


def draw(rng: np.random.Generator, x: np.ndarray, lengthscale: float, kernel: str) -> np.ndarray:
    """(rows,) values of a function of unit variance at x (rows, d)."""
    omega = rng.standard_normal((x.shape[1], 4000)) / lengthscale
    if kernel == "matern32":
        omega = omega / np.sqrt(rng.chisquare(3, 4000) / 3)
    phase = x @ omega
    return (np.cos(phase) @ rng.standard_normal(4000) + np.sin(phase) @ rng.standard_normal(4000)) / np.sqrt(4000)


def places(rng: np.random.Generator, d: int, distance: float) -> np.ndarray:
    """(EACH, d) beyond [−2, 2] along the first input."""
    x = rng.uniform(-2, 2, (EACH, d))
    if distance:
        x[:, 0] = rng.choice([-1, 1], EACH) * (2 + distance)
    return x


def one(case, seed: int, plain: bool) -> np.ndarray:
    """(distances, 3) coverage, mean standard deviation, and mean squared error of a draw."""
    kernel, d, lengthscale, n_frequencies = case
    rng = np.random.default_rng(seed)
    x = rng.uniform(-2, 2, (N_ROWS, d))
    queries = np.concatenate([places(rng, d, s * lengthscale + (s > 0) * 0.25 * lengthscale) for s in DISTANCES])
    f = draw(rng, np.concatenate([x, queries]), lengthscale, kernel)
    y = f + NOISE * rng.standard_normal(len(f))
    kind = ARD if kernel == "ard" else Matern
    known = kind(fixed={"lengthscale": np.full(d, lengthscale), "amplitude": 1.0})
    model = GPRegressor(known, expansion="fastfood", n_frequencies=n_frequencies, noise_std=NOISE, random_state=seed)
    model.fit(x, y[:N_ROWS])
    if plain:
        posterior = model.model_.posterior
        assert isinstance(posterior.reach, Reach)
        model.model_ = replace(model.model_, posterior=replace(posterior, reach=None))
    mean, std = model.predict(queries, return_std=True)
    low, high = model.predict_interval(queries, 0.95)
    new = y[N_ROWS:]
    found = np.stack([(low <= new) & (new <= high), std, (new - mean) ** 2], axis=1)
    return found.reshape(len(DISTANCES), EACH, 3).mean(axis=1)


def main() -> None:
    """A table for each case."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    for case in CASES:
        found = np.mean([one(case, seed, options.plain) for seed in range(options.draws)], axis=0)
        found[:, 2] **= 0.5
        print("{}, {} inputs, length-scale {:g}, {} frequencies".format(*case))
        print("length-scales away ", *(f"{distance:6d}" for distance in DISTANCES))
        for name, column in zip(("within 95 %", "std", "error"), found.T, strict=True):
            print(f"{name:19s}", *(f"{value:6.2f}" for value in column), flush=True)


if __name__ == "__main__":
    main()

"""Whether a peer's lead on a set of `bench.likelihoods` holds on splits that no line shows, and what the truth allows.

    python -m bench.studies.other_splits sonar rbf_sampler                         # seeds 3 to 7
    python -m bench.studies.other_splits ring two_normals --seeds 0 1 2 --alone    # what ring was drawn from

In: a set, one of its peers, seeds of `train_test_split`. Out: the log loss of each split, ours and the peer's, and
their difference with the standard error of test rows; then the means, with the standard error of that difference over
splits, which share most of their rows: it is too small, if anything. `--alone` runs the peer only.
"""

import argparse
import warnings

import numpy as np

from bench.likelihoods.cells import METHODS
from bench.likelihoods.rows import load
from bench.likelihoods.run import scored
from bench.likelihoods.sets import SETS

SEEDS = (3, 4, 5, 6, 7)


def losses(name: str, method: str, seed: int) -> np.ndarray:
    """Of the test rows of a split."""
    kind = SETS[name].kind
    split = load(SETS[name], seed)
    return scored(kind, split, METHODS[kind][method](split))[0]


def difference(ours: np.ndarray, peer: np.ndarray) -> tuple[float, float]:
    """Mean and standard error of what paired losses differ by."""
    gap = ours - peer
    return float(gap.mean()), float(gap.std(ddof=1) / np.sqrt(len(gap)))


def compare(name: str, peer: str, seeds, *, alone: bool = False) -> tuple[float, float] | None:
    """Print a line per split and the means; gives the difference of the means with its standard error."""
    found = []
    for seed in seeds:
        of_peer = losses(name, peer, seed)
        if alone:
            print(f"{name:<12}{seed:>3}  {peer} {of_peer.mean():.4f}", flush=True)
            found.append((of_peer.mean(), of_peer.mean()))
            continue
        ours = losses(name, SETS[name].ours, seed)
        gap, error = difference(ours, of_peer)
        print(
            f"{name:<12}{seed:>3}  ours {ours.mean():.4f}  {peer} {of_peer.mean():.4f}  {gap:+.4f} ± {error:.4f}",
            flush=True,
        )
        found.append((ours.mean(), of_peer.mean()))
    of_ours, of_peer = np.array(found).T
    if alone:
        print(f"{name:<12}all  {peer} {of_peer.mean():.4f}")
        return None
    gap, error = difference(of_ours, of_peer)
    print(f"{name:<12}all  ours {of_ours.mean():.4f}  {peer} {of_peer.mean():.4f}  {gap:+.4f} ± {error:.4f}")
    return gap, error


def main(arguments=None) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.studies.other_splits",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("set", choices=SETS)
    parser.add_argument("peer")
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--alone", action="store_true")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    compare(options.set, options.peer, options.seeds, alone=options.alone)


if __name__ == "__main__":
    main()

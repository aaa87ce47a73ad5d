"""What is run: cells, each a set, a method and a seed.

In: names. Out: cells as dictionaries, and the function of each method. What is left out, and why, stands in `LEFT_OUT`.
"""

from bench.likelihoods import class_peers, count_peers, outlier_peers
from bench.likelihoods.ours import OURS
from bench.likelihoods.sets import SETS, SMALL, Set

PEERS = {"classes": class_peers.PEERS, "counts": count_peers.PEERS, "outliers": outlier_peers.PEERS}
METHODS = {kind: OURS[kind] | PEERS[kind] for kind in PEERS}
NAMES = tuple(dict.fromkeys(name for methods in METHODS.values() for name in methods))
NO_PEERS = {  # what knows more or less than the others, and the sets that have it
    "truth": ("exposure",),
    "two_normals": ("ring",),
    "alakarte_no_exposure": ("exposure",),
}
LARGE = ("penbased", "letter", "adult", "higgs7k", "mnist30k", "covtype_50k")  # 127 leaves as well
EXACT = (*SMALL, "rows_1000")

# set → methods that do not run on it, by the reason
TOO_SLOW = "not tried, more than about four minutes by estimate"
LEFT_OUT = {
    "digits8x8": {"gpc": TOO_SLOW},
    "covtype_all": dict.fromkeys(("logistic", "rbf_sampler", "random_forest", "svgp", "lightgbm_127"), TOO_SLOW),
}


def default_methods(one: Set) -> list[str]:
    """The library and the peers of a set."""
    left_out = set(LEFT_OUT.get(one.name, ()))
    left_out.update(method for method, names in NO_PEERS.items() if one.name not in names)
    if one.name not in LARGE:
        left_out.add("lightgbm_127")
    if one.name not in EXACT:
        left_out.add("gpc")
    return [method for method in METHODS[one.kind] if method not in left_out]


def cells(names=None, methods=None, seeds=None) -> list[dict]:
    """All cells of some sets, in the order of `SETS`; a method that a set does not have is passed over."""
    return [
        {"set": name, "method": method, "seed": seed}
        for name in names or SETS
        for seed in (seeds if seeds is not None and len(SETS[name].seeds) > 1 else SETS[name].seeds)
        for method in default_methods(SETS[name])
        if methods is None or method in methods
    ]


def settings() -> dict[str, str]:
    """What each peer is, by the first line of its docstring."""
    peers = {name: function for methods in PEERS.values() for name, function in methods.items()}
    return {name: function.__doc__.splitlines()[0] for name, function in peers.items()}

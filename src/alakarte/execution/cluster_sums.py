"""Results of tasks on a cluster added where they are, along a fixed tree: the sum of all alone comes to the driver.

In: a `Cluster`, calls, and how two of their results are added. Out: the sum, the same whoever added what. Of what a
lost worker held as much is computed again as was its own share.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from alakarte.execution.cluster import Cluster
from alakarte.execution.tree import Node, Tree


def add_up(
    cluster: Cluster,
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    add: Callable[[Any, Any], Any],
    shared: Any = None,
) -> Any:
    """The sum of function(shared, *arguments) of each call; add(first, second) changes neither.

    Sums as large as the share of a thread are held until the end, so that no more is lost with a worker; what they were
    made of is not. A sum is submitted before the calls that follow its own: what is submitted first is computed first,
    and a worker does not hold the results of all its calls.
    """
    kept: dict[Node, Any] = {}
    kept_level = _level(len(calls), sum(cluster.client.nthreads().values()))

    def submitted(left: list[int]) -> dict[int, Any]:
        tree = Tree(len(calls), partial(cluster.submit, add), kept_level)
        for node, future in kept.items():
            if future.status in ("pending", "finished"):
                tree.put(node, future)
        value = cluster.submit_shared(shared)
        for index in tree.missing():
            tree.put((0, index), cluster.submit(function, value, *calls[index]))
        kept.update(tree.kept)
        return {0: tree.total()}

    return cluster.results(submitted, 1, calls)[0]


def _level(n_calls: int, n_threads: int) -> int:
    """The highest level of the tree whose nodes have no more calls than each thread has."""
    return max(n_calls // max(n_threads, 1), 1).bit_length() - 1

"""Results of tasks on a cluster added where they are, along a fixed tree: the sum of all alone comes to the driver.

In: a `Cluster`, calls, and how two of their results are added. Out: the sum, the same whoever added what. Of what a
lost worker held as much is computed again as was its own share. Where the driver may be lost as well, a `Memory` gets
what has been added so far: the few largest sums that are finished.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from alakarte.execution.cluster import Cluster
from alakarte.execution.tree import Node, Tree, largest, results_of


@dataclass(frozen=True)
class Memory:
    """Sums that outlive the driver: those known from before, when to tell of others, and who is told.

    `keep(sums, nodes)` gets sums that are new, and the nodes of all that need to be remembered now.
    """

    known: Mapping[Node, Any] = field(default_factory=dict)
    is_time: Callable[[], bool] = lambda: False
    keep: Callable[[dict[Node, Any], list[Node]], None] = lambda sums, nodes: None


NOTHING = Memory()


def add_up(
    cluster: Cluster,
    function: Callable[..., Any],
    calls: Sequence[tuple[Any, ...]],
    add: Callable[[Any, Any], Any],
    shared: Any = None,
    memory: Memory = NOTHING,
) -> Any:
    """The sum of function(shared, *arguments) of each call; add(first, second) changes neither.

    Sums as large as the share of a thread are held until the end, so that no more is lost with a worker; what they were
    made of is not. A sum is submitted before the calls that follow its own: what is submitted first is computed first,
    and a worker does not hold the results of all its calls.
    """
    known = {node: cluster.submit_shared(value) for node, value in memory.known.items()}
    shares: dict[Node, Any] = {}
    level_of_shares = _level(len(calls), sum(cluster.threads().values()))
    finished = _Finished(cluster, len(calls), memory)

    def submitted(left: list[int]) -> dict[int, Any]:
        made: dict[Node, Any] = {}
        tree = Tree(len(calls), partial(cluster.submit, add), made.__setitem__)
        held = known | {node: future for node, future in shares.items() if future.status in ("pending", "finished")}
        for node in largest(held, len(calls)):
            tree.put(node, held[node])
        value = cluster.submit_shared(shared)
        for index in tree.missing():
            tree.put((0, index), cluster.submit(function, value, *calls[index]))
        shares.update({node: future for node, future in made.items() if node[0] == level_of_shares})
        finished.watch(made)
        return {0: tree.total()}

    return cluster.results(submitted, 1, calls, finished.tell)[0]


class _Finished:
    """The sums of a tree that are finished, for a `Memory`: the largest alone are held for it, and come to it once."""

    def __init__(self, cluster: Cluster, n: int, memory: Memory):
        self.cluster, self.n, self.memory = cluster, n, memory
        self.futures: dict[Node, Any] = {}
        self.told = set(memory.known)

    def watch(self, futures: dict[Node, Any]) -> None:
        """These are made now."""
        if self.memory is not NOTHING:
            self.futures = dict(futures)

    def tell(self) -> None:
        """Let go what has become a part of others; where it is time, let the memory know of what is new."""
        done = [node for node, future in self.futures.items() if future.status == "finished"]
        nodes = largest({*done, *self.told}, self.n)
        new = [node for node in nodes if node not in self.told]
        parts = [node for node in self.futures if node not in new and _is_within(node, nodes, self.n)]
        for node in parts:
            del self.futures[node]
        if not new or not self.memory.is_time():
            return
        sums = self.cluster.fetched([self.futures[node] for node in new])
        if sums:
            self.memory.keep(dict(zip(new, sums, strict=True)), nodes)
            self.told = set(nodes)


def _is_within(node: Node, nodes: list[Node], n: int) -> bool:
    """Whether all results of a node are among those of one of some nodes."""
    own = results_of(node, n)
    return any(own.start in results_of(other, n) and own[-1] in results_of(other, n) for other in nodes)


def _level(n_calls: int, n_threads: int) -> int:
    """The highest level of the tree whose nodes have no more calls than each thread has."""
    return max(n_calls // max(n_threads, 1), 1).bit_length() - 1

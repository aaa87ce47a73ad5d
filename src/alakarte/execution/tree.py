"""Results added along a fixed binary tree: neighbours in pairs, then sums of neighbours, until one is left.

In: results by number, in any order and from any thread, and how two are added. Out: their sum, whose last digits depend
on how many there are and on nothing else. Two are added as soon as both are there, so that few are held at a time. Does
not know what is added, nor where.
"""

from collections.abc import Callable, Iterable
from threading import Lock
from typing import Generic, TypeVar

Value = TypeVar("Value")
Node = tuple[int, int]  # (level, number): the sum of results from number · 2^level on, as many as 2^level or all left


def results_of(node: Node, n: int) -> range:
    """Numbers of the results, of n in all, that a node is the sum of."""
    level, number = node
    return range(number << level, min((number + 1) << level, n))


def largest(nodes: Iterable[Node], n: int) -> list[Node]:
    """Those of some nodes that are no part of others; of two that stand for the same results one."""
    taken: list[Node] = []
    covered: set[int] = set()
    for node in sorted(nodes, reverse=True):  # a node on a higher level is no part of one below
        results = results_of(node, n)
        if results.start not in covered:
            covered.update(results)
            taken.append(node)
    return taken


class Tree(Generic[Value]):
    """The sum of n results; `add` may change the first of its two, which comes before the other in the table."""

    def __init__(
        self,
        n: int,
        add: Callable[[Value, Value], Value],
        made: Callable[[Node, Value], None] = lambda node, value: None,
    ):
        self.n, self.add, self.made = n, add, made  # the last is told of every node
        self.waiting: dict[Node, Value] = {}  # for their neighbours; at the end the sum of all alone
        self.lock = Lock()

    def put(self, node: Node, value: Value) -> None:
        """A result, (0, its number), or a sum that is known; all sums that it completes are made."""
        level, number = node
        with self.lock:
            while True:
                self.made((level, number), value)
                n_nodes = -(-self.n >> level)
                if n_nodes == 1:
                    break
                if number ^ 1 < n_nodes:  # else it has no neighbour, and goes up as it is
                    if (level, number ^ 1) not in self.waiting:
                        break
                    other = self.waiting.pop((level, number ^ 1))
                    value = self.add(other, value) if number & 1 else self.add(value, other)
                level, number = level + 1, number >> 1
            self.waiting[level, number] = value

    def missing(self) -> list[int]:
        """Numbers of the results that are in no sum yet, ascending."""
        there = {index for node in self.waiting for index in results_of(node, self.n)}
        return [index for index in range(self.n) if index not in there]

    def total(self) -> Value:
        """The sum of all, once all are there."""
        [value] = self.waiting.values()
        return value


def total_of(values: list[Value], add: Callable[[Value, Value], Value]) -> Value:
    """The sum of some results along the tree."""
    tree = Tree(len(values), add)
    for index, value in enumerate(values):
        tree.put((0, index), value)
    return tree.total()

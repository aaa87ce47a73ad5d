"""Sums along a fixed tree: the same whoever is first, with few results held."""

import itertools
import random

import pytest

from alakarte.execution.tree import Tree, largest, results_of, total_of


def words(n):
    return [chr(ord("a") + index) for index in range(n)]


def added(first, second):
    return f"({first}{second})"


def test_neighbours_are_added_in_pairs():
    totals = [total_of(words(n), added) for n in range(1, 8)]
    assert totals[:4] == ["a", "(ab)", "((ab)c)", "((ab)(cd))"]
    assert totals[4:] == ["(((ab)(cd))e)", "(((ab)(cd))(ef))", "(((ab)(cd))((ef)g))"]


@pytest.mark.parametrize("n", [1, 2, 3, 5, 6])
def test_the_sum_does_not_depend_on_who_is_first(n):
    expected = total_of(words(n), added)
    for order in itertools.permutations(range(n)):
        tree = Tree(n, added)
        for index in order:
            assert index in tree.missing()
            tree.put((0, index), words(n)[index])
        assert tree.missing() == []
        assert tree.total() == expected


def test_it_goes_on_from_sums_that_are_known():
    n, rng = 11, random.Random(0)
    for n_known in range(n + 1):
        before = Tree(n, added)
        for index in rng.sample(range(n), n_known):
            before.put((0, index), words(n)[index])
        tree = Tree(n, added)
        for node, value in before.waiting.items():
            assert len(value.replace("(", "").replace(")", "")) == len(results_of(node, n))
            tree.put(node, value)
        assert len(tree.missing()) == n - n_known
        for index in tree.missing():
            tree.put((0, index), words(n)[index])
        assert tree.total() == total_of(words(n), added)


def test_in_order_few_are_held_and_every_node_is_told():
    made, most = {}, 0
    tree = Tree(238, lambda first, second: first + second, made.__setitem__)
    for index in range(238):
        tree.put((0, index), 1)
        most = max(most, len(tree.waiting))
    assert tree.total() == 238
    assert most <= 8
    assert made == {
        (level, number): len(results_of((level, number), 238))
        for level in range(9)
        for number in range(-(-238 >> level))
    }


def test_the_largest_nodes_cover_what_all_cover():
    assert largest([(0, 0), (0, 1), (1, 0), (0, 3), (2, 1), (0, 6)], 7) == [(2, 1), (1, 0), (0, 3)]
    assert len(largest([(0, 6), (1, 3)], 7)) == 1  # the same results

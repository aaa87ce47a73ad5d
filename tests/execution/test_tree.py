"""Sums along a fixed tree: the same whoever is first, with few results held."""

import itertools
import random

import pytest

from alakarte.execution.tree import Tree, results_of, total_of


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


def test_in_order_few_are_held_and_one_level_is_kept_where_asked():
    tree, most = Tree(238, lambda first, second: first + second, kept_level=1), 0
    for index in range(238):
        tree.put((0, index), 1)
        most = max(most, len(tree.waiting))
    assert tree.total() == 238
    assert most <= 8
    assert tree.kept == {(1, number): 2 for number in range(119)}

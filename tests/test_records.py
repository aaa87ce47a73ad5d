"""The shape of an expansion: padding, components and stacks."""

from alakarte.records import Shape


def test_padding_is_to_the_next_power_of_two():
    padded = {1: 1, 2: 2, 3: 4, 4: 4, 5: 8, 8: 8, 9: 16, 90: 128}
    assert {d: Shape(d, (1,)).n_padded for d in padded} == padded


def test_shape_counts_stacks_by_component():
    shape = Shape(3, (8, 1, 5))
    assert shape.n_frequencies == 14
    assert shape.stack_component.tolist() == [0, 0, 1, 2, 2]
    assert shape.component.tolist() == [0] * 8 + [1] + [2] * 5

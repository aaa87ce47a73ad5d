"""The transform is chosen where it pays."""

from alakarte.features.projection import prefers_transform
from alakarte.records import Shape


def test_the_transform_is_chosen_where_it_pays():
    assert not prefers_transform(Shape(3, (64,)))
    assert prefers_transform(Shape(1024, (4096,)))

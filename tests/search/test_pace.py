"""Frequencies from waves: bounds by the places of rows, small steps, held entries."""

import numpy as np
import pytest

from alakarte.kernels import SSGPR, GaussianMixture
from alakarte.parameters import Layout, Units
from alakarte.records import Shape, Waves
from alakarte.search.coordinates import coordinates
from alakarte.search.pace import paced, with_periods


def waves():
    one = np.ones((1, 2))
    some = {"centre": one, "lengthscale": one, "variance": np.ones(1), "smooth_lengthscale": np.ones((2, 2))}
    rest = {"smooth_variance": np.ones(2), "noise_variance": 0.1, "lines": one}
    return Waves(**some, **rest, highest=np.array([5000.0, 0.0]), resolution=np.array([2.0, 1.0]))


def layout_of(kernel):
    return Layout(kernel.parameters(Shape(2, (4, 4))))


def test_frequencies_are_bounded_by_what_the_places_tell_and_move_in_small_steps():
    for kernel, name in ((GaussianMixture(), "centre"), (SSGPR(), "frequencies")):
        layout = paced(layout_of(kernel), kernel, waves())
        lower, upper = (layout.unpack(bound)[name] for bound in layout.bounds())
        assert (upper[:, 0] == 1.05 * 5000).all()
        assert (upper[:, 1] == 1000).all()
        assert np.array_equal(lower, -upper)
        theta = np.linspace(1.0, 2.0, layout.size)
        moved = coordinates(layout)
        point = moved.point(theta)
        assert np.allclose(moved.theta(point), theta)
        assert np.allclose(layout.unpack(point)[name] * [0.2, 0.1], layout.unpack(theta)[name])
        assert np.allclose(moved.gradient(point, np.ones(layout.size)), layout.step())
        assert np.allclose(moved.bounds(point, lower=-theta, upper=theta)[1], theta / layout.step())


def test_bounds_of_the_user_stay():
    kernel = GaussianMixture(bounds={"centre": (0, 1)})
    before = layout_of(kernel)
    after = paced(before, kernel, waves())
    assert np.array_equal(before.bounds()[1], after.bounds()[1])


def test_periods_hold_the_first_centres():
    units = Units(np.array([2.0, 1.0]), np.ones(1))
    layout = with_periods(layout_of(GaussianMixture()), [[3.0, np.inf]], units)
    assert layout.size == layout_of(GaussianMixture()).size - 2
    assert layout.unpack(np.zeros(layout.size))["centre"][0] == pytest.approx([2 * np.pi / 3 * 2, 0])

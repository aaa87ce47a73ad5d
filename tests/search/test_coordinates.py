"""Coordinates of the search lead back to theta, and change the path but not the optimum."""

import numpy as np
import pytest

from alakarte.search.coordinates import Coordinates
from alakarte.search.optimise import Limits, Task, minimise

pytestmark = pytest.mark.usefixtures("one_blas_thread")


def test_coordinates_lead_back_and_their_gradient_is_that_of_the_chain():
    slow = np.array([np.inf, 0.01, np.inf, np.inf, np.inf, np.inf, np.inf])
    made = Coordinates(slow, (np.arange(2, 6).reshape(2, 2),))
    theta = np.array([3.0, -2.0, 0.5, 0.0, -1.5, 0.0, 7.0])  # the second input has no frequency yet
    point = made.point(theta)
    assert point.size == 9
    assert point[1] == pytest.approx(np.arcsinh(-200.0))
    assert np.mean(point[[2, 4]] ** 2) == pytest.approx(1.0)
    assert np.allclose(made.theta(point), theta, rtol=1e-14)
    weight, step = np.arange(1.0, 8.0), 1e-6
    shifts = step * np.eye(9)
    numeric = [weight @ (made.theta(point + shift) - made.theta(point - shift)) / (2 * step) for shift in shifts]
    assert np.allclose(made.gradient(point, weight), numeric, rtol=1e-7, atol=1e-9)


def test_coordinates_change_the_path_and_not_the_optimum():
    def bowl(theta):
        return float(((theta - [1.0, -0.5]) ** 2).sum()), 2 * (theta - [1.0, -0.5])

    def found_in(coordinates, bounds, max_iter):
        return minimise(Task(bowl, bounds, coordinates), start, Limits(max_iter, 1e-12))

    bounds, start = (np.full(2, -2.0), np.array([2.0, -0.25])), np.array([0.1, -0.25])
    plain, slow = Coordinates(np.full(2, np.inf)), Coordinates(np.array([np.inf, 0.01]))
    shared = Coordinates(np.full(2, np.inf), (np.arange(2).reshape(1, 2),))
    for moved in (plain, slow, shared):
        found = found_in(moved, bounds, 100)
        assert np.allclose(found.theta, [1.0, -0.5], atol=1e-4)
        assert found.nlml == pytest.approx(bowl(found.theta)[0])
    early = [found_in(moved, bounds, 1).theta[1] for moved in (plain, slow)]
    assert abs(early[1] + 0.25) < abs(early[0] + 0.25)
    narrow = np.full(2, -0.3), np.full(2, 0.3)
    best = found_in(shared, narrow, 100)
    assert np.allclose(best.theta, [0.3, -0.3])
    assert best.nlml == pytest.approx(bowl(best.theta)[0])

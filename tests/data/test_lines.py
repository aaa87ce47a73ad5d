"""Planted lines are found, and nothing in noise, whatever the places, targets and weights."""

import numpy as np
import pytest

from alakarte.data.lines import find_lines
from alakarte.data.rows import Block
from alakarte.data.sampling import sampling

pytestmark = pytest.mark.usefixtures("one_blas_thread")
RNG = np.random.default_rng


def lines_of(x, y, weight=None, most=32):
    x = x.reshape(len(x), -1)
    x = (x - x.mean(axis=0)) / x.std(axis=0)
    y = y.reshape(len(y), -1)
    y = (y - y.mean(axis=0)) / y.std(axis=0)
    space = sampling(x, np.ones(x.shape[1], dtype=bool))
    weight = np.ones(len(x)) if weight is None else weight
    return find_lines(Block(x, y, weight), space, most, RNG(0)), x, space


def cycles(lines, space):
    return np.abs(lines.frequency) / space.resolution


def test_a_sine_of_any_number_of_cycles_is_found_to_a_part_of_its_line():
    rng = RNG(0)
    for n_cycles in (3, 20, 150):
        for t in (np.linspace(0, 1, 400), np.sort(rng.uniform(0, 1, 400))):
            lines, _, space = lines_of(t, np.sin(2 * np.pi * n_cycles * t + 1) + 0.3 * rng.standard_normal(400))
            assert len(lines.variance) == 1
            assert cycles(lines, space) == pytest.approx(n_cycles * np.ptp(t), abs=0.1)
            assert lines.variance[0] == pytest.approx(0.5 / 0.59, rel=0.15)
            assert lines.rest == pytest.approx(0.09 / 0.59, rel=0.2)


def test_white_noise_and_a_straight_line_have_none():
    for seed in range(10):
        rng = RNG(seed)
        t = np.sort(rng.uniform(0, 1, 200))
        assert lines_of(t, rng.standard_normal(200))[0] is None
        assert lines_of(t, 5 * t + rng.standard_normal(200))[0] is None
        assert lines_of(rng.standard_normal((200, 2)), rng.standard_normal((200, 2)))[0] is None
    assert lines_of(rng.standard_normal((300, 6)), rng.standard_normal(300))[0] is None


def test_several_lines_come_strongest_first_beside_gaps_and_a_trend():
    rng = RNG(3)
    t = np.arange(500.0)[np.r_[0:180, 240:500]]
    y = 0.01 * t + np.sin(2 * np.pi * t / 12) + 0.5 * np.cos(2 * np.pi * t / 6) + 0.3 * rng.standard_normal(len(t))
    lines, _, space = lines_of(t, y)
    assert np.allclose(499 / cycles(lines, space)[:, 0], [12, 6], rtol=2e-3)
    assert lines.trend > 0.3


def test_a_weak_multiple_of_a_clear_wave_is_found_and_alone_it_is_not():
    t = np.arange(120.0)
    noise = RNG(1).standard_normal(120)
    weak = 0.58 * np.cos(2 * np.pi * t / 4 + 1)
    lines, _, space = lines_of(t, 3 * np.sin(2 * np.pi * t / 12) + weak + noise)
    assert np.allclose(119 / cycles(lines, space)[:, 0], [12, 4], rtol=0.02)
    assert lines_of(t, weak + noise)[0] is None
    lines, _, space = lines_of(t, 3 * np.sin(2 * np.pi * t / 12) + noise)
    assert len(lines.variance) == 1


def test_oblique_waves_of_images_and_waves_in_space():
    rng = RNG(4)
    places = np.stack(np.meshgrid(np.arange(24.0), np.arange(24.0)), -1).reshape(-1, 2)
    for x, w in ((places, [0.9, -1.7]), (rng.uniform(0, 20, (600, 3)), [0.8, 0.3, -0.9])):
        lines, _, _ = lines_of(x, np.sin(x @ w) + 0.5 * rng.standard_normal(len(x)))
        assert len(lines.variance) == 1
        found = lines.frequency[0] * np.sign(lines.frequency[0, 0] * w[0]) / x.std(axis=0)
        assert np.allclose(found, w, atol=0.02)


def test_many_inputs_are_searched_by_ascent_and_bends_are_no_waves():
    rng = RNG(5)
    x = rng.uniform(-1, 1, (600, 5))
    w = np.array([7.0, 3.0, -6.0, 2.0, 0.0])
    lines, _, _ = lines_of(x, np.sin(x @ w) + rng.standard_normal(600))
    assert len(lines.variance) == 1
    assert np.allclose(np.abs(lines.frequency[0] / x.std(axis=0)), np.abs(w), atol=0.5)
    bends = np.exp(x[:, 0]) + x[:, 1] * x[:, 2] + (x[:, 3] > 0) + 0.1 * rng.standard_normal(600)
    assert lines_of(x, bends)[0] is None


def test_targets_add_their_power_and_weights_count_as_rows():
    rng = RNG(6)
    t = np.sort(rng.uniform(0, 1, 150))
    wave = np.sin(2 * np.pi * 30 * t)
    both = 0.5 * wave[:, None] + rng.standard_normal((150, 4))
    assert lines_of(t, both[:, 0])[0] is None
    lines, _, space = lines_of(t, both)
    assert cycles(lines, space)[0] == pytest.approx(30 * np.ptp(t), abs=0.2)
    weight = rng.integers(1, 4, 150).astype(float)
    y = wave + rng.standard_normal(150)
    space, x, y = sampling(t[:, None], np.array([True])), t[:, None], y[:, None]
    weighted = find_lines(Block(x, y, weight), space, 4, RNG(0))
    places = np.repeat(np.arange(150), weight.astype(int))
    space_of_rows = sampling(t[:, None], np.array([True]))
    repeated = find_lines(Block(x[places], y[places], np.ones(len(places))), space_of_rows, 4, RNG(0))
    assert np.allclose(weighted.frequency, repeated.frequency, rtol=1e-6)
    assert np.allclose(weighted.variance, repeated.variance, rtol=1e-6)

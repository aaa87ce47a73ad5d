"""`random_state` may be anything that scikit-learn takes; streams are independent of each other."""

import numpy as np
import pytest

from alakarte.execution.randomness import Streams, generator, streams
from problems import small

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short


def test_random_state_may_be_anything_that_scikit_learn_takes(data):
    by_seed = small("ard", random_state=3).fit(*data).theta_
    assert np.array_equal(by_seed, small("ard", random_state=np.random.RandomState(3)).fit(*data).theta_)
    by_generator = [small("ard", random_state=np.random.default_rng(3)).fit(*data).theta_ for _ in range(2)]
    assert np.array_equal(*by_generator)
    assert np.isfinite(small("ard", random_state=None).fit(*data).theta_).all()


def numbers(rng):
    return rng.standard_normal(4).tolist()


def test_a_stream_is_known_by_its_name_and_by_nothing_else():
    made = Streams(3)
    first = numbers(made("learn", "gm", 2))
    made("rows").standard_normal(1000)  # another step draws
    assert numbers(made("learn", "gm", 2)) == first
    assert numbers(made.within("learn")("gm", 2)) == numbers(made.within("learn", "gm")(2)) == first
    others = [made("learn", "gm"), made("learn", "gm", 3), made("gm", "learn", 2), made(), Streams(4)("learn", "gm", 2)]
    assert len({tuple(numbers(rng)) for rng in others} | {tuple(first)}) == 6


def test_streams_of_a_generator_differ_from_call_to_call():
    rng = np.random.default_rng(0)
    assert streams(rng) != streams(rng)
    assert streams(5) == streams(np.random.RandomState(5)) == streams(5)
    assert generator(rng) is rng
    assert numbers(generator(5)) == numbers(streams(5)())

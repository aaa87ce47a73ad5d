"""A search for the tests of its steps, without an estimator around it, and a function that now and then fails."""

from dataclasses import replace

import numpy as np

from alakarte.errors import IllConditioned
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.search.context import Search, in_random_order
from problems import plan_of

FAILURES = [np.nan, np.inf, "gradient", IllConditioned, np.linalg.LinAlgError, FloatingPointError]


class Told(Progress):
    """Progress that remembers what it was told."""

    def __init__(self):
        super().__init__(0, lambda nlml, total: -nlml)
        self.said = []

    def say(self, text):
        self.said.append(text)


def search_for(kernel, rows, scaling, max_time=None, **settings) -> Search:
    """The search of a kernel given by name, or of several for "auto", on some rows."""
    settings = plan_of("ard" if kernel == "auto" else kernel, rows, **settings).settings
    settings = replace(settings, kernel=None) if kernel == "auto" else settings
    return Search(settings, in_random_order(settings, rows, Streams(0)), scaling, Streams(0), Told(), Budget(max_time))


class Failing:
    """A function that now and then fails; remembers its good values."""

    def __init__(self, function, seed, share=0.25, first=True):
        self.function, self.rng, self.share, self.first = function, np.random.default_rng(seed), share, first
        self.seen, self.n_failed, self.n_calls = [], 0, 0

    def __call__(self, *arguments):
        self.n_calls += 1
        value, gradient = self.function(*arguments)
        if self.rng.uniform() < self.share and (self.first or self.n_calls > 1):
            self.n_failed += 1
            failure = FAILURES[self.rng.integers(len(FAILURES))]
            if isinstance(failure, type):
                raise failure("injected")
            if failure == "gradient":
                return value, np.where(np.arange(gradient.size) == 0, np.nan, gradient)
            return failure, gradient
        self.seen.append((value, arguments[-1].copy()))
        return value, gradient

"""A search for the tests of its steps, without an estimator around it."""

from dataclasses import replace

from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.search.context import Search, in_random_order
from problems import plan_of


class Told(Progress):
    """Progress that remembers what it was told."""

    def __init__(self):
        super().__init__(0, lambda nlml: -nlml)
        self.said = []

    def say(self, text):
        self.said.append(text)


def search_for(kernel, rows, scaling, max_time=None, **settings) -> Search:
    """The search of a kernel given by name, or of several for "auto", on some rows."""
    settings = plan_of("ard" if kernel == "auto" else kernel, rows, **settings).settings
    settings = replace(settings, kernel=None) if kernel == "auto" else settings
    return Search(settings, in_random_order(settings, rows, Streams(0)), scaling, Streams(0), Told(), Budget(max_time))

"""`python -m bench.studies.load [SECONDS]`: many threads that ask one model at once, while another model is fitted.

In: how long. Out: a line for each way to ask: answers, answers per second, the slowest, and how many had other bits
than the same question asked alone.
"""

import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from alakarte import GPClassifier, GPRegressor

THREADS, ROWS, QUESTIONS = 16, 1500, 64


@dataclass
class Load:
    """What a number of threads have been told."""

    seconds: list[float] = field(default_factory=list)
    wrong: int = 0
    took: float = 0.0

    @property
    def answers(self) -> int:
        """How many."""
        return len(self.seconds)


def bits(answer: object) -> bytes:
    """The bits of numbers, or of several of them."""
    parts = answer if isinstance(answer, tuple) else (answer,)
    return b"".join(np.asarray(part).tobytes() for part in parts)


def loaded(ask: Callable[[np.ndarray], object], questions: list[np.ndarray], seconds: float) -> Load:
    """All threads ask all questions again and again."""
    expected, load = [bits(ask(question)) for question in questions], Load()
    began = time.perf_counter()

    def go_on(first: int) -> None:
        taken, wrong, k = [], 0, first
        while time.perf_counter() - began < seconds:
            asked = time.perf_counter()
            answer = ask(questions[k % len(questions)])
            taken.append(time.perf_counter() - asked)
            wrong += bits(answer) != expected[k % len(questions)]
            k += 1
        load.seconds += taken
        load.wrong += wrong

    threads = [threading.Thread(target=go_on, args=(first,)) for first in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    load.took = time.perf_counter() - began
    return load


def loads(seconds: float) -> Iterator[tuple[str, Load]]:
    """Each way to ask, with what came of it; one more thread fits models all the while."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((ROWS, 5))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.standard_normal(ROWS)
    model = GPRegressor("ard", n_frequencies=256, max_iter=10, random_state=0, n_jobs=1).fit(X, y)
    classes = GPClassifier("ard", n_frequencies=64, max_iter=10, random_state=0, n_jobs=1).fit(X, y > 0)
    rows = [X[k] for k in range(QUESTIONS)]
    tables = [X[k : k + 100] for k in range(QUESTIONS)]
    ways = {
        "a row by `predictor()`": (model.predictor(), rows),
        "100 rows by `predict`, with standard deviations": (
            lambda table: model.predict(table, return_std=True),
            tables,
        ),
        "100 rows by `predict_proba`": (classes.predict_proba, tables),
    }
    over = threading.Event()

    def fit_meanwhile() -> None:
        while not over.is_set():
            GPRegressor("ard", n_frequencies=64, max_iter=10, random_state=0, n_jobs=1).fit(X, y)

    fits = threading.Thread(target=fit_meanwhile)
    fits.start()
    try:
        for name, (ask, questions) in ways.items():
            yield name, loaded(ask, questions, seconds)
    finally:
        over.set()
        fits.join()


def line(name: str, load: Load) -> str:
    """A row of the table: what was asked, and what came of it."""
    slowest, rate = 1e3 * max(load.seconds), load.answers / load.took
    return f"| {name} | {load.answers:,} | {rate:,.0f} | {slowest:.0f} ms | {load.wrong} |"


def main(seconds: float) -> int:
    """Print all; the number of wrong answers."""
    wrong = 0
    for name, load in loads(seconds):
        print(line(name, load), flush=True)
        wrong += load.wrong
    return wrong


if __name__ == "__main__":
    sys.exit(min(main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0), 1))

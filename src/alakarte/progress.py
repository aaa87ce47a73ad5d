"""Progress of a fit, as plain lines: restarts, iterations with the evidence, the reason for stopping.

In: numbers from the optimiser. Out: lines on standard output when `verbose` asks for them. Computes nothing.
"""

import time


class Progress:
    """Prints; at verbose=1 at most a line a second while iterating, at verbose=2 every iteration."""

    def __init__(self, verbose: int, to_user):
        self.verbose = verbose
        self.to_user = to_user  # nlml -> log marginal likelihood in nats of the user's y
        self.began = self.spoke = time.perf_counter()

    def say(self, text):
        """One line."""
        if self.verbose:
            print(f"[alakarte] {time.perf_counter() - self.began:6.1f} s  {text}", flush=True)

    def restart(self, n_starts):
        """A line for each finished restart."""
        if not self.verbose:
            return None
        return lambda index, run: self.say(
            f"restart {index}/{n_starts}: log evidence {self.to_user(run.value):.2f} after {run.n_iter} iterations"
        )

    def stage(self, name, n_rows, n_basis, max_iter):
        """What is next."""
        how = "exact" if n_basis is None else f"{n_basis} columns"
        self.say(f"{name}: learning on {n_rows} rows, {how}, at most {max_iter} iterations")

    def iteration(self, max_iter):
        """A line a second."""
        if not self.verbose:
            return None

        def report(n_iter, value):
            now = time.perf_counter()
            if self.verbose > 1 or now - self.spoke >= 1:
                self.spoke = now
                self.say(f"iteration {n_iter}/{max_iter}: log evidence {self.to_user(value):.2f}")

        return report

    def done(self, run):
        """The last line."""
        if self.verbose:
            self.say(f"log evidence {self.to_user(run.value):.2f} after {run.n_iter} iterations: {run.reason}")

"""What the candidates of one fit share, and what is known of each: learned, then compared on the same rows.

In: settings, rows, a budget. Out: `Kitchen`, which learns and tastes; `Tasted`, `Fit`.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from alakarte.budget import Budget
from alakarte.data.blocks import Rows
from alakarte.data.standardise import Scaling
from alakarte.data.tails import FAR_OUT
from alakarte.learn import Learned, Settings, learn, prune
from alakarte.objective import model_at, nlml
from alakarte.progress import Progress
from alakarte.refit import Refit, enlarge, grows, refit
from alakarte.release import n_free, release_flops
from alakarte.sizes import choose_sizes, taste_columns

TASTE_ROWS = 100_000


@dataclass(frozen=True)
class Tasted:
    """A kernel that was learned, and its posterior at the columns where kernels are compared."""

    settings: Settings
    learned: Learned
    at: Refit | None
    level: int = -1  # of `refine`
    drawn_in: bool = False  # the tails of its inputs

    @cached_property
    def score(self) -> float:
        """Log evidence − ½ k log N in standardised units."""
        k, N = self.learned.problem.layout.size, self.at.model.problem.rows.total
        return -self.at.value - 0.5 * k * np.log(N)

    @property
    def label(self) -> str:
        """Kernel and components."""
        Q = self.settings.n_components
        return self.settings.kernel.name + (f" with Q = {Q}" if self.settings.kernel.has_components else "")


@dataclass(frozen=True)
class Fit:
    """All that a regressor keeps; `value` is the nlml on all rows."""

    settings: Settings
    learned: Learned
    final: Refit
    value: float
    ranking: list[Tasted]
    scaling: Scaling


@dataclass(frozen=True)
class Kitchen:
    """What all candidates of one fit share."""

    settings: Settings  # of the user; kernel None: the menu
    rows: Rows
    some: Rows  # on which kernels are compared
    scaling: Scaling
    progress: Progress
    budget: Budget

    def with_tails_drawn_in(self) -> "Kitchen | None":
        """The same for inputs whose tails are drawn in; None where no input lies far out."""
        tails = self.some.tails()
        if self.some.reach(tails) <= FAR_OUT:
            return None
        rows = self.rows.drawn_in(tails)
        some = rows if self.some is self.rows else self.some.drawn_in(tails)
        return replace(self, rows=rows, some=some, scaling=replace(self.scaling, tails=tails))

    def sized(self, kernel, n_components=None) -> Settings:
        """Settings of one kernel with its numbers of components and frequencies."""
        user, n_components = self.settings, n_components or self.settings.n_components
        table = self.rows.n_rows, self.rows.x.shape[1]
        n_components, n_frequencies = choose_sizes(kernel, n_components, user.n_frequencies, *table)
        growing = grows(kernel) and user.expansion != "exact"
        if not growing or (user.n_posterior_frequencies == "auto" and user.n_frequencies is not None):
            user = replace(user, n_posterior_frequencies=None)  # what was asked for
        return replace(user, kernel=kernel, n_components=n_components, n_frequencies=n_frequencies)

    def may_release(self, best: Tasted, final: Refit) -> bool:
        """Whether there is time to try free frequencies, and rows for them; the sums must be those of all rows."""
        if best.settings.n_posterior_frequencies != "auto" or final.sums is None or self.rows.n_rows > TASTE_ROWS:
            return False
        table = self.rows.n_rows, self.rows.x.shape[1]
        patient = self.budget.max_time is not None and not self.budget.stop() and self.settings.noise_std is None
        return patient and n_free(*table) > 0 and self.budget.seconds(release_flops(*table)) < 0.9 * self.budget.left()

    def learn(self, own: Settings, rng, warm=None) -> Learned:
        """The first stages."""
        return learn(own, self.some, self.scaling, rng, self.progress, warm, self.budget)

    def tasted(self, own: Settings, learned: Learned, rng, columns: int = 0) -> Tasted:
        """Its posterior at `columns`, or the common number of them, on the common rows."""
        if own.n_posterior_frequencies == "auto" and self.settings.n_components is None:
            own, learned = prune(own, learned, rng)
        problem, theta = replace(learned.problem, rows=self.some), learned.run.theta
        if own.expansion == "exact":
            at = Refit(model_at(problem, theta), theta, nlml(problem, theta), None)
            return Tasted(own, learned, at, drawn_in=self.scaling.tails is not None)
        if grows(own.kernel):
            problem = enlarge(problem, columns or taste_columns(self.some.n_rows), rng)
        one = Tasted(own, learned, refit(problem, theta, self.budget), drawn_in=self.scaling.tails is not None)
        self.progress.say(
            f"{one.label}: score {one.score:.1f} with {one.at.n_basis} columns on {self.some.n_rows} rows"
        )
        return one

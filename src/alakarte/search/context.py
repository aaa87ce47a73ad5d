"""What the candidates of one fit share, and what is known of each: learned from the same rows, compared on all rows.

In: settings, rows, a budget. Out: `Kitchen`, which learns and tastes; `Tasted`, `Fit`. Posteriors that are compared are
built in one pass: every block is read and standardised once for all of them.
"""

from dataclasses import dataclass, replace

from alakarte.data.arrays import Rows
from alakarte.data.compress import FAR_OUT
from alakarte.data.standardise import Scaling
from alakarte.execution.budget import Budget
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.posteriors.average import Member
from alakarte.search.free_frequencies import n_free, release_flops
from alakarte.search.grow import Refit, enlarge, exact_fit, flops, grows, most_columns, refit_each
from alakarte.search.learn import Learned, Settings, begin, exactly, go_on, learn, prune
from alakarte.search.sizes import choose_sizes, taste_columns
from alakarte.search.stages import Shuffled

TAIL_ROWS = 100_000  # on which the tails of inputs are looked for


@dataclass(frozen=True)
class Tasted:
    """A kernel that was learned, and its posterior at the columns where kernels are compared."""

    settings: Settings
    learned: Learned
    at: Refit | None
    level: int = -1  # of `refine`
    drawn_in: bool = False  # the tails of its inputs

    @property
    def log_evidence(self) -> float:
        """In standardised units."""
        return -self.at.value

    @property
    def score(self) -> float:
        """What kernels are ranked by: a maximum exceeds the true θ's evidence by half a nat a number, on average."""
        return self.log_evidence - 0.5 * self.learned.problem.layout.size

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
    members: tuple[Member, ...]  # to be averaged, the best first; none: it goes alone


@dataclass(frozen=True)
class Kitchen:
    """What all candidates of one fit share."""

    settings: Settings  # of the user; kernel None: the menu
    shuffled: Shuffled
    scaling: Scaling
    streams: Streams
    progress: Progress
    budget: Budget

    @property
    def rows(self) -> Rows:
        """All rows."""
        return self.shuffled.rows

    def with_tails_drawn_in(self) -> "Kitchen | None":
        """The same for inputs whose tails are drawn in; None where no input lies far out."""
        some = self.shuffled.first(TAIL_ROWS)
        tails = some.tails()
        if some.reach(tails) <= FAR_OUT:
            return None
        scaling, streams = replace(self.scaling, tails=tails), self.streams.within("compressed")
        return replace(self, shuffled=self.shuffled.drawn_in(tails), scaling=scaling, streams=streams)

    def sized(self, kernel, n_components=None) -> Settings:
        """Settings of one kernel with its numbers of components and frequencies."""
        user, n_components = self.settings, n_components or self.settings.n_components
        table = self.rows.n_rows, self.rows.x.shape[1]
        n_components, n_frequencies = choose_sizes(kernel, n_components, user.n_frequencies, *table)
        may_grow = grows(kernel) and user.expansion != "exact"
        if not may_grow or (user.growing and user.n_frequencies is not None):
            user = replace(user, n_posterior_frequencies=None)  # what was asked for
        return replace(user, kernel=kernel, n_components=n_components, n_frequencies=n_frequencies)

    def exact(self, own: Settings) -> bool:
        """Whether a posterior on all rows needs no expansion."""
        return own.expansion in ("auto", "exact") and exactly(own, self.rows.n_rows, self.rows.x.shape[1])

    def may_release(self, best: Tasted, final: Refit) -> bool:
        """Whether there is time to try free frequencies, and rows for them; the sums must be those of all rows."""
        if not best.settings.growing or final.sums is None:
            return False
        table = self.rows.n_rows, self.rows.x.shape[1]
        patient = self.budget.max_time is not None and not self.budget.stop() and self.settings.noise_std is None
        return patient and n_free(*table) > 0 and self.budget.seconds(release_flops(*table)) < 0.9 * self.budget.left()

    def learn(self, own: Settings, warm=None) -> Learned:
        """The first stages."""
        return learn(own, self.shuffled, self.scaling, self.streams, self.progress, warm, self.budget)

    def begin(self, own: Settings) -> Learned:
        """The first of them."""
        return begin(own, self.shuffled, self.scaling, self.streams, self.progress, None, self.budget)

    def go_on(self, own: Settings, begun: Learned) -> Learned:
        """And the long run."""
        return go_on(own, begun, self.shuffled, self.progress, self.budget)

    def stream(self, purpose: str, own: Settings, columns: int):
        """Random numbers for fresh frequencies of a kernel."""
        return self.streams(purpose, own.kernel.name, own.n_components, columns)

    def comparing_flops(self, n_candidates: int) -> float:
        """Of tasting so many."""
        return n_candidates * flops(self.rows.n_rows, taste_columns(self.rows.n_rows))

    def affordable(self, columns: int) -> int:
        """So many columns, or as many as a posterior on all rows may have."""
        n_rows = self.rows.n_rows
        return min(columns, max(most_columns(n_rows, self.budget.max_time is not None), taste_columns(n_rows)))

    def tasted(self, found: list[tuple[Settings, Learned]], columns: int = 0) -> list[Tasted]:
        """Their posteriors on all rows, at `columns` or the common number of them, in one pass over the rows.

        With fresh frequencies: a kernel that has fitted those it was learned with, and not the rows, loses by it.
        Closed forms have no columns, and nothing to tune again where they have seen all rows.
        """
        own, learned, problems = [], [], []
        for settings, one in found:
            if settings.growing and self.settings.n_components is None:
                settings, one = prune(settings, one)
            problem = replace(one.problem, rows=self.rows)
            if grows(settings.kernel) and not (problem.form == "exact" and self.exact(settings)):
                size = columns or taste_columns(self.rows.n_rows)
                problem = enlarge(problem, size, self.stream("compare", settings, size))
            own.append(settings)
            learned.append(one)
            problems.append(problem)
        at = self._each(problems, learned)
        made = [Tasted(*parts, drawn_in=self.scaling.tails is not None) for parts in zip(own, learned, at, strict=True)]
        for one in made:
            evidence = self.progress.to_user(one.at.value)
            columns = "exact" if one.at.model.features is None else f"with {one.at.n_basis} columns"
            self.progress.say(f"{one.label}: log evidence {evidence:.1f} {columns} on all rows")
        return made

    def _each(self, problems, learned: list[Learned]) -> list[Refit]:
        """A posterior each, in one pass where they need one."""
        seen = [
            one.problem.form == problem.form == "exact" and one.problem.rows is self.rows
            for problem, one in zip(problems, learned, strict=True)
        ]
        tuned = [i for i, all_rows in enumerate(seen) if not all_rows]
        at = {}
        if tuned:
            found = refit_each([problems[i] for i in tuned], [learned[i].run.theta for i in tuned], self.budget)
            at = dict(zip(tuned, found, strict=True))
        return [at[i] if i in at else exact_fit(problems[i], learned[i].run.theta) for i in range(len(problems))]

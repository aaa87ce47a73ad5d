"""What all steps of one fit share.

In: settings, rows, scaling, random streams, progress, budget. Out: `Search`, which is handed from step to step.
"""

from dataclasses import dataclass, field, replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.compress import find_tails
from alakarte.data.rows import Rows
from alakarte.data.standardise import Scaling
from alakarte.data.subsets import Subsets, shuffle
from alakarte.errors import InvalidInput
from alakarte.execution.budget import Budget
from alakarte.execution.checkpoint import Checkpoint
from alakarte.execution.progress import Progress
from alakarte.execution.randomness import Streams
from alakarte.kernels.base import Kernel
from alakarte.records import Waves
from alakarte.search.cost import compare_columns, comparing_flops, latent_flops, most_columns, posterior_flops
from alakarte.search.plan import Plan
from alakarte.search.settings import Settings
from alakarte.search.sizes import choose_sizes, sizes_for_waves


@dataclass(frozen=True)
class Search:
    """Settings of the user, rows in a random order, and what watches over the fit."""

    settings: Settings
    subsets: Subsets
    scaling: Scaling
    streams: Streams
    progress: Progress
    budget: Budget
    checkpoint: Checkpoint = field(default_factory=Checkpoint)
    waves: Waves | None = None  # that the rows show

    @property
    def rows(self) -> Rows:
        """All rows."""
        return self.subsets.rows

    @property
    def compressed(self) -> bool:
        """Whether the tails of inputs are compressed."""
        return self.scaling.tails is not None

    def plan(self, kernel: Kernel, n_components: int | None = None) -> Plan:
        """A kernel with its numbers of components and frequencies."""
        settings, table = self.settings, (self.rows.n_rows, self.rows.n_inputs)
        if len(kernel.terms) > 1:
            return Plan(settings, kernel, 0, 0, *table).with_parts([self.plan(term) for term in kernel.terms])
        wanted = n_components or settings.n_components
        if wanted is not None and kernel.has_components and wanted > max(table[0], policy.MOST_COMPONENTS):
            raise InvalidInput(
                f"n_components={wanted}: {table[0]} rows cannot tell so many components apart; give at most "
                f"{max(table[0], policy.MOST_COMPONENTS)}, or None to let the rows decide."
            )
        waves = self.waves if kernel.follows_waves else None
        sizes = choose_sizes(kernel, wanted, settings.n_frequencies, table[0], self.scaling.n_variables)
        sizes = sizes_for_waves(kernel, waves, (wanted, settings.n_frequencies), sizes)
        return Plan(settings, kernel, *sizes, *table, self.time_for_closed_form, waves=waves)

    @property
    def time_for_closed_form(self) -> bool:
        """Whether the closed form of all rows is in time; where targets stand for others, with the sites of rows."""
        n_rows = self.rows.n_rows
        if self.settings.stands_in:
            return self.seconds_of_sites(n_rows) <= self.seconds_for_sites
        return self._in_time(comparing_flops(n_rows, 0, closed=True))

    @property
    def seconds_for_sites(self) -> float:
        """That the sites of all rows may take, under a likelihood that is not normal."""
        max_time = self.budget.max_time
        return np.inf if max_time is None else policy.TIME_FOR_SITES * max_time + policy.GRACE

    @property
    def time_kept_for_sites(self) -> float:
        """Seconds set aside for the sites of all rows, while kernels are learned; 0 without `max_time`."""
        if self.budget.max_time is None:
            return 0.0
        return min(self.seconds_of_sites(self.rows.n_rows), policy.TIME_FOR_SITES * self.budget.max_time)

    def seconds_of_sites(self, n_basis: int) -> float:
        """That the sites of all rows take with so many columns; in closed form as many as there are rows."""
        return self.budget.first_seconds(latent_flops(self.rows.n_rows, n_basis))

    def columns_for_sites(self, columns: int) -> int:
        """So many columns, halved for as long as the sites of all rows take too long."""
        while columns > policy.LEAST_COLUMNS and self.seconds_of_sites(columns) > self.seconds_for_sites:
            columns //= 2
        return columns

    def stream(self, purpose: str, plan: Plan, columns: int) -> np.random.Generator:
        """Random numbers for fresh frequencies of a kernel."""
        return self.streams(purpose, plan.kernel.name, plan.n_components, columns)

    def affordable(self, columns: int) -> int:
        """So many columns, or as many as a posterior on all rows may have."""
        return min(columns, max(self.most_columns, self.compare_columns))

    @property
    def most_columns(self) -> int:
        """Columns that a posterior on all rows may have: fewer where neighbours are tried beside them."""
        settings, patient = self.settings, self.budget.patient
        most = most_columns(self.rows.n_rows, patient=patient)
        beside = settings.kernel is None and settings.expansion == "auto" and settings.n_neighbors > 0 and not patient
        return min(most, policy.COLUMNS_BESIDE) if beside else most

    @property
    def compare_columns(self) -> int:
        """Columns at which kernels are compared and growth begins: fewer where `max_time` is short."""
        n_rows = self.rows.n_rows
        columns = compare_columns(n_rows)
        while columns > policy.LEAST_COLUMNS and not self._in_time(posterior_flops(n_rows, columns)):
            columns //= 2
        return columns

    def _in_time(self, flops: float) -> bool:
        """Whether a kernel can be compared by so many flops in its part of `max_time`."""
        max_time = self.budget.max_time
        if max_time is None:
            return True
        return self.budget.first_seconds(flops) <= policy.TIME_TO_COMPARE * max_time + policy.GRACE

    def with_compressed_tails(self) -> "Search | None":
        """The same for inputs whose tails are compressed; None where no input lies far out."""
        rows = self.subsets.first(policy.TAIL_ROWS).whole()
        tails = find_tails(rows.x, rows.weight)
        if tails.reach(rows.x) <= policy.FAR_OUT:
            return None
        return replace(
            self,
            subsets=self.subsets.compressed(tails),
            scaling=replace(self.scaling, tails=tails),
            streams=self.streams.within("compressed"),
        )


def in_random_order(settings: Settings, rows: Rows, streams: Streams) -> Subsets:
    """Rows as the stages take them; few rows as they are where every stage takes them all."""
    if settings.n_learning_rows is None and rows.n_rows <= policy.SMALL_ROWS:
        return Subsets(rows, np.arange(rows.n_rows, dtype=np.int64))
    least = settings.n_learning_rows if isinstance(settings.n_learning_rows, int) else 0
    return shuffle(rows, streams("rows"), least)

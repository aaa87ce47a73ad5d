"""One kernel on this table: its sizes, whether it does without an expansion, and the rows and iterations of each stage.

In: settings, a kernel, the size of the table. Out: `Plan`, from which all steps of the search read. Reads no clock.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import alakarte.search.policy as policy
from alakarte.kernels.base import Kernel
from alakarte.process.computation import without_expansion
from alakarte.records import Shape, Waves
from alakarte.search.cost import closed_flops, evaluation_flops
from alakarte.search.settings import Settings


@dataclass(frozen=True)
class Stage:
    """Rows, iterations at most, the nats that a window of iterations must gain, and the nats that a flop must."""

    n_rows: int
    max_iter: int
    tol: float
    price: float = 0.0


def _with_components(n_components: int) -> str:
    return f" with {n_components} component{'s' if n_components > 1 else ''}"


@dataclass(frozen=True)
class Plan:
    """A kernel with its numbers of components and frequencies, on a table of so many rows and inputs."""

    settings: Settings
    kernel: Kernel
    n_components: int
    n_frequencies: int  # of each component, to learn with
    n_rows: int
    n_inputs: int
    time_for_closed_form: bool = True  # on all rows
    parts: tuple["Plan", ...] = ()  # of a sum
    waves: Waves | None = None  # that it may begin from

    def with_parts(self, parts: Sequence["Plan"]) -> "Plan":
        """The plan of the sum of these; sizes are those of all together."""
        n_components = sum(part.shape.n_components for part in parts)
        n_frequencies = sum(part.shape.n_frequencies for part in parts) // n_components
        return replace(self, n_components=n_components, n_frequencies=n_frequencies, parts=tuple(parts))

    @property
    def label(self) -> str:
        """Kernel and components."""
        return self.kernel.name + (_with_components(self.n_components) if self.kernel.has_components else "")

    @property
    def shape(self) -> Shape:
        """Of the expansion that is learned with."""
        if self.parts:
            centred = [part.kernel.columns_per_frequency > 2 for part in self.parts]
            return Shape.joined([part.shape for part in self.parts], centred)
        Q, m = self.n_components, self.n_frequencies
        return Shape(self.n_inputs, (m,) * Q if self.kernel.has_components else (Q * m,))

    @property
    def n_columns(self) -> int:
        """Of that expansion."""
        return self.shape.n_columns(self.kernel.columns_per_frequency)

    # --- the computation

    @property
    def precision(self) -> str:
        """Of the steps that learn: mixed where they have other rows and frequencies than the posterior will have."""
        if self.settings.precision != "auto":
            return self.settings.precision
        some_rows = self.settings.progressive and self.n_rows > policy.SMALL_ROWS
        return "mixed" if some_rows and self.growing else "double"

    @property
    def posterior_frequencies(self) -> int | str | None:
        """Frequencies of the posterior: a number, "auto" (as many as pay), or None: those that were learned with."""
        wanted = self.settings.n_posterior_frequencies
        given = wanted == "auto" and self.settings.n_frequencies is not None
        if self.kernel.learns_frequencies or self.settings.expansion == "exact" or given:
            return None
        return wanted

    @property
    def growing(self) -> bool:
        """Whether the number of columns of the posterior is open."""
        return self.posterior_frequencies == "auto"

    def _closed_is_cheap(self, n_rows: int, flops: float) -> bool:
        """Whether to do without an expansion: where that is asked for, or cheap and no number of columns is given.

        Few frequencies of many inputs fit their own draws: what is learned from them is not the kernel they stand for.
        """
        return without_expansion(
            asked=self.settings.expansion == "exact",
            possible=self.growing and self.kernel.has_closed_form,
            flops=closed_flops(n_rows, self.n_inputs, self._closed_components),
            most_flops=flops,
        )

    @property
    def _closed_components(self) -> int:
        return self.shape.n_components

    @property
    def begins_from_waves(self) -> bool:
        """Whether it, or a part of it, begins from waves that rows show."""
        return self.waves is not None or any(part.waves is not None for part in self.parts)

    @property
    def keeps_closed_form(self) -> bool:
        """Whether the posterior on all rows needs no expansion."""
        if self.settings.expansion != "exact" and not (self.settings.expansion == "auto" and self.time_for_closed_form):
            return False
        return self._closed_is_cheap(self.n_rows, policy.KEEP_CLOSED_FLOPS)

    def learns_closed_form(self, n_parameters: int) -> bool:
        """Whether the long run goes without an expansion: where that is cheap, or the posterior can do without."""
        rows = self._long_stage(n_parameters).n_rows
        if self._closed_is_cheap(rows, policy.LEARN_CLOSED_FLOPS):
            return True
        return self.settings.expansion == "auto" and self.settings.progressive and self.keeps_closed_form

    @property
    def begins_closed_form(self) -> bool:
        """Whether first steps go without an expansion though the long run has one: of many inputs, if that is cheap."""
        many = policy.FREQUENCIES_PER_INPUT * self.n_inputs > policy.LEARNING_FREQUENCIES
        flops = closed_flops(policy.CLOSED_SCREEN_ROWS, self.n_inputs, self._closed_components)
        possible = self.settings.progressive and self.growing and self.kernel.has_closed_form
        return possible and many and flops <= policy.LEARN_CLOSED_FLOPS / 2

    # --- the stages

    def priced(self, n_rows: int, max_iter: int) -> Stage:
        """A stage that goes on for as long as it pays."""
        settings = self.settings
        return Stage(n_rows, min(max_iter, settings.max_iter), settings.tol, policy.PRICE * n_rows)

    def screening_stage(self) -> Stage:
        """A few steps from every start."""
        settings = self.settings
        if not settings.progressive:
            return Stage(settings.asked_rows(self.n_rows), settings.max_iter_restart, settings.tol)
        closed = self.keeps_closed_form or self._closed_is_cheap(self.n_rows, policy.LEARN_CLOSED_FLOPS)
        with_features = policy.CLOSED_SCREEN_ROWS if self.begins_closed_form else policy.SCREEN_ROWS
        most = policy.FIRST_ROWS if closed else with_features
        return Stage(min(most, self.n_rows), settings.max_iter_restart, settings.tol)

    def rungs(self, n_parameters: int) -> list[Stage]:
        """The long run from the best start, in closed form on more and more rows; `n_parameters` are learned."""
        if not self.settings.progressive or not self.learns_closed_form(n_parameters):
            return [self._long_stage(n_parameters)]
        return [self._rung(n_rows) for n_rows in self._ladder()]

    def _rung(self, n_rows: int) -> Stage:
        """A stage of a long run that has several: what is within some nats is left to the next."""
        most = self.settings.max_iter if self._is_cheap(n_rows) else policy.DEAR_ITERATIONS
        return self._on_the_way(n_rows, most)

    def _on_the_way(self, n_rows: int, max_iter: int) -> Stage:
        """A stage after which others follow, with more rows or fresh frequencies."""
        stage = self.priced(n_rows, max_iter)
        return replace(stage, tol=max(stage.tol, policy.RUNG_NATS * n_rows))

    def _ladder(self) -> list[int]:
        """All rows, half of them, and so on down to where an evaluation is cheap; the same for all kernels.

        Where targets only stand for others, half of the rows are the last: kernels are learned further elsewhere.
        """
        ladder = [self.n_rows]
        while ladder[0] // 2 >= policy.FIRST_ROWS and (len(ladder) == 1 or not self._is_cheap(ladder[0])):
            ladder.insert(0, ladder[0] // 2)
        return ladder[:-1] if self.settings.stands_in and len(ladder) > 1 else ladder

    def _is_cheap(self, n_rows: int) -> bool:
        """Whether any kernel may take many steps in closed form on so many rows."""
        return closed_flops(n_rows, self.n_inputs, policy.FIRST_COMPONENTS) <= policy.LEARN_CLOSED_FLOPS

    def _long_stage(self, n_parameters: int) -> Stage:
        """The long run if it has an expansion."""
        settings = self.settings
        if not settings.progressive:
            return Stage(settings.asked_rows(self.n_rows), settings.max_iter, settings.tol)
        if self.n_rows <= policy.SMALL_ROWS:
            return self.priced(self.n_rows, settings.max_iter)
        needed = max(policy.MAIN_ROWS, policy.ROWS_TO_LEARN * n_parameters)
        n_rows = min(needed, self.n_rows)
        return (self._on_the_way if self.growing else self.priced)(n_rows, settings.max_iter)

    def second_stage(self, doublings: int = 0) -> Stage:
        """The long run once more with more frequencies; doubled columns have more rows and steps."""
        small = self.n_rows <= policy.SMALL_ROWS
        n_rows = self.n_rows if small else min(policy.MAIN_ROWS << 2 * doublings, self.n_rows)
        if self.settings.n_learning_rows != "auto":
            n_rows = self.settings.asked_rows(self.n_rows)
        return self.priced(
            n_rows, max(policy.SECOND_ITERATIONS << doublings, policy.SECOND_ITERATIONS_OF_ALL if small else 0)
        )

    def last_stage(self, n_basis: int, doublings: int = 0) -> Stage | None:
        """A few steps on all rows, or as many as the flops allow, where the long run saw fewer."""
        if not self.settings.progressive or self.n_rows <= policy.SMALL_ROWS:
            return None
        flops_per_row = policy.LAST_ITERATIONS * evaluation_flops(self.n_rows, n_basis) / self.n_rows
        affordable = int(policy.LAST_FLOPS * policy.DOUBLING_FLOPS**doublings / flops_per_row)
        return self.priced(min(max(affordable, policy.MAIN_ROWS), self.n_rows), policy.LAST_ITERATIONS)

    # --- what it costs

    def evaluation_flops(self, n_rows: int, *, closed: bool) -> float:
        """Of a value and gradient on so many rows with the columns that are learned with."""
        if closed:
            return closed_flops(n_rows, self.n_inputs, self._closed_components)
        return evaluation_flops(n_rows, self.n_columns)

    def refinement_flops(self, doublings: int) -> float:
        """Of a refinement with so many doublings, if all its steps are taken."""
        columns = policy.SECOND_COLUMNS << doublings
        stages = self.second_stage(doublings), self.last_stage(columns, doublings)
        return sum(stage.max_iter * evaluation_flops(stage.n_rows, columns) for stage in stages if stage is not None)

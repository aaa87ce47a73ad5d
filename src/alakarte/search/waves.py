"""Whether rows show waves: lines of the spectrum that kernels may begin from.

In: a `Search`. Out: the same with `Waves`, or as it was. The kernels' evidence decides what becomes of them.
"""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.waves import find_waves, given_waves
from alakarte.records import Flags
from alakarte.search.context import Search
from alakarte.search.pace import wave_vectors


def look_for_waves(search: Search) -> Search:
    """The search with the waves that its rows show, if a kernel can begin from them."""
    kernel = search.settings.kernel
    if kernel is not None and not any(term.follows_waves for term in kernel.terms):
        return search
    numbers = _numbers(search)
    if not 1 <= numbers.sum() <= policy.WAVE_INPUTS:
        return search
    on_grid, of_many = policy.WAVE_ROWS
    n_rows = min(on_grid if numbers.sum() <= 3 else of_many, search.rows.n_rows)
    if search.budget.patient and not _has_time(search, n_rows):
        return search
    rows = search.subsets.first(n_rows).whole()
    of_series, of_more = policy.MOST_BANDS
    limits = of_series if numbers.sum() == 1 else of_more, policy.MOST_LINES
    waves = find_waves(rows, numbers, limits, search.streams("waves"))
    if kernel is not None and kernel.periods is not None and search.scaling.variables is None:
        centres = wave_vectors(kernel.periods, search.rows.n_inputs) * search.scaling.x_scale
        waves = given_waves(rows, numbers, centres, waves)
    if waves is not None:
        search.progress.say(f"{len(waves.lines)} lines in the spectrum, {len(waves.variance)} bands")
    return replace(search, waves=waves)


def _has_time(search: Search, n_rows: int) -> bool:
    """Whether waves of so many rows may be looked for in their part of `max_time`."""
    return search.budget.seconds(policy.WAVE_FLOPS * n_rows) <= policy.TIME_TO_LOOK * search.budget.left()


def _numbers(search: Search) -> Flags:
    """(d,) which inputs are numbers."""
    variables = search.scaling.variables
    if variables is None:
        return np.ones(search.rows.n_inputs, dtype=bool)
    return variables.is_number[variables.of_column]

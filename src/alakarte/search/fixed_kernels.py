"""Kernels that are not learned, for likelihoods whose labels say too little of length-scales.

In: a `Search`, and a candidate whose computation is taken over. Out: candidates with the length-scales that the inputs
alone suggest: multiples of the median distance of two rows. Their amplitude is left to those who compare them.
"""

from dataclasses import replace

import numpy as np

import alakarte.search.policy as policy
from alakarte.data.summary import SUMMARY_ROWS, summarise
from alakarte.kernels.registry import resolve
from alakarte.process.computation import Computation
from alakarte.records import Array, Summary
from alakarte.search.candidates import Candidate
from alakarte.search.context import Search
from alakarte.search.learn import Learned
from alakarte.search.optimise import Run
from alakarte.search.set_up import set_up
from alakarte.search.stopping import Ending, Stop


def fixed_candidates(search: Search, like: Candidate) -> list[Candidate]:
    """Each of the fixed kernels at each of the length-scales, counted in standard deviations of each input."""
    distance = _summary(search).distance(0.5)
    return [
        _fixed(search, like, name, part * distance, f"{part:g} × the median")
        for name in policy.FIXED_KERNELS
        for part in policy.FIXED_LENGTHSCALES
    ]


def candidates_in_units(search: Search, like: Candidate) -> list[Candidate]:
    """The same with one length-scale in the units of the inputs, where all are numbers and some vary more than others.

    Inputs of one kind, such as pixels or bands, say most where they vary most.
    """
    scale = search.scaling.x_scale
    if search.scaling.variables is not None or scale.max() < policy.OTHER_UNITS * scale.min():
        return []
    distance = _summary(search).distance(0.5, 1 / scale)
    return [
        _fixed(search, like, name, part * distance / scale, f"{part:g} × the median in units")
        for name in policy.KERNELS_IN_UNITS
        for part in policy.FIXED_LENGTHSCALES
    ]


def _summary(search: Search) -> Summary:
    """Of the standardised inputs."""
    block = search.subsets.first(min(SUMMARY_ROWS, search.rows.n_rows)).whole()
    return summarise(block.x, block.weight, search.streams("fixed", "summary"))


def _fixed(search: Search, like: Candidate, name: str, lengthscale: float | Array, words: str) -> Candidate:
    """One kernel with a length-scale for all inputs, or one each (d,), in the computation of another candidate."""
    plan = search.plan(resolve(name))
    problem = set_up(plan, search.rows, search.scaling, search.streams("fixed", "draws", name))
    if like.learned.problem.is_closed:
        problem = replace(problem, computation=Computation.CLOSED)
    shapes = {parameter.name: parameter.shape for parameter in problem.layout.parameters}
    values = {
        "log_amplitude": np.zeros(shapes["log_amplitude"]),
        "log_lengthscale": np.broadcast_to(np.log(lengthscale), shapes["log_lengthscale"]),
    }
    theta = problem.layout.clip(problem.layout.flat(values | problem.noise.start()))
    run = Run(theta, np.inf, 0, Ending(Stop.NOTHING_TO_LEARN, converged=True), 0, [])
    learned = Learned(problem, run, [run], [run], search.rows.total)
    return Candidate(plan, learned, None, compressed=search.compressed, fixed=words)

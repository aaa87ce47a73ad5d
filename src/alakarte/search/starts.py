"""Starting points: the kernel's own, with the noise of the likelihood, clipped to the bounds. Paper, section 5.1."""

from dataclasses import dataclass

from alakarte.execution.randomness import Streams
from alakarte.process.problem import Problem
from alakarte.records import Array, Summary, Values, Waves


@dataclass(frozen=True)
class Start:
    """All that a start is."""

    theta: Array
    hold_noise_down: bool = False  # in its first steps: "all is noise" is too near an optimum


def make_starts(problem: Problem, summary: Summary, n_starts: int, streams: Streams) -> list[Start]:
    """So many random starts.

    Start i has its own stream, so that more starts never change the earlier ones. Every other one holds noise down.
    """
    kernel, layout, draws = problem.kernel, problem.layout, problem.draws
    starts = []
    for index in range(n_starts):
        values = kernel.start(draws.shape, summary, draws, streams(index), (index + 0.5) / n_starts)
        theta = layout.clip(layout.pack(values | problem.likelihood.start()))
        starts.append(Start(theta, hold_noise_down=index % 2 == 0))
    return starts


def wave_start(problem: Problem, waves: Waves, random: Start) -> Start:
    """The start from waves that the rows show, and from parts of a random one."""
    layout = problem.layout
    values = problem.kernel.from_waves(waves, layout.unpack(random.theta))
    values = problem.noise.with_noise_variance(values, waves.noise_variance)
    return Start(layout.clip(layout.pack(values)))


def nested_starts(problem: Problem, random: Start, simpler: Values) -> list[Start]:
    """Starts from what a simpler kernel has learned, its noise among it, and from parts of a random start."""
    layout = problem.layout
    made = problem.kernel.nested(
        {name: simpler[name] for name in ("log_amplitude", "log_lengthscale")}, layout.unpack(random.theta)
    )
    noise_variance = problem.noise.noise_variance(simpler)
    packed = [layout.pack(problem.noise.with_noise_variance(values, noise_variance)) for values in made]
    return [Start(layout.clip(theta)) for theta in packed]

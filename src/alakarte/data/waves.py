"""Lines gathered into bands, with what a start of a mixture needs beside them.

In: standardised rows. Out: `Waves`, or None where no line is clearly there. Reads no clock, and no optional package.
"""

from dataclasses import replace

import numpy as np

from alakarte.data.lines import Lines, find_lines
from alakarte.data.rows import Block
from alakarte.data.sampling import Sampling, sampling
from alakarte.records import Array, Flags, Waves

ONE_BAND = 3.0  # resolutions: lines that are nearer are one band
NARROWEST = 0.5  # width of a band, over the range
LONG, SHORT, SHORTEST = 2.0, 3.0, 1 / 40  # length-scales, as parts of the range; the short one: of rows per input
LONG_VARIANCE = 2.0  # a trend goes on: its variance is that of where it may lead, not of where it was
LEAST_BAND = 1e-3  # of the variance: weaker ones are left to the rest


def find_waves(block: Block, is_number: Flags, limits: tuple[int, int], rng: np.random.Generator) -> Waves | None:
    """The waves of rows; `limits`: bands and lines at most. Columns of categories, is_number (d,) false, have none."""
    space = sampling(block.x, is_number)
    lines = find_lines(block, space, limits[1], rng)
    return None if lines is None else _waves(lines, space, len(block.x), limits[0])


def given_waves(block: Block, is_number: Flags, centre: Array, found: Waves | None) -> Waves:
    """Bands at given centres (k, d), as long as the table, before those that were found and are not among them."""
    space = sampling(block.x, is_number)
    if found is None:
        none = Lines(centre, np.full(len(centre), 1 / (1 + len(centre))), 0.5, 0.5)
        found = replace(_waves(none, space, len(block.x), 1), variance=np.zeros(0), centre=centre[:0])
    apart = np.linalg.norm((found.centre[:, None] - centre) / space.resolution, axis=2)
    other = (apart > 1).all(axis=1)
    lengthscale = np.broadcast_to(np.where(space.ranges > 0, space.ranges, 1.0) / NARROWEST, centre.shape)
    return replace(
        found,
        centre=np.concatenate([centre, found.centre[other]]),
        lengthscale=np.concatenate([lengthscale, found.lengthscale[: other.size][other]]),
        variance=np.concatenate([np.full(len(centre), 1 / (1 + len(centre))), found.variance[other]]),
        highest=np.maximum(space.highest, np.abs(centre).max(axis=0)),
    )


def _waves(lines: Lines, space: Sampling, n_rows: int, most_bands: int) -> Waves:
    """Bands, the strongest first, and a smooth rest."""
    bands = sorted(_bands(lines, space), key=lambda band: -band[2])
    least = LEAST_BAND * bands[0][2]
    bands = [band for band in bands if band[2] >= least][:most_bands]
    centre, lengthscale, variance = (np.array(part) for part in zip(*bands, strict=True))
    ranges = np.where(space.ranges > 0, space.ranges, 1.0)
    n_live = int(space.takes_part.sum())
    short = np.maximum(SHORT * ranges / n_rows ** (1 / n_live), SHORTEST * ranges)
    rest = lines.rest / 2
    left_out = max(float(lines.variance.sum() - variance.sum()), 0.0)
    return Waves(
        centre=centre,
        lengthscale=lengthscale,
        variance=variance,
        smooth_lengthscale=np.array([LONG * ranges, short]),
        smooth_variance=np.array([max(lines.trend, LONG_VARIANCE), max(rest + left_out, 1e-3)]),
        noise_variance=max(rest, 1e-4),
        lines=lines.frequency,
        highest=space.highest,
        resolution=space.resolution,
    )


def _bands(lines: Lines, space: Sampling) -> list[tuple[Array, Array, float]]:
    """Centre, length-scales and variance of each group of lines about its strongest."""
    left = np.ones(len(lines.variance), dtype=bool)
    ranges = np.where(space.ranges > 0, space.ranges, 1.0)
    bands = []
    for strongest in range(left.size):  # lines come strongest first
        if not left[strongest]:
            continue
        apart = (lines.frequency - lines.frequency[strongest]) / space.resolution
        mine = left & (np.linalg.norm(apart, axis=1) < ONE_BAND)
        left &= ~mine
        variance = lines.variance[mine]
        share = variance / variance.sum()
        centre = share @ lines.frequency[mine]
        width = np.sqrt(share @ (lines.frequency[mine] - centre) ** 2)
        bands.append((centre, 1 / np.maximum(width, NARROWEST / ranges), float(variance.sum())))
    return bands

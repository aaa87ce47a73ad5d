"""Periods of a learned kernel, in the user's units.

In: a `FittedKernel` and its posterior. Out: for each wave its period along the inputs, and its share of the variance.
Reads, never learns.
"""

from typing import Any

import numpy as np

from alakarte.model.kernel import FittedKernel
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.weights import WeightPosterior
from alakarte.records import Array, Flags

IN_STEP = 3.0  # μℓ, or ‖A⁻ᵀμ‖, from which on a component repeats itself before it fades
CYCLES = 1.5  # over the range of the rows: a free frequency below is part of a trend
ONE_CYCLE = 1.0  # a learned centre below is one, too; one that was given is told
LEAST_SHARE = 1e-3
RANGE = np.sqrt(12)  # of rows that lie evenly, in standard deviations
SLOW = 1e-3  # of the frequency along other inputs: a wave does not run along this one


def periods(kernel: FittedKernel, posterior: Posterior, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """``share``, the variance over that of the targets, and ``period`` by name of input; the largest share first."""
    if kernel.kernel.learns_frequencies:
        waves, share = _free(kernel, posterior)
    else:
        waves, share = _centres(kernel)
    waves = waves / kernel.scaling.x_scale
    found = []
    for w, part in zip(waves, share, strict=True):
        if part >= LEAST_SHARE:
            found.append({"share": float(part), "period": _by_name(w, kernel, names)})
    return sorted(found, key=lambda wave: -wave["share"])


def _by_name(w: Array, kernel: FittedKernel, names: tuple[str, ...]) -> dict[str, float]:
    """Period along each input that a wave runs along, w (d,) in radians per unit."""
    variables = kernel.scaling.variables
    of_column = np.arange(w.size) if variables is None else variables.of_column
    standardised = np.abs(w * kernel.scaling.x_scale)
    runs = np.flatnonzero(standardised > SLOW * standardised.max())
    return {names[of_column[j]]: float(2 * np.pi / abs(w[j])) for j in runs}


def _centres(kernel: FittedKernel) -> tuple[Array, Array]:
    """Centres (k, d) of components that repeat themselves, and their variance (k,), where that of targets is one."""
    waves, shares = [np.zeros((0, kernel.scaling.x_scale.size))], [np.zeros(0)]
    for part in kernel.parts:
        spectrum = part.spectrum
        if spectrum.centre is not None:
            cycles = np.linalg.solve(spectrum.maps.swapaxes(1, 2), spectrum.centre[..., None])[..., 0]  # A⁻ᵀμ
            is_given = getattr(part.kernel, "periods", None) is not None
            seen = np.linalg.norm(spectrum.centre, axis=1) * RANGE / (2 * np.pi) >= ONE_CYCLE
            keep: Flags = (np.linalg.norm(cycles, axis=1) >= IN_STEP) & (seen | is_given)
            waves.append(spectrum.centre[keep])
            shares.append(np.exp(2 * spectrum.log_amplitude[keep]))
    return np.concatenate(waves), np.concatenate(shares)


def _free(kernel: FittedKernel, posterior: Posterior) -> tuple[Array, Array]:
    """Free frequencies (k, d) that are waves, and the variance (k,) that each has in the learned function."""
    omega, none = kernel.spectrum.frequencies, np.zeros(0)
    if omega is None or not isinstance(posterior, WeightPosterior | LowRankPosterior):
        return np.zeros((0, kernel.scaling.x_scale.size)), none
    power = 0.5 * (posterior.weight_mean**2).mean(axis=1).reshape(2, -1).sum(axis=0)
    keep = np.linalg.norm(omega, axis=0) * RANGE / (2 * np.pi) >= CYCLES
    return omega.T[keep], power[keep]

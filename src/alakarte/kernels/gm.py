"""`gm`: a mixture of Gaussians as the spectrum. Paper, section 4.3.

k(τ) = Σ_q v_q² exp(−½‖a_q∘τ‖²) cos μ_qᵀτ        no prefactor [E7]

With a full covariance A_qτ stands in place of a_q∘τ (`full_covariance.py`).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from alakarte.kernels.base import GAUSSIAN, ClosedForm, Kernel, RadialForm, input_scale
from alakarte.kernels.full_covariance import input_map, input_map_pullback, mixing, mixing_start, rank_of
from alakarte.kernels.mixture import (
    mixture_from_waves,
    mixture_nested,
    mixture_parameters,
    mixture_pullback,
    mixture_start,
)
from alakarte.parameters import Parameter
from alakarte.records import Draws, Named, Shape, Spectrum, Summary, Values, Waves


class GaussianMixture(Kernel):
    """Spectral mixture: each component has an amplitude, length-scales and a centre.

    Parameters
    ----------
    periods : list of float, or of arrays (d,), optional
        Periods of the first components, in units of the inputs, which are not learned; infinite along an input that
        a wave does not run along. Further components are learned as ever.
    covariance : {"diagonal", "full"}, default="diagonal"
        Whether the frequencies of a component spread apart along each input, or along any direction: ``"full"`` is for
        waves that run obliquely, and for functions of combinations of inputs. It has `rank` × inputs more numbers to
        learn per component, ``mixing``.
    rank : int, optional
        Of what a full covariance adds to a diagonal one, inputs − 1 at most; the default is 4.
    fixed, bounds : dict, optional
        As for all kernels.

    Examples
    --------
    >>> from alakarte import GPRegressor
    >>> model = GPRegressor("gm", n_components=3)
    >>> from alakarte.kernels import GaussianMixture
    >>> model = GPRegressor(GaussianMixture(periods=[12]))
    >>> model = GPRegressor(GaussianMixture(covariance="full"), n_components=2)
    """

    name = "gm"
    has_components = True
    has_closed_form = True
    learns_frequencies = False
    nests = "ard"
    columns_per_frequency = 4
    follows_waves = True

    def __init__(
        self,
        periods: Any = None,
        covariance: str = "diagonal",
        rank: int | None = None,
        *,
        fixed: Named | None = None,
        bounds: Named | None = None,
    ):
        super().__init__(fixed=fixed, bounds=bounds)
        self.periods = periods
        self.covariance = covariance
        self.rank = rank

    def parameters(self, shape: Shape) -> tuple[Parameter, ...]:
        """log_amplitude (Q,), log_lengthscale (Q, d), centre (Q, d); mixing (Q, rank, d) of a full covariance."""
        return (*mixture_parameters(shape), *mixing(shape, self._rank(shape)))

    def _rank(self, shape: Shape) -> int:
        return rank_of(self.covariance, self.rank, shape.n_inputs)

    def start(self, shape: Shape, summary: Summary, draws: Draws, rng: np.random.Generator, fraction: float) -> Values:
        """v = std(y)/√Q [E8]; μ close to zero, which itself is a stationary point of the evidence."""
        return mixture_start(shape, summary, rng) | mixing_start(shape, self._rank(shape), rng)

    def nested(self, simpler: Values, start: Values) -> list[Values]:
        """The simpler kernel in parts of several lengths, alone and beside random components."""
        return mixture_nested(simpler, start)

    def from_waves(self, waves: Waves, start: Values) -> Values:
        """A component for each band of waves, the others for what is smooth."""
        return mixture_from_waves(waves, start)

    def spectrum(self, values: Values, draws: Draws) -> Spectrum:
        """ω = a∘z ± μ, or Aᵀz ± μ."""
        centred = {"radii": draws.chi, "centre": values["centre"]}
        if "mixing" not in values:
            return Spectrum(values["log_amplitude"], input_scale(values), **centred)
        maps = input_map(input_scale(values), values["mixing"])
        return Spectrum(values["log_amplitude"], input_map=maps, **centred)

    def pullback(self, values: Values, draws: Draws, bar: Spectrum) -> Values:
        """Derivatives by log v, log ℓ, μ, and the mixing of inputs."""
        if "mixing" not in values:
            return mixture_pullback(values, bar)
        scale_bar, mixing_bar = input_map_pullback(input_scale(values), values["mixing"], bar.input_map)
        return mixture_pullback(values, replace(bar, input_scale=scale_bar)) | {"mixing": mixing_bar}

    def closed_form(self, values: Values) -> ClosedForm | RadialForm | None:
        """Gaussian, times the cosine that `centre` brings."""
        return GAUSSIAN

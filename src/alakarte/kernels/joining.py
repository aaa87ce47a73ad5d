"""Parameters, values and spectra of several kernels side by side, and apart again: what `Sum` is made of.

In: those of each part, and its label. Out: those of all; amplitudes are one array, others carry the label of a part.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from alakarte.kernels.base import ClosedForm, Kernel
from alakarte.parameters import Parameter
from alakarte.records import UNUSED, Array, Shape, Spectrum, Values

AMPLITUDE = "log_amplitude"


def of_part(label: str, name: str) -> str:
    """Name of a part's parameter within the sum: `log_lengthscale` of `ard` is `log_ard_lengthscale`."""
    return f"log_{label}_{name[4:]}" if name.startswith("log_") else f"{label}_{name}"


def join_parameters(labels: list[str], parts: Sequence[Sequence[Parameter]]) -> tuple[Parameter, ...]:
    """Parameters of the sum from those of its parts, which may be fixed or bounded."""
    amplitudes = [p for part in parts for p in part if p.name == AMPLITUDE]
    others = [
        replace(p, name=of_part(label, p.name))
        for label, part in zip(labels, parts, strict=True)
        for p in part
        if p.name != AMPLITUDE
    ]
    return _join_amplitudes(amplitudes), *others


def _join_amplitudes(parts: list[Parameter]) -> Parameter:
    """One array; entries of a part whose amplitude is fixed are held."""
    lower, upper = (
        np.concatenate([np.broadcast_to(getattr(p, side), p.shape) for p in parts]) for side in ("lower", "upper")
    )
    held = np.concatenate([np.full(p.shape, np.nan) if p.fixed is None else p.fixed for p in parts])
    joined = replace(parts[0], shape=held.shape, lower=lower, upper=upper, fixed=None)
    if np.isnan(held).all():
        return joined
    return replace(joined, held=held) if np.isnan(held).any() else replace(joined, fixed=held)


def join_values(labels: list[str], parts: Sequence[Values]) -> Values:
    """Values of the sum from those of its parts."""
    values = {AMPLITUDE: np.concatenate([part[AMPLITUDE] for part in parts])}
    for label, part in zip(labels, parts, strict=True):
        values |= {of_part(label, name): value for name, value in part.items() if name != AMPLITUDE}
    return values


def split_values(labels: list[str], values: Values, shape: Shape, names: list[list[str]]) -> list[Values]:
    """Values of each part, `names` of its parameters, from those of the sum; by the user's names as well."""
    edges = shape.edges.tolist()
    return [
        {name: values[name][a:b] if name.endswith("amplitude") else values[of_part(label, name)] for name in own}
        for label, (a, b), own in zip(labels, pairwise(edges), names, strict=True)
    ]


def join_forms(labels: list[str], terms: Sequence[Kernel], values: Values) -> ClosedForm:
    """The profile of each component, of parts that all have a closed form."""
    dof: list[int] = []
    for label, term in zip(labels, terms, strict=True):
        closed = term.closed_form({})
        assert isinstance(closed, ClosedForm)
        assert isinstance(closed.dof, int)
        n_components = len(values[of_part(label, "log_lengthscale")]) if term.has_components else 1
        dof += [closed.dof] * n_components
    return ClosedForm(tuple(dof))


def join_spectra(parts: list[Spectrum]) -> Spectrum:
    """The spectrum of the sum; centres are zero in parts that have none, if another has some."""
    centre = UNUSED
    if any(part.centre is not None for part in parts):
        centre = np.concatenate([_centre(part) for part in parts])
    return Spectrum(
        np.concatenate([part.log_amplitude for part in parts]),
        np.concatenate([part.input_scale for part in parts]),
        np.concatenate([part.radii for part in parts]),
        centre=centre,
    )


def _centre(part: Spectrum) -> Array:
    return np.zeros_like(part.input_scale) if part.centre is None else part.centre


def split_spectrum(bar: Spectrum, shape: Shape) -> list[Spectrum]:
    """Derivatives by the spectrum of each part; a closed form has none by radii."""
    edges = shape.edges.tolist()
    first = np.cumsum((0, *shape.counts))[edges].tolist()
    return [
        Spectrum(
            bar.log_amplitude[q],
            bar.input_scale[q],
            UNUSED if bar.radii is None else bar.radii[slice(*frequencies)],
            centre=UNUSED if bar.centre is None else bar.centre[q],
        )
        for q, frequencies in zip((slice(a, b) for a, b in pairwise(edges)), pairwise(first), strict=True)
    ]

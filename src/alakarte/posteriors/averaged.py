"""The latent function averaged over rows in which some inputs are replaced: partial dependence, with its variance.

In: a posterior, standardised rows z (n, d), the columns to replace, and what they become (G, columns). Out: mean and
variance (G, T) of f̄(g) = Σ_i f(z_i with g)/n. Nothing is sampled. What replaced inputs add to a phase is the same for
all rows, so features are averaged once and then turned; of Gaussian closed forms the other inputs' factor is averaged
once. Other closed forms meet each training row anew for every g.
"""

from dataclasses import dataclass, replace

import numpy as np

import alakarte.compiled.loops as loops
from alakarte.compiled.layout import prepare
from alakarte.execution.threads import run_together
from alakarte.features.feature_map import FeatureMap
from alakarte.linalg.blas import solve_rows_lower
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.tiles import LEAST_ROWS
from alakarte.posteriors.weights import WeightPosterior
from alakarte.process.closed_form import closed_gram_full
from alakarte.records import Array, Integers, Spectrum

BAND_ROWS = 256  # whose covariance stands for that of all rows, where there is no shorter way
_TILE_ROWS = 512


@dataclass(frozen=True)
class Replaced:
    """Rows, and what some of their inputs become."""

    z: Array  # (n, d) standardised
    columns: Integers  # (c,)
    values: Array  # (G, c)

    def at(self, g: int) -> Array:
        """(n, d) rows with the g-th values."""
        rows = self.z.copy()
        rows[:, self.columns] = self.values[g]
        return rows

    @property
    def zeroed(self) -> Array:
        """(n, d) rows with zeros there."""
        rows = self.z.copy()
        rows[:, self.columns] = 0.0
        return rows

    @property
    def shifts(self) -> Array:
        """(G, d) what is added to rows with zeros."""
        shifts = np.zeros((len(self.values), self.z.shape[1]))
        shifts[:, self.columns] = self.values
        return shifts


def averaged(posterior: Posterior, rows: Replaced, n_jobs: int = 1) -> tuple[Array, Array]:
    """Mean and variance (G, T) of the function averaged over rows."""
    if isinstance(posterior, LatentPosterior):
        return averaged(posterior.core, rows, n_jobs)
    if isinstance(posterior, StackedPosterior):
        return _averaged_directly(posterior.features, _compressed(posterior, rows), n_jobs)
    if isinstance(posterior, Average):
        parts = [averaged(member, rows, n_jobs) for member in posterior.members]
        means, variances = (np.array(each) for each in zip(*parts, strict=True))
        weights = posterior.weights[:, None, None]
        mean = (weights * means).sum(axis=0)
        return mean, np.asarray((weights * (variances + (means - mean) ** 2)).sum(axis=0))
    if isinstance(posterior, WeightPosterior | LowRankPosterior):
        return _averaged_features(posterior, rows)
    if isinstance(posterior, RowPosterior):
        return _averaged_rows(posterior, rows, n_jobs)
    return _averaged_directly(posterior, rows, n_jobs)


def _compressed(posterior: StackedPosterior, rows: Replaced) -> Replaced:
    """The same rows as the features of a classifier see them."""
    if posterior.tails is None:
        return rows
    tails, values = posterior.tails, rows.shifts
    return Replaced(tails.compress(rows.z), rows.columns, tails.compress(values)[:, rows.columns])


def _averaged_directly(posterior: Posterior, rows: Replaced, n_jobs: int) -> tuple[Array, Array]:
    """By prediction of all rows for each g; the variance from the covariance of some of them."""
    some = rows.z[np.linspace(0, len(rows.z) - 1, min(BAND_ROWS, len(rows.z))).astype(int)]
    few, mean, variance = replace(rows, z=some), [], []
    for g in range(len(rows.values)):
        mean.append(posterior.mean(rows.at(g), n_jobs).mean(axis=0))
        variance.append(np.maximum(posterior.covariance(few.at(g)).mean(axis=(0, 1)), 0))
    return np.array(mean), np.array(variance)


def _averaged_features(posterior: WeightPosterior | LowRankPosterior, rows: Replaced) -> tuple[Array, Array]:
    """φ̄ᵀβ, and φ̄ᵀPφ̄: one pass over the rows, then a turn of each wave for every g."""
    features, zeroed = posterior.features, rows.zeroed
    total = np.zeros(features.n_basis)
    for start in range(0, len(zeroed), _TILE_ROWS):
        total += features.phi(zeroed[start : start + _TILE_ROWS]).sum(axis=0)
    phi = _turned(features, total / len(zeroed), rows.shifts)
    mean = phi @ posterior.weight_mean
    return mean, np.broadcast_to(posterior.variance_of_features(phi)[:, None], mean.shape)


def _turned(features: FeatureMap, phi: Array, shifts: Array) -> Array:
    """(G, D) averaged features of shifted rows, from those (D,) of rows that are not: cos(a + b), sin(a + b)."""
    phase = np.empty((len(shifts), features.component.size))
    features.projection.phases(shifts, phase)
    cos, sin = np.cos(phase), np.sin(phase)
    products = features.of_products(phi).reshape(-1, features.component.size)  # (2 or 4, F)
    if features.centre is None:
        return np.hstack([products[0] * cos - products[1] * sin, products[1] * cos + products[0] * sin])
    zeta = (shifts @ features.centre)[:, features.component]
    cos_zeta, sin_zeta = np.cos(zeta), np.sin(zeta)
    turned = []
    for cos_part, sin_part in (products[:2], products[2:]):  # ξ, once with cos ζ and once with sin ζ
        turned += [cos_part * cos - sin_part * sin, sin_part * cos + cos_part * sin]
    with_cos, with_sin = np.array(turned[:2]), np.array(turned[2:])
    both = [*(with_cos * cos_zeta - with_sin * sin_zeta), *(with_sin * cos_zeta + with_cos * sin_zeta)]
    columns = slice(None) if features.columns is None else features.columns
    return np.hstack(both)[:, columns]


def _averaged_rows(posterior: RowPosterior, rows: Replaced, n_jobs: int) -> tuple[Array, Array]:
    """k̄ᵀα, and k̿ − k̄ᵀK⁻¹k̄, with k̄ (G, n) the kernel to each training row averaged over the rows."""
    dof = np.broadcast_to(posterior.closed_form.dof, posterior.spectrum.log_amplitude.shape)
    kernel = _product_kernel if not dof.any() else _met_anew
    averaged_kernel = kernel(posterior, rows, n_jobs)
    mean = averaged_kernel @ posterior._weights.T
    padded = np.zeros((-(-len(averaged_kernel) // LEAST_ROWS) * LEAST_ROWS, len(posterior.x)))
    padded[: len(averaged_kernel)] = averaged_kernel * posterior.root_weight
    whitened = solve_rows_lower(posterior.factor, padded)[: len(averaged_kernel)]
    prior = closed_gram_full(posterior.spectrum, posterior.closed_form, _some(rows.zeroed)).mean()  # the same for all g
    variance = np.maximum(prior - np.einsum("ij,ij->i", whitened, whitened), 0)
    return mean, np.broadcast_to(variance[:, None], mean.shape)


def _some(z: Array) -> Array:
    """At most some thousand of many rows: for an average over pairs that is near that of all."""
    return np.asarray(z[np.linspace(0, len(z) - 1, min(len(z), 4000)).astype(int)])


def _met_anew(posterior: RowPosterior, rows: Replaced, n_jobs: int) -> Array:
    """(G, n) by the kernel of all pairs for each g."""
    variance, scale = np.exp(2 * posterior.spectrum.log_amplitude), posterior.spectrum.input_scale
    sums = np.full((1, len(rows.z)), 1 / len(rows.z))
    none = np.empty((0, len(rows.z)))
    training = prepare(posterior.x, posterior.spectrum.centre)

    def of_value(g: int) -> Array:
        tables = training, prepare(rows.at(g), posterior.spectrum.centre)
        dot = loops.closed.kernel_rows_dot(*tables, posterior.closed_form.dof, variance, scale, sums, none)
        return np.asarray(dot[:, 0])

    tasks = [lambda g=g: of_value(g) for g in range(len(rows.values))]
    return np.array(run_together(tasks, n_jobs))


def _product_kernel(posterior: RowPosterior, rows: Replaced, n_jobs: int) -> Array:
    """(G, n) of Gaussian profiles: e^(−‖a∘τ‖²/2) cos μᵀτ is a product of the replaced inputs' part and of the others'.

    cos(a + b) needs the sine too: the others' part is the real and imaginary part of one average.
    """
    spectrum, training = posterior.spectrum, posterior.x
    total = np.zeros((len(rows.values), len(training)))
    for q in range(spectrum.log_amplitude.size):
        centre = np.zeros(training.shape[1]) if spectrum.centre is None else spectrum.centre[q]
        others = _others(spectrum.input_scale[q], centre, rows, training)
        total += np.exp(2 * spectrum.log_amplitude[q]) * _own(spectrum, q, centre, rows, training, others)
    return total


def _others(scale: Array, centre: Array, rows: Replaced, training: Array) -> Array:
    """(n,) complex: the average over rows of the others' part, e^(−‖a∘τ‖²/2 + iμᵀτ)."""
    keep = np.setdiff1d(np.arange(training.shape[1]), rows.columns)
    left, right = rows.z[:, keep] * scale[keep], training[:, keep] * scale[keep]
    half = 0.5 * (right**2).sum(axis=1)
    total = np.zeros(len(training), dtype=complex)
    for start in range(0, len(left), _TILE_ROWS):
        tile = left[start : start + _TILE_ROWS]
        values = tile @ right.T
        values -= half
        values -= 0.5 * (tile**2).sum(axis=1)[:, None]
        np.exp(np.minimum(values, 0, out=values), out=values)
        wave = np.exp(1j * (rows.z[start : start + _TILE_ROWS][:, keep] @ centre[keep]))
        total += wave @ values
    return np.asarray(total / len(left) * np.exp(-1j * (training[:, keep] @ centre[keep])))


def _own(spectrum: Spectrum, q: int, centre: Array, rows: Replaced, training: Array, others: Array) -> Array:
    """(G, n) with the replaced inputs' part of component q."""
    columns, scale = rows.columns, spectrum.input_scale[q][rows.columns]
    difference = rows.values[:, None, :] - training[:, columns][None]
    own = np.exp(-0.5 * ((difference * scale) ** 2).sum(axis=2) + 1j * (difference @ centre[columns]))
    return np.asarray((own * others).real)

"""Log probabilities of classes for rows of the fit, each as all other rows predict it.

In: the posterior of a classifier, the rows that it was fitted to, which of them to leave out. Out: (rows, K). Two
classes have them from their sites: those that q(f) at a row asks for, which at the end of a fit are those it was found
with. Of several, the mode moves by what a row pulls at it: with g the slope of the row and q the variance of the
functions there,

    f₋ = f − q g/(1 − λq),   λ = gᵀ(diag p − p pᵀ)g / ‖g‖²: the curvature along that pull.

Whoever stacks this classifier with another one asks here: probabilities of rows that it has seen say too much.
"""

import numpy as np

from alakarte.data.rows import Rows
from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.categorical import curvature_times, slopes, softmax
from alakarte.linalg.blas import solve_rows_lower
from alakarte.linalg.factorise import cholesky
from alakarte.posteriors.class_sites import ClassSites, labels_of
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.row_sites import RowSites
from alakarte.process.design_matrix import PART_ROWS, DesignMatrix, design_matrix, weighted_gram
from alakarte.process.latent_objective import VARIATIONAL
from alakarte.process.left_out import LEAST_LEFT, without_each
from alakarte.process.problem import latent_function_at
from alakarte.process.softmax import Labels
from alakarte.process.variational import Observations, matched_sites
from alakarte.records import Array, Integers

LEAST_PROBABILITY = 1e-300


def left_out_log_probabilities(posterior: LatentPosterior, rows: Rows, picked: Integers, n_jobs: int = 1) -> Array:
    """(picked, K) of some of the rows of the fit with their encoded targets, averaged over kernels; two classes: K = 2.

    `picked` ascends.
    """
    if isinstance(posterior.finder, RowSites):
        p = _of_two(posterior, posterior.finder, rows.take(picked), n_jobs)
    else:
        assert isinstance(posterior.finder, ClassSites)
        p = _of_several(posterior, posterior.finder, rows, picked, n_jobs)
    return np.log(np.maximum(p, LEAST_PROBABILITY))


def _of_two(posterior: LatentPosterior, finder: RowSites, rows: Rows, n_jobs: int) -> Array:
    """(rows, 2)."""
    block = rows.whole()
    data, ones = Observations(block.y[:, 0], block.y[:, 1], block.weight), np.zeros(len(block.y))
    for share, latent, spread in posterior.by_member(block.x, n_jobs):
        mean, variance = latent[:, 0], spread[:, 0]
        averaged = variance if finder.inference == VARIATIONAL else np.zeros_like(variance)  # at the mode, else
        expected = finder.likelihood.expected(finder.values, data.y, mean + data.offset, averaged)
        left_mean, left_variance = without_each(mean, variance, matched_sites(expected, data, mean), data.weight)
        ones += share * Bernoulli().probability(*posterior.log_odds(left_mean + data.offset, left_variance))
    return np.column_stack([1 - ones, ones])


def _of_several(posterior: LatentPosterior, finder: ClassSites, rows: Rows, picked: Integers, n_jobs: int) -> Array:
    """(picked, K)."""
    labels, x = labels_of(rows, finder.base), rows.whole().x
    total = np.zeros((len(picked), labels.n_classes))
    for member, (share, latent, _) in zip(posterior.members, posterior.by_member(x, n_jobs), strict=True):
        design = design_matrix(latent_function_at(member.problem.on(rows).with_jobs(n_jobs), member.theta))
        total += share * softmax(labels.base + left_out_mode(design, labels, latent, picked))
    return total


def left_out_mode(design: DesignMatrix, labels: Labels, latent: Array, picked: Integers) -> Array:
    """(picked, K) functions at some rows without one unit of their weight; `latent` (n, K): at the mode, without it."""
    ones = np.ones(len(labels.y))
    p = softmax(latent + labels.base)
    slope = slopes(p, labels.y, ones)
    pull = np.einsum("ik,ik->i", slope, slope)
    curvature = np.einsum("ik,ik->i", slope, curvature_times(p, slope, ones)) / np.maximum(pull, LEAST_LEFT)
    variance = _variances(design, labels.weight * curvature, picked)
    share = np.minimum(labels.weight, 1.0)[picked]
    left = np.maximum(1 - share * curvature[picked] * variance, LEAST_LEFT)
    return np.asarray(latent[picked] - (share * variance / left)[:, None] * slope[picked])


def _variances(design: DesignMatrix, curvature: Array, picked: Integers) -> Array:
    """(picked,) ψᵀ(I + ΨᵀΛΨ)⁻¹ψ, part by part of the rows."""
    gram = np.zeros((design.n_columns, design.n_columns), order="F")
    for part in _parts(np.arange(design.n_rows)):
        gram += weighted_gram(design.some(part), curvature[part])
    gram.flat[:: design.n_columns + 1] += 1.0
    factor = cholesky(gram)
    whitened = (solve_rows_lower(factor, design.some(part)) for part in _parts(picked))
    return np.concatenate([np.einsum("ij,ij->i", part, part) for part in whitened])


def _parts(rows: Integers) -> list[Integers]:
    return [rows[start : start + PART_ROWS] for start in range(0, len(rows), PART_ROWS)]

"""Log probabilities of classes for each row of the fit, as all other rows predict it.

In: the posterior of a classifier and the rows that it was fitted to. Out: (n, K). Two classes have them from the sites
of their bound. Of several, the mode moves by what a row pulls at it: with g the slope of the row and q the variance of
the functions there,

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
from alakarte.posteriors.latent import LatentPosterior, Member
from alakarte.posteriors.row_sites import RowSites
from alakarte.process.design_matrix import PART_ROWS, DesignMatrix, design_matrix, weighted_gram
from alakarte.process.latent_objective import latent_evidence
from alakarte.process.left_out import LEAST_LEFT, left_out_function
from alakarte.process.problem import latent_function_at
from alakarte.process.softmax import Labels, SoftmaxMode, softmax_mode
from alakarte.records import Array

LEAST_PROBABILITY = 1e-300
TOL = 1e-3  # nats of the bound to which sites are found anew


def left_out_log_probabilities(posterior: LatentPosterior, rows: Rows, n_jobs: int = 1) -> Array:
    """(n, K) of the rows of the fit with their encoded targets, averaged over kernels; K = 2 for two classes."""
    total = np.zeros(1)
    for member, weight in zip(posterior.members, posterior.weights, strict=True):
        total = total + weight * _probabilities(posterior, member, rows, n_jobs)
    return np.log(np.maximum(total, LEAST_PROBABILITY))


def _probabilities(posterior: LatentPosterior, member: Member, rows: Rows, n_jobs: int) -> Array:
    """(n, K) by one kernel."""
    problem, finder = member.problem.on(rows).with_jobs(n_jobs), posterior.finder
    if isinstance(finder, RowSites):
        found = latent_evidence(problem, member.theta, finder.inference, gradient=False, tol=TOL)
        ones = Bernoulli().probability(*left_out_function(found))
        return np.column_stack([1 - ones, ones])
    assert isinstance(finder, ClassSites)
    design, labels = design_matrix(latent_function_at(problem, member.theta)), labels_of(rows, finder.base)
    return softmax(labels.base + left_out_mode(design, labels, softmax_mode(design, labels)))


def left_out_mode(design: DesignMatrix, labels: Labels, mode: SoftmaxMode) -> Array:
    """(n, K) functions at each row without one unit of its weight."""
    ones = np.ones(len(labels.y))
    p = softmax(mode.latent + labels.base)
    slope = slopes(p, labels.y, ones)
    pull = np.einsum("ik,ik->i", slope, slope)
    curvature = np.einsum("ik,ik->i", slope, curvature_times(p, slope, ones)) / np.maximum(pull, LEAST_LEFT)
    variance = _variances(design, labels.weight * curvature)
    share = np.minimum(labels.weight, 1.0)
    left = np.maximum(1 - share * curvature * variance, LEAST_LEFT)
    return np.asarray(mode.latent - (share * variance / left)[:, None] * slope)


def _variances(design: DesignMatrix, curvature: Array) -> Array:
    """(n,) ψᵀ(I + ΨᵀΛΨ)⁻¹ψ, part by part of the rows."""
    n, D = design.n_rows, design.n_columns
    parts = [np.arange(start, min(start + PART_ROWS, n)) for start in range(0, n, PART_ROWS)]
    gram = np.zeros((D, D), order="F")
    for part in parts:
        gram += weighted_gram(design.some(part), curvature[part])
    gram.flat[:: D + 1] += 1.0
    factor = cholesky(gram)
    whitened = (solve_rows_lower(factor, design.some(part)) for part in parts)
    return np.concatenate([np.einsum("ij,ij->i", part, part) for part in whitened])

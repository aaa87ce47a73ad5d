"""Sites of several classes at the mode of their posterior: one curvature per row, an observation for each class.

In: a problem whose targets are labels. Out: `WorkingRegression`. Regression on z = f + g/λ has the mode as its mean for
any λ > 0: its weights solve the same equations. The shared λ = (1 − ‖p‖²)/K is what variances are made of.
"""

from dataclasses import dataclass, replace

import numpy as np

from alakarte.data.rows import Rows
from alakarte.execution.steps import Steps
from alakarte.likelihoods.categorical import slopes, softmax
from alakarte.linalg.factorise import cholesky, log_determinant
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import SiteFinder, WorkingRegression
from alakarte.process.design_matrix import JITTER, DesignMatrix, KeptDesign, design_matrix, weighted_gram
from alakarte.process.problem import Problem, latent_function_at
from alakarte.process.softmax import ROWS_PER_COLUMN, Labels, SoftmaxMode, softmax_mode
from alakarte.process.variational import LEAST_CURVATURE
from alakarte.records import Array

MOST_JOINING = 1e12  # an observation further out than this, in units of f, says no more


def labels_of(rows: Rows, base: Array) -> Labels:
    """The labels in the first column of the targets of rows."""
    y, weight = rows.targets()
    return Labels(y[:, 0].astype(np.int64), base, np.asarray(weight))


@dataclass(frozen=True)
class ClassSites(SiteFinder):
    """Sites of classes whose base rates have these logarithms (K,)."""

    base: Array

    def find(self, problem: Problem, theta: Array) -> WorkingRegression:
        """Of all rows of a problem."""
        design = design_matrix(latent_function_at(problem, theta))
        labels = labels_of(problem.rows, self.base)
        mode = softmax_mode(design, labels, steps=Steps(problem.rows.checkpoint, problem, theta, self.base))
        return replace(class_regression(design, labels, mode), n_passes=mode.n_passes)

    def update(self, before: Posterior, rows: Rows, n_jobs: int) -> WorkingRegression:
        """Of further rows: the posterior so far is their prior, what earlier rows said stays as it was."""
        x = rows.whole().x
        mean, covariance = before.mean(x, n_jobs), before.covariance(x)[:, :, 0]
        covariance = covariance + JITTER * (1e-6 + covariance.diagonal().max()) * np.eye(len(x))
        design = KeptDesign(np.ascontiguousarray(np.tril(cholesky(covariance))), n_jobs)
        labels = labels_of(rows, self.base + mean)
        working = class_regression(design, labels, softmax_mode(design, labels))
        return WorkingRegression(working.curvature, working.observation + mean, working.nlml)


def class_regression(design: DesignMatrix, labels: Labels, mode: SoftmaxMode) -> WorkingRegression:
    """The regression that has a mode as its mean, and Laplace's log evidence with the shared curvature."""
    p = softmax(mode.latent + labels.base)
    curvature = np.maximum(labels.weight * (1 - (p**2).sum(axis=1)) / labels.n_classes, LEAST_CURVATURE)
    observation = mode.latent + slopes(p, labels.y, labels.weight) / curvature[:, None]
    evidence = mode.objective - 0.5 * labels.n_classes * _log_determinant(design, curvature)
    return WorkingRegression(curvature, np.clip(observation, -MOST_JOINING, MOST_JOINING), -evidence)


def _log_determinant(design: DesignMatrix, curvature: Array) -> float:
    """log|I + ΨᵀΛΨ|, from some of the rows in proportion where they are many."""
    n = design.n_rows
    n_some = min(n, ROWS_PER_COLUMN * design.n_columns)
    picked = np.linspace(0, n - 1, n_some).astype(np.int64)
    block = weighted_gram(design.some(picked), curvature[picked] * (n / n_some))
    block.flat[:: design.n_columns + 1] += 1.0
    return log_determinant(cholesky(block))

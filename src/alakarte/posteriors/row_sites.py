"""Sites of a likelihood of one latent value per row: of all rows of a problem, or of rows that join a posterior.

In: a problem, or what a posterior knows of further rows. Out: `WorkingRegression`.
"""

from dataclasses import dataclass

import numpy as np

from alakarte.data.rows import Rows
from alakarte.likelihoods.rowwise import RowLikelihood
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import SiteFinder, WorkingRegression
from alakarte.process.latent_objective import LatentEvidence, latent_evidence
from alakarte.process.latent_space import KernelSpace
from alakarte.process.problem import Problem
from alakarte.process.variational import Observations, infer
from alakarte.records import Array, Values


@dataclass(frozen=True)
class RowSites(SiteFinder):
    """Sites under a likelihood, by the approximation that the model was fitted with."""

    inference: str
    likelihood: RowLikelihood
    values: Values  # of its parameters

    def find(self, problem: Problem, theta: Array) -> WorkingRegression:
        """Of all rows of a problem."""
        return working_regression(latent_evidence(problem, theta, self.inference, gradient=False))

    def update(self, before: Posterior, rows: Rows, n_jobs: int) -> WorkingRegression:
        """Of further rows: the posterior so far is their prior, what earlier rows said stays as it was."""
        block = rows.whole()
        mean = before.mean(block.x, n_jobs)[:, 0]
        space = KernelSpace(before.covariance(block.x)[:, :, 0], n_jobs)
        data = Observations(block.y[:, 0], block.y[:, 1] + mean, block.weight)
        found = infer(space, self.likelihood, self.values, data)
        observation = mean + found.sites.linear / found.sites.curvature
        return WorkingRegression(found.sites.curvature, np.asarray(observation)[:, None], -found.bound)


def working_regression(found: LatentEvidence) -> WorkingRegression:
    """What stands for the rows of a function whose sites were found."""
    observation = (found.sites.linear / found.sites.curvature)[:, None]
    return WorkingRegression(found.sites.curvature, observation, found.nlml, found.n_passes)

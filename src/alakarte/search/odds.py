"""How far the log odds of two classes are to be believed: rows left out tell, beforehand, two numbers.

In: what all other rows say of each row, f₋ and its variance q₋, by one kernel or several. Out: `Odds`, with which
probabilities are the average of σ under N(c f, κ c² q). Under the normal approximation q is often too large where a
border is sharp: the average is then too unsure. Both numbers are expected near one, and are one unless rows left out
gain more by others than the kernels, which these rows took part in learning, have made them look better.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

import alakarte.search.policy as policy
from alakarte.likelihoods.quadrature import NODES_TO_PREDICT, normal_nodes
from alakarte.process.latent_objective import observations
from alakarte.process.left_out import left_out_function
from alakarte.records import Array
from alakarte.search.context import Search
from alakarte.search.coordinates import Coordinates
from alakarte.search.learn_latent import Latent
from alakarte.search.optimise import Limits, Task, minimise

_BOUNDS = np.array([-2.0, -6.0]), np.array([2.0, 2.0])  # of log c and log κ: several of their standard deviations
_LEAST_PROBABILITY = 1e-300


class Odds(NamedTuple):
    """The two numbers; ones change nothing."""

    sharpness: float = 1.0  # c
    doubt: float = 1.0  # κ


class LeftOut(NamedTuple):
    """Rows as all other rows predict them."""

    moments: Sequence[tuple[float, Array, Array]]  # of each kernel its share, and f₋ and q₋ (n,)
    y: Array  # (n,) 0 or 1
    weight: Array  # (n,)
    optimism: float  # nats by which they look better than fresh rows: one for every number learned from them [Akaike]


def odds_of(search: Search, averaged: list[Latent]) -> Odds:
    """From the rows of the posterior, or those that come last in the random order; ones where nothing is learned."""
    if search.settings.max_iter == 0:
        return Odds()
    picked = np.sort(search.subsets.order[-policy.LEFT_OUT_ROWS :])
    total = sum(latent.weight for latent in averaged)
    moments = []
    for latent in averaged:
        f, q = left_out_function(latent.evidence)
        moments.append((latent.weight / total, f[picked], q[picked]))
    data = observations(averaged[0].evidence.function.problem)
    weight = data.weight[picked]
    n_learned = sum(latent.weight * latent.n_parameters for latent in averaged) / total
    optimism = n_learned * float(weight.sum() / data.weight.sum())
    return fitted_odds(LeftOut(moments, data.y[picked], weight, optimism))


def fitted_odds(left_out: LeftOut) -> Odds:
    """The most probable two numbers, where these rows gain more nats by them than they look too good."""

    def objective(theta: Array) -> tuple[float, Array]:
        (value, slope), (penalty, pull) = log_loss(theta, left_out), _prior(theta)
        return value + penalty, slope + pull

    start = np.zeros(2)
    task = Task(objective, _BOUNDS, Coordinates(np.full(2, np.inf)))
    best = minimise(task, start, Limits(policy.LINK_ITERATIONS, 0.0)).theta
    gain = objective(start)[0] - objective(best)[0]
    if not gain > left_out.optimism:
        return Odds()
    return Odds(*np.exp(best).tolist())


def _prior(theta: Array) -> tuple[float, Array]:
    """Both logarithms are normal about zero."""
    return 0.5 * float(theta @ theta) / policy.ODDS_SPREAD**2, theta / policy.ODDS_SPREAD**2


def log_loss(theta: Array, left_out: LeftOut) -> tuple[float, Array]:
    """Of all rows, and its slope by (log c, log κ)."""
    c, root = np.exp(theta[0]), np.exp(0.5 * theta[1])
    z, weights = normal_nodes(np.zeros(1), np.ones(1), NODES_TO_PREDICT)
    sign = 2 * left_out.y - 1
    p, by_c, by_kappa = np.zeros((3, len(sign)))
    for share, f, q in left_out.moments:
        spread = c * root * np.sqrt(q) * z
        g = sign * c * f + spread  # the nodes are symmetric
        sigma = expit(g)
        slope = share * weights * sigma * expit(-g)
        p += share * (weights * sigma).sum(axis=0)
        by_c += (slope * g).sum(axis=0)
        by_kappa += 0.5 * (slope * spread).sum(axis=0)
    p = np.maximum(p, _LEAST_PROBABILITY)
    slopes = np.array([left_out.weight @ (by_c / p), left_out.weight @ (by_kappa / p)])
    return -float(left_out.weight @ np.log(p)), -slopes

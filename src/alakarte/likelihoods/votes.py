"""From what neighbours say of a row to probabilities of its classes: a link of three numbers.

In: votes m (B, K) that sum to one and may be negative, the variance v (B,) that is left, shares π (K,) of the classes.
Out: log p, p_c ∝ h_c^τ with h_c = ½(m_c + √(m_c² + 4e_c²)) > 0 and e_c = (e₀ + e₁v) K π_c: where neighbours say little
probabilities tend to the shares; where they agree, e₀ is what remains for the other classes.
"""

from typing import NamedTuple

import numpy as np

from alakarte.records import Array, Integers

LINK_BOUNDS = (np.log([0.1, 1e-7, 1e-7]), np.log([20.0, 10.0, 10.0]))
LINK_START = np.log([1.0, 1e-2, 1e-1])


class Link(NamedTuple):
    """Logarithms of τ, e₀ and e₁."""

    log_power: float
    log_floor: float
    log_floor_slope: float


def link_prior(link: Array, spread: float) -> tuple[float, Array]:
    """Nats, and slope (3,): log e₀ and log e₁ are normal about their start, with this standard deviation.

    Few rows among which neighbours never erred would have them at zero, and the first that errs cost any loss.
    """
    apart = np.array([0.0, *(link[1:] - LINK_START[1:])]) / spread**2
    return float(0.5 * spread**2 * (apart @ apart)), apart


class _Parts(NamedTuple):
    """What value and derivatives share; (B, K), the last (B,)."""

    e2: Array  # e²
    root: Array  # √(m² + 4e²)
    h: Array
    log_p: Array
    e_of_v: Array  # e₀ + e₁v


def _parts(m: Array, v: Array, link: Link, shares: Array) -> _Parts:
    power, floor, slope = np.exp(link)
    e_of_v = floor + slope * v
    e2 = (e_of_v[:, None] * (shares.size * shares)) ** 2
    root = np.sqrt(m * m + 4 * e2)
    h = np.where(m > 0, 0.5 * (m + root), 2 * e2 / (root - np.minimum(m, 0)))  # without cancellation
    logs = power * np.log(h)
    logs -= logs.max(axis=1, keepdims=True)
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return _Parts(e2, root, h, logs, e_of_v)


def log_probability(m: Array, v: Array, link: Link, shares: Array) -> Array:
    """(B, K) logarithms of the probabilities of the classes."""
    return _parts(m, v, link, shares).log_p


class LinkBar(NamedTuple):
    """Σ weight · log p of the labels, and its derivatives."""

    value: float
    votes: Array  # (B, K) by m
    variance: Array  # (B,) by v
    link: Array  # (3,) by the logarithms of τ, e₀, e₁


def log_probability_pullback(
    m: Array, v: Array, link: Link, shares: Array, observed: tuple[Integers, Array]
) -> LinkBar:
    """Value and derivatives of Σ weight · log p_y; `observed`: labels y (B,) and weights (B,).

    ∂ log h/∂m = 1/√(m² + 4e²) and ∂ log h/∂log e = 2e²/(h √(m² + 4e²)).
    """
    labels, weight = observed
    parts, rows = _parts(m, v, link, shares), np.arange(len(labels))
    power, floor, slope = np.exp(link)
    log_h_bar = -np.exp(parts.log_p)
    log_h_bar[rows, labels] += 1.0
    log_h_bar *= power * weight[:, None]
    m_bar = log_h_bar / parts.root
    e_bar = (m_bar * 2 * parts.e2 / parts.h).sum(axis=1) / parts.e_of_v  # by e₀ + e₁v
    link_bar = np.array([np.sum(log_h_bar * np.log(parts.h)), floor * e_bar.sum(), slope * (e_bar @ v)])
    return LinkBar(float(weight @ parts.log_p[rows, labels]), m_bar, slope * e_bar, link_bar)

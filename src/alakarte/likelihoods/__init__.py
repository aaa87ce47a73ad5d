"""How an observation comes about from the latent function: parameters, scaling of y, predictive distribution."""

from alakarte.likelihoods.gaussian import Gaussian

__all__ = ["Gaussian"]

"""How an observation comes about from the latent function: parameters, scaling of y, predictive distribution."""

from alakarte.likelihoods.bernoulli import Bernoulli
from alakarte.likelihoods.gaussian import Gaussian
from alakarte.likelihoods.negative_binomial import NegativeBinomial
from alakarte.likelihoods.poisson import Poisson
from alakarte.likelihoods.student_t import StudentT

__all__ = ["Bernoulli", "Gaussian", "NegativeBinomial", "Poisson", "StudentT"]

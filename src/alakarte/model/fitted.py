"""`FittedModel`: all that a fitted estimator keeps. Predictions, changes by rows, text, files and pictures read it.

In: a `Fit`. Out: a frozen record, in standardised units inside, in the user's units at its properties.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from alakarte.data.standardise import Scaling
from alakarte.execution.randomness import Streams
from alakarte.likelihoods.base import Likelihood
from alakarte.likelihoods.student_t import StudentT
from alakarte.model.history import History, history
from alakarte.model.kernel import FittedKernel
from alakarte.model.periods import periods
from alakarte.posteriors.average import Average
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.calibration import Calibration
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.process.noise_and_gain import TunedProcess
from alakarte.process.problem import Problem, process_at
from alakarte.records import Array, Named, Values, arrays
from alakarte.search.fit import Fit
from alakarte.search.learn import Learned, WarmStart


@dataclass(frozen=True)
class FittedModel:
    """A learned kernel, a posterior, and how they were found."""

    kernel: FittedKernel  # of several, the best of the fit
    problem: Problem  # without rows
    theta: Array  # the learned flat vector, in standardised units
    posterior: Posterior
    calibration: Calibration  # how observations spread about what the posterior says
    scaling: Scaling
    history: History
    growth_reason: str
    warm_start: WarmStart  # draws and theta that another fit of this kernel may begin with
    streams: Streams  # of random numbers
    target_shape: tuple[int, ...]  # () for one target, (T,) for several
    input_names: tuple[str, ...]
    most_total: float  # the largest weight of rows that the posterior ever held
    rough_kernel: FittedKernel | None = None  # of neighbours that see what features leave
    excess_log_slope: float = 0.0  # of a transformed target, in nats: of rows that came and went since the fit
    noise_model: "FittedModel | None" = None  # of the logarithm of the noise, where that depends on the input

    @property
    def likelihood(self) -> Likelihood:
        """How observations come about."""
        return self.problem.likelihood

    @property
    def values(self) -> Values:
        """Parameters of kernel and likelihood by name, as they were learned."""
        return self.problem.layout.unpack(self.theta)

    @property
    def likelihood_parameters(self) -> Named:
        """Those of the likelihood by name, in the user's units."""
        named = self.problem.layout.to_user(self.theta, self.scaling.units())
        return {p.bare_name: named[p.bare_name] for p in self.likelihood.parameters()}

    @property
    def noise_std(self) -> Array:
        """(T,) in units of y; of several kernels, the root of their mean variance."""
        noise_std = np.sqrt(self.posterior.noise_variance)
        if isinstance(self.likelihood, StudentT):
            noise_std = self.likelihood.noise_std(self.values)
        return np.asarray(noise_std * self.std_scale)

    @property
    def std_scale(self) -> Array:
        """(T,) times standard deviations of the posterior: those of predictions, in units of y."""
        return np.asarray(self.calibration.scale * self.scaling.y_scale)

    @property
    def log_marginal_likelihood(self) -> float:
        """Of the rows that the posterior holds, in nats of the user's y, of `kernel`."""
        return self.scaling.log_evidence(self.posterior.nlml, self.posterior.total) + self.excess_log_slope

    @property
    def n_posterior_frequencies(self) -> int:
        """Of each component; 0 for a closed form."""
        if self.problem.is_closed:
            return 0
        return self.problem.draws.shape.n_frequencies // self.history.n_components

    @property
    def input_tails(self) -> Array | None:
        """(variables,) distance from the median, in units of each, beyond which it is compressed; infinite: never."""
        tails, variables = self.kernel.scaling.tails, self.scaling.variables
        if tails is None or variables is None:
            return None if tails is None else tails.edge * self.scaling.x_scale
        return np.where(variables.is_number, (tails.edge * self.scaling.x_scale)[variables.first], np.inf)

    @property
    def periods(self) -> list[dict[str, Any]]:
        """Waves of `kernel`: ``share`` of the variance of y, ``period`` by name of input; the largest share first."""
        return periods(self.kernel, self.posterior, self.input_names)

    @property
    def ranking(self) -> list[dict[str, Any]]:
        """Kernels that were compared, best first, with their weight in predictions."""
        posterior = self.posterior
        weights = posterior.weights if isinstance(posterior, Average | LatentPosterior) else np.ones(1)
        by_rank = dict(zip(self.history.averaged, weights, strict=False))  # the first alone, if the others have gone
        return [place | {"weight": float(by_rank.get(rank, 0.0))} for rank, place in enumerate(self.history.ranking)]

    @property
    def is_local(self) -> bool:
        """Whether predictions come from neighbours alone."""
        return self.problem.is_closed and self.history.n_neighbors > 0 and self.rough_kernel is None

    @property
    def _expansion(self) -> str:
        if not self.problem.is_closed:
            return self.problem.draws.expansion
        return "local" if self.is_local else "exact"

    def for_user(self, values: Array) -> Array:
        """Values (rows, T, …) without the axis of targets where there is one target only."""
        return values if self.target_shape else values[:, 0]

    def arrays(self) -> dict[str, Array]:
        """All numbers that it is made of, as plain arrays by name; `description` has the words."""
        return arrays(self)

    def description(self) -> dict[str, Any]:
        """What the arrays belong to, in words and plain numbers: kernel, likelihood, posterior, names and shapes."""
        kernel, likelihood = self.kernel.kernel, self.likelihood
        return {
            "kernel": kernel.name,
            "kernel_settings": kernel.get_params(deep=False),
            "likelihood": likelihood.name,
            "likelihood_settings": likelihood.get_params(deep=False),
            "posterior": type(self.posterior).__name__,
            "expansion": self._expansion,
            "n_neighbors": self.history.n_neighbors,
            "frequencies": self.problem.draws.shape.counts,
            "parameters": self.problem.layout.labels(),
            "input_names": self.input_names,
            "target_shape": self.target_shape,
            "target_transform": None if self.scaling.transform is None else self.scaling.transform.words(),
            "growth_reason": self.growth_reason,
            "stop_reason": self.history.stop_reason,
        }


def fitted_kernel(tuned: TunedProcess, scaling: Scaling, target_shape: tuple[int, ...]) -> FittedKernel:
    """The kernel of a process, in the user's units."""
    problem, process = tuned.process.problem, tuned.process
    named = problem.layout.to_user(tuned.theta, scaling.units(several=bool(target_shape)))
    of_likelihood = {p.bare_name for p in problem.likelihood.parameters()}
    parameters = {name: value for name, value in named.items() if name not in of_likelihood}
    several = bool(target_shape)
    return FittedKernel(problem.kernel, parameters, process.values, problem.draws, scaling, several)


def fitted_model(fit: Fit, target_shape: tuple[int, ...], input_names: tuple[str, ...]) -> FittedModel:
    """What is kept of a fit."""
    scaling = fit.search.scaling
    return FittedModel(
        kernel=fitted_kernel(fit.tuned, scaling, target_shape),
        problem=fit.tuned.process.problem.without_rows(),
        theta=fit.tuned.theta,
        posterior=fit.posterior,
        calibration=fit.calibration,
        scaling=replace(scaling, tails=None) if isinstance(fit.posterior, StackedPosterior) else scaling,
        history=history(fit),
        growth_reason=fit.growth_reason,
        warm_start=fit.warm_start,
        streams=fit.search.streams,
        target_shape=target_shape,
        input_names=input_names,
        most_total=fit.posterior.total,
        rough_kernel=None if fit.best.rough is None else _rough_kernel(fit.best.rough, scaling, target_shape),
    )


def _rough_kernel(rough: Learned, scaling: Scaling, target_shape: tuple[int, ...]) -> FittedKernel:
    """The kernel of neighbours, in the user's units."""
    theta = rough.run.theta
    return fitted_kernel(TunedProcess(process_at(rough.problem, theta), theta, np.nan, None), scaling, target_shape)

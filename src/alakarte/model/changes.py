"""Rows that come and go: a fitted model with some rows added or removed, exactly up to rounding.

In: a `FittedModel` and rows. Out: another one; the old one is as it was. Kernels, their noise and standardisation stay
those of the fit; noise near nothing becomes, as in a fit, what rounding needs. A closed form keeps its rows instead of
sums; where they become many it turns into an expansion of the same kernel, noise and common amplitude tuned to that.
The weights of an average follow the rows; beyond few rows its best kernel goes on alone.
"""

from dataclasses import replace

from alakarte.data.arrays import ArrayRows
from alakarte.execution.budget import Budget
from alakarte.model.fitted import FittedModel, fitted_kernel
from alakarte.posteriors.average import Average
from alakarte.posteriors.build import build_posterior
from alakarte.posteriors.latent import LatentPosterior, Member, latent_posterior
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.weights import FeaturePosterior
from alakarte.process.computation import without_expansion
from alakarte.process.weight_space import noise_floor
from alakarte.search.compare import tune_one, with_columns
from alakarte.search.cost import closed_flops, compare_columns
from alakarte.search.policy import FEW_ROWS, JOIN_CLOSED_FLOPS, KEEP_CLOSED_FLOPS


def changed(model: FittedModel, rows: ArrayRows, sign: int, n_jobs: int) -> FittedModel:
    """The model with rows added (sign 1) or removed (−1); IllConditioned if no rows can be left so."""
    n_more = rows.n_rows if sign > 0 else 0
    model = _expanded_where_dear(_alone_beyond_few(model, n_more), n_more, n_jobs)
    posterior = model.posterior.changed(rows, sign, n_jobs)
    return replace(
        model,
        posterior=posterior,
        most_total=max(model.most_total, posterior.total),
        excess_log_slope=model.excess_log_slope + sign * rows.excess_log_slope(),
    )


def is_worn_out(model: FittedModel) -> bool:
    """Whether what rounding left of rows that have gone is more than the noise that those which remain ask for."""
    posterior = model.posterior.smooth if isinstance(model.posterior, SmoothAndRough) else model.posterior
    if not isinstance(posterior, FeaturePosterior):
        return False
    learned = model.problem.noise.noise_variance(model.values)
    left, asked = (
        noise_floor(posterior.size, total, model.kernel.spectrum.log_amplitude)
        for total in (model.most_total, posterior.total)
    )
    return left > 2 * max(learned, asked)


def _alone_beyond_few(model: FittedModel, n_more: int) -> FittedModel:
    """The best kernel of the fit instead of an average, where rows become many."""
    posterior = model.posterior
    if not isinstance(posterior, Average) or posterior.rows.n_rows + n_more <= FEW_ROWS:
        return model
    return replace(model, posterior=posterior.members[0])


def _expanded_where_dear(model: FittedModel, n_more: int, n_jobs: int) -> FittedModel:
    """Sums of features instead of a closed form, where its rows become too many for it."""
    posterior, shape = model.posterior, model.problem.draws.shape
    if isinstance(posterior, StackedPosterior):
        inner = _latent_expanded_where_dear(model, posterior.features, n_more, n_jobs)
        if not isinstance(inner.posterior, LatentPosterior):
            return model
        return replace(inner, posterior=replace(posterior, features=inner.posterior))
    if isinstance(posterior, LatentPosterior):
        return _latent_expanded_where_dear(model, posterior, n_more, n_jobs)
    if not isinstance(posterior, RowPosterior):
        return model
    n_rows = posterior.rows.n_rows + n_more
    flops = closed_flops(n_rows, shape.n_inputs, shape.n_components)
    if without_expansion(asked=False, possible=True, flops=flops, most_flops=JOIN_CLOSED_FLOPS):
        return model
    problem = model.problem.on(posterior.rows).with_jobs(n_jobs)
    problem = with_columns(problem, compare_columns(posterior.rows.n_rows), model.streams("expand"))
    tuned = tune_one(problem, model.theta, Budget())
    return replace(
        model,
        kernel=fitted_kernel(tuned, model.scaling, model.target_shape),
        problem=problem.without_rows(),
        theta=tuned.theta,
        posterior=build_posterior(tuned.process, tuned.nlml, tuned.sums),
        growth_reason="rows came and went",
    )


def _latent_expanded_where_dear(
    model: FittedModel, posterior: LatentPosterior, n_more: int, n_jobs: int
) -> FittedModel:
    """The same for a likelihood that is not normal: the best kernel goes on, the sites of all rows are found anew."""
    rows, best = posterior.rows, posterior.members[0]
    shape = best.problem.draws.shape
    if rows is None:
        return model
    flops = closed_flops(rows.n_rows + n_more, shape.n_inputs, shape.n_components)
    if without_expansion(asked=False, possible=True, flops=flops, most_flops=KEEP_CLOSED_FLOPS):
        return model
    problem = with_columns(best.problem, compare_columns(rows.n_rows), model.streams("expand"))
    member = Member(problem, best.theta, best.n_parameters)
    working = posterior.finder.find(problem.on(rows).with_jobs(n_jobs), best.theta)
    alone = latent_posterior(posterior.finder, (member,), rows, [working], n_jobs)
    return replace(
        model,
        problem=problem,
        posterior=replace(alone, sharpness=posterior.sharpness, doubt=posterior.doubt),
        growth_reason="rows came and went",
    )

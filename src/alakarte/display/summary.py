"""The text of `summary()`: what was learned, in the user's units. Reads a `FittedModel` and nothing else."""

from typing import Any

import numpy as np

from alakarte.display.words import cut, cut_apart
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.base import Posterior
from alakarte.posteriors.latent import LatentPosterior
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.votes import VotesPosterior
from alakarte.records import Array

MOST_INPUTS = 20  # that are listed
MOST_NUMBERS = 12  # of one parameter
MOST_PERIODS = 8
MOST_ALONG = 2  # inputs of each
LONGEST_NAME = 32
BAR = 30  # characters


def summary(model: FittedModel) -> str:
    """What a fitted model learned."""
    lines = [*_head(model), *_choices(model), *_ranking(model), "", *_relevance(model), ""]
    lines += _periods(model)
    for name, value in model.kernel.parameters.items():
        lines += _parameter(name, np.asarray(value), model.kernel.draws.shape.n_components)
    return "\n".join(lines)


def _head(model: FittedModel) -> list[str]:
    kernel, n_basis, history = model.kernel, model.posterior.n_basis, model.history
    name = f"Gaussian process, kernel {kernel.kernel.name}"
    size = f"exact on {n_basis} rows"
    if model.n_posterior_frequencies:
        size = f"{kernel.draws.expansion}, {n_basis} basis functions"
    elif history.n_neighbors:
        size = f"{history.n_neighbors} neighbours among {n_basis} rows"
    return [
        f"{name}, {size}",
        *_evidence(model),
        *_likelihood(model),
        f"search         {len(history.starts)} start(s), {history.n_evaluations} evaluations; {history.stop_reason}",
    ]


def _evidence(model: FittedModel) -> list[str]:
    """The evidence, where there is one, and what stands for it where neighbours were tried."""
    lines, density = [], model.history.left_out_log_density
    if not np.isnan(model.log_marginal_likelihood):
        lines.append(f"log evidence   {model.log_marginal_likelihood:.2f} nats")
    if density is not None:
        lines.append(f"rows left out  {density:.4f} nats per row")
    if model.rough_kernel is not None:
        number, what_for = model.history.n_neighbors, _part_of_neighbours(model)
        lines.append(f"neighbours     {number} {what_for}, kernel {model.rough_kernel.kernel}")
    return lines


def _part_of_neighbours(model: FittedModel) -> str:
    """What neighbours are there for, beside features."""
    if isinstance(model.posterior, StackedPosterior):
        a, b, c = model.posterior.weights
        return f"beside these (log p = {a:.2f} by features + {b:.2f} from neighbours + {c:.2f} of the shares)"
    return "for what these leave"


def _likelihood(model: FittedModel) -> list[str]:
    """What was learned of the likelihood: the noise, or its own parameters."""
    posterior = model.posterior
    if isinstance(posterior, VotesPosterior):
        link = f"power, floor and slope {_numbers(np.exp(posterior.link))}"
        noise_std = posterior.noise_variance**0.5
        return [f"likelihood     {posterior.n_targets} classes, votes of neighbours, noise std {noise_std:.4g}; {link}"]
    is_latent = isinstance(posterior, LatentPosterior | StackedPosterior)
    if model.likelihood.is_exact and not is_latent:
        where = "" if model.noise_model is None else ", times a function of the inputs"
        transform = [] if model.scaling.transform is None else [f"target         {model.scaling.transform.words()}"]
        return [*transform, f"noise std      {_numbers(model.noise_std)}{where}", f"intervals      {_intervals(model)}"]
    if is_latent and model.likelihood.is_exact:
        return [f"likelihood     {posterior.n_targets} classes, softmax"]
    learned = [f"{name} {_numbers(np.asarray(value))}" for name, value in model.likelihood_parameters.items()]
    return [f"likelihood     {', '.join([model.likelihood.name, *learned])}", *_odds(posterior)]


def _odds(posterior: Posterior) -> list[str]:
    """How rows left out have corrected probabilities of two classes."""
    latent = posterior.features if isinstance(posterior, StackedPosterior) else posterior
    if not isinstance(latent, LatentPosterior) or (latent.sharpness == 1 and latent.doubt == 1):
        return []
    c, kappa = latent.sharpness, latent.doubt
    return [f"probabilities  from log odds x {c:.3g}, their variance x {kappa * c**2:.3g}, by rows left out"]


def _intervals(model: FittedModel) -> str:
    """How observations spread about their predictions."""
    scale, dof, doubt = model.calibration.scale, model.calibration.dof, _doubt(model.posterior)
    if np.isinf(dof).all() and (scale == 1).all() and not doubt:
        return "normal, as learned"
    tails = [f"Student-t, dof {each:.3g}" if np.isfinite(each) else "normal" for each in dof]
    words = f"{', '.join(dict.fromkeys(tails))}; standard deviations x {_numbers(scale)}"
    return f"{words}{doubt}, by rows left out"


def _doubt(posterior: Posterior) -> str:
    """How neighbours that are far are doubted."""
    near = posterior.rough if isinstance(posterior, SmoothAndRough) else posterior
    if not isinstance(near, LocalPosterior) or near.doubt == 0:
        return ""
    return f", variances v of far neighbours x (1 + v/noise)^{near.doubt:.2g}"


def _choices(model: FittedModel) -> list[str]:
    """What was chosen, and why."""
    history, n_posterior = model.history, model.n_posterior_frequencies
    with_what = "given their neighbours" if history.n_neighbors else "exactly"
    if history.n_frequencies:
        with_what = f"{history.n_components} x {history.n_frequencies} frequencies"
    lines = [f"learned        on {history.n_learning_rows} rows, {with_what}"]
    if n_posterior != history.n_frequencies:
        lines.append(
            f"posterior      on all rows, {history.n_components} x {n_posterior} fresh frequencies; "
            f"{model.growth_reason}"
        )
    if (encoding := model.scaling.encoding) is not None:
        names = [f"{model.input_names[j]} {levels.n_columns}" for j, levels in encoding.categories.items()]
        lines.append(f"categories     by levels, one length-scale each: {', '.join(names)}")
    if model.input_tails is not None:
        lines.append("inputs         far from the median are compressed by the logarithm, beyond input_tails_")
    return lines


def _name(place: dict[str, Any]) -> str:
    """A kernel, its components, and what else tells it from others."""
    name = str(place["kernel"]) + (f", Q = {place['n_components']}" if place["n_components"] > 1 else "")
    name += f", fixed at {place['fixed']}" if place.get("fixed") else ""
    return name + (", compressed" if place["compressed"] else "")


def _ranking(model: FittedModel) -> list[str]:
    """The kernels that were compared."""
    ranking = model.ranking
    if not ranking:
        return []
    by_loss, by_density = "left_out_log_loss" in ranking[0], "left_out_log_density" in ranking[0]
    what, left_out = "log loss" if by_loss else "log evidence", f"{'left out':>10}" if by_density else ""
    names = [_name(place) for place in ranking]
    width = max(20, *(len(name) + 1 for name in names))
    lines = ["", f"{'kernel':<{width}}{what:>14}{left_out}{'parameters':>12}{'columns':>9}{'weight':>8}"]
    for name, place in zip(names, ranking, strict=True):
        value = f"{place['left_out_log_loss']:>14.4f}" if by_loss else f"{place['log_marginal_likelihood']:>14.1f}"
        value = value.replace("nan", "  –")
        value += _or_dash(place["left_out_log_density"]) if by_density else ""
        numbers = f"{value}{place['n_parameters']:>12}{place['n_basis']:>9}"
        lines.append(f"{name:<{width}}{numbers}{place['weight']:>8.2f}")
    averaged = sum(place["weight"] > 0 for place in ranking) > 1
    kept = "predictions are averaged by weight" if averaged else "the first is kept"
    by_what = "log evidence less half the number of parameters"
    if by_loss:
        by_what = "log loss of rows left out"
    if by_density:
        by_what += "; neighbours by log density per row of rows left out"
    return [*lines, f"by {by_what}; the best were learned further, {kept}"]


def _or_dash(value: float | None) -> str:
    return f"{'–' if value is None else format(value, '.4f'):>10}"


def _relevance(model: FittedModel) -> list[str]:
    """Inputs by relevance, with bars."""
    relevance, names = model.kernel.relevance(), model.input_names
    places = np.argsort(-relevance, kind="stable")[:MOST_INPUTS].tolist()
    shown: dict[int, str] = dict(zip(places, cut_apart([str(names[j]) for j in places], LONGEST_NAME), strict=True))
    width = max(20, *(len(name) + 1 for name in shown.values()))
    lines = [f"{'input':<{width}}{'relevance':>10}  "]
    lines += [f"{name:<{width}}{relevance[j]:>10.3f}  {'#' * round(BAR * relevance[j])}" for j, name in shown.items()]
    if len(names) > MOST_INPUTS:
        lines.append(f"… and {len(names) - MOST_INPUTS} more inputs")
    return lines


def _periods(model: FittedModel) -> list[str]:
    """A line for each of the strongest waves of the kernel."""
    lines = []
    for wave in model.periods[:MOST_PERIODS]:
        shortest = sorted(wave["period"].items(), key=lambda each: each[1])
        along = " and ".join(f"{period:.4g} along {cut(name, LONGEST_NAME)}" for name, period in shortest[:MOST_ALONG])
        along += " ..." if len(shortest) > MOST_ALONG else ""
        share = f"{100 * wave['share']:.2g} %" if wave["share"] <= 1 else "more than all"
        lines.append(f"period         {along}, {share} of the variance")
    return [*lines, ""] if lines else []


def _parameter(name: str, value: Array, n_components: int) -> list[str]:
    """One line per parameter, or one per component."""
    if value.ndim == 2 and value.shape[0] == n_components and n_components > 1:
        return [f"{name + f'[{q}]':<20}{_numbers(row)}" for q, row in enumerate(value)]
    return [f"{name:<20}{_numbers(value)}"]


def _numbers(value: Array) -> str:
    flat = np.ravel(value)
    shown = "  ".join(f"{v:.4g}" for v in flat[:MOST_NUMBERS])
    return shown + (f"  … ({flat.size} in all)" if flat.size > MOST_NUMBERS else "")

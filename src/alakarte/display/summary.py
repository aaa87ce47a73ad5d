"""The text of `summary()`: what was learned, in the user's units. Consumes public results only."""

import numpy as np


def summary(model) -> str:
    """Summary of a fitted `GPRegressor`."""
    kernel, d = model.kernel_, model.n_features_in_
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(d)]))
    lines = [
        f"Gaussian process, kernel {kernel.kernel.name}, {kernel.draws.expansion}, {model.n_basis_} basis functions"
        if model.n_posterior_frequencies_
        else f"Gaussian process, kernel {kernel.kernel.name}, exact on {model.n_basis_} rows",
        f"log evidence   {model.log_marginal_likelihood_:.2f} nats",
        f"noise std      {model.noise_std_:.4g}",
        f"search         {len(model.starts_)} start(s), {model.n_evaluations_} evaluations; {model.stop_reason_}",
        *_choices(model),
        "",
        f"{'input':<20}{'relevance':>10}  ",
    ]
    order = np.argsort(-model.relevance_, kind="stable")
    for j in order[:20]:
        lines.append(f"{names[j]!s:<20.20}{model.relevance_[j]:>10.3f}  {'#' * round(30 * model.relevance_[j])}")
    if d > 20:
        lines.append(f"… and {d - 20} more inputs")
    lines.append("")
    for name, value in kernel.parameters.items():
        lines += _parameter(name, np.asarray(value), kernel.draws.shape.n_components)
    return "\n".join(lines)


def _choices(model):
    """What was chosen and why, and the ranking of the menu."""
    with_what = f"{model.n_components_} x {model.n_frequencies_} frequencies" if model.n_frequencies_ else "exactly"
    lines = [f"learned        on {model.n_learning_rows_} rows, {with_what}"]
    if model.n_components is None and model.kernel_.kernel.has_components:
        lines[-1] += "; components: as many as the rows can bear"
    if model.n_posterior_frequencies_ != model.n_frequencies_:
        lines.append(
            f"posterior      on all rows, {model.n_components_} x {model.n_posterior_frequencies_} fresh frequencies; "
            f"{model.growth_reason_}"
        )
    if model.input_tails_ is not None:
        lines.append("inputs         far from the median are drawn in by the logarithm, beyond input_tails_")
    if model.ranking_:
        lines += ["", f"{'kernel':<20}{'log evidence':>14}{'parameters':>12}{'columns':>9}{'weight':>8}"]
        for one in model.ranking_:
            name = one["kernel"] + (f", Q = {one['n_components']}" if one["n_components"] > 1 else "")
            name += ", drawn in" if one["drawn_in"] else ""
            numbers = f"{one['log_marginal_likelihood']:>14.1f}{one['n_parameters']:>12}{one['n_basis']:>9}"
            lines.append(f"{name:<20}{numbers}{one['weight']:>8.2f}")
        several = sum(one["weight"] > 0 for one in model.ranking_) > 1
        kept = "predictions are averaged by weight" if several else "the first is kept"
        lines.append(f"by log evidence less half the number of parameters; the best were learned further, {kept}")
    return lines


def _parameter(name, value, n_components):
    """One line a parameter, or one a component."""
    if value.ndim == 2 and value.shape[0] == n_components and n_components > 1:
        return [f"{name + f'[{q}]':<20}{_numbers(row)}" for q, row in enumerate(value)]
    return [f"{name:<20}{_numbers(value)}"]


def _numbers(value):
    flat = np.ravel(value)
    shown = "  ".join(f"{v:.4g}" for v in flat[:12])
    return shown + (f"  … ({flat.size} in all)" if flat.size > 12 else "")

"""The text of `summary()`: what was learned, in the user's units. Consumes public results only."""

import numpy as np


def summary(model) -> str:
    """Summary of a fitted `GPRegressor`."""
    kernel, d = model.kernel_, model.n_features_in_
    names = list(getattr(model, "feature_names_in_", [f"x{j}" for j in range(d)]))
    lines = [
        f"Gaussian process, kernel {kernel.kernel.name}, expansion {model.expansion}, {model.n_basis_} basis functions"
        if model.expansion != "exact"
        else f"Gaussian process, kernel {kernel.kernel.name}, exact on {model.n_basis_} rows",
        f"log evidence   {model.log_marginal_likelihood_:.2f} nats",
        f"noise std      {model.noise_std_:.4g}",
        f"search         {len(model.starts_)} start(s), {model.n_evaluations_} evaluations; {model.stop_reason_}",
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


def _parameter(name, value, n_components):
    """One line a parameter, or one a component."""
    if value.ndim == 2 and value.shape[0] == n_components and n_components > 1:
        return [f"{name + f'[{q}]':<20}{_numbers(row)}" for q, row in enumerate(value)]
    return [f"{name:<20}{_numbers(value)}"]


def _numbers(value):
    flat = np.ravel(value)
    shown = "  ".join(f"{v:.4g}" for v in flat[:12])
    return shown + (f"  … ({flat.size} in all)" if flat.size > 12 else "")

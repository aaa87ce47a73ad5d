"""What kernels and likelihoods are, in words for who knows the subject and not the method. Knows no numbers.

In: a `FittedModel`. Out: sentences.
"""

from collections.abc import Sequence

from alakarte.model.fitted import FittedModel

# what a kernel takes the function to be
_KERNELS = {
    "rbf": "a smooth function, with one scale for all inputs",
    "ard": "a smooth function, with a scale of its own for each input",
    "matern": "a function with kinks, with a scale of its own for each input",
    "gm": "waves and smooth trends of several scales",
    "mm": "waves and kinks of several scales",
    "pwl": "a function of several scales at once, from broad trends to fine detail",
    "fsard": "a smooth function of waves whose directions were learned",
    "fsgbard": "a function of waves whose directions and signs were learned",
    "trend": "a trend that goes on",
    "ssgpr": "a sum of waves, each with a frequency that was learned",
}
_LIKELIHOODS = {
    "gaussian": "Observations scatter about the function by normal noise, the same everywhere.",
    "student_t": "Observations scatter with heavy tails: a few that lie far out do not drag the function along.",
    "bernoulli": "Each row is one of two classes; the function is the logarithm of the odds.",
    "poisson": "Counts scatter as chance events do; the function is the logarithm of their rate.",
    "negative_binomial": "Counts scatter more than chance events would; the function is the logarithm of their rate.",
}


def cut(name: str, longest: int) -> str:
    """A name of at most so many characters, without its middle: beginnings and ends tell names apart."""
    return name if len(name) <= longest else f"{name[: longest - 7]}…{name[-6:]}"


def cut_apart(names: Sequence[str], longest: int) -> list[str]:
    """Names of at most so many characters that differ where the whole names do: what all share goes first."""
    shown = [cut(name, longest) for name in names]
    if len(set(shown)) == len(set(names)):
        return shown
    begin = _shared(names)
    end = _shared([name[begin:][::-1] for name in names])
    bare = [name[begin : len(name) - end] for name in names]
    spare = max(longest - 2 - max(map(len, bare)), 0)
    before = names[0][max(begin - spare, 0) : begin]
    return [f"…{before}{cut(name, longest - 2)}{'…' if end else ''}" for name in bare]


def _shared(names: Sequence[str]) -> int:
    """How many characters all names begin with."""
    columns = zip(*names, strict=False)
    return next((k for k, column in enumerate(columns) if len(set(column)) > 1), min(map(len, names)))


def kernel_in_words(model: FittedModel) -> str:
    """What the learned kernel takes the function to be."""
    parts = [_KERNELS.get(part.kernel.name, f"kernel {part.kernel.name}") for part in model.kernel.parts]
    return ", added to ".join(parts)


def likelihood_in_words(model: FittedModel, n_classes: int) -> str:
    """How observations come about."""
    if model.noise_model is not None:
        return "Observations scatter about the function by normal noise that depends on the inputs."
    if n_classes > 2:
        return f"Each row is one of {n_classes} classes, with a function for each."
    return _LIKELIHOODS["bernoulli"] if n_classes == 2 else _LIKELIHOODS.get(model.likelihood.name, "")


def computation_in_words(model: FittedModel) -> str:
    """What predictions are made from."""
    n, history = f"{model.posterior.total:,.0f}", model.history
    if model.n_posterior_frequencies:
        text = f"Learned from {history.n_learning_rows:,} rows; predictions use all {n} rows, by "
        return text + f"{model.posterior.n_basis:,} random waves."
    if model.is_local:
        return f"Each prediction is made from the {history.n_neighbors} most similar of {n} rows."
    return f"Learned from {n} rows; every one of them takes part in each prediction."

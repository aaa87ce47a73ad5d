"""All randomness of an expansion, drawn once: Fastfood stacks or independent Gaussian directions.

In: a `Shape` and a generator. Out: `Draws`. Frozen while learning, otherwise line searches fail. Paper, section 3.2.
"""

import numpy as np

import alakarte.compiled.loops as loops
import alakarte.compiled.reference as reference
from alakarte.records import Array, Draws, Shape, Stacks

FEW_INPUTS = 64  # up to here NumPy is quicker than to compile the transform


def draw(shape: Shape, expansion: str, rng: np.random.Generator) -> Draws:
    """Draws for `expansion` "fastfood" or "dense"."""
    if expansion == "fastfood":
        stacks, dof = _stacks(shape, rng), shape.n_padded
        directions = stack_directions(shape, stacks)
        lengths = np.linalg.norm(directions, axis=0)  # [E3]
    else:
        directions = rng.standard_normal((shape.n_inputs, shape.n_frequencies))
        directions /= np.linalg.norm(directions, axis=0)
        stacks, lengths, dof = None, np.ones(shape.n_frequencies), shape.n_inputs
    chi = np.sqrt(rng.chisquare(dof, size=shape.n_frequencies))  # χ, not χ² [E4]; p degrees of freedom [E3]
    quantiles = rng.uniform(1e-12, 1, size=shape.n_frequencies)
    return Draws(shape, stacks, directions, lengths, chi, _stratified(shape, rng), quantiles)


def _stacks(shape: Shape, rng: np.random.Generator) -> Stacks:
    size, p = (shape.n_stacks, shape.n_padded), shape.n_padded
    signs = rng.choice([-1.0, 1.0], size=size)
    permutation = np.argsort(rng.uniform(size=size), axis=1)
    gaussians = rng.standard_normal(size)
    kept, first = [], 0
    for m in shape.counts:
        full, rest = divmod(m, p)
        kept.append(first * p + np.arange(full * p))
        if rest:  # rows of the last stack, subsampled
            kept.append((first + full) * p + np.sort(rng.permutation(p)[:rest]))
        first += full + (rest > 0)
    position = np.concatenate(kept).astype(np.int64, copy=False)
    norms = np.sqrt(p) * np.linalg.norm(gaussians, axis=1)  # [E2]
    return Stacks(signs, permutation, gaussians, position, norms[position // p])


def stack_directions(shape: Shape, stacks: Stacks) -> Array:
    """(d, F) the d live columns of H G Π H B / (√p ‖G‖): the unit vectors pushed through once."""
    columns = np.empty((shape.n_inputs, shape.n_frequencies))
    ones = np.ones((shape.n_stacks, shape.n_inputs))
    factor = np.ones_like(stacks.signs)
    identity = np.eye(shape.n_inputs)
    project = loops.fastfood.project if shape.n_inputs > FEW_INPUTS else reference.project
    project(identity, ones, stacks.signs, stacks.permutation, stacks.gaussians, factor, stacks.position, columns)
    return columns / stacks.norms


def _stratified(shape: Shape, rng: np.random.Generator) -> Array:
    """u_j = (j + offset)/m within each component, one offset each, shuffled over rows and stacks."""
    parts = [rng.permutation((np.arange(m) + rng.uniform(1e-6, 1 - 1e-6)) / m) for m in shape.counts]
    return np.concatenate(parts)

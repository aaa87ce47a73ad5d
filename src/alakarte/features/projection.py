"""Fast transform or matrix product: a cost model in operations, never a clock: same input, same bits."""

from alakarte.records import Shape

# Cost of an addition of the transform, there and back, in multiply-adds of a matrix product: break-even near d = 40.
ADDITION = 3.6


def prefers_transform(shape: Shape) -> bool:
    """Whether 2 T p log₂ p additions beat d F multiply-adds a row."""
    p = shape.n_padded
    additions = 2 * shape.n_stacks * p * max(p.bit_length() - 1, 1)
    return ADDITION * additions < shape.n_inputs * shape.n_frequencies

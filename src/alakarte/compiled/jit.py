"""The one decorator of all compiled functions, and the one hint they give to the compiler.

In: a plain Python function of loops. Out: the same function, compiled at its first call for each dtype, cached on disk.
Nothing compiles at import. With NUMBA_DISABLE_JIT=1 both do nothing and the loops run as Python.
"""

from numba import config, njit, types
from numba.extending import intrinsic


def compiled(function, fastmath=frozenset({"contract"})):
    """Compile `function` lazily; without a writable cache directory it compiles once in every process.

    Numba itself tries NUMBA_CACHE_DIR, the package's __pycache__ and the user's cache directory, in this order. A
    directory for temporary files is not tried after these: cached code from a shared place would be run unseen.
    Fused multiply-add is all that is relaxed: other flags would let the compiler assume that NaN and inf never occur.
    """
    options = {"nogil": True, "fastmath": set(fastmath), "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available"
        return njit(**options)(function)


def compiled_sum(function):
    """`compiled` for a function that only sums: the order of additions is the compiler's, so that it vectorises."""
    return compiled(function, frozenset({"contract", "reassoc"}))


def _wide_vectors(typing_context):
    """Called first in a compiled function: its loops use 512-bit vectors where the processor has them.

    LLVM prefers 256 bits there to spare the clock, which BLAS next door has lowered already.
    """

    def codegen(context, builder, signature, args):
        # llvmlite prints every attribute of the set but lists only some, and its own `add` refuses the others.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), codegen


wide_vectors = (lambda: None) if config.DISABLE_JIT else intrinsic(_wide_vectors)


def generated(twin):
    """Decorate a generator of vector instructions; with NUMBA_DISABLE_JIT=1 its `twin` in Python takes its place."""
    return (lambda generator: twin) if config.DISABLE_JIT else intrinsic

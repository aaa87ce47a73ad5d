"""The decorators of all compiled functions, and what generates single instructions.

In: a plain Python function of loops. Out: the same function, compiled at its first call for each dtype, cached on disk.
Nothing compiles at import. With NUMBA_DISABLE_JIT=1 the loops run as Python.
Numba's cache does not notice a change of this file: remove the *.nbi files after one.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import config, njit, types
from numba.extending import intrinsic

# Fused multiply-add is all that is relaxed: other flags would let the compiler assume that NaN and inf never occur.
OPTIONS: Any = {"nogil": True, "fastmath": {"contract"}, "error_model": "numpy"}
_PLAIN_PYTHON = bool(vars(config)["DISABLE_JIT"])


def compiled(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    """Compile `function` lazily; without a writable cache directory it compiles once in every process.

    Numba itself tries NUMBA_CACHE_DIR, the package's __pycache__ and the user's cache directory, in this order. A
    directory for temporary files is not tried after these: cached code from a shared place would be run unseen.
    """
    options = {**OPTIONS, **options}
    try:
        dispatcher: Callable[..., Any] = njit(cache=True, **options)(function)
    except RuntimeError:  # "no locator available"
        dispatcher = njit(**options)(function)
    return dispatcher


def compiled_sum(function: Callable[..., Any]) -> Callable[..., Any]:
    """`compiled` for a function that only sums: the order of additions is the compiler's, so that it vectorises."""
    return compiled(function, fastmath={"contract", "reassoc"})


def _wide_vectors(typing_context):
    """Let the loops of the calling function use 512-bit vectors where the processor has them.

    LLVM prefers 256 bits there to spare the clock, which BLAS next door has lowered already.
    """

    def codegen(context, builder, signature, args):
        # llvmlite prints every attribute of the set but lists only some, and its own `add` refuses the others.
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.none(), codegen


wide_vectors: Any = (lambda: None) if _PLAIN_PYTHON else intrinsic(_wide_vectors)


def generated(twin: Callable[..., None]) -> Callable[..., Callable[..., None]]:
    """Decorate a generator of vector instructions; with NUMBA_DISABLE_JIT=1 its `twin` in Python takes its place."""
    return (lambda generator: twin) if _PLAIN_PYTHON else intrinsic


def emitters(context: Any, builder: Any, signature: Any, args: Any) -> tuple[Callable[..., Any], ...]:
    """Return functions that emit instructions on argument number `n`, a flat array, from entry `index + k` on.

    They load one entry, load and store a vector of 64 bytes, and multiply a vector by a number.
    """

    def address(n, index, k):
        data = context.make_array(signature.args[n])(context, builder, args[n]).data
        return builder.gep(data, [builder.add(index, ir.Constant(index.type, k))])

    def vector_address(n, index, k):
        dtype = signature.args[n].dtype
        vector = ir.VectorType(context.get_value_type(dtype), 512 // dtype.bitwidth)
        return builder.bitcast(address(n, index, k), vector.as_pointer()), dtype.bitwidth // 8

    def entry(n, index, k):
        return builder.load(address(n, index, k))

    def load(n, index, k=0):
        where, alignment = vector_address(n, index, k)
        return builder.load(where, align=alignment)

    def store(value, n, index, k=0):
        where, alignment = vector_address(n, index, k)
        builder.store(value, where, align=alignment)

    def times(value, factor):
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), value.type.count), [0] * value.type.count)
        first = builder.insert_element(ir.Constant(value.type, ir.Undefined), factor, ir.Constant(ir.IntType(32), 0))
        return builder.fmul(value, builder.shuffle_vector(first, first, zeros))

    return entry, load, store, times


def butterflies(rows: list[Any], plus: Callable[[Any, Any], Any], minus: Callable[[Any, Any], Any]) -> None:
    """Replace n vectors in a list by H_n of them, with what adds and subtracts two of them."""
    half = 1
    while half < len(rows):
        for k in range(len(rows)):
            if not k & half:
                rows[k], rows[k + half] = plus(rows[k], rows[k + half]), minus(rows[k], rows[k + half])
        half *= 2

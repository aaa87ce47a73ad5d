"""The fast transform: phases of one block of rows, and the derivatives of its scales and draws.

Names, arguments and results are those of `reference.py`, where the formulas stand; float32 or float64.
A tile is as many data rows as fill one 64-byte vector (`lanes`), transposed: entry j of all of them is tile[j·lanes:],
so that butterflies are sums of vectors and a permutation is a choice of vectors. LLVM's vectoriser gives up on
butterflies of more than four streams, hence the generated instructions; each has a twin in Python. All callees are in
this file, for Numba's cache notices changes of a function's own file only. Paper, section 3.2.
"""

import operator
from collections.abc import Callable

import numpy as np
from llvmlite import ir
from numba import types

from alakarte.compiled.jit import butterflies, compiled, emitters, generated, wide_vectors
from alakarte.compiled.layout import cut_tiles, row_major, tile_starts, writable
from alakarte.execution.scratch import aligned
from alakarte.records import Array, Integers

_INDEX = types.int64


def _radix(n: int) -> Callable[..., None]:
    """H_n of the n vectors of `u` at start, start + step, …, in place."""

    def twin(u, start, step):
        lanes = 64 // u.itemsize
        rows = [u[start + k * step :][:lanes].copy() for k in range(n)]
        butterflies(rows, operator.add, operator.sub)
        for k in range(n):
            u[start + k * step :][:lanes] = rows[k]

    @generated(twin)
    def generator(typing_context, u, start, step):
        def codegen(context, builder, signature, args):
            _, load, store, _ = emitters(context, builder, signature, args)
            starts = [args[1]]
            for _ in range(n - 1):
                starts.append(builder.add(starts[-1], args[2]))
            rows = [load(0, index) for index in starts]
            butterflies(rows, builder.fadd, builder.fsub)
            for row, index in zip(rows, starts, strict=True):
                store(row, 0, index)
            return context.get_dummy_value()

        return types.none(u, _INDEX, _INDEX), codegen

    return generator


def _mix(n: int) -> Callable[..., None]:
    """H_n of the n vectors of `u` at row[i], row[i + 1], … times scale[j], …, into `v` from start on."""

    def twin(u, row, i, scale, j, v, start):
        lanes = 64 // u.itemsize
        rows = [u[row[i + k] :][:lanes] * scale[j + k] for k in range(n)]
        butterflies(rows, operator.add, operator.sub)
        v[start : start + n * lanes] = np.concatenate(rows)

    @generated(twin)
    def generator(typing_context, u, row, i, scale, j, v, start):
        def codegen(context, builder, signature, args):
            entry, load, store, times = emitters(context, builder, signature, args)
            rows = [times(load(0, entry(1, args[2], k)), entry(3, args[4], k)) for k in range(n)]
            butterflies(rows, builder.fadd, builder.fsub)
            for k in range(n):
                store(rows[k], 5, args[6], k * rows[k].type.count)
            return context.get_dummy_value()

        return types.none(u, row, _INDEX, scale, _INDEX, v, _INDEX), codegen

    return generator


_radix2, _radix4, _radix8, _radix16, _mix1, _mix16 = _radix(2), _radix(4), _radix(8), _radix(16), _mix(1), _mix(16)


def _turn_twin(u, row, i, u_shift, scale, j, v, column, k, v_shift):
    lanes = 64 // u.itemsize
    block = np.array([u[row[i + a] + u_shift :][:lanes] * scale[j + a] for a in range(lanes)])
    for b in range(lanes):
        v[column[k + b] + v_shift :][:lanes] = block[:, b]


@generated(_turn_twin)
def _turn(typing_context, u, row, i, u_shift, scale, j, v, column, k, v_shift):
    """Transpose: v[column[k + b] + v_shift + a] = scale[j + a] u[row[i + a] + u_shift + b] for a, b < lanes."""

    def codegen(context, builder, signature, args):
        entry, load, store, times = emitters(context, builder, signature, args)
        n = 512 // signature.args[0].dtype.bitwidth
        starts = [builder.add(entry(1, args[2], a), args[3]) for a in range(n)]
        rows = [times(load(0, start), entry(4, args[5], a)) for a, start in enumerate(starts)]
        half = 1
        while half < n:  # entry (a, b) moves to (b, a) one bit of a and b at a time
            pick = [[b if not b & half else n + b - half for b in range(n)]]
            pick += [[b + half if not b & half else n + b for b in range(n)]]
            lower, upper = (ir.Constant(ir.VectorType(ir.IntType(32), n), mask) for mask in pick)
            for a in range(n):
                if not a & half:
                    pair = rows[a], rows[a + half]
                    rows[a], rows[a + half] = (builder.shuffle_vector(*pair, mask) for mask in (lower, upper))
            half *= 2
        for b in range(n):
            store(rows[b], 6, builder.add(entry(7, args[8], b), args[9]))
        return context.get_dummy_value()

    return types.none(u, row, _INDEX, _INDEX, scale, _INDEX, v, column, _INDEX, _INDEX), codegen


@compiled
def _into_tile(x, row, shift, n_columns, ones, tile, column, first):
    """tile[column[first + b] + a] = x[row[a] + shift + b] for b < n_columns."""
    lanes = row.size
    if n_columns < lanes:
        for b in range(n_columns):
            for a in range(lanes):
                tile[column[first + b] + a] = x[row[a] + shift + b]
    else:
        for b in range(0, n_columns, lanes):
            b = min(b, n_columns - lanes)  # the last block overlaps: what it writes again is the same
            _turn(x, row, 0, shift + b, ones, 0, tile, column, first + b, 0)


@compiled
def _out_of_tile(tile, column, first, n_columns, scale, x, row, shift):
    """x[row[a] + shift + b] = scale[first + b] tile[column[first + b] + a] for b < n_columns."""
    lanes = row.size
    if n_columns < lanes:
        for b in range(first, first + n_columns):
            for a in range(lanes):
                x[row[a] + shift + b - first] = scale[b] * tile[column[b] + a]
    else:
        for b in range(0, n_columns, lanes):
            b = min(b, n_columns - lanes)
            _turn(tile, column, first + b, 0, scale, first + b, x, row, 0, shift + b)


@compiled
def _transform(u, size, length, step, lanes):
    """Finish H of every `length` numbers of the tile u[:size]: the butterflies from distance `step` on."""
    while 16 * step <= length:
        for base in range(0, size, 16 * step):
            for start in range(base, base + step, lanes):
                _radix16(u, start, step)
        step *= 16
    for base in range(0, size, length):
        for start in range(base, base + step, lanes):
            if 8 * step == length:
                _radix8(u, start, step)
            elif 4 * step == length:
                _radix4(u, start, step)
            elif 2 * step == length:
                _radix2(u, start, step)


@compiled
def _mix_transform(u, row, i, scale, j, v, n_entries, p, lanes):
    """Write H of the entries of the tile `u` at row[i], row[i + 1], … times scale[j], … into `v`, p by p."""
    if p >= 16:
        for k in range(0, n_entries, 16):
            _mix16(u, row, i + k, scale, j + k, v, k * lanes)
    else:
        for k in range(n_entries):
            _mix1(u, row, i + k, scale, j + k, v, k * lanes)
    _transform(v, n_entries * lanes, p * lanes, 16 * lanes if p >= 16 else lanes, lanes)


@compiled
def _starts(first, n_rows, length, start):
    """Where the data rows of a tile start; past the last row that row again, with the same result."""
    for a in range(start.size):
        start[a] = min(first + a, n_rows - 1) * length


def hadamard(x: Array) -> None:
    """Replace each row u of `x` (rows, p) by H u, H the unnormalised Hadamard matrix of Sylvester's order."""
    n_rows, p = x.shape
    lanes = 64 // x.itemsize
    (out,) = row_major(x.dtype, x)
    tile, row, ones = aligned((p * lanes,), x.dtype), np.empty(lanes, np.int64), np.ones(p + lanes, x.dtype)
    _hadamard(out.reshape(-1), n_rows, ones, np.arange(p) * lanes, tile, row)
    if out is not x:
        x[...] = out


@compiled
def _hadamard(x, n_rows, ones, column, tile, row):
    p, zero = column.size, column[0]
    for first in range(0, n_rows, row.size):
        _starts(first, n_rows, p, row)
        _into_tile(x, row, zero, p, ones, tile, column, zero)
        _transform(tile, tile.size, tile.size, row.size, row.size)
        _out_of_tile(tile, column, zero, p, ones, x, row, zero)


def project(
    x: Array,
    input_scale: Array,
    signs: Array,
    permutation: Integers,
    gaussians: Array,
    factor: Array,
    position: Integers,
    phase: Array,
) -> None:
    """phase_j = factor_j [H G Π H B pad(x ∘ a)]_j for every stack; arguments as in `reference.py`."""
    tiling = cut_tiles(x, input_scale, signs, permutation, gaussians, factor, position)
    with writable(phase, x.shape[0], position.size) as out:
        _project(tiling, out.reshape(-1))


@compiled
def _project(tiling, phase):
    x, p, ones, tiles, row, column, first_scale, permutation, gaussians, _, kept, edge, kept_factor = tiling
    n_rows, n_inputs = x.shape
    lanes, zero = row.size, column[0]  # a literal 0 would compile a second version of the callee
    rows, mixed, output = tiles[0], tiles[1], tiles[2]
    x_flat = x.reshape(-1)
    for first in range(0, n_rows, lanes):
        _starts(first, n_rows, n_inputs, row)
        for j in range(0, column.size, p):
            _into_tile(x_flat, row, zero, n_inputs, ones, rows, column, j)
        _starts(first, n_rows, kept.size, row)
        for t in range(edge.size - 1):
            j = t * column.size
            n = min(column.size, gaussians.size - j)
            _mix_transform(rows, column, zero, first_scale, j, mixed, n, p, lanes)
            _mix_transform(mixed, permutation, j, gaussians, j, output, n, p, lanes)
            _out_of_tile(output, kept, edge[t], edge[t + 1] - edge[t], kept_factor, phase, row, edge[t])


def project_pullback(
    x: Array,
    input_scale: Array,
    signs: Array,
    permutation: Integers,
    gaussians: Array,
    factor: Array,
    position: Integers,
    phase_bar: Array,
) -> tuple[Array, Array, Array, Array]:
    """Return the derivatives of `project`, summed over the rows; arguments and results as in `reference.py`."""
    (n_stacks, p), n_inputs = signs.shape, x.shape[1]
    tiling = cut_tiles(x, input_scale, signs, permutation, gaussians, factor, position)
    lanes, n_entries = tiling[4].size, tiling[5].size
    back = np.argsort(permutation, axis=1)
    back_scale, bar = row_major(x.dtype, np.take_along_axis(gaussians, back, axis=1).reshape(-1), phase_bar)
    back, bar = tile_starts(back, n_entries, lanes), bar.reshape(x.shape[0] * position.size)
    sums = np.zeros((3, -(-n_stacks * p // n_entries), n_entries * lanes), x.dtype)
    _project_pullback(tiling, back, back_scale, bar, sums)
    x_bar, gaussians_bar, factor_bar = sums.reshape(3, -1, p, lanes)[:, :n_stacks].sum(axis=3)
    signs_bar = np.zeros_like(x_bar)
    signs_bar[:, :n_inputs] = input_scale * x_bar[:, :n_inputs]
    return signs[:, :n_inputs] * x_bar[:, :n_inputs], signs_bar, gaussians_bar, factor_bar


@compiled
def _project_pullback(tiling, back, back_scale, phase_bar, sums):
    x, p, ones, tiles, row, column, first_scale, permutation, gaussians, factor, kept, edge, _ = tiling
    n_rows, n_inputs = x.shape
    lanes, zero = row.size, column[0]
    rows, mixed, output, bar, chosen = tiles[0], tiles[1], tiles[2], tiles[3], tiles[4]
    x_flat = x.reshape(-1)
    for t in range(edge.size - 1):  # stacks outside: their sums stay in the cache
        j = t * column.size
        n = min(column.size, gaussians.size - j)
        bar[:] = 0
        for first in range(0, n_rows, lanes):
            _starts(first, n_rows, n_inputs, row)
            for k in range(0, n, p):
                _into_tile(x_flat, row, zero, n_inputs, ones, rows, column, k)
            _mix_transform(rows, column, zero, first_scale, j, mixed, n, p, lanes)
            _mix_transform(mixed, permutation, j, gaussians, j, output, n, p, lanes)
            _starts(first, n_rows, kept.size, row)
            _into_tile(phase_bar, row, edge[t], edge[t + 1] - edge[t], ones, bar, kept, edge[t])
            for a in range(n_rows - first, lanes):  # rows past the last
                for k in range(a, bar.size, lanes):
                    bar[k] = 0
            _add_products(bar, output, n * lanes, sums[2, t])
            _mix_transform(bar, column, zero, factor, j, output, n, p, lanes)
            for k in range(n):
                _mix1(mixed, permutation, j + k, ones, k, chosen, k * lanes)
            _add_products(output, chosen, n * lanes, sums[1, t])
            _mix_transform(output, back, j, back_scale, j, mixed, n, p, lanes)
            _add_products(mixed, rows, n * lanes, sums[0, t])


@compiled
def _add_products(u, v, n, total):
    wide_vectors()
    for i in range(n):
        total[i] += u[i] * v[i]

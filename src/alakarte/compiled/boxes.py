"""How near boxes that hold rows are to queries, in the units of a kernel, as plain loops.

In: queries, corners of boxes and their rows, scales and profiles of components. Out: Σ_b n_b g(‖a∘gap_b‖²)² for each
query and component, infinite within a box. Names, arguments and results are those of `local_reference.py`.
"""

import numpy as np

from alakarte.compiled.jit import compiled
from alakarte.compiled.layout import row_major
from alakarte.compiled.profiles import profile
from alakarte.records import Array, Integers


@compiled
def _gaps(query, low, high, gap):
    """gap (B, d) between a query and each box; whether it lies within one."""
    for b in range(low.shape[0]):
        apart = False
        for k in range(query.size):
            t = max(low[b, k] - query[k], query[k] - high[b, k])
            gap[b, k] = max(t, 0.0)
            apart |= not t <= 0.0
        if not apart:
            return True
    return False


@compiled
def _nearness(x, corners, weight, components, out):
    low, high = corners
    scale, dof = components
    gap, r2, g = np.empty(low.shape), np.empty(low.shape[0]), np.empty(low.shape[0])
    for i in range(x.shape[0]):
        within = _gaps(x[i], low, high, gap)
        for q in range(scale.shape[0]):
            out[i, q] = np.inf if within else 0.0
            if within:
                continue
            for b in range(r2.size):
                r2[b] = 0.0
                for k in range(x.shape[1]):
                    t = gap[b, k] * scale[q, k]
                    r2[b] += t * t
            profile(r2, dof[q], g)
            for b in range(r2.size):
                out[i, q] += weight[b] * g[b] * g[b]


def nearness(x: Array, corners: tuple[Array, Array], weight: Array, scale: Array, dof: Integers) -> Array:
    """(rows, Q) from queries (rows, d), lowest and highest corners (B, d), weights (B,), a (Q, d), 2ν (Q,)."""
    x, low, high, weight, scale = row_major(np.float64, x, *corners, weight, scale)
    out = np.empty((len(x), len(scale)))
    _nearness(x, (low, high), weight, (scale, np.asarray(dof, dtype=np.int64)), out)
    return out

"""Profiles g(r²) of kernels in closed form and their slopes, as plain loops over vectors of r².

In: r², the degrees of freedom of the profile. Out: g and dg/d(r²), as `profile` of `reference.py`. The exponential is
compiled apart from sums, whose order is the compiler's.
"""

import numpy as np

from alakarte.compiled.jit import compiled, wide_vectors

_ROUND = 6755399441055744.0  # 1.5·2^52: x + c − c is x to the next integer
_LOWEST = -708.0  # exp of less has no full precision, and is nothing here


@compiled
def exponential(x):
    """exp x for x ≤ 0; x = k log 2 + r with log 2 in two parts, then a polynomial of degree 13."""
    x = max(x, _LOWEST)
    shifted = x * 1.4426950408889634 + _ROUND
    k = shifted - _ROUND
    r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10
    p = 1.6059043836821613e-10
    p = p * r + 2.08767569878681e-09
    p = p * r + 2.505210838544172e-08
    p = p * r + 2.755731922398589e-07
    p = p * r + 2.7557319223985893e-06
    p = p * r + 2.48015873015873e-05
    p = p * r + 1.984126984126984e-04
    p = p * r + 1.388888888888889e-03
    p = p * r + 8.333333333333333e-03
    p = p * r + 4.1666666666666664e-02
    p = p * r + 1.6666666666666666e-01
    p = p * r + 0.5
    p = (p * r + 1.0) * r + 1.0
    power = (np.float64(shifted).view(np.int64) + 1023) << 52  # the low bits of `shifted` are those of k
    return p * np.int64(power).view(np.float64)


@compiled
def profile(r2, dof, g):
    """g(r²): Gaussian for 0, Matérn of smoothness ν for 2ν = 1, 3, 5 degrees of freedom."""
    wide_vectors()
    if dof == 0:
        for j in range(r2.size):
            g[j] = exponential(-0.5 * r2[j])
    elif dof == 1:
        for j in range(r2.size):
            g[j] = exponential(-np.sqrt(r2[j]))
    elif dof == 3:
        for j in range(r2.size):
            t = np.sqrt(3.0 * r2[j])
            g[j] = (1.0 + t) * exponential(-t)
    else:
        for j in range(r2.size):
            t = np.sqrt(5.0 * r2[j])
            g[j] = (1.0 + t + t * t / 3.0) * exponential(-t)


@compiled
def profile_and_slope(r2, dof, g, slope):
    """g and dg/d(r²); of Matérn ½ the slope is infinite at r = 0, where it multiplies τ² = 0: zero there."""
    wide_vectors()
    if dof == 0:
        for j in range(r2.size):
            g[j] = exponential(-0.5 * r2[j])
            slope[j] = -0.5 * g[j]
    elif dof == 1:
        for j in range(r2.size):
            t = np.sqrt(r2[j])
            g[j] = exponential(-t)
            slope[j] = -0.5 * g[j] / max(t, 1e-150) if t > 0.0 else 0.0
    elif dof == 3:
        for j in range(r2.size):
            t = np.sqrt(3.0 * r2[j])
            e = exponential(-t)
            g[j] = (1.0 + t) * e
            slope[j] = -1.5 * e
    else:
        for j in range(r2.size):
            t = np.sqrt(5.0 * r2[j])
            e = exponential(-t)
            g[j] = (1.0 + t + t * t / 3.0) * e
            slope[j] = -(5.0 / 6.0) * (1.0 + t) * e

"""The averaged kernel is the average of the kernel, for every profile, with rows that coincide and nearly do."""

import numpy as np
import pytest

from alakarte.compiled import reference
from alakarte.kernels.base import ClosedForm
from alakarte.posteriors.averaged_kernel import Replaced, averaged_kernel
from alakarte.records import Spectrum

VALUES = np.array([[-1.0], [0.0], [0.3], [2.5]])


def spectrum(q, d, centred, rng):
    return Spectrum(
        log_amplitude=rng.uniform(-1, 0.5, q),
        input_scale=rng.uniform(0.2, 2, (q, d)),
        centre=rng.standard_normal((q, d)) if centred else None,
    )


def brute(components, dof, training, rows):
    kernels = [
        reference.kernel_rows(
            rows.at(g), training, dof, np.exp(2 * components.log_amplitude), components.input_scale, components.centre
        )
        for g in range(len(rows.values))
    ]
    return np.array([kernel.mean(axis=0) for kernel in kernels])


@pytest.mark.parametrize("centred", [False, True])
@pytest.mark.parametrize("dof", [0, 1, 3, 5])
@pytest.mark.parametrize("others", ["apart", "same", "near", "few", "none"])
def test_it_is_the_average(dof, centred, others):
    rng = np.random.default_rng(dof)
    d = 1 if others == "none" else 4
    training, z = rng.standard_normal((90, d)), rng.standard_normal((70, d))
    if others == "same":
        z = training[:70].copy()
    if others == "near":  # squared distances from 1e-14 to 1e-2
        z = training[:70] + 10 ** rng.uniform(-7, -1, (70, 1)) * rng.standard_normal((70, d))
    if others == "few":  # values that many rows share
        training[:, 1:], z[:, 1:] = rng.integers(0, 2, (90, 3)), rng.integers(0, 2, (70, 3))
    rows = Replaced(z, np.array([0]), np.vstack([VALUES, training[:2, :1]]))
    components = spectrum(2, d, centred, rng)
    got = averaged_kernel(components, ClosedForm(dof=dof), training, rows)
    assert np.abs(got - brute(components, dof, training, rows)).max() < 2e-12


def test_several_inputs_may_be_replaced_at_once():
    rng = np.random.default_rng(0)
    training, z = rng.standard_normal((30, 4)), rng.standard_normal((20, 4))
    rows = Replaced(z, np.array([1, 3]), rng.standard_normal((5, 2)))
    components = spectrum(3, 4, True, rng)
    got = averaged_kernel(components, ClosedForm(dof=(0, 3, 5)), training, rows)
    assert np.abs(got - brute(components, (0, 3, 5), training, rows)).max() < 2e-12

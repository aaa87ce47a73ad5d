"""Kernels are found by name."""

from alakarte.kernels.registry import kernels, resolve


def test_kernels_are_found_by_name():
    assert {"rbf", "ard", "fsard", "fsgbard", "gm", "pwl", "ssgpr", "matern"} <= set(kernels())
    assert (resolve("matern12").nu, resolve("matern32").nu, resolve("matern52").nu) == (0.5, 1.5, 2.5)
    for name, kind in kernels().items():
        assert kind().name == name
        assert resolve(kind()).get_params() == resolve(name).get_params()

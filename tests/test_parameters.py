"""Named arrays and the vector theta: packing, units of the user, fixed values and bounds."""

import numpy as np
import pytest

from alakarte.errors import InvalidInput
from alakarte.parameters import Parameter, Units, constrained

UNITS = Units(np.array([1.0, 10.0, 0.5]), np.array([4.0]))


def layout(**constraints):
    parameters = (
        Parameter("log_amplitude", (2,), "y", -5.0, 5.0),
        Parameter("log_lengthscale", (2, 3), "x", -5.0, 5.0),
        Parameter("centre", (2, 3), "1/x", -10.0, 10.0),
        Parameter("log_noise_std", (), "y", -10.0, 3.0),
    )
    return constrained(parameters, constraints.get("fixed"), constraints.get("bounds"), constraints.get("units", UNITS))


def test_pack_and_unpack_are_inverse():
    made = layout()
    theta = np.arange(float(made.size))
    assert made.size == 2 + 6 + 6 + 1
    assert np.array_equal(made.pack(made.unpack(theta)), theta)
    assert {name: value.shape for name, value in made.unpack(theta).items()} == {
        "log_amplitude": (2,),
        "log_lengthscale": (2, 3),
        "centre": (2, 3),
        "log_noise_std": (),
    }
    assert made.labels()[:3] == ["log_amplitude[0]", "log_amplitude[1]", "log_lengthscale[0,0]"]
    assert made.labels()[-1] == "log_noise_std"


def test_units_of_the_user():
    made = layout()
    values = made.to_user(np.zeros(made.size) + 0.5, UNITS)
    assert np.allclose(values["amplitude"], 4 * np.exp(0.5))
    assert np.allclose(values["lengthscale"], np.exp(0.5) * np.array([1.0, 10.0, 0.5]))
    assert np.allclose(values["centre"], 0.5 / np.array([1.0, 10.0, 0.5]))
    assert np.allclose(values["noise_std"], 4 * np.exp(0.5))


def test_fixed_values_take_no_place_and_bounds_are_converted():
    made = layout(fixed={"centre": 2.0, "noise_std": 8.0}, bounds={"amplitude": (4.0, 8.0)})
    assert made.size == 8
    values = made.unpack(np.zeros(8))
    assert np.allclose(values["centre"], 2 * np.array([1.0, 10.0, 0.5]))
    assert values["log_noise_std"] == pytest.approx(np.log(2))
    lower, upper = made.bounds()
    assert np.allclose(lower[:2], 0)
    assert np.allclose(upper[:2], np.log(2))
    assert np.allclose(made.clip(np.full(8, 100.0))[:2], np.log(2))


def test_several_targets_have_units_each_and_share_what_is_given():
    several = Units(UNITS.x, np.array([4.0, 2.0]), several=True)
    values = layout().to_user(np.zeros(15) + 0.5, several)
    assert values["amplitude"].shape == (2, 2)
    assert np.allclose(values["amplitude"], np.exp(0.5) * np.array([4.0, 2.0]))
    assert np.allclose(values["noise_std"], np.exp(0.5) * np.array([4.0, 2.0]))
    with pytest.raises(InvalidInput, match="2 targets of different spread"):
        layout(fixed={"noise_std": 8.0}, units=several)
    alike = layout(fixed={"noise_std": 8.0}, units=Units(UNITS.x, np.array([4.0, 4.0])))
    assert alike.unpack(np.zeros(14))["log_noise_std"] == pytest.approx(np.log(2))

"""Named arrays and the vector theta: packing, units of the user, fixed values and bounds."""

import numpy as np
import pytest

from alakarte.errors import InvalidInput
from alakarte.parameters import Parameter, Units, constrained
from alakarte.records import Variables

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


# two numbers around a category of three levels
VARIABLES = Variables(np.array([0, 1, 1, 1, 2]), np.array([True, False, True]))
COLUMNS = Units(np.array([2.0, 1.0, 1.0, 1.0, 0.5]), np.array([4.0]), variables=VARIABLES)


def tied(**constraints):
    parameters = (
        Parameter("log_lengthscale", (2, 5), "x", -5.0, 5.0, category="tied"),
        Parameter("centre", (2, 5), "1/x", -10.0, 10.0, slow=1e-3, category="zero"),
        Parameter("frequencies", (3, 5), "1/x", -10.0, 10.0),
        Parameter("log_sd", (), "sd", -5.0, 5.0),
    )
    on_variables = (parameter.for_variables(VARIABLES) for parameter in parameters)
    return constrained(on_variables, constraints.get("fixed"), constraints.get("bounds"), COLUMNS)


def test_columns_of_a_category_share_an_entry_have_none_or_are_free():
    made = tied()
    assert made.size == 2 * 3 + 2 * 2 + 3 * 5 + 1
    assert made.labels()[4:8] == ["log_lengthscale[1,1]", "log_lengthscale[1,2]", "centre[0,0]", "centre[0,2]"]
    theta = np.arange(1.0, made.size + 1)
    values = made.unpack(theta)
    assert values["log_lengthscale"].tolist() == [[1, 2, 2, 2, 3], [4, 5, 5, 5, 6]]
    assert values["centre"].tolist() == [[7, 0, 0, 0, 8], [9, 0, 0, 0, 10]]
    assert values["frequencies"].shape == (3, 5)
    assert np.array_equal(made.pack(values), theta)
    assert np.array_equal(made.flat(made.entries(theta)), theta)
    assert made.slow()[6:10].tolist() == [1e-3] * 4


def test_derivatives_of_a_shared_entry_are_added():
    """⟨J v, u⟩ = ⟨v, Jᵀ u⟩: `unpack` is linear."""
    made, rng = tied(), np.random.default_rng(0)
    step = rng.standard_normal(made.size)
    along = made.unpack(step)
    bar = {name: rng.standard_normal(np.shape(value)) for name, value in along.items()}
    down = sum(np.sum(along[name] * bar[name]) for name in bar)
    assert down == pytest.approx(step @ made.unpack_pullback(bar), rel=1e-12)


def test_the_user_has_one_value_per_variable():
    made = tied(fixed={"centre": [1.0, 7.0, 3.0]}, bounds={"lengthscale": ([1.0, 2.0, 3.0], 50.0)})
    values = made.to_user(np.zeros(made.size), COLUMNS)
    assert values["lengthscale"].tolist() == [[2.0, 1.0, 0.5]] * 2
    assert values["centre"].tolist() == [[1.0, 0.0, 3.0]] * 2
    assert values["frequencies"].shape == (3, 5)
    assert values["sd"].tolist() == [2.0, 1.0, 0.5]
    lower, _ = made.bounds()
    assert np.allclose(np.exp(lower[:3]), [0.5, 2.0, 6.0])
    with pytest.raises(InvalidInput, match=r"\(5,\); it must broadcast to \(2, 3\)"):
        tied(fixed={"lengthscale": np.ones(5)})


def test_a_layout_of_other_components_is_learned_like_this_one():
    other = tied().learned_like(Parameter("log_lengthscale", (1, 5), "x", -5.0, 5.0, category="tied"))
    assert other.shape == (1, 3)
    assert other.columns(np.array([[1.0, 2.0, 3.0]])).tolist() == [[1, 2, 2, 2, 3]]

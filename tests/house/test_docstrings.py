"""Every example in a docstring runs, and every public object has a docstring."""

import doctest
import importlib
import inspect
import pkgutil

import alakarte
from alakarte.kernels.registry import kernels

MODULES = sorted(m.name for m in pkgutil.walk_packages(alakarte.__path__, "alakarte.") if "__main__" not in m.name)


def test_examples_run():
    results = {name: doctest.testmod(importlib.import_module(name), raise_on_error=False) for name in MODULES}
    assert sum(result.attempted for result in results.values()) > 0
    assert [name for name, result in results.items() if result.failed] == []


def test_a_module_says_what_it_is():
    assert [name for name in MODULES if not importlib.import_module(name).__doc__] == []


def test_public_objects_have_docstrings_and_the_classes_an_example():
    for name in alakarte.__all__:
        value = getattr(alakarte, name)
        assert inspect.getdoc(value), name
        if inspect.isclass(value) and not issubclass(value, Exception):
            assert ">>>" in value.__doc__, name
    for name, kernel in kernels().items():
        assert ">>>" in kernel.__doc__, name


def test_every_setting_and_every_fitted_attribute_is_documented():
    text = alakarte.GPRegressor.__doc__
    settings, attributes = text.split("Attributes\n")
    for setting in alakarte.GPRegressor().get_params(deep=False):
        assert setting in settings, setting
    model = alakarte.GPRegressor("ard", n_components=1, n_frequencies=2, max_iter=0).fit([[0.0], [1.0]], [0.0, 1.0])
    names = {name for name in dir(model) if name.endswith("_") and not name.startswith("_")}
    assert len(names) > 15
    assert [name for name in names - {"n_features_in_", "feature_names_in_"} if name not in attributes] == []

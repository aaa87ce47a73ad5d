"""`load`: an estimator from a file that `save` has written.

In: a path. Out: an estimator of one of the four classes listed here, or `InvalidFile`.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from alakarte.data.schema import Schema
from alakarte.estimators.classifier import GPClassifier
from alakarte.estimators.counts import GPCountRegressor
from alakarte.estimators.fastfood_features import FastfoodFeatures
from alakarte.estimators.regressor import GPRegressor
from alakarte.features.projection import Projection
from alakarte.model.files import Parts, read_parts, refused
from alakarte.model.fitted import FittedModel
from alakarte.model.strict_json import NotStrict
from alakarte.records import Named

ESTIMATORS: dict[str, type[Any]] = {
    each.__name__: each for each in (GPRegressor, GPClassifier, GPCountRegressor, FastfoodFeatures)
}
_GP = {"model_": FittedModel, "n_features_in_": int}
# what a fit leaves, by class; names of columns and a schema are there where the table had some
ATTRIBUTES: dict[str, dict[str, type]] = {
    "GPRegressor": _GP,
    "GPClassifier": _GP | {"classes_": np.ndarray},
    "GPCountRegressor": _GP,
    "FastfoodFeatures": {
        "n_features_in_": int,
        "lengthscale_": np.ndarray,
        "_projection": Projection,
        "_offset": float,
        "_n_frequencies": int,
        "_n_features_out": int,
    },
}
OPTIONAL: dict[str, type] = {"feature_names_in_": np.ndarray, "schema_": Schema}


def load(path: str | Path) -> Any:
    """The estimator in a file that `save` has written.

    No code of the file is run, and a file that is not as it was written raises `InvalidFile`. That guards against
    accidents, not against someone who writes a file with intent to mislead: then predictions may be any numbers.

    Examples
    --------
    >>> import tempfile, alakarte
    >>> model = alakarte.GPRegressor("ard", max_iter=0, random_state=0).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 0.5])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/model.alk")
    ...     again = alakarte.load(f"{folder}/model.alk")
    >>> bool(again.predict([[0.5]]) == model.predict([[0.5]]))
    True
    """
    parts = read_parts(path)
    with refused(path):
        _check(parts)
        estimator = ESTIMATORS[parts.kind](**parts.settings)
    vars(estimator).update(parts.attributes)
    return estimator


def _check(parts: Parts) -> None:
    """Raise NotStrict for what does not belong to an estimator of that class."""
    if parts.kind not in ESTIMATORS:
        raise NotStrict(f"holds a {parts.kind!r:.40}, which is no estimator of alakarte.")
    if parts.settings.keys() - set(ESTIMATORS[parts.kind]._get_param_names()):
        raise NotStrict(f"has unknown settings of {parts.kind}.")
    needed, given = ATTRIBUTES[parts.kind], parts.attributes
    if needed.keys() - given.keys() or given.keys() - needed.keys() - OPTIONAL.keys():
        raise NotStrict(f"has other attributes than a fitted {parts.kind}.")
    if not all(isinstance(value, (needed | OPTIONAL)[name]) for name, value in given.items()):
        raise NotStrict(f"has attributes of the wrong kind for {parts.kind}.")
    if not _AGREE[parts.kind](given):
        raise NotStrict(f"has attributes of {parts.kind} that do not belong together.")


def _gp_agrees(given: Named) -> bool:
    """Whether the columns of the table are those of the model."""
    n_columns, names, schema = given["n_features_in_"], given.get("feature_names_in_"), given.get("schema_")
    if n_columns != given["model_"].scaling.n_variables or (names is not None and names.shape != (n_columns,)):
        return False
    return schema is None or len(schema.names) == n_columns


def _classifier_agrees(given: Named) -> bool:
    """Whether there are as many classes as functions, or two for one."""
    n_functions = given["model_"].posterior.n_targets
    return _gp_agrees(given) and given["classes_"].shape == (max(n_functions, 2),)


def _features_agree(given: Named) -> bool:
    """Whether the projection has the columns that the others claim."""
    d, n_frequencies = given["n_features_in_"], given["_n_frequencies"]
    if not 1 <= d <= given["lengthscale_"].size or given["_n_features_out"] not in (
        2 * n_frequencies,
        2 * n_frequencies - 1,
    ):
        return False
    projection = given["_projection"]
    projection.phases(np.zeros((1, d), projection.dtype), np.empty((1, n_frequencies), projection.dtype))
    return True


_AGREE: dict[str, Callable[[Named], bool]] = {
    "GPRegressor": _gp_agrees,
    "GPClassifier": _classifier_agrees,
    "GPCountRegressor": _gp_agrees,
    "FastfoodFeatures": _features_agree,
}

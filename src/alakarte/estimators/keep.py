"""`save`: an estimator into a file that runs no code.

In: a fitted estimator. Out: a file, from which `load` makes the same estimator. What is written are the settings and
whatever a fit has left: both are plain values and the records of `model/catalogue.py`.
"""

from abc import abstractmethod
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from alakarte.estimators.callbacks import CALLBACKS
from alakarte.model.files import Parts, write_parts
from alakarte.records import Named


class Savable(BaseEstimator):  # type: ignore[misc]
    """An estimator that can be kept in a file."""

    @abstractmethod
    def _about(self) -> Named:
        """For who looks into a file without reading it: plain values."""

    def save(self, path: str | Path) -> None:
        """Keep the fitted estimator in a file: `alakarte.load(path)` gives it back, with the same predictions.

        The file runs no code when it is loaded, and is refused if one bit of it has changed. It is written beside
        `path` and takes its place when it is whole. A `random_state` that is a generator is left out: another fit
        would begin with a fresh one. So are the name of a `checkpoint`, and callbacks.
        """
        check_is_fitted(self)
        settings = self.get_params(deep=False)
        attributes = {name: value for name, value in vars(self).items() if name not in settings and name != CALLBACKS}
        if isinstance(settings.get("random_state"), np.random.RandomState | np.random.Generator):
            settings["random_state"] = None
        if "checkpoint" in settings:  # a file of another fit, perhaps of another machine
            settings["checkpoint"] = None
        kind = type(self).__name__
        write_parts(path, Parts(kind, settings, attributes, {"class": kind} | _plain(self._about())))


def _plain(value: Any) -> Any:
    """As JSON has it: what it has not becomes text."""
    if isinstance(value, dict):
        return {str(name): _plain(part) for name, part in value.items()}
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return value if np.isfinite(value) else str(value)
    return value if value is None or isinstance(value, bool | int | str) else str(value)

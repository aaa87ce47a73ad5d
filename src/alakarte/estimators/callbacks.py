"""Callbacks of scikit-learn (1.9 and later): an estimator tells them of its fit; older versions have none.

In: `sklearn.callback`, where it is there; it is experimental, and this file alone knows it. Out: `Told`, from which
estimators inherit `set_callbacks`, `tells_callbacks` for their `fit`, and a listener for the progress of a fit. A fit
is a task, each iteration of a long run and each restart a task within it; a callback that returns True ends the fit,
which keeps the best model so far.
"""

import threading
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

from alakarte.execution.budget import Budget

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:
    with_callbacks = None

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to inherit: no `set_callbacks`, so that scikit-learn's own tools know."""


Told = CallbackSupportMixin
Fit = TypeVar("Fit", bound=Callable[..., Any])
CALLBACKS = "_skl_callbacks"  # where an estimator has those that the user set


def tells_callbacks(fit: Fit) -> Fit:
    """`fit` of an estimator as a task that callbacks hear of, at its beginning and its end."""
    if with_callbacks is None:
        return fit

    @wraps(fit)
    def told(self: Any, X: Any, y: Any = None, *arguments: Any, **settings: Any) -> Any:
        if CALLBACKS not in vars(self) and "_parent_callback_ctx" not in vars(self):
            return fit(self, X, y, *arguments, **settings)
        given = dict(zip(("sample_weight", "exposure"), arguments, strict=False)) | settings
        metadata = {name: value for name, value in given.items() if value is not None} or None
        context = self._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=self, X=X, y=y, metadata=metadata)
        fitted = fit(self, X, y, *arguments, **settings)
        context.call_on_fit_task_end(estimator=self, X=X, y=y, metadata=metadata, reconstruction_attributes={})
        return fitted

    return with_callbacks(told)  # type: ignore[no-any-return]


def without_callbacks(estimator: Any) -> Any:
    """The same estimator, a part of another's fit, of which callbacks need not hear."""
    vars(estimator).pop(CALLBACKS, None)
    return estimator


class Listener:
    """Told of every iteration and restart, on any thread; remembers whether a callback asked for the end."""

    def __init__(self, estimator: Any, budget: Budget):
        self.estimator, self.budget = estimator, budget
        self.context = vars(estimator).get("_callback_fit_ctx")
        self.lock = threading.Lock()
        self.stopped = False

    def __call__(self, task: str) -> None:
        """One piece of work, such as "iteration", has ended."""
        if self.context is None:
            return
        with self.lock:
            step = self.context.subcontext(task_name=task)
            step.call_on_fit_task_begin(estimator=self.estimator)
            if step.call_on_fit_task_end(estimator=self.estimator):
                self.stopped = True
                self.budget.interrupt()

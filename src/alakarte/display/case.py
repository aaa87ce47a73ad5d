"""All that a report may know of one model: itself, what it says of rows, and what there is to doubt.

In: a fitted estimator, perhaps rows with their targets. Out: `Case`. Learns nothing and draws nothing.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils import _safe_indexing

from alakarte.data.read import read_inputs
from alakarte.display.answers import (
    Answers,
    NumberAnswers,
    answers_of_rows,
    evenly,
    left_out_answers,
    rows_of_fit,
)
from alakarte.display.canvas import fitted_model, target_name
from alakarte.display.doubts import (
    Doubt,
    at_its_bound,
    coverage_off,
    far_out,
    few_rows,
    few_test_rows,
    judged_by_own_rows,
    little_found,
    near_copies,
    not_converged,
    shifted,
    too_sure,
    unknown_levels,
)
from alakarte.errors import InvalidInput
from alakarte.model.fitted import FittedModel
from alakarte.records import Array


@dataclass(frozen=True)
class Case:
    """A model and what rows say of it."""

    estimator: Any
    model: FittedModel
    target: str
    X: Any  # rows that effects are averaged over, in the user's form; None without
    answers: Answers | None  # None: no rows were given, and the model cannot leave out its own

    @property
    def n_classes(self) -> int:
        """K; 0 of numbers."""
        return len(vars(self.estimator).get("classes_", ()))


def case_of(estimator: Any, X: Any, y: Any, given: dict[str, Any]) -> Case:
    """A model with rows that it has not learned from, or with none; at most some thousand rows are asked about."""
    model = fitted_model(estimator)
    target = target_name(estimator, None)
    if X is None and y is not None:
        raise InvalidInput("y is given without X: give both, rows that the model has not learned from, or neither.")
    if X is None:
        return Case(estimator, model, target, None, left_out_answers(estimator, model))
    target = str(getattr(y, "name", None) or target)
    n = len(read_inputs(estimator, X, model.scaling.encoding))
    if y is None:
        return Case(estimator, model, target, _some(X, n), left_out_answers(estimator, model))
    if len(y) != n:
        raise InvalidInput(f"X has {n} rows and y {len(y)}: give a target for each row.")
    some = {name: _some(value, n) if np.ndim(value) else value for name, value in given.items()}
    rows, targets = _some(X, n), _some(y, n)
    return Case(estimator, model, target, rows, answers_of_rows(estimator, rows, targets, some))


def _some(values: Any, n: int) -> Any:
    """At most `MOST_ROWS` of n rows of anything, evenly spread."""
    places = evenly(n)
    return values if len(places) == n else _safe_indexing(values, places)


def all_doubts(case: Case) -> list[Doubt]:
    """Whatever there is to doubt, the weightiest first."""
    model, answers = case.model, case.answers
    found: list[Doubt | None] = []
    if isinstance(answers, NumberAnswers):
        found += [coverage_off(answers), shifted(answers)]
    elif answers is not None:
        found.append(too_sure(answers))
    if case.X is not None:
        found += _of_inputs(case)
    if answers is not None:
        found.append(little_found(answers))
    found += at_its_bound(model.problem.layout, model.theta, case.n_classes > 0)
    found.append(not_converged(model.history))
    found.append(few_rows(model.posterior.total, model.problem.layout.size))
    if answers is not None:
        found += [few_test_rows(answers), judged_by_own_rows(answers)]
    return [doubt for doubt in found if doubt is not None]


def _of_inputs(case: Case) -> list[Doubt | None]:
    """What the inputs of test rows say."""
    model, scaling = case.model, case.model.scaling
    table = read_inputs(case.estimator, case.X, scaling.encoding)
    z = scaling.inputs(table)
    seen, variable = rows_of_fit(model), np.arange(z.shape[1])
    if scaling.variables is not None:
        variable = scaling.variables.of_column
    relevance: Array = model.kernel.relevance()[variable]
    names = [model.input_names[j] for j in variable]
    judged = None if case.answers is None or case.answers.left_out or seen is None else near_copies(z, seen)
    unknown = {} if scaling.encoding is None else scaling.encoding.unknown(table)
    new = unknown_levels({model.input_names[j]: len(rows) for j, rows in unknown.items()}, len(z))
    return [far_out(z, seen, relevance, names), new, judged]

"""Rows that come and go at an estimator: `partial_fit` and `forget`."""

from typing import Any, TypeVar

from alakarte.data.arrays import ArrayRows
from alakarte.errors import ConditioningWarning, IllConditioned, InvalidInput
from alakarte.estimators.base import GPEstimator
from alakarte.execution.progress import warn
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.model.changes import changed, is_worn_out

Self = TypeVar("Self", bound="Online")


def keeps_sums(estimator: Any) -> bool:
    """Whether an estimator has the methods by which rows come and go."""
    if estimator.expansion == "exact":
        raise AttributeError(
            "expansion='exact' keeps rows, not sums, and cannot add or remove any: call fit again, or use "
            "expansion='fastfood'."
        )
    return True


class Online(GPEstimator):
    """`partial_fit` and `forget`, for targets of any kind."""

    def _change(self: Self, rows: ArrayRows, sign: int) -> Self:
        """Another model with the rows added or removed; after an error the old one is as it was."""
        fitted = self.model_.posterior.total
        if not fitted + sign * rows.total > 0:
            raise InvalidInput(
                f"forget would remove rows of weight {rows.total:g} of {fitted:g}: at least one must remain."
            )
        try:
            with one_blas_thread():
                model = changed(self.model_, rows, sign, thread_count(self.n_jobs))
        except IllConditioned:
            raise InvalidInput(
                f"{'forget' if sign < 0 else 'partial_fit'} left sums that no set of rows can have: were all of "
                "these rows fitted, with the same weights? The model is as it was before the call."
            ) from None
        self.model_ = model
        if is_worn_out(model):
            noise = ", ".join(f"{std:.3g}" for std in model.noise_std)
            warn(
                f"This posterior has held rows of weight {model.most_total:g}: what rounding left of them exceeds the "
                f"noise of those that remain ({noise} with it). Call fit again on the rows that remain.",
                ConditioningWarning,
            )
        return self

    def _check_fitted_to_forget(self) -> None:
        if not self._is_fitted():
            raise InvalidInput("This model has seen no rows yet, so it cannot forget any: call fit first.")

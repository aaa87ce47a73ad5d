"""Rows that come and go at an estimator: `partial_fit` and `forget`."""

from abc import abstractmethod
from typing import Any, TypeVar

from sklearn.utils.metaestimators import available_if

from alakarte.errors import ConditioningWarning, IllConditioned, InvalidInput
from alakarte.estimators.base import GPEstimator
from alakarte.execution.progress import warn
from alakarte.execution.threads import one_blas_thread, thread_count
from alakarte.model.changes import changed, is_worn_out

Self = TypeVar("Self", bound="Online")


def _keeps_sums(estimator: Any) -> bool:
    if estimator.expansion == "exact":
        raise AttributeError(
            "expansion='exact' keeps rows, not sums, and cannot add or remove any: call fit again, or use "
            "expansion='fastfood'."
        )
    return True


class Online(GPEstimator):
    """`partial_fit` and `forget`."""

    @abstractmethod
    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from a table, once and for all."""

    @available_if(_keeps_sums)  # type: ignore[untyped-decorator]
    def partial_fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Add rows to the posterior; the first call is a `fit`.

        Parameters
        ----------
        X, y : (rows, d), (rows,) or (rows, T)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not self._is_fitted():
            return self.fit(X, y, sample_weight)
        return self._change(X, y, sample_weight, 1)

    @available_if(_keeps_sums)  # type: ignore[untyped-decorator]
    def forget(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Remove rows that were fitted; what remains is what the other rows alone would give.

        Parameters
        ----------
        X, y : (rows, d), (rows,) or (rows, T)
        sample_weight : (rows,), optional

        Returns
        -------
        self
        """
        if not self._is_fitted():
            raise InvalidInput("This model has seen no rows yet, so it cannot forget any: call fit first.")
        return self._change(X, y, sample_weight, -1)

    def _change(self: Self, X: Any, y: Any, sample_weight: Any, sign: int) -> Self:
        """Another model with the rows added or removed; after an error the old one is as it was."""
        rows, fitted = self._rows(X, y, sample_weight), self.model_.posterior.total
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
                f"This posterior has held rows of weight {model.most_total:g}: what rounding left of them reaches the "
                f"noise ({noise}). Call fit again on the rows that remain.",
                ConditioningWarning,
                stacklevel=3,
            )
        return self

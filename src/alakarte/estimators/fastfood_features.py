"""`FastfoodFeatures`: features of a fixed kernel for linear models, a drop-in for scikit-learn's `RBFSampler`.

In: a table, dense or sparse, float32 or float64. Out: n_components columns z with E[z(x)·z(x')] = k(x, x').
Frequencies come from the package's own draws and kernels, phases and waves from its own stages: nothing is derived here
but the scale of the columns and the lone column of an odd number. Learns nothing: for that see `GPRegressor`.
"""

import numbers
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from scipy.sparse import issparse
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

import alakarte.compiled.loops as loops
from alakarte.errors import InvalidInput
from alakarte.estimators.keep import Savable
from alakarte.execution.randomness import generator
from alakarte.execution.threads import one_blas_thread, run_together, thread_count
from alakarte.features.draws import draw
from alakarte.features.feature_map import feature_map
from alakarte.kernels.ard import ARD
from alakarte.kernels.base import Kernel
from alakarte.kernels.matern import Matern
from alakarte.records import Array, Named, Shape

BLOCK_BYTES = 1 << 21  # phases and waves of one block of rows stay in a core's cache
LEAST_ROWS = 64  # fewer would not repay the preparation of a block

_KERNELS: dict[str, Kernel] = {"rbf": ARD(), "ard": ARD()}
_KERNELS |= {"matern12": Matern(0.5), "matern32": Matern(1.5), "matern52": Matern(2.5)}


class FastfoodFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Savable):  # type: ignore[misc]
    """Random features of a fixed kernel in O(n_components log d) per row.

    Columns are √(2/D) [cos ωᵀx | sin ωᵀx], D = n_components, so that z(x)·z(x') is an unbiased estimate of k(x, x').
    For an even D, z(x)·z(x) = 1 exactly; for an odd D the last frequency has one column, √(2/D) cos(ωᵀx + b) with
    a random offset b.

    Parameters
    ----------
    gamma : float, array-like (d,) or "scale", default=1.0
        k(x, x') = exp(−Σ_j gamma_j (x_j − x'_j)²); one number serves all inputs. "scale" is 1 / (d · X.var()).
        For Matérn kernels it stands for the length-scale 1/√(2 gamma).
    n_components : int, default=100
        Number of output columns.
    kernel : {"rbf", "ard", "matern12", "matern32", "matern52"}, default="rbf"
        Gaussian ("rbf" and "ard" differ in name only: both take one scale or one per input), or Matérn.
    lengthscale : float or array-like (d,), optional
        In place of gamma, which is then not read; the `kernel_.lengthscale` of a fitted `GPRegressor` fits here.
    n_jobs : int, optional
        Threads; None is all cores. The result does not depend on it.
    random_state : int, RandomState or Generator, optional
        Same seed, same features.

    Attributes
    ----------
    lengthscale_ : (d,) array
        Length-scale of each input.
    n_features_in_, feature_names_in_
        As in every scikit-learn estimator.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from alakarte import FastfoodFeatures
    >>> X, y = load_diabetes(return_X_y=True)
    >>> features = FastfoodFeatures(gamma="scale", n_components=300, random_state=0)
    >>> model = make_pipeline(StandardScaler(), features, Ridge(1.0)).fit(X, y)
    """

    def __init__(
        self,
        *,
        gamma: Any = 1.0,
        n_components: int = 100,
        kernel: str = "rbf",
        lengthscale: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.gamma = gamma
        self.n_components = n_components
        self.kernel = kernel
        self.lengthscale = lengthscale
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "FastfoodFeatures":
        """Draw the frequencies for the number of inputs of X (n, d), dense or sparse; y is not read."""
        kernel, n_columns = self._settings()
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32])
        self.lengthscale_ = self._lengthscales(X)
        rng = generator(self.random_state)
        draws = draw(Shape(X.shape[1], (-(-n_columns // 2),)), "fastfood", rng)
        with np.errstate(divide="ignore"):  # gamma = 0: an infinite length-scale, k = 1
            values = {"log_amplitude": np.zeros(1), "log_lengthscale": np.log(self.lengthscale_)}
        self._projection = feature_map(kernel.spectrum(values, draws), draws).projection.astype(X.dtype)
        self._offset = rng.uniform(0, 2 * np.pi) if n_columns % 2 else 0.0
        self._n_frequencies, self._n_features_out = draws.shape.n_frequencies, n_columns
        return self

    def transform(self, X: Any) -> Array:
        """Features (n, n_components), row-major, of X (n, d), in its dtype."""
        check_is_fitted(self)
        n_jobs = thread_count(self.n_jobs)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        z = np.empty((X.shape[0], self._n_features_out), dtype=X.dtype)
        rows = max(LEAST_ROWS, BLOCK_BYTES // (3 * self._n_frequencies * X.dtype.itemsize))
        parts = [slice(start, start + rows) for start in range(0, len(z), rows)]
        with one_blas_thread():
            run_together([partial(self._write, X[part], z[part]) for part in parts], n_jobs)
        return z

    def _about(self) -> Named:
        """For who looks into a file."""
        return {"kernel": self.kernel, "n_inputs": len(self.lengthscale_), "n_columns": self._n_features_out}

    def _write(self, x: Any, z: Array) -> None:
        """Write the features z (rows, D) of one block x (rows, d)."""
        phase = np.empty((len(z), self._n_frequencies), dtype=z.dtype)
        self._projection.phases(x.toarray() if _is_sparse(x) else x, phase)
        if self._n_features_out % 2:  # E_b[2 cos(s + b) cos(t + b)] = cos(s − t): the lone column counts half
            phase[:, -1] += self._offset
            phi = np.empty((len(z), 2 * self._n_frequencies), dtype=z.dtype)
            loops.waves.wave_pairs(phase, phi)
            z[...] = phi[:, :-1]
        else:
            loops.waves.wave_pairs(phase, z)
        z *= z.dtype.type(np.sqrt(2 / self._n_features_out))

    def _settings(self) -> tuple[Kernel, int]:
        """Kernel and number of columns."""
        thread_count(self.n_jobs)  # refuses what is no number of threads
        if not isinstance(self.kernel, str) or self.kernel not in _KERNELS:
            raise InvalidInput(
                f"kernel={self.kernel!r}: FastfoodFeatures has {', '.join(_KERNELS)}; GPRegressor learns the others."
            )
        n = self.n_components
        if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < 1:
            raise InvalidInput(f"n_components={n!r}: give a whole number of columns ≥ 1.")
        return _KERNELS[self.kernel], int(n)

    def _lengthscales(self, X: Any) -> Array:
        """(d,) from `lengthscale`, or from gamma: ℓ = 1/√(2 gamma)."""
        d = X.shape[1]
        if self.lengthscale is not None:
            return _per_input("lengthscale", self.lengthscale, d, "> 0", lambda values: values > 0)
        if isinstance(self.gamma, str) and self.gamma == "scale":
            variance = X.multiply(X).mean() - X.mean() ** 2 if _is_sparse(X) else X.var(dtype=np.float64)
            gamma = np.full(d, 1 / (d * float(variance)) if variance > 0 else 1.0)
        else:
            gamma = _per_input("gamma", self.gamma, d, '≥ 0, or "scale"', lambda v: (v >= 0) & np.isfinite(v))
        with np.errstate(divide="ignore"):
            lengthscales: Array = 1 / np.sqrt(2 * gamma)
            return lengthscales

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def _is_sparse(X: Any) -> bool:
    return bool(issparse(X))


def _per_input(name: str, value: Any, d: int, limit: str, allowed: Callable[[Array], Any]) -> Array:
    """(d,) floats from one number or one per input."""
    try:
        values = np.asarray(value, dtype=np.float64)
        good = values.shape in ((), (1,), (d,)) and bool(allowed(values).all())
    except (TypeError, ValueError):
        good = False
    if not good:
        raise InvalidInput(f"{name}={value!r}: give one number {limit}, or one for each of the {d} inputs.")
    return np.broadcast_to(values, (d,)).copy()

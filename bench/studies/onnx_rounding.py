"""`python -m bench.studies.onnx_rounding`: how far a graph of ONNX is from `predict`, and the bound that it states."""

import tempfile
import warnings

import numpy as np
import onnxruntime

from alakarte import GPRegressor


def main() -> None:
    """A line for each kernel and precision, in units of std(y)."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = rng.standard_normal((4000, 8))
    y = 5 + 2 * np.sin(X[:, 0] + X[:, 1]) + 0.5 * X[:, 2] + 0.3 * rng.standard_normal(4000)
    sizes = {"ard": {"n_frequencies": 512}, "gm": {"n_components": 2, "n_frequencies": 128}}
    for kernel, size in sizes.items():
        model = GPRegressor(kernel, max_iter=10, n_restarts=1, random_state=0, **size).fit(X, y)
        for dtype in ("float32", "float64"):
            rows = rng.standard_normal((500, 8)).astype(dtype)
            with tempfile.NamedTemporaryFile(suffix=".onnx") as file:
                exported = model.to_onnx(file.name, dtype=dtype)
                session = onnxruntime.InferenceSession(file.name)
            found = session.run(["mean", "std"], {"X": rows})
            known = model.predict(rows.astype(np.float64), return_std=True)
            errors = [np.abs(a - b).max() / np.std(y) for a, b in zip(found, known, strict=True)]
            what = f"{kernel}, {model.n_basis_:,} columns, {dtype}"
            print(f"{what:<30} mean {errors[0]:.1e}, std {errors[1]:.1e}, bound {exported.bound / np.std(y):.1e}")


if __name__ == "__main__":
    main()

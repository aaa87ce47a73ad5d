"""The estimators beside scikit-learn's, by their public interface.

In: generated rows. Out: scikit-learn's time over ours for features, exact evidence and predicted means.
"""

import numpy as np
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_approximation import RBFSampler
from sklearn.linear_model import Ridge
from sklearn.pipeline import make_pipeline

from alakarte import FastfoodFeatures, GPRegressor
from bench.speed.problems import table
from bench.speed.timing import best_of, show


def transformer() -> None:
    """Features of 512 inputs."""
    X = np.random.default_rng(0).standard_normal((4096, 512))
    ours = FastfoodFeatures(n_components=8192, gamma=1e-3, random_state=0).fit(X)
    theirs = RBFSampler(n_components=8192, gamma=1e-3, random_state=0).fit(X)
    seconds = best_of(5, ours=lambda: ours.transform(X), theirs=lambda: theirs.transform(X))
    ratio = seconds["theirs"] / seconds["ours"]
    show("FastfoodFeatures.transform, 512 → 8192: RBFSampler / ours", f"{ratio:.1f} ×", "≥ 10 ×", ratio >= 10)


def exact() -> None:
    """One evaluation of the evidence and its gradient, n×n."""
    X, y = table(1500, 5)
    kernel = ConstantKernel() * RBF(np.ones(5)) + WhiteKernel(0.01)
    theirs = GaussianProcessRegressor(kernel, optimizer=None).fit(X, y)
    ours = GPRegressor("ard", expansion="exact", max_iter=0, random_state=0).fit(X, y)
    seconds = best_of(
        5,
        ours=lambda: ours.log_marginal_likelihood(X, y, eval_gradient=True),
        theirs=lambda: theirs.log_marginal_likelihood(theirs.kernel_.theta, eval_gradient=True),
    )
    ratio = seconds["theirs"] / seconds["ours"]
    figure = f"{ratio:.1f} × ({seconds['ours'] * 1e3:.0f} ms)"
    show("exact ard, one evaluation, n=1500, d=5: scikit-learn / ours", figure, "≥ 4 ×", ratio >= 4)


def predict() -> None:
    """Means of a hundred thousand rows."""
    X, y = table(4000, 8)
    Z = np.random.default_rng(1).standard_normal((100_000, 8))
    ours = GPRegressor("ard", n_components=1, n_frequencies=768, max_iter=0, random_state=0).fit(X, y)
    theirs = make_pipeline(RBFSampler(n_components=1536, random_state=0), Ridge()).fit(X, y)
    seconds = best_of(5, ours=lambda: ours.predict(Z), theirs=lambda: theirs.predict(Z))
    ratio = seconds["theirs"] / seconds["ours"]
    show("predict the mean, 10⁵ rows, D=1536: RBFSampler + Ridge / ours", f"{ratio:.1f} ×", "≥ 8 ×", ratio >= 8)

"""The library and other regressors behind one form of function.

In: X, y and X_test as they come. Out: mean and std of the test rows, seconds of the fit, and a note on what was fitted.
A peer that is not installed raises ImportError with its name. Trees have no posterior: their std is the error on a
tenth of the rows, held out while that error is measured.
"""

import time
import warnings
from dataclasses import dataclass

import numpy as np

from alakarte import GPRegressor


@dataclass(frozen=True)
class Found:
    """What a regressor says of the test rows, what it took, and what it was."""

    mean: np.ndarray
    std: np.ndarray
    seconds: float
    note: str
    dof: float = np.inf  # of Student's t; infinite: normal


def alakarte(X, y, X_test, **settings):
    """The library, defaults unless told otherwise; the clock stops after the fit."""
    model = GPRegressor(random_state=0, **settings)
    began = time.perf_counter()
    model.fit(X, y)
    seconds = time.perf_counter() - began
    mean, std = model.predict(X_test, return_std=True)
    note = f"{model.kernel_.kernel.name}, Q = {model.n_components_}, {model.n_basis_} columns"
    note += f", {model.ranking_[0]['kernel']}" if model.ranking_[0].get("n_neighbors") else ""
    note += "" if model.input_tails_ is None else ", far inputs drawn in"
    return Found(mean, std, seconds, note, float(model.model_.calibration.dof[0]))


def svgp(X, y, X_test, epochs=20, inducing=512, batch=1024):
    """GPyTorch's stochastic variational GP: Matérn-3/2 ARD, Adam 0.01, standardised rows."""
    import gpytorch
    import torch

    torch.manual_seed(0)
    x_mean, x_std, y_mean, y_std = X.mean(axis=0), X.std(axis=0), y.mean(), y.std()
    x_std = np.where(x_std > 0, x_std, 1.0)
    inputs = torch.tensor((X - x_mean) / x_std, dtype=torch.float32)
    target = torch.tensor((y - y_mean) / y_std, dtype=torch.float32)

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self, points):
            distribution = gpytorch.variational.CholeskyVariationalDistribution(len(points))
            strategy = gpytorch.variational.VariationalStrategy(
                self, points, distribution, learn_inducing_locations=True
            )
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean()
            self.covar_module = gpytorch.kernels.ScaleKernel(
                gpytorch.kernels.MaternKernel(nu=1.5, ard_num_dims=points.shape[1])
            )

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    began = time.perf_counter()
    model = Model(inputs[torch.randperm(len(inputs))[:inducing]].clone())
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(target))
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.01)
    for _ in range(epochs):
        order = torch.randperm(len(target))
        for start in range(0, len(target), batch):
            part = order[start : start + batch]
            optimiser.zero_grad()
            loss = -bound(model(inputs[part]), target[part])
            loss.backward()
            optimiser.step()
    seconds = time.perf_counter() - began
    model.eval()
    likelihood.eval()
    queries = torch.tensor((X_test - x_mean) / x_std, dtype=torch.float32)
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [likelihood(model(part)) for part in queries.split(4096)]
        mean = torch.cat([part.mean for part in parts]).numpy() * y_std + y_mean
        std = torch.cat([part.stddev for part in parts]).numpy() * y_std
    return Found(mean, std, seconds, f"{epochs} epochs, {inducing} inducing points")


def xgpr(X, y, X_test, features=4096):
    """Random features of an isotropic Matérn-5/2 kernel: its crude tuning with 1024 of them, conjugate gradients after.

    Its evidence leaves the common amplitude out, and so do its variances: they are scaled to the errors on a tenth of
    the rows, held out.
    """
    from xGPR import build_regression_dataset, xGPRegression

    x_mean, x_std = X.mean(axis=0), X.std(axis=0)
    x_std = np.where(x_std > 0, x_std, 1.0)
    X, X_test = (X - x_mean) / x_std, (X_test - x_mean) / x_std
    began = time.perf_counter()
    train, held = _split(len(X))
    data = build_regression_dataset(X[train], y[train])
    model = xGPRegression(1024, 512, "Matern", verbose=False)
    model.tune_hyperparams_crude(data)
    model.num_rffs = features
    model.fit(data)
    mean, variance = model.predict(X[held], get_var=True)
    scale = np.mean((mean - y[held]) ** 2 / np.maximum(variance, 1e-12))
    seconds = time.perf_counter() - began
    mean, variance = model.predict(X_test, get_var=True)
    std = np.sqrt(scale * np.maximum(variance, 1e-12))
    return Found(mean, std, seconds, f"{features} features")


def lightgbm(X, y, X_test):
    """Boosted trees of 63 leaves, up to 5000 rounds with early stopping."""
    from lightgbm import LGBMRegressor, early_stopping, log_evaluation

    began = time.perf_counter()
    train, held = _split(len(X))
    model = LGBMRegressor(n_estimators=5000, learning_rate=0.05, num_leaves=63, n_jobs=2, random_state=0, verbose=-1)
    callbacks = [early_stopping(50, verbose=False), log_evaluation(0)]
    model.fit(X[train], y[train], eval_set=[(X[held], y[held])], callbacks=callbacks)
    std = np.sqrt(np.mean((model.predict(X[held]) - y[held]) ** 2))
    seconds = time.perf_counter() - began
    return Found(model.predict(X_test), np.full(len(X_test), std), seconds, f"{model.best_iteration_} rounds")


def xgboost(X, y, X_test):
    """Boosted trees of depth 8, up to 5000 rounds with early stopping."""
    from xgboost import XGBRegressor

    began = time.perf_counter()
    train, held = _split(len(X))
    model = XGBRegressor(
        n_estimators=5000, learning_rate=0.05, max_depth=8, early_stopping_rounds=50, n_jobs=2, random_state=0
    )
    model.fit(X[train], y[train], eval_set=[(X[held], y[held])], verbose=False)
    std = np.sqrt(np.mean((model.predict(X[held]) - y[held]) ** 2))
    seconds = time.perf_counter() - began
    return Found(model.predict(X_test), np.full(len(X_test), std), seconds, f"{model.best_iteration} rounds")


def histogram_boosting(X, y, X_test):
    """scikit-learn's boosted trees with early stopping."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    began = time.perf_counter()
    train, held = _split(len(X))
    model = HistGradientBoostingRegressor(max_iter=2000, early_stopping=True, random_state=0).fit(X[train], y[train])
    std = np.sqrt(np.mean((model.predict(X[held]) - y[held]) ** 2))
    seconds = time.perf_counter() - began
    return Found(model.predict(X_test), np.full(len(X_test), std), seconds, f"{model.n_iter_} rounds")


def _split(n):
    order = np.random.default_rng(0).permutation(n)
    return order[n // 10 :], order[: n // 10]


METHODS = {f.__name__: f for f in (alakarte, svgp, xgpr, lightgbm, xgboost, histogram_boosting)}

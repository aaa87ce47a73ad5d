"""Methods: ours, and peers that are told the lattice or the period.

In: inputs and targets of training rows, inputs of the held-out ones, the set, a seed. Out: means, lower and upper ends
of 95 % bands, standard deviations.
"""

import numpy as np

from alakarte import GPRegressor

CLASSIC = 1.959964  # standard deviations of a normal band of 95 %


def ours(kernel):
    """Our regressor with a kernel, `auto` or one by name."""

    def fitted(x, y, queries, known, seed):
        model = GPRegressor(known.kernel or kernel, random_state=seed).fit(x, y)
        mean, std = model.predict(queries, return_std=True)
        lower, upper = model.predict_interval(queries, 0.95)
        return mean, lower, upper, std

    return fitted


def statsforecast(name):
    """AutoARIMA or AutoETS: rows are a lattice whose last part is held out; the period is given."""

    def fitted(x, y, queries, known, seed):
        from statsforecast import models

        model = getattr(models, name)(season_length=int(known.period)).fit(y)
        told = model.predict(len(queries), level=[95])
        lower, upper = np.asarray(told["lo-95"]), np.asarray(told["hi-95"])
        return np.asarray(told["mean"]), lower, upper, (upper - lower) / (2 * CLASSIC)

    return fitted


def hand_made(x, y, queries, known, seed):
    """The kernel of scikit-learn's example of CO₂: trend, season, irregularities and noise, the period given."""
    from sklearn.gaussian_process import GaussianProcessRegressor, kernels

    unit = known.period
    kernel = (
        kernels.ConstantKernel(10.0, (1e-4, 1e6)) * kernels.RBF(50.0, (0.1, 1e4))
        + kernels.ConstantKernel(1.0, (1e-4, 1e6))
        * kernels.RBF(100.0, (1.0, 1e4))
        * kernels.ExpSineSquared(1.0, 1.0, periodicity_bounds="fixed")
        + kernels.ConstantKernel(0.1, (1e-4, 1e6)) * kernels.RationalQuadratic(1.0, 1.0)
        + kernels.WhiteKernel(0.01, (1e-6, 1e2))
    )
    center, scale = y.mean(), y.std()
    model = GaussianProcessRegressor(kernel, n_restarts_optimizer=2, random_state=seed)
    mean, std = model.fit(x / unit, (y - center) / scale).predict(queries / unit, return_std=True)
    mean, std = center + scale * mean, scale * std
    return mean, mean - CLASSIC * std, mean + CLASSIC * std, std


def spectral_mixture(x, y, queries, known, seed):
    """GPyTorch's spectral mixture of six components, begun from its periodogram."""
    import gpytorch
    import torch

    torch.manual_seed(seed)
    low, reach, center, scale = x.min(0), np.ptp(x, 0), y.mean(), y.std()
    rows = torch.tensor((x - low) / reach)
    targets = torch.tensor((y - center) / scale)

    class Process(gpytorch.models.ExactGP):
        """A constant mean and the mixture."""

        def __init__(self, likelihood):
            super().__init__(rows, targets, likelihood)
            self.mean = gpytorch.means.ConstantMean()
            self.kernel = gpytorch.kernels.SpectralMixtureKernel(num_mixtures=6, ard_num_dims=rows.shape[1])
            self.kernel.initialize_from_data(rows, targets)

        def forward(self, z):
            return gpytorch.distributions.MultivariateNormal(self.mean(z), self.kernel(z))

    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Process(likelihood).double()
    likelihood.double()
    evidence = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.1)
    for _ in range(200):
        optimiser.zero_grad()
        loss = -evidence(model(rows), targets)
        loss.backward()
        optimiser.step()
    model.eval()
    with torch.no_grad():
        told = likelihood(model(torch.tensor((queries - low) / reach)))
        mean, std = center + scale * told.mean.numpy(), scale * told.variance.sqrt().numpy()
    return mean, mean - CLASSIC * std, mean + CLASSIC * std, std


METHODS = {
    "auto": ours("auto"),
    "gm": ours("gm"),
    "mm": ours("mm"),
    "arima": statsforecast("AutoARIMA"),
    "ets": statsforecast("AutoETS"),
    "hand-made": hand_made,
    "spectral-mixture": spectral_mixture,
}
TOLD_PERIOD = ("arima", "ets", "hand-made")
ON_LATTICE = ("arima", "ets")


def applies(method: str, name: str, known) -> bool:
    """Whether a method can take a set: some need a period, a lattice of one dimension, or few rows."""
    if known.kernel is not None:
        return method == known.kernel
    if method in TOLD_PERIOD and known.period is None:
        return False
    return not (method == "spectral-mixture" and name in ("tread-320", "space", "tread-64", "brick", "tread-scattered"))

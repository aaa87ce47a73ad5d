"""GPyTorch's stochastic variational Gaussian process for classes.

In: standardised arrays. Out: an `Outcome` with probabilities. Two classes have one process and a Bernoulli likelihood,
several have one process each and a softmax. Steps stop after 1,000 or 150 seconds.
"""

import numpy as np
from sklearn.cluster import MiniBatchKMeans

from bench.likelihoods.outcome import Clock, Outcome

INDUCING, BATCH, STEPS, MAX_SECONDS, RATE = 500, 1024, 1000, 150.0, 0.03
SAMPLES = 64  # of the latent functions, for the softmax of test rows


def probabilities(X: np.ndarray, y: np.ndarray, X_test: np.ndarray) -> Outcome:
    """Fit and predict."""
    import gpytorch
    import torch

    torch.manual_seed(0)
    clock = Clock()
    n_classes = len(np.unique(y))
    model = _model(torch.tensor(_centres(X), dtype=torch.float32), n_classes)
    if n_classes == 2:
        likelihood = gpytorch.likelihoods.BernoulliLikelihood()
    else:
        likelihood = gpytorch.likelihoods.SoftmaxLikelihood(num_classes=n_classes, mixing_weights=False)
    target = torch.tensor(y, dtype=torch.float32 if n_classes == 2 else torch.long)
    steps = _climb(model, likelihood, torch.tensor(X, dtype=torch.float32), target, clock)
    seconds = clock.seconds()
    model.eval()
    likelihood.eval()
    with torch.no_grad(), gpytorch.settings.num_likelihood_samples(SAMPLES):
        parts = [likelihood(model(part)).probs for part in torch.tensor(X_test, dtype=torch.float32).split(2048)]
    if n_classes == 2:
        positive = torch.cat(parts).double().numpy()
        proba = np.column_stack([1 - positive, positive])
    else:
        proba = torch.cat([part.mean(dim=0) for part in parts]).double().numpy()
    return Outcome(proba, seconds, f"{steps} steps, {min(INDUCING, len(X))} inducing")


def _centres(X: np.ndarray) -> np.ndarray:
    """Inducing points: all rows if few, centres of clusters else."""
    if len(X) <= INDUCING:
        return X
    return MiniBatchKMeans(INDUCING, n_init=1, random_state=0).fit(X).cluster_centers_


def _climb(model, likelihood, inputs, target, clock: Clock) -> int:
    """Maximise the bound by Adam, the step size falling to zero; the number of steps."""
    import gpytorch
    import torch

    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(target))
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=RATE)
    for step in range(STEPS):
        spent = max(step / STEPS, clock.seconds() / MAX_SECONDS)
        if spent >= 1:
            return step
        optimiser.param_groups[0]["lr"] = RATE * min(1.0, 2 * (1 - spent))
        part = torch.randperm(len(target))[:BATCH]
        optimiser.zero_grad()
        (-bound(model(inputs[part]), target[part])).backward()
        optimiser.step()
    return STEPS


def _model(points, n_classes: int):
    import gpytorch
    import torch

    batch = torch.Size([]) if n_classes == 2 else torch.Size([n_classes])

    class Model(gpytorch.models.ApproximateGP):
        def __init__(self):
            distribution = gpytorch.variational.CholeskyVariationalDistribution(len(points), batch_shape=batch)
            strategy = gpytorch.variational.VariationalStrategy(
                self, points, distribution, learn_inducing_locations=True
            )
            if n_classes > 2:
                strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(strategy, num_tasks=n_classes)
            super().__init__(strategy)
            n_inputs = points.shape[1]
            base = gpytorch.kernels.RBFKernel(ard_num_dims=n_inputs)  # one kernel for all classes
            base.lengthscale = float(np.sqrt(n_inputs))
            self.mean_module = gpytorch.means.ConstantMean(batch_shape=batch)
            self.covar_module = gpytorch.kernels.ScaleKernel(base)

        def forward(self, x):
            return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))

    return Model()

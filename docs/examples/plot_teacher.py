"""
A teacher with one curve
========================

One curve is enough to explain what a Gaussian process is: a cloud of functions, of which the data leave only those
that pass near the points. Here it is the yearly flow of the Nile at Aswan, a hundred numbers.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from alakarte import GPRegressor
from alakarte.display import KernelDisplay, PredictionDisplay

nile = sm.datasets.nile.load_pandas().data
year, flow = nile[["year"]], nile["volume"].rename("flow of the Nile (10⁸ m³)")
model = GPRegressor("matern32", random_state=0).fit(year, flow)

# %%
# **Before the data.** A kernel says how alike the function is at two years. From it one can draw functions: each is a
# flow that the model would not be surprised to see. The length over which they bend was learned.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
KernelDisplay.from_estimator(model, ax=left)
KernelDisplay.from_estimator(model, n_samples=5, ax=right)

# %%
# **After the data.** The same cloud, cut down to the functions that agree with the measurements. The band is for new
# observations: noise is part of it. It widens to both sides, where there are no years.

ahead = year.iloc[np.r_[[0] * 20, : len(year), [-1] * 20]].astype(float).reset_index(drop=True)
ahead["year"] = np.arange(year["year"].min() - 20, year["year"].max() + 21)
display = PredictionDisplay.from_estimator(model, ahead, n_samples=4)
display.ax_.plot(year, flow, ".", color="black", markersize=4)
display.ax_.set_ylabel(flow.name)

# %%
# **Fewer points.** Take away thirty years in the middle, and ask again. Where the points are missing the functions
# disagree, and the band says so. A line through the gap would have looked just as sure as everywhere else.

rest = ~year["year"].between(1905, 1934)
gap = GPRegressor("matern32", random_state=0).fit(year[rest], flow[rest])
display = PredictionDisplay.from_estimator(gap, ahead, n_samples=4)
display.ax_.plot(year[rest], flow[rest], ".", color="black", markersize=4)
display.ax_.plot(year[~rest], flow[~rest], "x", color="black", markersize=4)
display.ax_.set_ylabel(flow.name)
low, high = gap.predict_interval(year[~rest])
print(f"{((low <= flow[~rest]) & (flow[~rest] <= high)).mean():.0%} of the hidden years are inside the band")

# %%
# **Other glasses.** A kernel is a prejudice about smoothness. The same rows with three of them, by their evidence: the
# probability that the kernel would have given to these very rows.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.2), layout="constrained", sharey=True)
for kernel, ax in zip(["rbf", "matern32", "matern12"], axes, strict=True):
    fitted = GPRegressor(kernel, random_state=0).fit(year, flow)
    PredictionDisplay.from_estimator(fitted, ahead, ax=ax)
    ax.plot(year, flow, ".", color="black", markersize=3)
    ax.set_ylabel("")
    ax.set_title(f"{kernel}: {fitted.log_marginal_likelihood_:.1f} nats", fontsize="medium")

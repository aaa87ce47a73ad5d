"""
Noise that grows
================

Engel's households of 1857: what they earned, and what they spent on food. Rich households differ more. One noise for
all makes the band too wide for the poor and too narrow for the rich.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from alakarte import GPRegressor

engel = sm.datasets.engel.load_pandas().data
X, y = engel[["income"]], engel["foodexp"]
grid = X.iloc[:1].loc[np.zeros(200, dtype=int)].reset_index(drop=True)
grid["income"] = np.linspace(X["income"].min(), 3000, 200)

# %%
figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for ax, likelihood in zip(axes, ["gaussian", "heteroscedastic"], strict=True):
    model = GPRegressor("ard", likelihood=likelihood, random_state=0).fit(X, y)
    low, high = model.predict_interval(grid)
    ax.fill_between(grid["income"], low, high, color="#c9d2e0")
    ax.plot(grid["income"], model.predict(grid), color="#1f3b73")
    ax.plot(X["income"], y, ".", color="black", markersize=3)
    density = model.log_predictive_density(X, y).mean()
    ax.set(title=f"{likelihood}: {density:.3f} nats per row", xlabel="income", ylabel="food", xlim=(300, 3000))

# %%
# The standard deviation at three incomes: it was one number, now it is a function.

some = grid.iloc[[20, 80, 180]]
for income, std in zip(some["income"], model.predict(some, return_std=True)[1], strict=True):
    print(f"income {income:5.0f}: ± {std:.0f}")

"""
A slip of the pen
=================

The temperature of the sea off Peru, month by month, with a few values typed wrongly: a digit too many, a comma lost.
Normal noise takes every slip at its word. Noise with heavy tails does not.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from alakarte import GPRegressor

nino = sm.datasets.elnino.load_pandas().data
values = nino.drop(columns="YEAR").to_numpy().ravel()[-180:]
year = nino["YEAR"].iloc[-15] + np.arange(180)[:, None] / 12
typed = values.copy()
slips = np.random.default_rng(0).choice(180, 9, replace=False)
typed[slips] += np.where(np.arange(9) % 3, 9.0, -12.0)

# %%
figure, axes = plt.subplots(2, 1, figsize=(9, 6), layout="constrained", sharex=True, sharey=True)
for ax, likelihood in zip(axes, ["gaussian", "student_t"], strict=True):
    model = GPRegressor("matern52", likelihood=likelihood, random_state=0).fit(year, typed)
    low, high = model.predict_interval(year)
    mean = model.predict(year)
    ax.fill_between(year[:, 0], low, high, color="#c9d2e0")
    ax.plot(year[:, 0], mean, color="#1f3b73")
    ax.plot(year[:, 0], typed, ".", color="black", markersize=3)
    ax.plot(year[slips, 0], typed[slips], "o", color="#b5452c", fillstyle="none")
    error = np.sqrt(np.mean((mean - values) ** 2))
    ax.set(title=f"{likelihood}: {error:.2f} °C from the true record", ylabel="sea (°C)")

# %%
# The heavy tails come with degrees of freedom that are learned. Few of them mean: do not trust single values.

print(model.summary())

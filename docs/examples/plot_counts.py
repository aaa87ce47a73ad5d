"""
Counts with an exposure
=======================

Deaths by cancer in 301 counties, from a few hundred inhabitants to ninety thousand. A small county with one death has
a high rate, and that says nothing: the exposure, here the number of people, tells the model how much each row knows.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from alakarte import GPCountRegressor
from alakarte.kernels import RBF

counties = sm.datasets.cancer.load_pandas().data
deaths, people = counties["cancer"].to_numpy(), counties["population"].to_numpy()
X = np.log10(people)[:, None]
smooth = RBF(bounds={"lengthscale": (0.3, 30.0)})  # in powers of ten of inhabitants
model = GPCountRegressor(smooth, random_state=0).fit(X, deaths, exposure=people)
print(model.summary())

# %%
# Each dot is a county. The band has 95 % of the deaths that are expected in a county of that size: a funnel, because
# rates of small counties scatter, although the rate behind them is nearly the same everywhere.

size = np.geomspace(people.min(), people.max(), 300)
low, high = model.predict_interval(np.log10(size)[:, None], exposure=size)
rate = model.predict(np.log10(size)[:, None])
figure, ax = plt.subplots(figsize=(8, 4), layout="constrained")
ax.fill_between(size, 1000 * low / size, 1000 * high / size, color="#c9d2e0", label="95 % of counties of that size")
ax.plot(size, 1000 * rate, color="#1f3b73", label="learned rate")
ax.plot(people, 1000 * deaths / people, ".", color="black", markersize=3)
ax.set(xscale="log", xlabel="inhabitants", ylabel="deaths per 1,000")
ax.legend()

# %%
# Which counties are unusual, given their size? Those outside of the band, not those with the highest rates.

low, high = model.predict_interval(X, exposure=people)
outside = (deaths < low) | (deaths > high)
print(
    f"{outside.sum()} of {len(deaths)} counties outside; of the ten highest rates: "
    f"{outside[np.argsort(-deaths / people)[:10]].sum()}"
)

"""
Forecast a year
===============

Carbon dioxide at Mauna Loa rises and breathes: a trend, a season, and what the weather does. A sum of kernels has a
part for each. The period of the season is known, so it is given; ``GPRegressor("gm")`` finds it by itself.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm

from alakarte import GPRegressor
from alakarte.kernels import ARD, GaussianMixture

months = sm.datasets.co2.load_pandas().data["co2"].resample("MS").mean().dropna()
year = (months.index.year + (months.index.month - 0.5) / 12).to_numpy()[:, None]
co2 = months.to_numpy()
known = year[:, 0] < 2000

# %%
# Periods are in the unit of the input. Half a year beside a year makes the season steeper on one side. Length-scales are
# learned: one ``ARD`` becomes the trend, the other the weather.

season = GaussianMixture(periods=[1, 0.5])
model = GPRegressor(ARD() + ARD() + season, n_components=2, random_state=0).fit(year[known], co2[known])
print(model.summary())

# %%
# The last two years of the record were held back. The band is for single months.

ahead = np.arange(1997, 2002, 1 / 24)[:, None]
mean = model.predict(ahead)
low, high = model.predict_interval(ahead)
figure, ax = plt.subplots(figsize=(9, 4), layout="constrained")
ax.fill_between(ahead[:, 0], low, high, color="#c9d2e0", label="95 % of months")
ax.plot(ahead[:, 0], mean, color="#1f3b73", label="forecast from 2000 on")
shown = (year[:, 0] > 1997) & known
ax.plot(year[shown, 0], co2[shown], ".", color="black", label="learned from")
ax.plot(year[~known, 0], co2[~known], "x", color="#b5452c", label="held back")
ax.axvline(2000, color="grey", linewidth=0.8)
ax.set(xlabel="year", ylabel="CO₂ (ppm)")
ax.legend(fontsize="small")

# %%
# Judge a forecast by rows that lie ahead, never by rows picked at random: a row between two known months is easy.

first = ~known & (year[:, 0] < 2001)
low, high = model.predict_interval(year[first])
error = np.sqrt(np.mean((model.predict(year[first]) - co2[first]) ** 2))
inside = np.mean((low <= co2[first]) & (co2[first] <= high))
print(f"the year 2000: error {error:.2f} ppm, {inside:.0%} of the months inside the band")

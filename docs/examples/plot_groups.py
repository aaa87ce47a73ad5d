"""
Split as you will predict
=========================

Ten firms, twenty years each: investment from the value of the firm and its capital. A random split asks for a year
between two known years of the same firm. A split by firm asks for a firm that was never seen. These are two questions,
and only you know which one you have.
"""

import matplotlib.pyplot as plt
import numpy as np
import statsmodels.api as sm
from sklearn.model_selection import GroupKFold, KFold, cross_val_predict

from alakarte import GPRegressor

firms = sm.datasets.grunfeld.load_pandas().data
X = np.log(firms[["value", "capital"]]).assign(year=firms["year"])
y = np.log(firms["invest"]).rename("log investment")
model = GPRegressor("ard", random_state=0)

# %%
# The same model, the same rows. Only the rows that are left out at a time differ.

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharex=True, sharey=True)
splits = {
    "random rows": list(KFold(5, shuffle=True, random_state=0).split(X)),
    "whole firms": list(GroupKFold(5).split(X, groups=firms["firm"])),
}
for ax, (name, split) in zip(axes, splits.items(), strict=True):
    predicted = cross_val_predict(model, X, y, cv=split)
    for _, rows in firms.groupby("firm"):
        ax.plot(predicted[rows.index], y[rows.index], ".", markersize=5)
    ax.axline((3, 3), slope=1, color="grey", linewidth=0.8)
    error = np.sqrt(np.mean((predicted - y) ** 2)) / y.std()
    ax.set(title=f"{name} left out: error {error:.2f} of the spread", xlabel="predicted", ylabel="log investment")

# %%
# Each colour is a firm. On the right whole colours lie off the line: a firm has something of its own that no other firm
# tells. Intervals learned from rows of known firms do not know of it either:

for name, split in splits.items():
    inside = []
    for train, test in split:
        low, high = model.fit(X.iloc[train], y.iloc[train]).predict_interval(X.iloc[test])
        inside.extend((low <= y.iloc[test]) & (y.iloc[test] <= high))
    print(f"{name}: {np.mean(inside):.0%} within 95 % intervals")

"""
A chemist with a few hundred rows
=================================

A laboratory has measured 178 wines: acids, phenols, colour and more. Alcohol takes a distillation, the rest is quick.
Can the quick measurements stand for the slow one, which of them matter, and how far may the answer be trusted?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from alakarte import GPRegressor
from alakarte.display import CoverageDisplay, EffectDisplay, PredictionDisplay, RelevanceDisplay

wine = load_wine(as_frame=True).frame.drop(columns="target")
y = wine.pop("alcohol").rename("alcohol (% vol)")
X_train, X_test, y_train, y_test = train_test_split(wine, y, test_size=0.3, random_state=0)
model = GPRegressor(random_state=0).fit(X_train, y_train)

# %%
# The first look: predictions for wines that the model has not seen, with intervals for 95 % of them. The intervals are
# the promise; the second picture counts whether it was kept at every level, not only at 95 %.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
PredictionDisplay.from_estimator(model, X_test, y_test, ax=left)
left.set(xlabel="distilled: alcohol (% vol)", ylabel="predicted")
CoverageDisplay.from_estimator(model, X_test, y_test, ax=right)

# %%
# ``summary()`` says the same in words, in the units of the table. The noise is what no measurement in this table could
# tell: two wines that agree in everything else still differ by that much alcohol.

print(model.summary())

# %%
# Which measurements to go on making? Relevance is how much of the learned function varies along each input. A short
# bar is a measurement that the laboratory may save.

RelevanceDisplay.from_estimator(model)

# %%
# And what does the best one do? The effect is the function averaged over all wines, with one measurement moved. The
# band is what the model does not know of that average: it widens where there are few wines.

best = wine.columns[model.relevance_.argmax()]
figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for name, ax in zip([best, "flavanoids"], axes, strict=True):
    EffectDisplay.from_estimator(model, X_train, name, ax=ax)
axes[0].set_ylabel("alcohol (% vol), averaged")
axes[1].set_ylabel("")

# %%
# With fewer rows the intervals must become wider, not wrong. Forty wines are enough to see it.

few = GPRegressor(random_state=0).fit(X_train[:40], y_train[:40])
for name, fitted in {"40 wines": few, f"{len(X_train)} wines": model}.items():
    low, high = fitted.predict_interval(X_test)
    inside = ((low <= y_test) & (y_test <= high)).mean()
    print(f"{name:>10}: intervals {(high - low).mean():.2f} wide, {inside:.0%} of the wines inside")

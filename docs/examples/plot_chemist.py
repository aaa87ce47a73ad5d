"""
A chemist with 300 rows
=======================

A clinical laboratory has measured the blood of 300 patients with diabetes, and knows how far the disease had gone a
year later. What do the measurements tell of that, which of them matter, and how far may the answer be trusted? Another
142 patients were put aside to find out.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import train_test_split

from alakarte import GPRegressor
from alakarte.display import CoverageDisplay, EffectDisplay, PredictionDisplay, RelevanceDisplay

SERUM = {
    "s1": "cholesterol (mg/dL)",
    "s2": "LDL (mg/dL)",
    "s3": "HDL (mg/dL)",
    "s4": "cholesterol / HDL",
    "s5": "log triglycerides",
    "s6": "glucose (mg/dL)",
}
X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
X, y = X.rename(columns=SERUM | {"bp": "blood pressure", "bmi": "body mass index"}), y.rename("progression")
X_train, X_test, y_train, y_test = train_test_split(X, y, train_size=300, random_state=0)
model = GPRegressor(random_state=0).fit(X_train, y_train)

# %%
# The first look: predictions for patients that the model has not seen, with intervals for 95 % of them. The intervals
# are wide, because blood does not tell everything; they are a promise all the same, and the second picture counts
# whether it was kept, at every level and not only at 95 %.

figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
PredictionDisplay.from_estimator(model, X_test, y_test, ax=left)
left.set(xlabel="progression after a year", ylabel="predicted")
CoverageDisplay.from_estimator(model, X_test, y_test, ax=right)

# %%
# ``summary()`` says the same in words, in the units of the table. The noise is what no measurement in this table could
# tell: two patients who agree in everything else still differ by that much.

print(model.summary())

# %%
# Which measurements to go on making? Relevance is how much of the learned function varies along each input. A short
# bar is a measurement that the laboratory may save. Two that say the same share what they are worth: the ratio of
# cholesterol to HDL is made of two others.

RelevanceDisplay.from_estimator(model)

# %%
# And what do two of them do? The effect is the function averaged over all patients, with one measurement moved. The
# band is what the model does not know of that average: it widens where there are few patients.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for name, ax in zip(["log triglycerides", "body mass index"], axes, strict=True):
    EffectDisplay.from_estimator(model, X_train, name, ax=ax)
axes[0].set_ylabel("progression, averaged")
axes[1].set_ylabel("")

# %%
# With fewer rows the intervals must become wider, not wrong. Forty patients are enough to see it.

few = GPRegressor(random_state=0).fit(X_train[:40], y_train[:40])
for name, fitted in {"40 patients": few, f"{len(X_train)} patients": model}.items():
    low, high = fitted.predict_interval(X_test)
    inside = ((low <= y_test) & (y_test <= high)).mean()
    print(f"{name:>12}: intervals {(high - low).mean():.0f} wide, {inside:.0%} of the patients inside")

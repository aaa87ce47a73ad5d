"""
Probabilities that can be believed
==================================

A biopsy is benign or malignant. A label is not enough: how sure is the model, and is it right as often as it says?
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from alakarte import GPClassifier
from alakarte.display import CoverageDisplay, RelevanceDisplay

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
model = GPClassifier(random_state=0).fit(X_train, y_train)
print(
    f"{model.score(X_test, y_test):.1%} right, {model.log_predictive_density(X_test, y_test).mean():.3f} nats per row"
)

# %%
# Of biopsies that were called malignant with a probability of 0.8, about 80 % should be. The band is what
# chance alone does: most answers are sure ones, so the middle of the curve rests on few rows.

CoverageDisplay.from_estimator(model, X_test, y_test)

# %%
# The doubtful ones are those to look at again. Probabilities average over what is not known of the function, so they
# are never 0 or 1.

malignant = list(model.classes_).index("malignant")
probability = model.predict_proba(X_test)[:, malignant]
order = np.argsort(probability)
truth = np.asarray(y_test) == "malignant"
figure, ax = plt.subplots(figsize=(8, 3.4), layout="constrained")
places = np.arange(len(order))
ax.plot(places, probability[order], color="grey", linewidth=0.8)
for value, marker, label in [(False, "o", "benign"), (True, "x", "malignant")]:
    chosen = truth[order] == value
    ax.plot(places[chosen], probability[order][chosen], marker, markersize=4, label=label)
ax.axhspan(0.1, 0.9, color="#c9d2e0", alpha=0.6, zorder=0)
ax.set(xlabel="biopsies that the model has not seen, in order", ylabel="probability of malignant")
ax.legend()
doubtful = (probability > 0.1) & (probability < 0.9)
print(
    f"{doubtful.sum()} of {len(truth)} between 0.1 and 0.9; right in all others: {((probability > 0.5) == truth)[~doubtful].mean():.1%}"
)

# %%
RelevanceDisplay.from_estimator(model, max_inputs=10)

"""
Fast features for a linear model
================================

``FastfoodFeatures`` is a transformer: waves of random frequencies, after which any linear model is a kernel machine.
It stands where scikit-learn's ``RBFSampler`` would, and is faster for many inputs. Here for written digits.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline

from alakarte import FastfoodFeatures

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, random_state=0)

# %%
sizes = [32, 128, 512, 2048]
right, wrong = [], []
for n_components in sizes:
    features = FastfoodFeatures(gamma=0.3, n_components=n_components, random_state=0)
    model = make_pipeline(features, RidgeClassifier(alpha=0.1)).fit(X_train, y_train)
    wrong.append(np.flatnonzero(model.predict(X_test) != y_test))
    right.append(1 - len(wrong[-1]) / len(y_test))
linear = RidgeClassifier(alpha=0.1).fit(X_train, y_train).score(X_test, y_test)

# %%
# The more waves, the nearer to the exact kernel.

figure, (left, ax) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
shown = np.resize(wrong[1], 16)
left.imshow(
    np.block([[np.pad(X_test[i].reshape(8, 8), 2) for i in shown[4 * r : 4 * r + 4]] for r in range(4)]),
    cmap="gray_r",
)
left.set(title=f"wrong with {sizes[1]} features: {len(wrong[1])} of {len(y_test)}", xticks=[], yticks=[])
ax.plot(sizes, right, "o-", color="#1f3b73", label="ridge on features")
ax.axhline(linear, color="grey", linestyle="--", label="ridge on pixels")
ax.set(xscale="log", xlabel="features", ylabel="share of digits right")
ax.legend()

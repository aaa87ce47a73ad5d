"""
Three classes in a plane
========================

Two measurements of a flower, three kinds of iris. The colours are probabilities: where they are washed out the model
does not know, at the borders and far from all flowers.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris

from alakarte import GPClassifier

iris = load_iris(as_frame=True)
X, y = iris.data[["petal length (cm)", "petal width (cm)"]], iris.target_names[iris.target]
model = GPClassifier("rbf", random_state=0).fit(X, y)

# %%
COLOURS = np.array([[0.12, 0.47, 0.71], [0.93, 0.62, 0.12], [0.60, 0.15, 0.35]])
x1, x2 = np.meshgrid(np.linspace(0, 8, 120), np.linspace(-0.3, 3.3, 120))
table = X.iloc[:0].reindex(range(x1.size))
table.iloc[:, 0], table.iloc[:, 1] = x1.ravel(), x2.ravel()
probability = model.predict_proba(table)
sure = (probability.max(axis=1, keepdims=True) - 1 / 3) * 1.5
picture = sure * (probability @ COLOURS) + (1 - sure)
figure, ax = plt.subplots(figsize=(7, 4.4), layout="constrained")
ax.imshow(picture.clip(0, 1).reshape(120, 120, 3), origin="lower", extent=(0, 8, -0.3, 3.3), aspect="auto")
ax.contour(x1, x2, probability.max(axis=1).reshape(120, 120), levels=[0.5, 0.8, 0.95], colors="black", linewidths=0.6)
for k, (name, marker) in enumerate(zip(model.classes_, "osx", strict=True)):
    chosen = y == name
    ax.plot(*X[chosen].to_numpy().T, marker, color=COLOURS[k] * 0.6, markersize=4, label=name)
ax.set(xlabel=X.columns[0], ylabel=X.columns[1])
ax.legend(loc="upper left")

# %%
# The lines are where the likeliest kind has a probability of 0.5, 0.8 and 0.95. A flower beyond all others, with petals
# of eight centimetres and no width, gets no sure answer:

odd = table.iloc[:1].copy()
odd.iloc[0] = 8.0, 0.0
for name, value in zip(model.classes_, model.predict_proba(odd)[0], strict=True):
    print(f"{name}: {value:.2f}")

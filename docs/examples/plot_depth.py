"""
A depth map from one pixel in eighty
====================================

A camera sees a motorcycle from two places; the shift of each point tells how near it is. The picture is a function of
two inputs with cliffs in it, and features of waves are poor at cliffs. Neighbours are not.
"""

import matplotlib.pyplot as plt
import numpy as np
from skimage.data import stereo_motorcycle

from alakarte import GPRegressor

depth = stereo_motorcycle()[2][::4, ::4]
rows, columns = np.nonzero(np.isfinite(depth))
known = np.random.default_rng(0).random(rows.size) < 0.2
X, y = np.column_stack([columns, rows]).astype(float), depth[rows, columns].astype(float)

# %%
# ``expansion="local"`` predicts each point from its nearest measured ones, in a metric that was learned.

everywhere = np.column_stack(
    [grid.ravel() for grid in np.meshgrid(np.arange(depth.shape[1]), np.arange(depth.shape[0]))]
)
pictures = {}
for name, settings in {
    "waves": {"n_frequencies": 256},
    "neighbours": {"expansion": "local", "n_neighbors": 30},
}.items():
    model = GPRegressor("matern12", random_state=0, **settings).fit(X[known], y[known])
    mean, std = model.predict(everywhere.astype(float), return_std=True)
    pictures[name] = mean.reshape(depth.shape), std.reshape(depth.shape)
    low, high = model.predict_interval(X[~known])
    error = np.sqrt(np.mean((model.predict(X[~known]) - y[~known]) ** 2))
    inside = np.mean((low <= y[~known]) & (y[~known] <= high))
    print(f"{name:>10}: error {error:.2f} pixels, {inside:.1%} within 95 % intervals")

# %%
measured = np.full(depth.shape, np.nan)
measured[rows[known], columns[known]] = y[known]
figure, axes = plt.subplots(2, 2, figsize=(9, 6.4), layout="constrained")
shown = {
    "what was measured": measured,
    "from waves": pictures["waves"][0],
    "from neighbours": pictures["neighbours"][0],
    "standard deviation (neighbours)": pictures["neighbours"][1],
}
for ax, (title, picture) in zip(axes.flat, shown.items(), strict=True):
    spread = {} if "deviation" in title else {"vmin": y.min(), "vmax": y.max()}
    ax.imshow(picture, cmap="magma" if "deviation" in title else "viridis", **spread)
    ax.set(title=title, xticks=[], yticks=[])

# %%
# The last picture is bright where nothing was measured near by. It is not bright along the edges: one kernel holds for
# the whole picture, so the model doubts as much in the middle of a wall as beside a wheel. That is why fewer points
# than 95 % are inside their intervals, and a reason to count them.

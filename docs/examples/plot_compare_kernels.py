"""
Compare kernels
===============

Which kernel suits a table? The evidence is one answer, computed on the rows at hand. Rows that were held out are the
other. Here both are asked, for the progress of diabetes in 442 patients.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.model_selection import cross_val_score

from alakarte import GPRegressor, log_density_scorer
from alakarte.display import KernelDisplay, RankingDisplay

X, y = load_diabetes(return_X_y=True, as_frame=True, scaled=False)
model = GPRegressor(random_state=0).fit(X, y)

# %%
# The default has tried several kernels. The ranking says how far each is behind the best, in nats of log evidence less
# half a nat per parameter, and what weight it has in the average that predicts.

RankingDisplay.from_estimator(model)

# %%
# The same question asked by three folds. Differences of some hundredths of a nat per row are within the noise of folds:
# kernels that the evidence cannot tell apart cannot be told apart here either.

for kernel in ["rbf", "ard", "matern32"]:
    scores = cross_val_score(GPRegressor(kernel, random_state=0), X, y, scoring=log_density_scorer, cv=3)
    print(f"{kernel:>9}: {scores.mean():.3f} ± {scores.std() / 3**0.5:.3f} nats per row")

# %%
# What differs between kernels is what they believe between rows. The correlation of the function along the most
# relevant inputs, for a smooth kernel and a rough one:

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained", sharey=True)
for kernel, ax in zip(["ard", "matern12"], axes, strict=True):
    KernelDisplay.from_estimator(GPRegressor(kernel, random_state=0).fit(X, y), ax=ax)
    ax.set_title(kernel)

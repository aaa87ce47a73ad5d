"""
A utility with two million rows
===============================

Meters report every minute: hour, day of the year, temperature, wind. That is two million rows in four years. They do
not have to fit into memory, and the fit must not take a night. The rows here are generated, so that the truth is known.
"""

import tempfile
import time
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np

from alakarte import GPRegressor
from alakarte.display import CoverageDisplay, EffectDisplay

NAMES = ["hour", "day of the year", "temperature (°C)", "wind (m/s)"]
N_ROWS = 2_000_000
rng = np.random.default_rng(0)
file = Path(tempfile.mkdtemp()) / "meters.f32"

# %%
# The table goes to a file, block by block, and is opened as a memory map: NumPy's own, no other format is needed.

table = np.memmap(file, dtype=np.float32, mode="w+", shape=(N_ROWS, 5))
for rows in range(0, N_ROWS, 250_000):
    hour, day = rng.uniform(0, 24, 250_000), rng.uniform(0, 365, 250_000)
    temperature = 10 - 12 * np.cos(2 * np.pi * day / 365) + 4 * rng.standard_normal(250_000)
    wind = rng.gamma(2.0, 2.5, 250_000)
    load = 40 + 8 * np.sin(2 * np.pi * (hour - 9) / 24) + 5 * np.exp(-0.5 * ((hour - 19) / 1.5) ** 2)
    load += 0.9 * np.log1p(np.exp(15 - temperature)) + 0.08 * wind * np.maximum(15 - temperature, 0)
    load += 2.0 * rng.standard_normal(250_000)
    table[rows : rows + 250_000] = np.column_stack([hour, day, temperature, wind, load])
print(f"{file.stat().st_size / 1e6:.0f} MB on disk")

# %%
# The kernel is learned on some thousand rows; the posterior is built on all of them, by random features that are never
# stored. A named kernel with a fixed number of frequencies is the quick way. The default, ``GPRegressor()``, tries
# several kernels and takes some minutes for as many rows.

n_train = N_ROWS - 5_000
began = time.perf_counter()
model = GPRegressor("ard", n_frequencies=256, precision="mixed", random_state=0)
model.fit(table[:n_train, :4], table[:n_train, 4])
print(f"{n_train:,} rows in {time.perf_counter() - began:.0f} s; noise {model.noise_std_:.2f}, the truth is 2.00")

# %%
# Two million rows make the function sharp, and what is left is noise. So the test is whether errors are as large as the
# noise, and whether the intervals hold.

X_test, y_test = np.asarray(table[n_train:, :4], dtype=float), np.asarray(table[n_train:, 4], dtype=float)
error = np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2))
low, high = model.predict_interval(X_test)
print(f"error {error:.2f} on new rows, {np.mean((low <= y_test) & (y_test <= high)):.1%} of them within 95 % intervals")
CoverageDisplay.from_estimator(model, X_test, y_test)

# %%
# What the load depends on, as averages over the table. The evening peak and the heating below 15 °C were never told.

figure, axes = plt.subplots(2, 2, figsize=(9, 6), layout="constrained", sharey=True)
for j, ax in enumerate(axes.flat):
    EffectDisplay.from_estimator(model, X_test, j, ax=ax)
    ax.set_xlabel(NAMES[j])
    ax.set_ylabel("load (MW)")

file.unlink()

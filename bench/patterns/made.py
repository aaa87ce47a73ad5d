"""Series, images and waves that are generated.

In: a generator of random numbers, or none where a set is always the same. Out: inputs (n, d), targets, and which rows
are held out.
"""

import numpy as np


def last(n: int, part: float = 0.25) -> np.ndarray:
    """(n,) the last rows of a series."""
    return np.arange(n) >= round((1 - part) * n)


def decaying_waves(rng: np.random.Generator):
    """600 points of a process of three waves that lose their phase; noise 0.2."""
    t = np.arange(600.0)
    tau = np.abs(t[:, None] - t)
    waves = ((1, 300, 31.7), (0.6, 200, 12.3), (0.4, 150, 5.1))
    k = sum(v * np.exp(-0.5 * (tau / ell) ** 2) * np.cos(2 * np.pi * tau / p) for v, ell, p in waves)
    values, vectors = np.linalg.eigh(k)
    y = vectors @ (np.sqrt(np.maximum(values, 0)) * rng.standard_normal(len(t)))
    return t[:, None], y + 0.2 * rng.standard_normal(len(t)), last(len(t))


def sawtooth(rng: np.random.Generator):
    """500 irregular times, period 0.573, a slow wave beside it; noise 0.08."""
    t = np.sort(rng.uniform(0, 100, 500))
    u = np.mod(t / 0.573, 1)
    y = np.where(u < 0.15, u / 0.15, (1 - u) / 0.85) + 0.1 * np.sin(2 * np.pi * t / 17)
    return t[:, None], y + 0.08 * rng.standard_normal(len(t)), last(len(t))


def sine(cycles: int, *, regular: bool):
    """A set of 400 rows on [0, 1] and 100 beyond, noise 0.1."""

    def made(rng: np.random.Generator):
        t = np.arange(500) / 400 if regular else np.sort(rng.uniform(0, 1.25, 500))
        phase = rng.uniform(0, 2 * np.pi)
        y = np.sin(2 * np.pi * cycles * t + phase) + 0.1 * rng.standard_normal(500)
        return t[:, None], y, t >= 1

    return made


def many_points(rng: np.random.Generator):
    """100,000 irregular times, two waves of some thousand cycles, noise 1."""
    t = np.sort(rng.uniform(0, 1, 100_000))
    y = np.sin(2 * np.pi * 5441 * t) + 0.7 * np.sin(2 * np.pi * 317.3 * t + 1)
    return t[:, None], y + rng.standard_normal(len(t)), last(len(t))


def plate(places: np.ndarray) -> np.ndarray:
    """(n,) a tread plate of period 16 at places (n, 2), standardised."""
    z = np.zeros(len(places))
    for s, o in ((1, 0.0), (-1, 0.5)):
        a, b = np.mod(places[:, 0] / 16 + o, 1) - 0.5, np.mod(places[:, 1] / 16, 1) - 0.5
        p, q = (a + s * b) / np.sqrt(2), (a - s * b) / np.sqrt(2)
        z += np.exp(-((p / 0.30) ** 2) - (q / 0.08) ** 2)
    return (z - z.mean()) / z.std()


def pixels(side: int) -> np.ndarray:
    """(side², 2) rows and columns."""
    return np.stack(np.meshgrid(np.arange(float(side)), np.arange(float(side)), indexing="ij"), -1).reshape(-1, 2)


def block(places: np.ndarray, side: float, width: float) -> np.ndarray:
    """(n,) the places in a central block."""
    return (np.abs(places - (side - 1) / 2) < width / 2).all(axis=1)


def tread(side: int, width: int):
    """A set: a tread plate of so many pixels, a central block missing, noise 0.1."""

    def made(rng: np.random.Generator):
        places = pixels(side)
        return places, plate(places) + 0.1 * rng.standard_normal(len(places)), block(places, side, width)

    return made


def scattered_tread(rng: np.random.Generator):
    """4,000 places off any grid in [0, 127]², a central block of 48 missing, noise 0.1."""
    places = rng.uniform(0, 127, (4000, 2))
    y = plate(places) + 0.1 * rng.standard_normal(len(places))
    return places, y, (np.abs(places - 63.5) < 24).all(axis=1)


def brick(rng: np.random.Generator):
    """A photograph of bricks, 64² means of 3 × 3 pixels, a block of 24² missing."""
    from skimage.data import brick as photograph

    image = photograph().astype(float)
    cells = image[: image.shape[0] // 3 * 3, : image.shape[1] // 3 * 3]
    cells = cells.reshape(cells.shape[0] // 3, 3, -1, 3).mean(axis=(1, 3))[:64, :64]
    y = (cells - cells.mean()) / cells.std()
    return pixels(64), y.ravel(), block(pixels(64), 64, 24)


def waves_in_space(rng: np.random.Generator):
    """20,000 places in three dimensions, three waves, noise 0.3; a quarter held out at the end of one."""
    x = rng.uniform(0, 1, (20_000, 3)) * [32, 32, 40]
    y = np.sin(x @ [0.8, 0.3, -0.9]) + 0.7 * np.sin(x @ [-0.4, 0.9, 0.5] + 1) + 0.5 * np.cos(x @ [1.1, 0, -0.2])
    return x, y + 0.3 * rng.standard_normal(len(x)), x[:, 2] >= 30

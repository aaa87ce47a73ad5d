"""Every picture of every kernel and likelihood that it fits: no warning, not empty, the user's names on its axes."""

import sys

import numpy as np
import pytest

from alakarte import GPRegressor, Unavailable
from alakarte.display.inline import WIDE
from alakarte.errors import InvalidInput
from alakarte.kernels import GaussianMixture
from alakarte.kernels.registry import kernels
from alakarte.likelihoods.registry import likelihoods
from model.kept_models import RECIPES, X, fitted, y

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
plt = pytest.importorskip("matplotlib.pyplot")
display = pytest.importorskip("alakarte.display")
canvas = pytest.importorskip("alakarte.display.canvas")

MODELS = sorted(set(RECIPES) - {"features"})
NAMES_INPUTS = (display.RelevanceDisplay, display.SpectrumDisplay, display.KernelDisplay)
OF_MODEL = (
    display.RelevanceDisplay,
    display.ConvergenceDisplay,
    display.SpectrumDisplay,
    display.KernelDisplay,
)


FOUR = np.random.default_rng(1).standard_normal((20, 4))


def test_nothing_that_can_be_drawn_is_left_out():
    """A new kernel, likelihood or Display needs no line here, or fails this test."""
    assert {f"kernel_{name}" for name in kernels()} <= set(MODELS)
    drawn = {fitted(name).model_.likelihood.name for name in MODELS} | {fitted("two_classes").model_.likelihood.name}
    assert drawn == {kind().name for kind in likelihoods().values()}
    elsewhere = {display.RankingDisplay, display.EffectDisplay}  # below, and in test_effect.py
    assert {*OF_MODEL, display.CoverageDisplay, display.PredictionDisplay, *elsewhere} == {
        vars(display)[name] for name in display.__all__
    }


def words_on(ax):
    """All that is written on an axis."""
    legend = ax.get_legend()
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), *(legend.get_texts() if legend else ())]
    return " ".join([ax.get_xlabel(), ax.get_ylabel(), *(label.get_text() for label in labels)])


def check(picture):
    """Drawn, labelled, and more than an empty frame."""
    ax = picture.ax_
    if isinstance(picture, NAMES_INPUTS) and len(picture.names) < 20:
        assert all(name in words_on(ax) for name in picture.names)
    assert picture.figure_ is ax.figure
    assert ax.get_xlabel()
    assert ax.lines or ax.patches or ax.collections or ax.containers
    picture.figure_.canvas.draw()
    pixels = np.asarray(picture.figure_.canvas.buffer_rgba())
    assert (pixels[..., :3] < 200).mean() > 0.002
    plt.close(picture.figure_)


@pytest.mark.parametrize("name", MODELS)
def test_pictures_of_what_was_learned(name):
    for kind in OF_MODEL:
        check(kind.from_estimator(fitted(name)))


@pytest.mark.parametrize("name", MODELS)
def test_pictures_of_what_is_said_of_rows(name):
    model, target = fitted(name), RECIPES[name][1]
    check(display.CoverageDisplay.from_estimator(model, X, target))
    if "classes_" in vars(model):
        with pytest.raises(InvalidInput, match="CoverageDisplay"):
            display.PredictionDisplay.from_estimator(model, X, target)
        return
    check(display.PredictionDisplay.from_estimator(model, X, target))
    check(display.CoverageDisplay.from_estimator(model, X, target, ranks=True))


@pytest.mark.parametrize("name", ["average", "counts_average"])
def test_the_ranking_has_a_bar_for_each_kernel(name):
    picture = display.RankingDisplay.from_estimator(fitted(name))
    assert len(picture.ax_.patches) == len(fitted(name).ranking_)
    assert min(b for b in picture.behind if not np.isnan(b)) == 0
    check(picture)


def test_a_kernel_by_name_has_no_ranking():
    with pytest.raises(Unavailable, match="kernel='auto'"):
        display.RankingDisplay.from_estimator(fitted("rows"))


def test_a_curve_has_the_band_the_rows_and_functions():
    x = np.linspace(0, 6, 30)[:, None]
    model = GPRegressor("ard", n_restarts=1, random_state=0).fit(x, np.sin(x[:, 0]))
    picture = display.PredictionDisplay.from_estimator(model, x, np.sin(x[:, 0]), n_samples=3, target="height")
    assert len(picture.ax_.lines) == 5
    assert picture.ax_.get_ylabel() == "height"
    check(picture)
    check(display.KernelDisplay.from_estimator(model, n_samples=2))


def test_names_of_the_table_stand_on_the_axes_and_long_ones_are_cut():
    pandas = pytest.importorskip("pandas")
    names = ["a $very$ long name of a column of some table", "dose", "level"]
    model = GPRegressor("ard", max_iter=0, random_state=0).fit(pandas.DataFrame(X, columns=names), y)
    labels = [t.get_text() for t in display.RelevanceDisplay.from_estimator(model).ax_.get_yticklabels()]
    assert {"dose", "level"} < set(labels)
    assert max(map(len, labels)) < 30
    assert "dose" in display.KernelDisplay.from_estimator(model, features=["dose"]).ax_.get_xlabel()
    assert "dose" in display.SpectrumDisplay.from_estimator(model, features=["dose"]).ax_.get_xlabel()
    with pytest.raises(InvalidInput, match="nothing"):
        display.KernelDisplay.from_estimator(model, features=["nothing"])
    plt.close("all")


def test_long_names_that_begin_and_end_alike_are_told_apart():
    names = [f"expression level of gene number {j}, normalised" for j in range(200)]
    picture = display.RelevanceDisplay(np.linspace(0.1, 1, 200), names).plot()
    labels = [label.get_text() for label in picture.ax_.get_yticklabels()]
    assert len(set(labels)) == 21
    assert all("199" in label and len(label) < 30 for label in labels[:1])
    plt.close("all")


def test_words_stay_within_a_picture_as_wide_as_a_phone():
    pandas = pytest.importorskip("pandas")
    names = [f"A Long Name of Some Measurement {j} at the Second Visit" for j in range(4)]
    frame, height = pandas.DataFrame(FOUR, columns=names), pandas.Series(FOUR[:, 0], name=f"{names[0]} of the Patient")
    models = {name: GPRegressor(name, n_frequencies=8, max_iter=0, random_state=0) for name in ("ard", "ssgpr", "pwl")}
    drawn = [kind.from_estimator for kind in NAMES_INPUTS for _ in models]
    for model, draw in zip([*models.values()] * 3, drawn, strict=True):
        within(draw(model.fit(frame, height), ax=canvas.new_axis(WIDE, 3.6)))
    model = models["ard"]
    within(display.SpectrumDisplay.from_estimator(model, features=[1], ax=canvas.new_axis(WIDE, 3.6)))
    within(display.EffectDisplay.from_estimator(model, frame, target=height.name, ax=canvas.new_axis(WIDE, 3.6)))
    within(display.PredictionDisplay.from_estimator(model, frame, height, ax=canvas.new_axis(WIDE, 4.2)))
    place = {"kernel": "matern", "n_components": 1, "left_out_log_loss": 0.3, "weight": 1.0}
    within(display.RankingDisplay([place, place | {"fixed": "2 × the median in units"}]).plot(canvas.new_axis(WIDE, 2)))


def within(picture):
    """Nothing sticks out of the figure."""
    figure, ax = picture.figure_, picture.ax_
    figure.canvas.draw()
    said = [
        ax.xaxis.label,
        ax.yaxis.label,
        *ax.texts,
        *(ax.get_legend().get_texts() if ax.get_legend() else ()),
    ]
    for word in said:
        if not word.get_text() or not word.get_visible():
            continue
        box = word.get_window_extent()
        assert box.x0 >= -1, word
        assert box.y0 >= -1, word
        assert box.x1 <= figure.bbox.x1 + 1, word
        assert box.y1 <= figure.bbox.y1 + 1, word
    assert min([label.get_window_extent().x0 for label in ax.get_yticklabels()], default=0) >= -1
    plt.close(figure)


def test_distances_of_several_inputs_are_in_their_standard_deviations():
    model = GPRegressor("ard", max_iter=0, random_state=0).fit(FOUR * [1, 2, 3, 4], FOUR[:, 0])
    picture = display.KernelDisplay.from_estimator(model, features=["x3", "x1"])
    assert picture.units == pytest.approx([4 * FOUR[:, 3].std(), 2 * FOUR[:, 1].std()])
    assert [line.get_xdata()[-1] for line in picture.ax_.lines[:2]] == pytest.approx([4, 4])
    assert f"x3, std {picture.units[0]:.3g}" in words_on(picture.ax_)
    plt.close("all")


def test_a_wave_of_small_variance_is_seen_beside_a_trend():
    kernel = GaussianMixture(
        fixed={"amplitude": [30.0, 0.3], "centre": [[0.0], [2 * np.pi]], "lengthscale": [[20.0], [9.0]]}
    )
    x = np.linspace(0, 12, 60)[:, None]
    model = GPRegressor(kernel, n_components=2, max_iter=0, random_state=0).fit(
        x, x[:, 0] + np.sin(2 * np.pi * x[:, 0])
    )
    ax = display.SpectrumDisplay.from_estimator(model).ax_
    [line] = ax.lines
    assert ax.get_yscale() == "log"
    x, density = line.get_data()
    assert density[np.argmin(abs(x - 1))] > 10 * density[np.argmin(abs(x - 0.7))]
    check(display.SpectrumDisplay.from_estimator(model))
    plt.close("all")


def test_free_frequencies_are_a_cloud_over_two_inputs():
    model = GPRegressor("ssgpr", n_frequencies=20, max_iter=0, random_state=0).fit(FOUR, FOUR[:, 0])
    ax = display.SpectrumDisplay.from_estimator(model, features=[0, 2]).ax_
    places = ax.collections[0].get_offsets()
    omega = model.kernel_.frequencies()[:, [0, 2]] / (2 * np.pi)
    assert places.shape == omega.shape
    np.testing.assert_allclose(abs(places), abs(omega))
    assert (places[:, 0] >= 0).all()
    assert "x2" in ax.get_ylabel()
    check(display.SpectrumDisplay.from_estimator(model, features=[0]))
    plt.close("all")


def test_ranks_of_counts_are_spread_over_what_a_number_takes():
    picture = display.CoverageDisplay([], [], [], ranks=[[0.0, 0.6], [0.6, 0.9], [0.9, 1.0]]).plot()
    assert picture.ax_.patches[0].get_data().values == pytest.approx([10 / 18] * 6 + [10 / 9] * 3 + [10 / 3])
    plt.close("all")


def test_names_and_kinds_of_what_is_given_decide_what_is_drawn():
    pandas = pytest.importorskip("pandas")
    words = pandas.DataFrame({"town": ["Ely", "Hay", "Wem", "Ely", "Hay"] * 4})
    price = pandas.Series(np.arange(20.0), name="price")
    model = GPRegressor("ard", max_iter=0, random_state=0).fit(words, price)
    ax = display.PredictionDisplay.from_estimator(model, words, price).ax_
    assert ax.get_xlabel() == "observed price"  # of words there is no curve
    two = FOUR[:, :2].copy()
    two[:, 1] = two[:, 1] > 0
    model = GPRegressor("ard", max_iter=0, random_state=0).fit(two, FOUR[:, 0])
    ax = display.EffectDisplay.from_estimator(model, two, 1).ax_
    assert [tick.get_text() for tick in ax.get_xticklabels()] == ["0", "1"]  # nothing lies between
    plt.close("all")


def test_lines_are_told_apart_without_colour():
    picture = display.KernelDisplay.from_estimator(GPRegressor("ard", max_iter=0, random_state=0).fit(FOUR, FOUR[:, 0]))
    lines = picture.ax_.lines[:4]
    assert len({str(line._unscaled_dash_pattern) for line in lines}) == 4
    plt.close(picture.figure_)
    picture = display.PredictionDisplay([0, 0, 5.0], [-1, -1, 4], [1, 1, 6], y=[0.5, 3.0, 5.5]).plot()
    assert {line.get_marker() for line in picture.ax_.lines} >= {"o", "x"}
    check(picture)


def test_two_hundred_inputs_are_twenty_bars_and_the_others():
    picture = display.RelevanceDisplay(np.full(200, 0.005), [f"x{j}" for j in range(200)]).plot()
    assert len(picture.ax_.patches) == 21
    assert picture.ax_.get_yticklabels()[-1].get_text() == "180 others: 0.90"
    check(picture)


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(Unavailable, match=r"alakarte\[plot\]"):
        display.RelevanceDisplay.from_estimator(fitted("rows"))


@pytest.mark.parametrize("name", ["kernel_gm", "kernel_mm", "kernel_ard", "kernel_matern", "sum"])
def test_the_density_of_frequencies_integrates_to_one(name):
    kernel = fitted(name).kernel_
    step = 0.02
    omega = np.arange(0, 4000, step)
    assert step * (kernel.marginal_density(0, omega).sum()) == pytest.approx(1, abs=0.05)

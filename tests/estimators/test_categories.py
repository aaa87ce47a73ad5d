"""Categories at an estimator: one model however they are given, unknown and missing levels, rows that come and go."""

import pickle
import re
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sklearn.base import clone

from alakarte import GPRegressor, InvalidInput
from alakarte.data.merge import MERGE_ROWS
from problems import MENU, same_bits, small

pd = pytest.importorskip("pandas", reason="categories come in DataFrames")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # fits are short
LEVELS = np.array(["blue", "green", "red"])
UNKNOWN = "The fit has not seen some levels"


def rows(n=60, seed=0):
    """Codes 0 to 2, a number, flags and a number, (n, 4), and y."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(0, 3, n), rng.standard_normal(n), rng.integers(0, 2, n), rng.standard_normal(n)])
    return X, np.sin(2 * X[:, 1]) + X[:, 0] + 0.3 * X[:, 2] * X[:, 3] + 0.1 * rng.standard_normal(n)


def frame(X, **columns):
    words = LEVELS[X[:, 0].astype(int)]
    return pd.DataFrame({"colour": words, "size": X[:, 1], "flag": X[:, 2] > 0, "age": X[:, 3]} | columns)


@pytest.mark.parametrize("kernel", ["gm", "auto"])
def test_however_they_are_given_the_bits_are_the_same(kernel):
    X, y = rows()
    table = frame(X)
    first = small(kernel).fit(table, y)
    others = [
        (X, [0, 2]),
        (X, [True, False, True, False]),
        (X.tolist(), (2, 0)),
        (X.astype(object), np.array([0, 2])),
        (table.to_numpy(), [0, 2]),
        (table, ["flag", "colour"]),
        (table.astype({"colour": "category", "flag": "category"}), "from_dtype"),
        (table.astype({"colour": object, "flag": object}), "from_dtype"),
        (table.astype({"colour": "string", "flag": "boolean"}), "from_dtype"),
    ]
    for given, categories in others:
        model = small(kernel, categorical_features=categories).fit(given, y)
        assert np.array_equal(model.theta_, first.theta_)
        assert np.array_equal(model.predict(given), first.predict(table))


def test_what_is_told_speaks_of_the_users_variables():
    X, y = rows()
    model = small("gm").fit(frame(X), y)
    assert model.n_features_in_ == 4
    assert model.feature_names_in_.tolist() == ["colour", "size", "flag", "age"]
    assert model.kernel_.lengthscale.shape == model.kernel_.centre.shape == (2, 4)
    assert (model.kernel_.centre[:, [0, 2]] == 0).all()
    assert model.relevance_.shape == (4,)
    assert model.relevance_.sum() == pytest.approx(1)
    labels = [label for label in model.theta_labels_ if label.startswith("log_lengthscale")]
    assert labels == [f"log_lengthscale[{q},{j}]" for q in range(2) for j in range(4)]
    assert "colour 3, flag 2" in model.summary()
    assert small("rbf").fit(frame(X), y).kernel_.lengthscale.shape == (4,)
    arrays = model.model_.arrays()
    assert arrays["scaling.encoding.levels.0.values"].tolist() == LEVELS.tolist()
    assert all(array.dtype.kind in "fiubU" for array in arrays.values())


@pytest.mark.parametrize("name", MENU)
def test_every_kernel_takes_them_and_a_pickle_predicts_the_same(name):
    X, y = rows()
    model = clone(small(MENU[name])).fit(frame(X), y)
    again = pickle.loads(pickle.dumps(model))
    assert np.isfinite(model.predict(frame(X))).all()
    assert np.array_equal(model.predict(frame(X), return_std=True), again.predict(frame(X), return_std=True))
    assert model.kernel_(frame(X[:5])).shape == (5, 5)
    assert np.isfinite(model.relevance_).all()


def test_no_category_no_change():
    X, y = rows()
    default, none = (small("gm", categorical_features=given).fit(X, y) for given in ("from_dtype", None))
    assert same_bits(default, none, X)
    assert default.model_.scaling.encoding is None
    numbers = pd.DataFrame(X, columns=list("abcd"))
    assert np.array_equal(small("gm").fit(numbers, y).theta_, default.theta_)


def test_an_unknown_level_warns_once_per_call():
    X, y = rows()
    model, query = small("ard").fit(frame(X), y), frame(X[:6])
    known = model.predict(query)
    query.loc[[1, 4], "colour"] = ["mauve", "grey"]
    calls = [
        lambda: model.predict(query),
        lambda: model.predict_interval(query),
        lambda: model.sample_y(query),
        lambda: model.log_marginal_likelihood(query, y[:6]),
        lambda: clone(model).fit(frame(X), y).partial_fit(query, y[:6]),
    ]
    for call in calls:
        with pytest.warns(UserWarning, match=UNKNOWN) as caught:
            call()
        [told] = [str(w.message) for w in caught if UNKNOWN in str(w.message)]
        assert "column 0 ('colour') has 'grey', 'mauve' in 2 row(s)" in told
    with pytest.warns(UserWarning, match=UNKNOWN) as caught:
        mean = model.predict(query)
    assert caught[0].filename == __file__
    assert np.array_equal(np.delete(mean, [1, 4]), np.delete(known, [1, 4]))
    assert np.isfinite(mean).all()
    encoding = model.model_.scaling.encoding
    assert encoding.categories[0].values.tolist() == LEVELS.tolist()


def test_a_missing_value_is_a_level():
    X, y = rows()
    y[::7] += 5
    models = []
    for nothing in (None, np.nan, pd.NA):
        colours = frame(X)["colour"].astype(object)
        colours[::7] = nothing
        table = frame(X, colour=colours)
        models.append(small("ard", max_iter=30).fit(table, y))
        assert models[-1].model_.scaling.encoding.categories[0].missing
        assert np.array_equal(models[-1].theta_, models[0].theta_)
    codes = X.copy()
    codes[::7, 0] = np.nan
    by_index = small("ard", max_iter=30, categorical_features=[0, 2]).fit(codes, y)
    assert np.array_equal(by_index.theta_, models[0].theta_)
    assert np.array_equal(by_index.predict(codes), models[0].predict(table))
    assert by_index.predict(codes)[::7].mean() > by_index.predict(X)[::7].mean() + 2
    with pytest.warns(UserWarning, match=r"column 0 has nan in 9 row\(s\)"):
        small("ard", categorical_features=[0, 2]).fit(X, y).predict(codes)


def test_a_missing_number_is_refused_with_the_cure():
    X, y = rows()
    X[3, 1] = np.nan
    cure = r"NaN: first at row 3, column 1 \('size'\).*SimpleImputer\(add_indicator=True\)"
    with pytest.raises(InvalidInput, match=cure):
        small().fit(frame(X), y)
    model = small().fit(frame(rows()[0]), y)
    with pytest.raises(InvalidInput, match=cure):
        model.predict(frame(X))
    with pytest.raises(InvalidInput, match="row 3, column 1, 1 not finite"):
        small(categorical_features=[0]).fit(X, y)


def test_words_that_are_not_named_as_categories_are_refused():
    X, y = rows()
    with pytest.raises(
        InvalidInput, match=r"holds '(red|blue|green)' at row 0, column 0 \('colour'\).*categorical_features"
    ):
        small(categorical_features=["flag"]).fit(frame(X), y)


def test_rows_that_come_and_go():
    X, y = rows(90)
    table = frame(X)
    model = small("gm").fit(table[:60], y[:60])
    before = model.predict(table)
    model.partial_fit(table[60:], y[60:])
    assert not np.allclose(model.predict(table), before)
    model.forget(table[60:], y[60:])
    assert np.allclose(model.predict(table), before, atol=1e-6)


def test_a_weight_of_two_is_the_row_twice_and_of_zero_no_row():
    X, y = rows()
    colours = frame(X)["colour"].astype(object)
    colours[5] = None
    colours[7] = "only here"
    table = frame(X, colour=colours)
    weight = np.ones(len(y))
    weight[5], weight[7] = 2, 0
    picked = np.delete(np.append(np.arange(len(y)), 5), 7)
    weighted = small("ard").fit(table, y, weight)
    repeated = small("ard").fit(table.iloc[picked], y[picked])
    assert same_bits(weighted, repeated, table.drop(index=7))


def test_a_large_array_is_not_copied(tmp_path):
    n = MERGE_ROWS + 1000
    X, y = rows(n)
    X[::50, 0] = np.nan
    on_disk = np.memmap(tmp_path / "x", dtype=np.float32, mode="w+", shape=(n, 40))
    on_disk[:, :4], on_disk[:, 4:] = X, 1.0
    settings = {"categorical_features": [0, 2], "n_frequencies": 4, "n_learning_rows": 200, "max_iter": 1, "tol": 1e9}
    model = small("ard", **settings).fit(on_disk[:300], y[:300])  # what is loaded once does not count
    tracemalloc.start()
    try:
        model.fit(on_disk, y)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < on_disk.nbytes
    in_memory = small("ard", **settings).fit(on_disk.astype(float), y)
    assert same_bits(model, in_memory, on_disk[:50])


def test_tails_are_drawn_in_but_never_those_of_levels():
    X, y = rows(300)
    X[:, 0] = np.arange(300) == 7  # a rare level
    far = np.arange(300) % 5 == 0
    X[far, 1] *= np.exp(np.random.default_rng(1).uniform(2, 6, far.sum()))
    y = np.arcsinh(X[:, 1]) + X[:, 2] + 0.05 * np.random.default_rng(2).standard_normal(300)
    model = GPRegressor(categorical_features=[0, 2], random_state=0, n_restarts=1, max_iter=30, n_jobs=1).fit(X, y)
    assert model.input_tails_ is not None
    assert np.isinf(model.input_tails_).tolist() == [True, False, True, False]
    z = model.model_.scaling.inputs(X)
    levels = model.model_.scaling.encoding.columns_of(0)
    assert len(np.unique(z[:, levels])) == 2


def test_a_warm_start_with_other_levels_begins_anew():
    X, y = rows()
    model = small("rbf", warm_start=True, n_components=None, n_frequencies=None, expansion="fastfood")
    model.fit(frame(X), y).fit(frame(X), y)
    two = X[:, 0] < 2
    assert np.isfinite(model.fit(frame(X[two]), y[two]).predict(frame(X[two]))).all()


def test_all_inputs_may_be_categories_and_one_may_have_a_single_level():
    X, y = rows()
    model = small("gm").fit(frame(X)[["colour", "flag"]].assign(same="x"), y)
    assert model.relevance_[2] == 0
    assert model.kernel_.centre.shape == (2, 3)


def test_a_level_that_matters_is_relevant():
    X, y = rows(200)
    table = frame(X)
    model = small("ard", max_iter=60).fit(table, 3 * X[:, 0] + 0.01 * y)
    assert model.relevance_.argmax() == 0
    columns = pd.get_dummies(table["colour"]).assign(size=X[:, 1], no=X[:, 2] == 0, yes=X[:, 2] == 1, age=X[:, 3])
    squares = (model.kernel_.frequencies() ** 2).mean(axis=0) * columns.to_numpy(float).var(axis=0)
    by_variable = np.sqrt([squares[:3].sum(), squares[3], squares[4:6].sum(), squares[6]])
    assert np.allclose(model.relevance_, by_variable / by_variable.sum())


def test_the_examples_of_the_page_run(capsys):
    page = Path(__file__).parents[2] / "docs/categories.md"
    names = {}
    for example in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(example, names)
    assert "town 3" in capsys.readouterr().out

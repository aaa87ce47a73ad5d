"""Labels of any type become whole numbers; what is wrong with them is said with value, place and cure."""

import numpy as np
import pytest

from alakarte import GPClassifier
from alakarte.errors import InvalidInput
from alakarte.estimators.labels import check_classes, coded, warn_of_lone_rows, weights_with_classes


@pytest.mark.parametrize(
    "labels",
    [["b", "a", "b"], [2, 1, 2], [True, False, True], [1.0, 0.0, 1.0], np.array(["b", "a", "b"], dtype=object)],
)
def test_labels_of_any_type(labels):
    classes, codes = coded(labels)
    assert codes.tolist() == [1, 0, 1]
    assert classes[codes].tolist() == np.asarray(labels).tolist()


def test_known_classes_keep_their_places():
    classes, codes = coded(["c", "a"], np.array(["a", "b", "c"]))
    assert (classes.tolist(), codes.tolist()) == (["a", "b", "c"], [2, 0])
    with pytest.raises(InvalidInput, match=r"y\[1\] = 'd' is none of the classes of the fit, .*partial_fit"):
        coded(["a", "d"], np.array(["a", "b", "c"]))


@pytest.mark.parametrize("missing", [None, np.nan])
def test_missing_labels_are_named(missing):
    with pytest.raises(InvalidInput, match=r"y\[1\] is missing, 1 in all\. Drop those rows"):
        coded(np.array(["a", missing, "b"], dtype=object))


def test_one_class_is_refused():
    with pytest.raises(InvalidInput, match=r"one class only, \['a'\]: .*at least two; bring rows of another class"):
        check_classes(np.array(["a"]))


def test_weights_of_classes_multiply_those_of_rows():
    classes, codes = coded(["a", "b", "b", "b"])
    assert weights_with_classes(None, classes, codes, None) is None
    given = weights_with_classes({"a": 3.0, "b": 1.0}, classes, codes, [1.0, 2.0, 1.0, 1.0])
    assert given.tolist() == [3.0, 2.0, 1.0, 1.0]
    balanced = weights_with_classes("balanced", classes, codes, None)
    assert balanced[codes == 0].sum() == pytest.approx(balanced[codes == 1].sum())
    with pytest.raises(InvalidInput, match="class_weight has 'z', which is no label of y"):
        weights_with_classes({"z": 1.0}, classes, codes, None)


def test_a_class_of_one_row_is_warned_of_with_its_place_and_a_cure():
    told = r"class 'b' has one row only, y\[2\], and 1 more like it: .*Bring more of its rows, join"
    with pytest.warns(UserWarning, match=told):
        warn_of_lone_rows(*coded(["a", "a", "b", "c"]))
    warn_of_lone_rows(*coded(["a", "b", "c"]))  # a table of one row each has nothing else
    warn_of_lone_rows(np.array(["a", "b", "c"]), np.array([0, 0, 2, 2]))  # one that is yet to come


def test_the_warning_of_a_lone_row_points_at_the_line_that_calls_fit():
    X = np.random.default_rng(0).standard_normal((12, 2))
    with pytest.warns(UserWarning, match=r"class 'b' has one row only, y\[11\]: ") as told:
        GPClassifier("rbf", random_state=0).fit(X, ["a"] * 11 + ["b"])
    assert told[0].filename == __file__


@pytest.mark.filterwarnings("ignore:class 'rare' has one row")
def test_a_class_of_one_row_can_be_learned():
    X = np.vstack([np.random.default_rng(0).standard_normal((20, 2)), [[6.0, 6.0]]])
    y = np.array(["common"] * 20 + ["rare"])
    model = GPClassifier("rbf", random_state=0).fit(X, y)
    probability = model.predict_proba([[6.0, 6.0], [0.0, 0.0]])[:, 1]
    assert np.isfinite(probability).all()
    assert probability[0] > probability[1]

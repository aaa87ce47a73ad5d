"""What is loaded is what was saved, in this process and in another; and nothing can be left out of the list."""

import abc
import gzip
import inspect
import os
import pickle
import pkgutil
import subprocess
import sys
import typing
from dataclasses import is_dataclass, replace
from enum import Enum
from pathlib import Path

import joblib
import numpy as np
import pytest

import alakarte
from alakarte import GPClassifier, GPRegressor, InvalidInput, load
from alakarte.data.cluster_rows import ClusterRows, Pieces
from alakarte.kernels import ARD
from alakarte.kernels.base import Kernel
from alakarte.likelihoods.base import Likelihood
from alakarte.model.catalogue import BY_CLASS, ENUMS
from alakarte.model.files import overview
from alakarte.model.fitted import FittedModel
from alakarte.posteriors.smooth_and_rough import smooth_and_rough
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.records import arrays
from model.kept_models import GOLDEN, RECIPES, X, answers, fitted, moved

GOLDEN_FOLDER = Path(__file__).parent / "golden"
ONLINE = [name for name in RECIPES if name != "features"]


def same(first, second):
    """Whether all answers are equal bit for bit, with their types."""
    pairs = zip(answers(first), answers(second), strict=True)
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in pairs if a.dtype != object) and all(
        a.tolist() == b.tolist() for a, b in zip(answers(first), answers(second), strict=True)
    )


def saved(name, folder):
    path = folder / f"{name}.alk"
    fitted(name).save(path)
    return path


@pytest.mark.parametrize("name", RECIPES)
def test_what_is_loaded_answers_as_what_was_saved(name, tmp_path):
    model = fitted(name)
    again = load(saved(name, tmp_path))
    assert type(again) is type(model)
    assert same(model, again)
    assert repr(again.get_params()) == repr(model.get_params())
    assert vars(again).keys() == vars(model).keys()


def test_another_process_answers_the_same_bits(tmp_path):
    """All models, in one process that has seen none of them fitted."""
    for name in RECIPES:
        saved(name, tmp_path)
    script = (
        "import sys, pickle, warnings; warnings.simplefilter('error'); from pathlib import Path\n"
        "from model.kept_models import answers; import alakarte\n"
        "found = {p.stem: answers(alakarte.load(p)) for p in Path(sys.argv[1]).glob('*.alk')}\n"
        "Path(sys.argv[1], 'answers').write_bytes(pickle.dumps(found))"
    )
    paths = [str(Path(__file__).parents[1]), str(Path(alakarte.__file__).parents[1])]
    environment = os.environ | {"PYTHONPATH": ":".join(paths), "NUMBA_CACHE_DIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=True, env=environment)
    found = pickle.loads((tmp_path / "answers").read_bytes())
    for name in RECIPES:
        for mine, theirs in zip(answers(fitted(name)), found[name], strict=True):
            assert mine.tolist() == theirs.tolist(), name


@pytest.mark.parametrize("name", ONLINE)
def test_rows_come_and_go_after_loading(name, tmp_path):
    target = RECIPES[name][1]
    model, again = pickle.loads(pickle.dumps(fitted(name))), load(saved(name, tmp_path))
    assert again.summary() == model.summary()
    for estimator in (model, again):
        estimator.partial_fit(moved(X[:5]), target[:5])
    assert same(model, again)
    sums_alone = name in ("student_t_weights", "three_classes_weights")  # keep no rows, so that none can be forgotten
    if not sums_alone:
        for estimator in (model, again):
            estimator.forget(moved(X[:5]), target[:5])
        assert same(model, again)


def test_a_loaded_model_can_be_fitted_again(tmp_path):
    again = load(saved("settings", tmp_path)).set_params(max_iter=0)
    assert again.fit(*(part[:9] for part in (X, RECIPES["settings"][1]))).n_basis_ == 9


def test_names_of_columns_and_labels_of_any_type_are_kept(tmp_path):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"ä": X[:, 0], "colour": pd.Categorical(np.where(X[:, 2] > 0, "red", "blue"))})
    for labels in (X[:, 1] > 0, (X[:, 1] > 0).astype(np.int8), np.where(X[:, 1] > 0, "ja", "näin")):
        model = GPClassifier("rbf", max_iter=0, n_restarts=1, random_state=0).fit(frame, labels)
        model.save(tmp_path / "model.alk")
        again = load(tmp_path / "model.alk")
        assert again.classes_.dtype == model.classes_.dtype
        assert again.classes_.tolist() == model.classes_.tolist()
        assert again.feature_names_in_.tolist() == ["ä", "colour"]
        assert again.predict_proba(frame).tobytes() == model.predict_proba(frame).tobytes()


def test_a_file_is_hardly_larger_than_its_arrays(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((260, 4))
    model = GPRegressor("ard", max_iter=0, n_restarts=1, random_state=0).fit(X, X[:, 0])
    model.save(tmp_path / "model.alk")
    held = {array.tobytes(): array.nbytes for array in arrays(model.model_).values()}
    assert (tmp_path / "model.alk").stat().st_size <= 1.1 * sum(held.values())


@pytest.mark.parametrize("name", RECIPES)
def test_pickle_holds_nothing_twice(name, tmp_path):
    """Neither buffers nor what can be made of the rest: no more than the file has, and the words of Python."""
    model = fitted(name)
    answers(model)  # fills buffers
    size = len(pickle.dumps(model))
    assert size <= 1.1 * saved(name, tmp_path).stat().st_size
    joblib.dump(model, tmp_path / "model.joblib")
    assert same(model, joblib.load(tmp_path / "model.joblib"))


def test_features_and_neighbours_together_are_kept(tmp_path):
    regressor = pickle.loads(pickle.dumps(fitted("weights")))
    near, smooth = fitted("neighbours").model_.posterior, regressor.model_.posterior
    joined = smooth_and_rough(smooth, replace(near, doubt=0.5), near.targets + 1.0)
    classifier = pickle.loads(pickle.dumps(fitted("three_classes")))
    latent, votes = classifier.model_.posterior, fitted("votes").model_.posterior
    base = classifier.model_.scaling.y_mean
    stacked = StackedPosterior(latent, votes, np.array([0.5, 0.4, 0.1]), base, None, votes.total, latent.nlml)
    for estimator, posterior in ((regressor, joined), (classifier, stacked)):
        estimator.model_ = replace(estimator.model_, posterior=posterior)
        estimator.save(tmp_path / "model.alk")
        assert same(estimator, load(tmp_path / "model.alk"))


def test_labels_that_are_none_are_refused(tmp_path):
    """Compiled loops take them for places."""
    model = pickle.loads(pickle.dumps(fitted("votes")))
    votes = model.model_.posterior
    core = replace(votes.core, targets=votes.core.targets + 7)
    model.model_ = replace(model.model_, posterior=replace(votes, core=core))
    with pytest.raises(InvalidInput, match="do not belong together"):
        model.save(tmp_path / "model.alk")


def test_the_same_model_gives_the_same_file(tmp_path):
    first, second = saved("average", tmp_path).read_bytes(), saved("average", tmp_path).read_bytes()
    assert first == second


def test_what_a_file_says_of_itself(tmp_path):
    about = overview(saved("rows", tmp_path)).about
    assert (about["class"], about["kernel"], about["rows"]) == ("GPRegressor", "ard", 24)
    assert about["holds_training_rows"]
    assert not overview(saved("weights", tmp_path)).about["holds_training_rows"]
    assert about["versions"]["alakarte"] == alakarte.__version__


# --- the list is complete


def concrete(kind):
    """A class, or what is derived from it, of this package and not abstract."""
    derived = [each for below in kind.__subclasses__() for each in concrete(below)]
    own = [] if inspect.isabstract(kind) or abc.ABC in kind.__bases__ else [kind]
    return [each for each in own + derived if each.__module__.startswith("alakarte.")]


def classes_in(hint):
    """The classes of which a type speaks."""
    if isinstance(hint, type) and typing.get_origin(hint) is None:
        return concrete(hint) if hint.__module__.startswith("alakarte.") else []
    return [kind for part in typing.get_args(hint) for kind in classes_in(part)]


def reachable(kind, found):
    """All classes of records that a record may hold, by the types of its fields."""
    if kind in found or issubclass(kind, Kernel | Likelihood | Enum) or not is_dataclass(kind):
        return found
    found.add(kind)
    left_out = BY_CLASS[kind].left_out if kind in BY_CLASS else ()
    for name, hint in typing.get_type_hints(kind).items():
        for inner in classes_in(hint) if name not in left_out else ():
            reachable(inner, found)
    return found


def test_every_record_that_a_model_may_hold_is_listed():
    for module in pkgutil.walk_packages(alakarte.__path__, "alakarte."):
        if "__main__" not in module.name:
            __import__(module.name)
    found = reachable(FittedModel, set())
    assert len(found) > 20
    on_a_cluster = {ClusterRows, Pieces}  # the rows stay there: a model holds their sums
    assert {kind.__name__ for kind in found - BY_CLASS.keys() - on_a_cluster} == set()
    enums = {kind for record in found for hint in typing.get_type_hints(record).values() for kind in classes_in(hint)}
    assert {kind for kind in enums if issubclass(kind, Enum)} <= set(ENUMS.values())


def test_every_axis_of_the_list_is_a_field():
    for kind, listed in BY_CLASS.items():
        known = set(typing.get_type_hints(kind))
        named = {*listed.axes, *listed.left_out, *listed.optional, *listed.unbounded}
        assert named <= known, kind.__name__


# --- what cannot be kept is said


class Strange(ARD):
    """A kernel of a user."""


def test_a_kernel_of_the_user_is_refused_by_name(tmp_path):
    model = GPRegressor(Strange(), max_iter=0).fit(X, X[:, 0])
    with pytest.raises(InvalidInput, match="kernel is Strange, which is not part of alakarte"):
        model.save(tmp_path / "model.alk")
    assert list(tmp_path.iterdir()) == []


def test_a_record_that_is_not_listed_is_refused_by_name(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("rows")))
    model.model_ = replace(model.model_, growth_reason=Path)
    with pytest.raises(InvalidInput, match=r"model_\.growth_reason is a type"):
        model.save(tmp_path / "model.alk")


def test_a_model_that_could_not_be_loaded_is_not_saved(tmp_path):
    model = pickle.loads(pickle.dumps(fitted("rows")))
    model.model_ = replace(model.model_, theta=np.full(model.theta_.size, np.nan))
    with pytest.raises(InvalidInput, match="theta is not finite"):
        model.save(tmp_path / "model.alk")


# --- files of this version are read for ever


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_files_are_read(name, tmp_path):
    """Files that version 1 has written, and what they answered then; `make_golden.py` made them."""
    (tmp_path / "model.alk").write_bytes(gzip.decompress((GOLDEN_FOLDER / f"{name}.alk.gz").read_bytes()))
    found = answers(load(tmp_path / "model.alk"))
    expected = np.load(GOLDEN_FOLDER / f"{name}.npz")
    for place, values in enumerate(found):
        then = expected[str(place)]
        if values.dtype.kind == "f":
            np.testing.assert_allclose(values, then, rtol=1e-9, atol=1e-9)
        else:
            assert values.tolist() == then.tolist()

"""Evaluations under a likelihood that a checkpoint remembers."""

import numpy as np
import pytest

from alakarte.errors import IllConditioned
from alakarte.execution.checkpoint import Checkpoint
from alakarte.search import learn_latent
from alakarte.search.learn_latent import LatentObjective
from latent_problems import FORMS, latent_problem_of


def objective_of(checkpoint):
    problem, theta = latent_problem_of("poisson", *FORMS[0])
    return LatentObjective(problem, "variational", checkpoint), theta


def test_values_and_gradients_come_back_with_the_sites_that_follow(tmp_path, monkeypatch):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    objective, theta = objective_of(checkpoint)
    steps = objective.value, objective, objective.value
    first = [step(theta) for step in steps]
    assert len(checkpoint.results) == 3
    again, theta = objective_of(checkpoint)
    monkeypatch.setattr(learn_latent, "latent_evidence", None)
    assert again.value(theta) == first[0]
    value, gradient = again(theta)
    assert value == first[1][0]
    assert np.array_equal(gradient, first[1][1])
    assert again.value(theta) == first[2]


@pytest.mark.parametrize("way", ["value", "__call__"])
@pytest.mark.parametrize(("error", "n_kept"), [(IllConditioned, 0), (KeyboardInterrupt, 1)])
def test_what_fails_numerically_leaves_no_passes(tmp_path, monkeypatch, way, error, n_kept):
    checkpoint = Checkpoint(str(tmp_path / "x"), 1000)
    objective, theta = objective_of(checkpoint)

    def fail(*arguments, **settings):
        checkpoint.keep(checkpoint.name_of_pass("a pass"), [np.zeros(2)])
        raise error

    monkeypatch.setattr(learn_latent, "latent_evidence", fail)
    with pytest.raises(error):
        getattr(objective, way)(theta)
    assert len(checkpoint.results) == n_kept

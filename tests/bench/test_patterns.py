"""The room of patterns: made sets are what they say, and lines make a table."""

import numpy as np
from bench.patterns import made
from bench.patterns.sets import SETS
from bench.patterns.table import report


def test_made_sets_are_what_they_say():
    for name in ("decaying", "sawtooth", "sine-20-regular", "sine-3-irregular", "tread-64", "tread-scattered"):
        x, y, held = SETS[name].rows(np.random.default_rng(0))
        assert len(x) == len(y) == len(held), name
        assert 0 < held.mean() < 0.3, name
        assert np.isfinite(y).all()
    places = made.pixels(64)
    assert np.allclose(made.plate(places), made.plate(places + np.array([16.0, 0.0])))
    assert made.block(places, 64, 24).sum() == 24**2


def test_lines_make_a_table_that_says_what_holds():
    line = {"set": "co2", "method": "auto", "error": 0.05, "log_density": 1.0, "coverage": 0.9, "seconds": 1.0}
    rows = report([line | {"seed": 0}, line | {"seed": 1, "error": 0.07}, line | {"method": "gm", "coverage": 0.3}])
    head, auto, gm = rows.splitlines()
    assert head.split()[:3] == ["set", "method", "seeds"]
    assert auto.split()[:4] == ["co2", "auto", "2", "0.060"]
    assert auto.split()[-1] == "yes"
    assert gm.split()[-1] == "no"

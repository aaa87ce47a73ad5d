"""The closed list of records that a model file may hold. A new posterior, or another record, is some lines here.

Kernels and likelihoods are found by their own registries, and written as their name and settings. Nothing in a file
names anything that is not listed: no code of a file is ever run.
"""

from enum import Enum

import numpy as np

from alakarte.data.arrays import ArrayRows
from alakarte.data.boxes import Boxes
from alakarte.data.categories import Encoding, Levels
from alakarte.data.compress import Tails
from alakarte.data.directions import Directions
from alakarte.data.schema import CATEGORY, DATE, NUMBER, ColumnSchema, Schema
from alakarte.data.standardise import Scaling
from alakarte.data.target_transform import POWERS, Log, YeoJohnson
from alakarte.execution.randomness import Streams
from alakarte.features.dense import MatrixProduct
from alakarte.features.fastfood import FastTransform
from alakarte.features.feature_map import FeatureMap
from alakarte.kernels.forms import ClosedForm
from alakarte.model.fitted import FittedModel
from alakarte.model.history import History
from alakarte.model.kept import Kept, kept
from alakarte.model.kernel import FittedKernel
from alakarte.parameters import Layout, Parameter
from alakarte.posteriors.average import Average
from alakarte.posteriors.calibration import Calibration
from alakarte.posteriors.class_sites import ClassSites
from alakarte.posteriors.latent import LatentPosterior, Member
from alakarte.posteriors.local import LocalPosterior
from alakarte.posteriors.low_rank import LowRankPosterior
from alakarte.posteriors.neighbours import Neighbours
from alakarte.posteriors.reach import Reach
from alakarte.posteriors.row_sites import RowSites
from alakarte.posteriors.rows import RowPosterior
from alakarte.posteriors.smooth_and_rough import SmoothAndRough
from alakarte.posteriors.stacked import StackedPosterior
from alakarte.posteriors.votes import VotesPosterior
from alakarte.posteriors.weights import WeightPosterior
from alakarte.process.computation import Computation
from alakarte.process.problem import Problem
from alakarte.records import Draws, Shape, Spectrum, Stacks, Variables


def _has_known_profiles(form: ClosedForm) -> bool:
    """Whether compiled loops know the profile of every component."""
    return all(dof in (0, 1, 3, 5) for dof in np.atleast_1d(form.dof))


def _n_stacks(shape: Shape) -> int:
    """As `Shape.n_stacks`, without an array whose size a file only claims."""
    return sum(-(-count // shape.n_padded) for count in shape.counts)


def _is_whole(model: FittedModel) -> bool:
    """Whether θ is that of the layout, and kernel and draws make a spectrum of it."""
    if model.problem.layout.size != model.theta.size or len(model.input_names) != model.scaling.n_variables:
        return False
    try:
        return model.problem.kernel.spectrum(model.values, model.problem.draws).log_amplitude.ndim == 1
    except (ArithmeticError, LookupError, TypeError, ValueError):
        return False


def _are_labels(votes: VotesPosterior) -> bool:
    """Whether targets are places among the classes, which compiled loops take them for."""
    labels = votes.core.targets
    return bool(((labels >= 0) & (labels < votes.shares.size) & (labels == np.floor(labels))).all())


def _sees_points(votes: VotesPosterior) -> bool:
    """Whether points have a coordinate for each direction that queries are seen along."""
    return votes.directions is None or votes.directions.n_directions == votes.core.neighbours.scale.size


RECORDS: tuple[Kept, ...] = (
    # records of numbers
    kept(
        Shape,
        gives={
            "d": lambda shape: shape.n_inputs,
            "F": lambda shape: shape.n_frequencies,
            "p": lambda shape: shape.n_padded,
            "s": _n_stacks,
        },
        holds=lambda shape: shape.n_inputs >= 1 and min(shape.counts, default=0) >= 1,
    ),
    kept(Variables, of_column="d < v", is_number="v"),
    kept(Stacks, signs="s p", permutation="s p < p", gaussians="s p", position="F < s*p", norms="F"),
    kept(
        Draws,
        shape="d F s p",
        stacks="s p F",
        directions="d F",
        lengths="F",
        chi="F",
        points="F",
        quantiles="F",
    ),
    kept(
        Spectrum,
        log_amplitude="Q",
        input_scale="Q d",
        radii="F",
        centre="Q d",
        signs="s p",
        gaussians="s p",
        frequencies="d F",
        input_map="Q d d",
        unbounded=("log_amplitude",),
    ),
    kept(ClosedForm, holds=_has_known_profiles),
    kept(Parameter, unbounded=("lower", "upper", "fixed", "held", "slow")),
    kept(Layout),
    kept(Streams),
    # how rows become inputs
    kept(Levels, values="k"),
    kept(Encoding, gives={"d": lambda encoding: encoding.n_columns}),
    kept(Tails, middle="d", edge="d"),
    kept(Directions, axes="d m"),
    kept(
        Scaling,
        x_mean="d",
        x_scale="d",
        x_live="d",
        y_mean="T",
        y_scale="T",
        tails="d",
        encoding="d",
        level_std="d",
        transform="T",
    ),
    kept(Log, mean_log_slope="T"),
    kept(
        YeoJohnson,
        mean_log_slope="T",
        centre="T",
        scale="T",
        power="T",
        holds=lambda transform: bool(
            (transform.scale > 0).all()
            and (transform.power >= POWERS[0]).all()
            and (transform.power <= POWERS[1]).all()
        ),
    ),
    kept(ColumnSchema, holds=lambda column: column.kind in (NUMBER, DATE, CATEGORY)),
    kept(Schema),
    kept(ArrayRows, x="n d", y="n T", weight="n", left_out=("scratch", "checkpoint"), are_rows=True),
    # features
    kept(MatrixProduct, frequencies="d F"),
    kept(
        FastTransform,
        input_scale="s d",
        signs="s p",
        permutation="s p < p",
        gaussians="s p",
        factor="s p",
        position="F < s*p",
        holds=lambda transform: transform.signs.shape[1].bit_count() == 1,
    ),
    kept(
        FeatureMap,
        projection="d F",
        centre="d Q",
        component="F < Q",
        gives={"D": lambda features: features.n_basis},
    ),
    # posteriors
    kept(Boxes, low="B d", high="B d", weight="B"),
    kept(Reach, boxes="d", scale="Q d", dof="Q", holds=lambda reach: bool(np.isin(reach.dof, (0, 1, 3, 5)).all())),
    kept(
        WeightPosterior,
        features="d D",
        reach="d",
        weight_mean="D T",
        root_variance="D",
        factor="P P lower",
        diagonal="D",
        moment="D T",
        energy="T",
        holds=lambda posterior: len(posterior.factor) >= posterior.n_basis,
    ),
    kept(
        LowRankPosterior,
        features="d D",
        reach="d",
        weight_mean="D T",
        root_variance="D",
        basis="D r",
        shrinkage="r",
        energy="T",
    ),
    kept(
        RowPosterior,
        spectrum="Q d",
        x="P d",
        root_weight="P",
        alpha="P T",
        factor="P P lower",
        rows="d T",
        holds=lambda posterior: posterior.rows.n_rows <= len(posterior.x),
    ),
    kept(
        Average,
        members="d T",
        weights="K",
        holds=lambda average: len(average.members) == len(average.n_parameters) == average.weights.size,
    ),
    kept(Member, theta="k", holds=lambda member: member.problem.layout.size == member.theta.size),
    kept(RowSites),
    kept(ClassSites, base="T"),
    kept(
        LatentPosterior,
        core="d T",
        rows="d",
        finder="T",
        unbounded=("nlml",),
        holds=lambda posterior: posterior.sharpness > 0 and posterior.doubt >= 0,
    ),
    # posteriors from neighbours
    kept(Neighbours, points="n d", scale="d", are_rows=True),
    kept(
        LocalPosterior,
        spectrum="Q d",
        neighbours="n d",
        targets="n T",
        weight="n",
        unbounded=("nlml",),
        holds=lambda posterior: posterior.n_neighbors >= 1 and posterior.doubt >= 0,
    ),
    kept(SmoothAndRough, smooth="d T", rough="d T n", y="n T", unbounded=("nlml",)),
    kept(
        VotesPosterior,
        link="three",
        shares="K",
        unbounded=("nlml",),
        gives={"T": lambda posterior: posterior.shares.size, "d": lambda posterior: posterior.n_inputs},
        holds=lambda posterior: posterior.link.size == 3 and _are_labels(posterior) and _sees_points(posterior),
    ),
    kept(
        StackedPosterior,
        features="d T",
        near="d",
        weights="three",
        base="T",
        tails="d",
        holds=lambda posterior: posterior.weights.size == 3,
    ),
    kept(Calibration, scale="c", dof="c", unbounded=("dof",)),
    # the model
    kept(Problem, draws="d", optional=("rows",)),
    kept(FittedKernel, draws="d", scaling="d T", unbounded=("parameters", "values")),
    kept(History, unbounded=("trace", "starts", "ranking")),
    kept(FittedModel, kernel="d T", problem="d", posterior="d T", scaling="d T", theta="k", holds=_is_whole),
)
BY_NAME: dict[str, Kept] = {each.name: each for each in RECORDS}
BY_CLASS: dict[type, Kept] = {each.kind: each for each in RECORDS}
ENUMS: dict[str, type[Enum]] = {"Computation": Computation}

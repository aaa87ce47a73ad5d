"""A fitted model as a graph of ONNX, for other languages and servers: mean, std, interval, or probabilities.

In: a `FittedModel` and what its observations are. Out: a file and `Exported`, which says what the graph gives and how
far from `predict` rounding may bring it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from alakarte.errors import InvalidInput, Unavailable
from alakarte.likelihoods.counts import CountLikelihood
from alakarte.likelihoods.quadrature import NODES_TO_PREDICT, normal_nodes
from alakarte.metrics import half_width
from alakarte.model.fitted import FittedModel
from alakarte.model.onnx_graph import Graph, Value
from alakarte.model.onnx_parts import Latent, inputs, latent, members
from alakarte.model.onnx_transform import mapped, mapped_moments
from alakarte.posteriors.average import Average
from alakarte.posteriors.latent import LatentPosterior
from alakarte.records import Array

DTYPES = ("float32", "float64")


@dataclass(frozen=True)
class Exported:
    """What `to_onnx` has written.

    `bound` is the most that rounding may bring the mean (of classes and counts: the latent function) from that of
    `predict`, in units of y, for inputs within 4 standard deviations of their mean; of a transformed target in units of
    that, before it is mapped back.
    """

    path: str
    dtype: str
    outputs: tuple[str, ...]
    bound: float


class Export:
    """A graph whose input is read; one of the methods adds outputs, `written` ends it."""

    def __init__(self, model: FittedModel, dtype: str):
        if dtype not in DTYPES:
            raise InvalidInput(f"dtype={dtype!r}: use 'float32' or 'float64'.")
        if model.noise_model is not None:
            raise Unavailable("to_onnx: a noise that depends on the input has no form of ONNX here: use save.")
        self.model = model
        self.graph = Graph(dtype)
        self.outputs: dict[str, tuple[Any, int]] = {}
        self.bound = 0.0
        self.z = inputs(self.graph, model.scaling, "X")

    def _output(self, name: str, value: Value, n_columns: int = 0) -> None:
        """A value (rows, columns) by name; without columns its axis (rows, 1) is taken away."""
        if n_columns:
            self.graph.apply("Identity", value, output=name)
        else:
            self.graph.apply("Squeeze", value, self.graph.constant([1], np.int64), output=name)
        self.outputs[name] = (self.graph.dtype, n_columns)

    def numbers(self, noise_variance: float, coverage: float | None) -> None:
        """Outputs mean and std, and low and high of a normal observation if a coverage is given."""
        if coverage is not None and not 0 < coverage < 1:
            raise InvalidInput(f"coverage={coverage!r} must lie between 0 and 1, such as 0.95.")
        graph, scaling = self.graph, self.model.scaling
        found = latent(graph, self.model.posterior, self.z)
        n_columns = scaling.y_scale.size if self.model.target_shape else 0
        mean = graph.apply("Add", graph.times(found.mean, scaling.y_scale), graph.constant(scaling.y_mean))
        root = graph.apply("Sqrt", graph.apply("Add", found.variance, graph.constant([[noise_variance]])))
        differs = isinstance(self.model.posterior, Average)  # its kernels disagree otherwise for each target
        std_scale = self.model.std_scale
        by_scale = np.diag(std_scale) if differs else std_scale[None]
        std, transform = graph.apply("MatMul", root, graph.constant(by_scale)), scaling.transform
        in_units = (mean, std) if transform is None else mapped_moments(graph, transform, mean, std)
        for name, value in zip(("mean", "std"), in_units, strict=True):
            self._output(name, value, n_columns)
        if coverage is not None:
            width = graph.apply(
                "MatMul", root, graph.constant(by_scale * half_width(coverage, self.model.calibration.dof))
            )
            for name, side in (("low", "Sub"), ("high", "Add")):
                end = graph.apply(side, mean, width)
                self._output(name, end if transform is None else mapped(graph, transform, end), n_columns)
        self._remember(found, float(scaling.y_scale.max()), float(np.abs(scaling.y_mean).max()))

    def _remember(self, found: Latent, scale: float, offset: float) -> None:
        rounding = float(np.finfo(self.graph.dtype).eps)
        self.bound = max(self.bound, scale * found.bound + rounding * (offset + 8 * scale))

    def counts(self, likelihood: CountLikelihood) -> None:
        """Outputs mean and std of a count for an exposure of one."""
        graph, centre = self.graph, self.model.scaling.y_mean
        found = latent(graph, self.model.posterior, self.z)
        mean = graph.apply("Add", found.mean, graph.constant(centre))
        half = graph.apply("Mul", found.variance, graph.constant([[0.5]]))
        exponent = graph.apply("Add", mean, half)
        average = graph.apply("Exp", exponent)
        square = graph.apply("Exp", graph.apply("Mul", graph.apply("Add", exponent, half), graph.constant([[2.0]])))
        extra = float(likelihood.extra_variance(self.model.values, np.ones(1))[0])  # in proportion to E e^2f
        spread = graph.apply("Sub", square, graph.apply("Mul", average, average))
        more = graph.apply("Add", spread, graph.apply("Mul", square, graph.constant([[extra]])))
        self._output("mean", average)
        self._output("std", graph.apply("Sqrt", graph.apply("Add", average, more)))
        self._remember(found, 1.0, float(np.abs(centre).max()))

    def classes(self, labels: Array) -> None:
        """Outputs label and probabilities (rows, K), averaged over kernels."""
        graph, weighted = self.graph, []
        base = self.model.scaling.y_mean
        for weight, found in members(graph, self.model.posterior, self.z):
            mean = graph.apply("Add", found.mean, graph.constant(base))
            probability = self._two(mean, found.variance) if base.size == 1 else graph.apply("Softmax", mean, axis=1)
            weighted.append(graph.apply("Mul", probability, graph.constant([[weight]])))
            self._remember(found, 1.0, float(np.abs(base).max()))
        graph.apply("Sum", *weighted, output="probabilities")
        self.outputs["probabilities"] = (graph.dtype, len(labels))
        place = graph.apply("ArgMax", "probabilities", axis=1, keepdims=0)
        names, dtype = _labels(labels)
        graph.apply("Gather", graph.constant(names, dtype), place, output="label")
        self.outputs["label"] = (dtype, 0)

    def _two(self, mean: Value, variance: Value) -> Value:
        """(rows, 2) the logistic function averaged over normal log odds."""
        graph, posterior = self.graph, self.model.posterior
        assert isinstance(posterior, LatentPosterior)
        centre, spread_2 = posterior.log_odds(np.ones(1), np.ones(1))
        nodes, weights = normal_nodes(np.zeros(1), spread_2, NODES_TO_PREDICT)
        mean = graph.times(mean, centre)
        spread = graph.apply("MatMul", graph.apply("Sqrt", variance), graph.constant(nodes.T))
        values = graph.apply("Sigmoid", graph.apply("Add", mean, spread))
        ones = graph.apply("MatMul", values, graph.constant(weights))
        return graph.apply("Concat", graph.apply("Sub", graph.constant([[1.0]]), ones), ones, axis=1)

    def written(self, path: str | Path) -> Exported:
        """The file, and what it gives."""
        dtype = self.graph.dtype.name
        about = f"alakarte {dtype}: {', '.join(self.outputs)}; rounding of the mean at most {self.bound:.2g}"
        proto = self.graph.model(self.model.scaling.n_variables, self.outputs, about)
        Path(path).write_bytes(proto.SerializeToString())
        return Exported(str(path), dtype, tuple(self.outputs), self.bound)


def _labels(labels: Array) -> tuple[Any, Any]:
    """Labels as ONNX has them: whole numbers, or words."""
    if labels.dtype.kind in "iu":
        return labels, np.int64
    return labels.astype(str).astype(object), np.object_

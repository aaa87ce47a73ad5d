"""A graph of ONNX, built value by value: the only file that names operators and knows the package onnx.

In: names of values and arrays. Out: names of further values, and at the end the model.
"""

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from alakarte.errors import Unavailable

Value: TypeAlias = str  # the name of a value in a graph
OPSET, IR_VERSION = 18, 9


def onnx_package() -> Any:
    """The package onnx, or the error that it is not there."""
    try:
        import onnx
    except ImportError:
        raise Unavailable('to_onnx needs the package onnx: pip install "alakarte[onnx]".') from None
    return onnx


class Graph:
    """Nodes and constants of one type of numbers, `dtype`, which some parts may leave for float64."""

    def __init__(self, dtype: DTypeLike):
        self.onnx = onnx_package()
        self.dtype = np.dtype(dtype)
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, array: ArrayLike, dtype: DTypeLike | None = None) -> Value:
        """An array of the graph's type, or of another."""
        values = np.ascontiguousarray(array, dtype=self.dtype if dtype is None else dtype)
        name = f"c{len(self.constants)}"
        self.constants.append(self.onnx.numpy_helper.from_array(values, name))
        return name

    def apply(self, operator: str, *inputs: Value, output: Value | None = None, **attributes: Any) -> Value:
        """The value of an operator."""
        name = output or f"v{len(self.nodes)}"
        self.nodes.append(self.onnx.helper.make_node(operator, list(inputs), [name], **attributes))
        return name

    def cast(self, value: Value, dtype: DTypeLike) -> Value:
        """The same value as another type."""
        return self.apply("Cast", value, to=self.onnx.helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def times(self, value: Value, factors: ArrayLike) -> Value:
        """(rows, T) columns times factors (T,), as a product of matrices.

        A scalar factor next to one would be folded into it by onnxruntime, as an attribute of single precision.
        """
        return self.apply("MatMul", value, self.constant(np.diag(np.atleast_1d(np.asarray(factors, dtype=np.float64)))))

    def sum_of_squares(self, value: Value) -> Value:
        """(rows, 1)."""
        return self.apply("ReduceSumSquare", value, self.constant([1], np.int64), keepdims=1)

    def model(self, n_inputs: int, outputs: dict[str, tuple[DTypeLike, int]], about: str) -> Any:
        """The model of input X (rows, n_inputs), and outputs by name with their type and number of columns."""
        helper = self.onnx.helper

        def described(name: str, dtype: DTypeLike, n_columns: int) -> Any:
            kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
            return helper.make_tensor_value_info(name, kind, ["rows", n_columns] if n_columns else ["rows"])

        inputs = [described("X", self.dtype, n_inputs)]
        outs = [described(name, dtype, n_columns) for name, (dtype, n_columns) in outputs.items()]
        graph = helper.make_graph(self.nodes, "alakarte", inputs, outs, self.constants, doc_string=about)
        opsets = [helper.make_opsetid("", OPSET)]
        model = helper.make_model(graph, opset_imports=opsets, producer_name="alakarte", doc_string=about)
        model.ir_version = IR_VERSION
        self.onnx.checker.check_model(model)
        return model

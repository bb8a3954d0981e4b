# SPDX-License-Identifier: Apache-2.0
"""What ONNX's nodes are as ops of Assay: a function for each op type, which gives a case with its
results, or raises NotTaken where a node is more than one op, or means something else."""
from __future__ import annotations

from typing import Callable

import numpy as np
import onnx
from onnx import numpy_helper

from case_text import NotTaken, case, data_of, element_of, number_text
from windows import conv, max_pool


class Node:
    """A node with its attributes, and operands and results by position; None where one is left out."""

    def __init__(self, test) -> None:
        graph = test.model.graph
        node = graph.node[0]
        self.opset = test.model.opset_import[0].version
        self.op = node.op_type
        self.domain = node.domain
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        inputs, outputs = test.data_sets[0]
        named = {value.name: array for value, array in zip(graph.input, inputs)}
        named |= {tensor.name: tensor for tensor in graph.initializer}
        given = {value.name: array for value, array in zip(graph.output, outputs)}
        self.inputs = [_array(named[name]) if name else None for name in node.input]
        self.outputs = [_array(given[name]) if name else None for name in node.output]

    def get(self, name: str, default):
        value = self.attributes.get(name, default)
        return value.decode() if isinstance(value, bytes) else value

    def input(self, index: int):
        return self.inputs[index] if index < len(self.inputs) else None

    def output(self, index: int):
        return self.outputs[index] if index < len(self.outputs) else None


def _array(value) -> np.ndarray:
    if isinstance(value, onnx.TensorProto):
        value = numpy_helper.to_array(value)
    if not isinstance(value, (np.ndarray, np.generic)):
        raise NotTaken("its operands or results are no tensors")
    array = np.asarray(value)
    if array.dtype.kind in "OUS":
        raise NotTaken("cases have no text")
    return array


def _list(sizes) -> str:
    return "[" + ",".join(str(int(size)) for size in sizes) + "]"


def _axis(node: Node, default: int, rank: int) -> int:
    axis = node.get("axis", default)
    return axis + rank if axis < 0 else axis


def _bool(value) -> str:
    return "true" if value else "false"


def _needs(node: Node, inputs: int, outputs: int = 1) -> None:
    if sum(i is not None for i in node.inputs) != inputs:
        raise NotTaken(f"of {inputs} operands an op of Assay, and it has another number")
    if sum(o is not None for o in node.outputs) > outputs:
        raise NotTaken(f"of {outputs} results an op of Assay, and it has more")


# ---- Elementwise ----------------------------------------------------------------------------------


def elementwise(op: str, count: int) -> Callable[[Node], str]:
    """ONNX spreads operands over the result's shape: here that is done to the data."""

    def make(node: Node) -> str:
        _needs(node, count)
        shape = node.outputs[0].shape
        return case(op, "", [np.broadcast_to(i, shape) for i in node.inputs], node.outputs)

    return make


def convert(node: Node) -> str:
    source, target = element_of(node.inputs[0]), element_of(node.outputs[0])
    if target.startswith(("f8", "f4")):
        raise NotTaken("ONNX says for itself what overflows to types of 8 bits and fewer give")
    return case("stablehlo.convert", "", node.inputs[:1], node.outputs) if source != "i1" or target != "i1" else \
        case("stablehlo.reshape", "", node.inputs[:1], node.outputs)


def addn(node: Node) -> str:
    shape = node.outputs[0].shape
    if len(node.inputs) > 8:
        raise NotTaken("more than 8 operands")
    return case("byteir.addn", "", [np.broadcast_to(i, shape) for i in node.inputs], node.outputs)


def gelu(node: Node) -> str:
    approximate = {"none": "erf", "tanh": "tanh"}[node.get("approximate", "none")]
    return case("byteir.gelu", f"approximate={approximate}", node.inputs, node.outputs)


# ---- Data movement --------------------------------------------------------------------------------


def reshape(node: Node) -> str:
    return case("stablehlo.reshape", "", node.inputs[:1], node.outputs[:1])


def transpose(node: Node) -> str:
    rank = node.inputs[0].ndim
    permutation = node.get("perm", list(range(rank))[::-1])
    return case("stablehlo.transpose", f"permutation={_list(permutation)}", node.inputs, node.outputs)


def expand(node: Node) -> str:
    operand, result = node.inputs[0], node.outputs[0]
    first = result.ndim - operand.ndim
    dims = _list(range(first, result.ndim))
    return case("stablehlo.broadcast_in_dim", f"broadcast_dimensions={dims}", [operand], [result])


def concatenate(node: Node) -> str:
    dimension = _axis(node, 0, node.inputs[0].ndim)
    return case("stablehlo.concatenate", f"dimension={dimension}", node.inputs, node.outputs)


def non_zero(node: Node) -> str:
    """ONNX has an index a column, ByteIR a row."""
    return case("byteir.non_zero", "", node.inputs, [np.ascontiguousarray(node.outputs[0].T)])


def one_hot(node: Node) -> str:
    indices, depth, values = node.inputs
    if indices.dtype.kind not in "iu":
        raise NotTaken("its indices are floats")
    if (indices < 0).any() or (indices >= int(depth.reshape(-1)[0])).any():
        raise NotTaken("an index counts from the end, which ByteIR has not")
    axis = _axis(node, -1, node.outputs[0].ndim)
    off, on = (data_of(values[i : i + 1]) for i in (0, 1))
    attributes = f"depth={int(depth.reshape(-1)[0])} axis={axis} on_value={on} off_value={off}"
    return case("byteir.one_hot", attributes, [indices], node.outputs)


# ---- Sums and rows --------------------------------------------------------------------------------


def matmul(node: Node) -> str:
    lhs, rhs = node.inputs
    batch = np.broadcast_shapes(lhs.shape[:-2], rhs.shape[:-2])
    if lhs.ndim > 1:
        lhs = np.broadcast_to(lhs, (batch if rhs.ndim > 1 else lhs.shape[:-2]) + lhs.shape[-2:])
    if rhs.ndim > 1:
        rhs = np.broadcast_to(rhs, (batch if node.inputs[0].ndim > 1 else rhs.shape[:-2]) + rhs.shape[-2:])
    both = lhs.ndim > 1 and rhs.ndim > 1
    dims = _list(range(len(batch))) if both else "[]"
    contract = f"[{lhs.ndim - 1}]x[{max(rhs.ndim - 2, 0)}]"
    if lhs.ndim == 1 and rhs.ndim > 2:
        raise NotTaken("a vector by several matrices, whose result has another order of dimensions")
    return case("stablehlo.dot_general", f"batch={dims}x{dims} contract={contract}", [lhs, rhs], node.outputs)


def gemm(node: Node) -> str:
    if node.input(2) is not None or node.get("alpha", 1.0) != 1.0:
        raise NotTaken("a product that is scaled, or to which something is added: several ops")
    lhs, rhs = int(not node.get("transA", 0)), int(node.get("transB", 0))
    return case("stablehlo.dot_general", f"batch=[]x[] contract=[{lhs}]x[{rhs}]", node.inputs[:2], node.outputs)


def _limit(kind: np.dtype, lowest: bool) -> np.ndarray:
    if kind.kind in "iu":
        info = np.iinfo(kind)
        return np.array(info.min if lowest else info.max, kind)
    if kind.kind == "b":
        return np.array(not lowest, kind)
    return np.array(-np.inf if lowest else np.inf, kind)


def neutral(body: str, kind: np.dtype) -> np.ndarray:
    if body in ("maximum", "minimum"):
        return _limit(kind, body == "maximum")
    return np.array(1 if body == "multiply" else 0, kind)


def reduce(body: str) -> Callable[[Node], str]:
    def make(node: Node) -> str:
        operand = node.inputs[0]
        axes = node.input(1)
        axes = node.get("axes", []) if axes is None else axes.reshape(-1).tolist()
        if not axes:
            axes = [] if node.get("noop_with_empty_axes", 0) else range(operand.ndim)
        axes = sorted(a + operand.ndim if a < 0 else a for a in axes)
        shape = [size for i, size in enumerate(operand.shape) if i not in axes]
        result = node.outputs[0].reshape(shape)
        return case("stablehlo.reduce", f"body={body} dims={_list(axes)}", [operand, neutral(body, operand.dtype)],
                    [result])

    return make


def softmax(op: str) -> Callable[[Node], str]:
    def make(node: Node) -> str:
        if node.opset < 13:
            raise NotTaken("before version 13 it flattened its operand")
        return case(op, f"axis={_axis(node, -1, node.inputs[0].ndim)}", node.inputs, node.outputs[:1])

    return make


def layer_norm(node: Node) -> str:
    if node.input(2) is None:
        raise NotTaken("without a bias")
    rank = node.inputs[0].ndim
    axes = range(_axis(node, -1, rank), rank)
    epsilon = number_text(np.float32(node.get("epsilon", 1e-5)))
    return case("byteir.layer_norm", f"epsilon={epsilon} axis={_list(axes)}", node.inputs, node.outputs[:1])


def arg(op: str) -> Callable[[Node], str]:
    def make(node: Node) -> str:
        axis = _axis(node, 0, node.inputs[0].ndim)
        attributes = f"axis={axis} keep_dims={_bool(node.get('keepdims', 1))} " \
                     f"select_last_index={_bool(node.get('select_last_index', 0))}"
        return case(op, attributes, node.inputs, node.outputs)

    return make


def top_k(node: Node) -> str:
    operand, k = node.inputs
    if not node.get("largest", 1) or not node.get("sorted", 1):
        raise NotTaken("ByteIR has the largest alone, in order")
    axis = _axis(node, -1, operand.ndim)
    return case("byteir.top_k", f"k={int(k.reshape(-1)[0])} axis=[{axis}] sorted=true", [operand], node.outputs)


OPS: dict[str, Callable[[Node], str]] = {
    "Add": elementwise("stablehlo.add", 2), "Sub": elementwise("stablehlo.subtract", 2),
    "Mul": elementwise("stablehlo.multiply", 2), "Neg": elementwise("stablehlo.negate", 1),
    "Max": elementwise("stablehlo.maximum", 2), "Min": elementwise("stablehlo.minimum", 2),
    "Where": elementwise("tf.Select", 3), "Erf": elementwise("byteir.erf", 1), "Sum": addn, "Gelu": gelu,
    "Cast": convert, "CastLike": convert, "Reshape": reshape, "Squeeze": reshape, "Unsqueeze": reshape,
    "Flatten": reshape, "Identity": reshape, "Transpose": transpose, "Expand": expand, "Concat": concatenate,
    "NonZero": non_zero, "OneHot": one_hot, "MatMul": matmul, "Gemm": gemm, "Conv": conv, "MaxPool": max_pool,
    "ReduceSum": reduce("add"), "ReduceProd": reduce("multiply"), "ReduceMax": reduce("maximum"),
    "ReduceMin": reduce("minimum"), "Softmax": softmax("byteir.softmax"),
    "LogSoftmax": softmax("byteir.log_softmax"), "LayerNormalization": layer_norm,
    "ArgMax": arg("byteir.arg_max"), "ArgMin": arg("byteir.arg_min"), "TopK": top_k,
}


def case_of(test) -> str:
    node = test.model.graph.node[0]
    if node.op_type not in OPS or node.domain not in ("", "ai.onnx"):
        raise NotTaken("Assay has no such op")
    try:
        return OPS[node.op_type](Node(test))
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as failure:
        raise NotTaken(f"not as expected: {type(failure).__name__}: {failure}".replace("\n", " ")) from failure

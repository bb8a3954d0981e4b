# SPDX-License-Identifier: Apache-2.0
"""The ByteIR ops as ONNX graphs.

One node where ONNX has the op: Softmax, LogSoftmax, Gelu, Erf, LayerNormalization (between two
Transposes where the axes are not the last), ArgMax, ArgMin, TopK, QuantizeLinear, DequantizeLinear,
Resize with nearest_mode floor.  What surrounds them is exact: indices and statistics converted to
the type asked for, an index below 0 made one beyond depth before OneHot (which counts it from the
end).  Graphs of several nodes, which then are what is tested, are

- layer_norm with eps_outside_sqrt: ReduceMean, the mean of squares, Sqrt, Add, Div;
- l2_norm: ReduceSumSquare, Max, Sqrt, Div, or with eps_outside_sqrt ReduceL2, Max, Div.  What
  LpNormalization makes of a row of zeros is 0, where ByteIR with epsilon 0 has 0 / 0;
- the values of arg_max and arg_min: GatherElements at the index found.

LayerNormalization has its epsilon in f32: with f64 operands others are refused.  It gives mean and
deviation in f32, which are refused where f64 is asked for.  rng_uniform is refused: the bounds and
the seed of RandomUniform are attributes, not data.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from assay_worker import Program, Type, Unsupported
from shared_programs import byteir_program as byteir

SIZE = Type("i64", ())
RESIZE_MODES = {False: "nearest", True: "linear"}


def _layer_norm(graph: Any, program: Program) -> list[str]:
    norm = byteir.layer_norm(program)
    kind, has_statistics = program.operands[0], len(program.results) == 3
    if norm.is_outside:
        if has_statistics:
            raise Unsupported("no op gives an inverse deviation with epsilon outside the root")
        return _layer_norm_outside(graph, norm, kind)
    rank, last = len(kind.shape), "operand0"
    if kind.element == "f64" and (has_statistics or float(np.float32(norm.epsilon)) != norm.epsilon):
        raise Unsupported("LayerNormalization has epsilon, mean and deviation in f32")
    order = [dim for dim in range(rank) if dim not in norm.axes] + norm.axes
    is_moved = not norm.are_last(rank)
    if is_moved:
        last = graph.add("Transpose", [last], perm=order)
    outputs = graph.add_many(
        "LayerNormalization", [last, "operand1", "operand2"], len(program.results),
        axis=rank - len(norm.axes), epsilon=norm.epsilon,
    )  # fmt: skip
    if kind.element != "f32":
        outputs[1:] = [graph.cast(output, kind) for output in outputs[1:]]
    if is_moved:
        back = np.argsort(order).tolist()
        outputs = [graph.add("Transpose", [output], perm=back) for output in outputs]
    return outputs


def _layer_norm_outside(graph: Any, norm: byteir.Norm, kind: Type) -> list[str]:
    axes = graph.integers(norm.axes)
    inner = [[("operand0", dim, size)] if dim in norm.axes else [] for dim, size in enumerate(kind.shape)]
    weight, bias = (
        graph.add("Reshape", [name, graph.sizes(inner)]) for name in ("operand1", "operand2")
    )
    centred = graph.add("Sub", ["operand0", graph.add("ReduceMean", ["operand0", axes])])
    squares = graph.add("Mul", [centred, centred])
    deviation = graph.add("Sqrt", [graph.add("ReduceMean", [squares, axes])])
    divisor = graph.add("Add", [deviation, graph.number(norm.epsilon, kind)])
    share = graph.add("Div", [centred, divisor])
    return [graph.add("Add", [graph.add("Mul", [share, weight]), bias])]


def _l2_norm(graph: Any, program: Program) -> list[str]:
    norm, kind = byteir.l2_norm(program), program.operands[0]
    axes, epsilon = graph.integers(norm.axes), graph.number(norm.epsilon, kind)
    fold = "ReduceL2" if norm.is_outside else "ReduceSumSquare"
    length = graph.add("Max", [graph.add(fold, ["operand0", axes]), epsilon])
    if not norm.is_outside:
        length = graph.add("Sqrt", [length])
    return [graph.add("Div", ["operand0", length])]


def _softmax(graph: Any, program: Program) -> list[str]:
    axis = byteir.softmax(program)
    names = {"byteir.softmax": "Softmax", "byteir.log_softmax": "LogSoftmax"}
    return [graph.add(names[program.op], ["operand0"], axis=axis)]


def _gelu(graph: Any, program: Program) -> list[str]:
    approximate = {"erf": "none", "tanh": "tanh"}[byteir.gelu(program)]
    return [graph.add("Gelu", ["operand0"], approximate=approximate)]


def _erf(graph: Any, program: Program) -> list[str]:
    byteir.erf(program)
    return [graph.add("Erf", ["operand0"])]


def _pick(graph: Any, program: Program) -> list[str]:
    pick, index_kind = byteir.pick(program), program.results[-1]
    op = "ArgMax" if pick.is_max else "ArgMin"
    keeps_first = pick.has_values or pick.keeps_dims
    indices = graph.add(
        op, ["operand0"], axis=pick.axis, keepdims=int(keeps_first),
        select_last_index=int(pick.takes_last),
    )  # fmt: skip
    results = [indices]
    if pick.has_values:
        results.insert(0, graph.add("GatherElements", ["operand0", indices], axis=pick.axis))
        if not pick.keeps_dims:
            axes = graph.integers([pick.axis])
            results = [graph.add("Squeeze", [result, axes]) for result in results]
    return [*results[:-1], graph.cast_index(results[-1], index_kind)]


def _top_k(graph: Any, program: Program) -> list[str]:
    wanted = byteir.top_k(program)
    values, indices = graph.add_many(
        "TopK", ["operand0", graph.integers([wanted.k])], 2,
        axis=wanted.axis, largest=1, sorted=int(wanted.is_sorted),
    )  # fmt: skip
    return [values, graph.cast_index(indices, program.results[1])]


def _one_hot(graph: Any, program: Program) -> list[str]:
    """Indices of i64 are those that the library has with most types of values."""
    wanted, kind = byteir.one_hot(program), Type("i64", program.operands[0].shape)
    indices = "operand0" if program.operands[0].element == "i64" else graph.cast("operand0", kind)
    is_below = graph.add("Less", [indices, graph.number(0, kind)])
    indices = graph.add("Where", [is_below, graph.number(wanted.depth, kind), indices])
    depth, values = graph.integers([wanted.depth]), graph.constant(np.array([wanted.off, wanted.on]))
    return [graph.add("OneHot", [indices, depth, values], axis=wanted.axis)]


def _quantization(graph: Any, program: Program) -> list[str]:
    axis = byteir.quantization(program)
    op = "QuantizeLinear" if program.op == "byteir.quantize" else "DequantizeLinear"
    attributes = {} if axis is None else {"axis": axis}
    return [graph.add(op, ["operand0", "operand1", "operand2"], **attributes)]


def _resize(graph: Any, program: Program) -> list[str]:
    wanted = byteir.resize(program)
    inputs = ["operand0", "", "operand1"]
    if not wanted.has_scales:
        sizes, kind = "operand1", program.operands[1]
        inputs[2:] = ["", sizes if kind.element == "i64" else graph.cast(sizes, SIZE)]
    mode = RESIZE_MODES[wanted.is_linear]
    nearest = {} if wanted.is_linear else {"nearest_mode": "floor"}
    return [
        graph.add(
            "Resize", inputs, mode=mode,
            coordinate_transformation_mode=wanted.coordinates, **nearest,
        )
    ]  # fmt: skip


MAKERS: dict[str, Callable[[Any, Program], list[str]]] = {
    "byteir.softmax": _softmax,
    "byteir.log_softmax": _softmax,
    "byteir.gelu": _gelu,
    "byteir.erf": _erf,
    "byteir.layer_norm": _layer_norm,
    "byteir.l2_norm": _l2_norm,
    "byteir.arg_max": _pick,
    "byteir.arg_min": _pick,
    "byteir.top_k": _top_k,
    "byteir.one_hot": _one_hot,
    "byteir.quantize": _quantization,
    "byteir.dequantize": _quantization,
    "byteir.resize": _resize,
}

# SPDX-License-Identifier: Apache-2.0
"""The ByteIR ops as nodes of OpenVINO's opset: Softmax, LogSoftmax, Gelu, Erf, MVN between the weight and the bias, NormalizeL2,
TopK (of one number for arg_max and arg_min), OneHot, Interpolate; Select.  Graphs of several nodes are

- l2_norm with eps_outside_sqrt: ReduceL2, Maximum, Divide;
- quantize: Divide, Add of the zero point, Round, Clamp, Convert; dequantize: Convert, Subtract, Multiply;
- an index below 0, made one beyond depth before OneHot.

Interpolate has its sizes or scales as a constant here, as the CPU plugin wants it: those of the result.
"""
from __future__ import annotations

from typing import Callable

import numpy as np

from assay_worker import Program, Type, Unsupported
from openvino_backend.openvino_graph import Graph, Value
from shared_programs import byteir_program as byteir
from shared_programs import data_dependent_program

Results = list[Value]
I32 = Type("i32", ())


def _softmax(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [graph.add(program.op.removeprefix("byteir."), *operands, axis=byteir.softmax(program))]


def _gelu(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [graph.add("gelu", *operands, approximation_mode=byteir.gelu(program))]


def _erf(graph: Graph, program: Program, operands: list[Value]) -> Results:
    byteir.erf(program)
    return [graph.add("erf", *operands)]


def _layer_norm(graph: Graph, program: Program, operands: list[Value]) -> Results:
    norm, kind = byteir.layer_norm(program), program.operands[0]
    if len(program.results) != 1:
        raise Unsupported("MVN gives no mean and no deviation")
    mode = "outside_sqrt" if norm.is_outside else "inside_sqrt"
    axes = graph.integers(norm.axes)
    normal = graph.add("mvn", operands[0], axes, normalize_variance=True, eps=norm.epsilon, eps_mode=mode)
    shape = [size if dim in norm.axes else 1 for dim, size in enumerate(kind.shape)]
    weight, bias = (graph.reshape(value, shape) for value in operands[1:])
    return [graph.add("add", graph.add("multiply", normal, weight), bias)]


def _l2_norm(graph: Graph, program: Program, operands: list[Value]) -> Results:
    norm, kind = byteir.l2_norm(program), program.operands[0]
    if not norm.is_outside:
        return [graph.add("normalize_l2", operands[0], graph.integers(norm.axes), eps=norm.epsilon, eps_mode="max")]
    length = graph.fold("reduce_l2", operands[0], norm.axes, keep_dims=True)
    divisor = graph.add("maximum", length, graph.number(norm.epsilon, kind))
    return [graph.add("divide", operands[0], divisor)]


def _index_type(kind: Type) -> str:
    return "i64" if kind.element == "i64" else "i32"


def _index(graph: Graph, value: Value, kind: Type) -> Value:
    return value if kind.element in ("i32", "i64") else graph.convert(value, kind)


def _top(graph: Graph, operand: Value, k: int, axis: int, mode: str, kind: Type) -> Results:
    node = graph.add(
        "topk", operand, graph.constant(np.array(k, np.int64)), axis=axis, mode=mode, sort="value",
        index_element_type=_index_type(kind), stable=True,
    )  # fmt: skip
    return [graph.output(node, 0), _index(graph, graph.output(node, 1), kind)]


def _pick(graph: Graph, program: Program, operands: list[Value]) -> Results:
    pick = byteir.pick(program)
    if pick.takes_last:
        raise Unsupported("TopK has the first of equal numbers")
    mode = "max" if pick.is_max else "min"
    results = _top(graph, operands[0], 1, pick.axis, mode, program.results[-1])
    results = results if pick.has_values else results[1:]
    if not pick.keeps_dims:
        results = [graph.reshape(value, kind.shape) for value, kind in zip(results, program.results)]
    return results


def _top_k(graph: Graph, program: Program, operands: list[Value]) -> Results:
    wanted = byteir.top_k(program)
    return _top(graph, operands[0], wanted.k, wanted.axis, "max", program.results[1])


def _one_hot(graph: Graph, program: Program, operands: list[Value]) -> Results:
    wanted = byteir.one_hot(program)
    indices = operands[0] if program.operands[0].element == "i32" else graph.convert(operands[0], I32)
    is_below = graph.add("less", indices, graph.number(0, I32))
    indices = graph.add("select", is_below, graph.number(wanted.depth, I32), indices)
    depth, on, off = graph.constant(np.array(wanted.depth, np.int64)), graph.constant(wanted.on), graph.constant(wanted.off)
    return [graph.add("one_hot", indices, depth, on, off, axis=wanted.axis)]


def _quantization(graph: Graph, program: Program, operands: list[Value]) -> Results:
    axis, (kind, _, _), result = byteir.quantization(program), program.operands, program.results[0]
    number, quantum = (kind, result) if program.op == "byteir.quantize" else (result, kind)
    if number.element != "f32" or quantum.element not in ("i8", "ui8"):
        raise Unsupported("f32, and i8 or ui8")
    shape = byteir.aligned(kind.shape, axis)
    scale = graph.reshape(operands[1], shape)
    zero_point = graph.reshape(graph.convert(operands[2], number), shape)
    if program.op == "byteir.dequantize":
        value = graph.add("subtract", graph.convert(operands[0], number), zero_point)
        return [graph.add("multiply", value, scale)]
    value = graph.add("round", graph.add("divide", operands[0], scale), mode="half_to_even")
    least, most = (-128.0, 127.0) if quantum.element == "i8" else (0.0, 255.0)
    value = graph.add("clamp", graph.add("add", value, zero_point), min_value=least, max_value=most)
    return [graph.convert(value, quantum)]


def _resize(graph: Graph, program: Program, operands: list[Value]) -> Results:
    wanted, (kind, _) = byteir.resize(program), program.operands
    if kind.element not in ("f32", "f16", "bf16", "i8", "ui8") or not wanted.scaled:
        raise Unsupported("resizes f32, f16, bf16, i8 and ui8, some dimension of it")
    if wanted.has_scales:
        raise Unsupported("scales are data of the program, and constants of OpenVINO's")
    if wanted.is_linear and kind.element in ("i8", "ui8"):
        raise Unsupported("documents nothing of how integers between are rounded")
    sizes = [wanted.sizes[dim] for dim in wanted.scaled]
    return [
        graph.add(
            "interpolate", operands[0], graph.integers(sizes), mode="linear" if wanted.is_linear else "nearest",
            shape_calculation_mode="sizes", coordinate_transformation_mode=wanted.coordinates, nearest_mode="floor",
            axes=wanted.scaled,
        )
    ]  # fmt: skip


def _select(graph: Graph, program: Program, operands: list[Value]) -> Results:
    condition = graph.reshape(operands[0], data_dependent_program.select(program))
    return [graph.add("select", condition, *operands[1:])]


MAKERS: dict[str, Callable[[Graph, Program, list[Value]], Results]] = {
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
    "tf.Select": _select,
}

# SPDX-License-Identifier: Apache-2.0
"""StableHLO's reductions, products, convolutions, windows and conversions as nodes of OpenVINO's opset.

Reduce* over all dimensions, then once with the initial value; MatMul between Transposes and Reshapes; Convolution and
GroupConvolution of what has batch and features in front; MaxPool likewise; Convert.  uniform_quantize is Divide, Add of the
zero point, Round, Clamp and Convert, as StableHLO has it, and uniform_dequantize Convert, Subtract and Multiply, which is
OpenVINO's own form of weights of 8 bits: of f32 alone.
"""
from __future__ import annotations

import math
from typing import Callable

import numpy as np

import assay_worker
from assay_worker import Program, Quantization, Type, Unsupported
from openvino_backend.openvino_graph import Graph, Value
from shared_programs import window_program

REDUCTIONS = {
    "add": ("reduce_sum", "add"), "multiply": ("reduce_prod", "multiply"), "maximum": ("reduce_max", "maximum"),
    "minimum": ("reduce_min", "minimum"),
}  # fmt: skip
LOGICAL = {"and": ("reduce_logical_and", "logical_and"), "or": ("reduce_logical_or", "logical_or")}
FLOATS = ("f16", "bf16", "f32")
STORAGES = ("i8", "ui8")
Results = list[Value]


def _reduce(graph: Graph, program: Program, operands: list[Value]) -> Results:
    dims, body = assay_worker.plain_reduction(program), program.attributes["body"]
    bodies = LOGICAL if program.operands[0].element == "i1" else REDUCTIONS
    if body not in bodies:
        raise Unsupported(f"no reduction by {body}")
    fold, combine = bodies[body]
    return [graph.add(combine, graph.fold(fold, operands[0], dims), operands[1])]


def _dot_general(graph: Graph, program: Program, operands: list[Value]) -> Results:
    batch, contract = assay_worker.plain_product(program)
    if program.results[0].element == "i1":
        raise Unsupported("no products of booleans")
    if any(0 in kind.shape for kind in program.operands):
        raise Unsupported("products of nothing")
    sides, kept = [], [program.operands[0].shape[dim] for dim in batch[0]]
    for side, kind in enumerate(program.operands):
        fixed = [*batch[side], *contract[side]]
        free = [dim for dim in range(len(kind.shape)) if dim not in fixed]
        groups = [batch[side], free, contract[side]]
        if side == 1:
            groups = [batch[side], contract[side], free]
        moved = graph.transpose(operands[side], [dim for group in groups for dim in group])
        sizes = [math.prod(kind.shape[dim] for dim in group) for group in groups]
        sides.append(graph.reshape(moved, sizes if batch[0] else sizes[1:]))
        kept += [kind.shape[dim] for dim in free]
    product = graph.add("matmul", *sides, transpose_a=False, transpose_b=False)
    if not kept:  # A Reshape of a product of floats to a scalar ends the process where it is compiled (2026.4.1).
        return [graph.add("squeeze", product, graph.integers([0, 1]))]
    return [graph.reshape(product, kept)]


def _convolution(graph: Graph, program: Program, operands: list[Value]) -> Results:
    found = window_program.plain_convolution(program)
    elements = {kind.element for kind in [*program.operands, *program.results]}
    if program.is_quantized or len(elements) != 1 or not elements < {*FLOATS}:
        raise Unsupported("convolves floats of one type")
    if "precision" in program.attributes:
        raise Unsupported("takes no precision")
    data, kernel = (graph.transpose(value, order) for value, order in zip(operands, (found.lhs, found.rhs)))
    op, sizes = "convolution", [program.operands[1].shape[dim] for dim in found.rhs]
    if found.feature_groups > 1:
        op = "group_convolution"
        kernel = graph.reshape(kernel, [found.feature_groups, sizes[0] // found.feature_groups, *sizes[1:]])
    result = graph.add(
        op, data, kernel, strides=[window.stride for window in found.windows],
        pads_begin=[window.low for window in found.windows], pads_end=[window.high for window in found.windows],
        dilations=[window.dilation for window in found.windows],
    )  # fmt: skip
    return [graph.transpose(result, found.from_result)]


def _reduce_window(graph: Graph, program: Program, operands: list[Value]) -> Results:
    if program.is_quantized:
        raise Unsupported("no windows of quantized numbers")
    if program.attributes.get("body") == "add":
        return _sums(graph, program, operands)
    found = window_program.pooled_windows(program)
    kind, result = program.operands[0], program.results[0]
    if kind.element not in FLOATS:
        raise Unsupported("pools floats")
    order = [*found.plain, *found.spatial]
    plain = math.prod(kind.shape[dim] for dim in found.plain)
    moved = graph.reshape(
        graph.transpose(operands[0], order), [1, plain, *(kind.shape[dim] for dim in found.spatial)]
    )
    pooled = graph.add(
        "max_pool", moved, strides=[window.stride for window in found.windows],
        dilations=[window.dilation for window in found.windows],
        pads_begin=[window.low for window in found.windows], pads_end=[window.high for window in found.windows],
        kernel_shape=[window.size for window in found.windows],
    )  # fmt: skip
    pooled = graph.reshape(graph.output(pooled, 0), [result.shape[dim] for dim in order])
    back = sorted(range(len(order)), key=lambda dim: order[dim])
    return [graph.add("maximum", graph.transpose(pooled, back), operands[1])]


def _sums(graph: Graph, program: Program, operands: list[Value]) -> Results:
    """Of windows that lie side by side: each such dimension is two, of which the second is summed."""
    found = window_program.pooled_windows(program, "add", spatial_max=8)
    windows, sizes, summed = dict(zip(found.spatial, found.windows)), [], []
    for dim, size in enumerate(program.operands[0].shape):
        window = windows.get(dim)
        if window is None:
            sizes.append(size)
            continue
        is_beside = (window.stride, window.dilation, window.low, window.high) == (window.size, 1, 0, 0)
        if not is_beside or size % window.size != 0:
            raise Unsupported("no sums but over windows side by side")
        sizes += [size // window.size, window.size]
        summed.append(len(sizes) - 1)
    folded = graph.fold("reduce_sum", graph.reshape(operands[0], sizes), summed)
    return [graph.add("add", folded, operands[1])]


def _convert(graph: Graph, program: Program, operands: list[Value]) -> Results:
    operand, result = window_program.same_shape(program)
    if program.is_quantized:
        raise Unsupported("converts numbers")
    if operand.element in FLOATS and result.element not in FLOATS:
        raise Unsupported("documents nothing of floats beyond the range of the integers, or NaN")
    return [graph.convert(operands[0], result)]


def _column(quantization: Quantization, numbers: tuple[float, ...], rank: int) -> np.ndarray:
    """Scales or zero points, of f32, so that they are broadcast along their dimension."""
    shape = [len(numbers) if dim == quantization.axis else 1 for dim in range(rank)]
    return np.array(numbers, np.float32).reshape(shape if quantization.axis >= 0 else ())


def _of_f32(quantization: Quantization | None) -> Quantization:
    if quantization is None or quantization.expressed != "f32" or quantization.storage not in STORAGES:
        raise Unsupported("quantizes f32 to i8 or ui8, and back")
    if not quantization.scales:
        raise Unsupported("a channel at least")
    return quantization


def _uniform_quantize(graph: Graph, program: Program, operands: list[Value]) -> Results:
    operand, result = window_program.same_shape(program)
    quantization, rank, value = _of_f32(result.quantization), len(result.shape), operands[0]
    if operand.quantization is not None:
        value = dequantized(graph, _of_f32(operand.quantization), value, rank)
    elif operand.element != "f32":
        raise Unsupported("quantizes f32")
    scale = graph.constant(_column(quantization, quantization.scales, rank))
    zero_point = graph.constant(_column(quantization, quantization.zero_points, rank))
    value = graph.add("round", graph.add("add", graph.add("divide", value, scale), zero_point), mode="half_to_even")
    least, most = float(quantization.minimum), float(quantization.maximum)
    return [graph.convert(graph.add("clamp", value, min_value=least, max_value=most), result)]


def dequantized(graph: Graph, quantization: Quantization, value: Value, rank: int) -> Value:
    scale = graph.constant(_column(quantization, quantization.scales, rank))
    value = graph.convert(value, Type("f32", ()))
    if any(quantization.zero_points):
        zero_point = graph.constant(_column(quantization, quantization.zero_points, rank))
        value = graph.add("subtract", value, zero_point)
    return graph.add("multiply", value, scale)


def _uniform_dequantize(graph: Graph, program: Program, operands: list[Value]) -> Results:
    operand, result = window_program.same_shape(program)
    if result.element != "f32":
        raise Unsupported("dequantizes to f32")
    return [dequantized(graph, _of_f32(operand.quantization), operands[0], len(result.shape))]


MAKERS: dict[str, Callable[[Graph, Program, list[Value]], Results]] = {
    "stablehlo.reduce": _reduce,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.convolution": _convolution,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.convert": _convert,
    "stablehlo.uniform_quantize": _uniform_quantize,
    "stablehlo.uniform_dequantize": _uniform_dequantize,
}

# SPDX-License-Identifier: Apache-2.0
"""StableHLO's convolutions, windows and conversions as ONNX graphs.

Conv between Transposes that bring batch and features to the front; MaxPool likewise, combined
once with the initial value; Cast; QuantizeLinear and DequantizeLinear.  Products of quantized
tensors are MatMulInteger and ConvInteger where the scales cancel and the result is the sum
itself, else QLinearMatMul and QLinearConv.

ONNX adds a zero point after it has rounded, StableHLO before: with types=exact a result with a zero
point is refused, and so are multipliers that an implementation has to round; always saturation elsewhere than at
the ends of a type (window_program.quantized_product).
"""
from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from assay_worker import Invalid, Program, Type, Unsupported
from shared_programs import dynamic_program, window_program

BYTES = ("i8", "ui8")
STORAGES = ("i8", "ui8", "i32")


def _transpose(graph: Any, name: str, order: list[int]) -> str:
    return name if order == sorted(order) else graph.add("Transpose", [name], perm=order)


def _pads(windows: list[window_program.Window]) -> list[int]:
    return [window.low for window in windows] + [window.high for window in windows]


def _scale(graph: Any, scales: tuple[float, ...]) -> str:
    values = np.array(scales if len(scales) > 1 else scales[0], np.float32)
    return graph.constant(values)


def _zero_point(graph: Any, kind: Type) -> str:
    quantization = kind.quantization
    assert quantization is not None
    return graph.constant(np.array(quantization.zero_points[0], kind.dtype))


def _zero_points(graph: Any, kind: Type) -> str:
    quantization = kind.quantization
    assert quantization is not None
    values = quantization.zero_points
    return graph.constant(np.array(values if len(values) > 1 else values[0], kind.dtype))


def _convolution(graph: Any, program: Program) -> str:
    found = window_program.plain_convolution(program)
    sides = [
        _transpose(graph, f"operand{i}", order) for i, order in enumerate((found.lhs, found.rhs))
    ]
    attributes = {
        "strides": [window.stride for window in found.windows],
        "dilations": [window.dilation for window in found.windows],
        "pads": _pads(found.windows),
        "group": found.feature_groups,
    }
    if not program.is_quantized:
        if len({kind.element for kind in [*program.operands, *program.results]}) != 1:
            raise Unsupported("convolves tensors of one type")
        result = graph.add("Conv", sides, **attributes)
    else:
        terms = math.prod(program.operands[1].shape[dim] for dim in found.rhs[1:])
        result = _quantized(
            graph, program, sides, found.rhs[0], found.result[1], terms, "Conv", attributes
        )
    return _transpose(graph, result, found.from_result)


def _quantized(graph: Any, program: Program, sides: list[str], rhs_axis: int, result_axis: int,
               terms: int, name: str, attributes: dict[str, Any]) -> str:  # fmt: skip
    """A product of integers by the op of that name: ConvInteger and QLinearConv, MatMul..."""
    product = window_program.quantized_product(
        program, rhs_axis, result_axis, terms, graph.takes_any
    )
    lhs, rhs = program.operands
    if product.lhs.storage not in BYTES:
        raise Unsupported("products of i8 or ui8")
    zero_points = [_zero_point(graph, lhs), _zero_point(graph, rhs)]
    if product.is_sum:
        return graph.add(f"{name}Integer", [*sides, *zero_points], **attributes)
    if len(product.rhs.scales) == 1 != len(product.result.scales):
        raise Unsupported("one scale of the result")
    if len(product.result.scales) > 1 and len(set(product.result.scales)) > 1:
        raise Unsupported("one scale of the result")
    weights = graph.constant(np.zeros(len(product.rhs.scales), rhs.dtype))
    zero_points[1] = weights if len(product.rhs.scales) > 1 else zero_points[1]
    inputs = [
        sides[0], _scale(graph, product.lhs.scales), zero_points[0],
        sides[1], _scale(graph, product.rhs.scales), zero_points[1],
        _scale(graph, product.result.scales[:1]), _zero_point(graph, program.results[0]),
    ]  # fmt: skip
    return graph.add(f"QLinear{name}", inputs, **attributes)


def quantized_dot_general(graph: Any, program: Program, sides: list[str]) -> str:
    """MatMul of matrices that are batches of rows x terms and terms x columns."""
    if "algorithm" in program.attributes:
        raise Unsupported("no algorithm of quantized types")
    rank = len(program.operands[1].shape)
    contract = program.dims("contract")[1]
    fixed = [*program.dims("batch")[1], *contract]
    free = [dim for dim in range(rank) if dim not in fixed]
    has_columns = len(free) == 1 and not program.dims("batch")[1]
    rhs_axis = free[0] if has_columns else -1
    result_axis = len(program.results[0].shape) - 1 if has_columns else -1
    sizes = [program.operands[1].shape[dim] for dim in contract]
    terms = math.prod(dynamic_program.known(sizes, "a quantized product"))
    return _quantized(graph, program, sides, rhs_axis, result_axis, terms, "MatMul", {})


def _stored_terms(graph: Any, program: Program, count: int) -> list[str]:
    """The operand and the initial value of a sum of `count` elements as int32, less the zero point."""
    (operand, _), result = program.operands, program.results[0]
    stored, summed = operand.quantization, result.quantization
    if stored is None or summed is None or program.attributes["body"] != "add":
        raise Unsupported("sums of quantized numbers")
    if stored.storage not in BYTES:
        raise Unsupported("sums of i8 or ui8")
    if summed.storage != "i32" or not summed.has_full_range or any(summed.zero_points):
        raise Unsupported("sums into i32 without zero point")
    are_one = (stored.scales, stored.axis, stored.expressed) == (summed.scales, -1, "f32")
    if not are_one or summed.axis != -1 or summed.expressed != "f32":
        raise Unsupported("sums with one scale, of f32")
    if count >= 1 << 22:
        raise Unsupported("sums that are numbers of int32")
    zero_point = graph.constant(np.array(stored.zero_points[0], np.int32))
    return [graph.add("Sub", [graph.cast(f"operand{i}", result), zero_point]) for i in range(2)]


def quantized_sum(graph: Any, program: Program, dims: list[int]) -> str:
    """ReduceSum, in int32, of what is stored."""
    sizes = [program.operands[0].shape[dim] for dim in dims]
    count = math.prod(dynamic_program.known(sizes, "a quantized sum"))
    terms, init = _stored_terms(graph, program, count)
    folded = graph.add("ReduceSum", [terms, graph.integers(dims)], keepdims=0)
    return graph.add("Add", [folded, init])


def _reduce_window(graph: Any, program: Program) -> str:
    if program.attributes["body"] == "add":
        return _sums(graph, program)
    found = window_program.pooled_windows(program, takes_quantized=True)
    kind, result = program.operands[0], program.results[0]
    order = [*found.plain, *found.spatial]
    plain = math.prod(kind.shape[dim] for dim in found.plain)
    sizes = [1, plain, *(kind.shape[dim] for dim in found.spatial)]
    moved = graph.add("Reshape", [_transpose(graph, "operand0", order), graph.integers(sizes)])
    pooled = graph.add(
        "MaxPool", [moved], kernel_shape=[window.size for window in found.windows],
        strides=[window.stride for window in found.windows],
        dilations=[window.dilation for window in found.windows], pads=_pads(found.windows),
    )  # fmt: skip
    sizes = [result.shape[dim] for dim in order]
    pooled = graph.add("Reshape", [pooled, graph.integers(sizes)])
    back = sorted(range(len(order)), key=lambda dim: order[dim])
    return graph.add("Max", [_transpose(graph, pooled, back), "operand1"])


def _sums(graph: Any, program: Program) -> str:
    """Of windows that lie side by side: each such dimension is two, of which the second is summed."""
    found = window_program.pooled_windows(program, "add", spatial_max=8, takes_quantized=True)
    windows, sizes, summed = dict(zip(found.spatial, found.windows)), [], []
    for dim, size in enumerate(program.operands[0].shape):
        window = windows.get(dim)
        if window is None:
            sizes.append(size)
            continue
        if (window.stride, window.dilation, window.low, window.high) != (window.size, 1, 0, 0):
            raise Unsupported("no sums but over windows side by side")
        sizes += [size // window.size, window.size]
        summed.append(len(sizes) - 1)
        if size % window.size != 0:
            raise Unsupported("no sums but over windows side by side")
    terms, init = "operand0", "operand1"
    if program.is_quantized:
        terms, init = _stored_terms(graph, program, math.prod(sizes[dim] for dim in summed))
    split = graph.add("Reshape", [terms, graph.integers(sizes)])
    folded = graph.add("ReduceSum", [split, graph.integers(summed)], keepdims=0)
    return graph.add("Add", [folded, init])


def _convert(graph: Any, program: Program) -> str:
    """8-bit floats without saturation, as StableHLO and everybody's numpy convert to them."""
    operand, result = window_program.same_shape(program)
    if program.is_quantized:
        raise Invalid("converts tensors of numbers")
    attributes = {"saturate": 0} if result.element.startswith("f8") else {}
    if operand.element == result.element:
        return graph.add("Identity", ["operand0"])
    return graph.add("Cast", ["operand0"], to=graph.code(result.dtype), **attributes)


def _uniform_quantize(graph: Any, program: Program) -> str:
    operand, result = window_program.same_shape(program)
    quantization = result.quantization
    if quantization is None or not quantization.has_full_range or quantization.storage == "i32":
        raise Unsupported("quantizes to the whole range of a type")
    value = "operand0"
    is_exact = window_program.quantizes_exactly(quantization, divides=True)
    if operand.quantization is not None:
        if quantization.storage not in BYTES or operand.quantization.storage not in STORAGES:
            raise Unsupported("requantizes i8, ui8 and i32 to i8 and ui8")
        value = _linear(graph, "DequantizeLinear", operand, value)
        # Merged into one multiplication perhaps.
        scales = (*operand.quantization.scales, *quantization.scales)
        is_exact = is_exact and all(map(window_program.is_power_of_two, scales))
    elif operand.element != "f32":
        raise Unsupported("quantizes f32")
    if not is_exact and not graph.takes_any:
        raise Unsupported("no zero point before rounding; scales of powers of two")
    return _linear(graph, "QuantizeLinear", result, value)


def _uniform_dequantize(graph: Any, program: Program) -> str:
    operand, result = window_program.same_shape(program)
    if operand.quantization is None or result.element != "f32":
        raise Unsupported("dequantizes to f32")
    return _linear(graph, "DequantizeLinear", operand, "operand0")


def _linear(graph: Any, op: str, quantized: Type, value: str) -> str:
    quantization = quantized.quantization
    assert quantization is not None
    if quantization.expressed != "f32" or not quantization.scales:
        raise Unsupported("scales of f32, one at least")
    axis = {} if quantization.axis == -1 else {"axis": quantization.axis}
    if len(quantization.scales) == 1 and axis:
        scales = graph.constant(np.array(quantization.scales, np.float32))
        zero_points = graph.constant(np.array(quantization.zero_points, quantized.dtype))
    else:
        scales, zero_points = _scale(graph, quantization.scales), _zero_points(graph, quantized)
    return graph.add(op, [value, scales, zero_points], **axis)


MAKERS: dict[str, Callable[[Any, Program], str]] = {
    "stablehlo.convolution": _convolution,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.convert": _convert,
    "stablehlo.uniform_quantize": _uniform_quantize,
    "stablehlo.uniform_dequantize": _uniform_dequantize,
}

# What Cast converts beside the types that ONNX Runtime computes in.
CAST_TYPES = ("i1", "bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")


def types(program: Program) -> tuple[str, ...]:
    """Element types of this program's op beside those of all ops."""
    return CAST_TYPES if program.op == "stablehlo.convert" else ()

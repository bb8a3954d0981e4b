# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops and ByteIR's as TensorFlow Lite models: products are in tflite_products.py.

QUANTIZE and DEQUANTIZE; what has scales by channel and is requantized is taken apart and put together by
the worker.  Scales and zero points are any; storage ranges are those of types.
"""
from __future__ import annotations

import math
from typing import Callable

import numpy as np

from assay_worker import Invalid, Program, Type, Unsupported, plain_reduction
from shared_programs import (
    byteir_program,
    dynamic_program,
    elementwise_program,
    window_program,
)
from tflite_backend import tflite_products
from tflite_backend.tflite_graph import Graph, permuted
from tflite_backend.tflite_products import VALID, require_multiplier, reshaped

BINARY = {
    "stablehlo.add": ("ADD", "AddOptions"),
    "stablehlo.subtract": ("SUB", "SubOptions"),
    "stablehlo.multiply": ("MUL", "MulOptions"),
    "stablehlo.maximum": ("MAXIMUM", "MaximumMinimumOptions"),
    "stablehlo.minimum": ("MINIMUM", "MaximumMinimumOptions"),
}
REDUCTIONS = {
    "add": ("SUM", "stablehlo.add"),
    "multiply": ("REDUCE_PROD", "stablehlo.multiply"),
    "maximum": ("REDUCE_MAX", "stablehlo.maximum"),
    "minimum": ("REDUCE_MIN", "stablehlo.minimum"),
}
NUMBERS = ("f32", "i32")
# 2^20 times the scale of a sum is computed in f32, and an infinite one ends the process.
SUM_SCALE_MAX = 2.0**107
CASTS = ("f32", "i8", "ui8", "i16", "i32", "i64")


def _require_normal(kinds: list[Type]) -> None:
    """Scales below the normal numbers of f32 end its process, and so do some tensors of nothing."""
    for kind in kinds:
        stored = kind.quantization
        if 0 in kind.shape:
            raise Unsupported("tensors of something")
        if stored is not None and min(stored.scales, default=0.0) < 2.0**-126:
            raise Unsupported("scales that are normal numbers of f32")


# ---- Element by element -------------------------------------------------------------------------


def _elementwise(graph: Graph, program: Program) -> int:
    result = program.results[0]
    if program.is_quantized:
        operands, stored = elementwise_program.quantized_elementwise(program)
        picks = program.op in ("stablehlo.maximum", "stablehlo.minimum")
        if program.op not in BINARY or (picks and len({*program.operands, result}) != 1):
            raise Unsupported("sums and products of quantized numbers, and the larger of two alike")
        if stored.storage not in ("i8", "ui8"):
            raise Unsupported("i8 or ui8")
        if not stored.has_full_range and not picks:
            raise Unsupported("saturates at the ends of the type")
        scales = [each.scales[0] for each in operands]
        is_product = program.op == "stablehlo.multiply"
        scale = math.prod(scales) if is_product else max(scales)
        require_multiplier(scale / stored.scales[0], 2.0**18)
        if stored.scales[0] >= SUM_SCALE_MAX and not is_product:
            raise Unsupported("sums with a scale that is 2^-20 of a number of f32")
    elif elementwise_program.plain_elementwise(program) not in NUMBERS:
        raise Unsupported("f32 or i32")
    if program.op == "stablehlo.negate":
        return graph.add("NEG", [graph.operand(0)], result, "NegOptions")
    if program.op not in BINARY:
        raise Unsupported(f"no {program.op}")
    op, options = BINARY[program.op]
    return graph.add(op, [graph.operand(0), graph.operand(1)], result, options)


def _reshape(graph: Graph, program: Program) -> int:
    elementwise_program.reshaped(program)
    return graph.reshape(graph.operand(0), program.results[0])


def _transpose(graph: Graph, program: Program) -> int:
    order = elementwise_program.transposed(program)
    if order == sorted(order):
        return graph.reshape(graph.operand(0), program.results[0])
    return graph.transpose(graph.operand(0), program.operands[0], order)


def _broadcast(graph: Graph, program: Program) -> int:
    order, sizes = elementwise_program.broadcast(program)
    kind, result = program.operands[0], program.results[0]
    moved = graph.transpose(graph.operand(0), kind, order)
    moved = graph.reshape(moved, reshaped(permuted(kind, order), sizes))
    shape = graph.integers(result.shape)
    return graph.add("BROADCAST_TO", [moved, shape], result, "BroadcastToOptions")


def _concatenate(graph: Graph, program: Program) -> int:
    axis = elementwise_program.concatenated(program)
    parts = [graph.operand(index) for index in range(len(program.operands))]
    return graph.add("CONCATENATION", parts, program.results[0], "ConcatenationOptions", axis=axis)


def _convert(graph: Graph, program: Program) -> int:
    operand, result = window_program.same_shape(program)
    if program.is_quantized:
        raise Invalid("converts tensors of numbers")
    if {operand.element, result.element} - set(CASTS):
        raise Unsupported(f"converts {', '.join(CASTS)}")
    return graph.add("CAST", [graph.operand(0)], result, "CastOptions")


# ---- Reductions ---------------------------------------------------------------------------------


def _combine(graph: Graph, op: str, folded: int, init: int, kind: Type) -> int:
    name, options = BINARY[op]
    return graph.add(name, [folded, init], kind, options)


def _reduce(graph: Graph, program: Program) -> int:
    dims, body = plain_reduction(program, takes_quantized=True), program.attributes["body"]
    result = program.results[0]
    if program.is_quantized:
        return _quantized_sum(graph, program, dims)
    if body not in REDUCTIONS or result.element not in NUMBERS:
        raise Unsupported(f"no reduction of {result.element} by {body}")
    fold, combine = REDUCTIONS[body]
    axes = graph.integers(dims)
    folded = graph.add(fold, [graph.operand(0), axes], result, "ReducerOptions", keepDims=False)
    return _combine(graph, combine, folded, graph.operand(1), result)


def _quantized_sum(graph: Graph, program: Program, dims: list[int]) -> int:
    """CAST, SUB of the zero point and SUM, in int32."""
    stored, summed = program.operands[0].quantization, program.results[0].quantization
    if stored is None or summed is None or program.attributes["body"] != "add":
        raise Unsupported("sums of quantized numbers")
    is_sum = summed.storage == "i32" and summed.has_full_range and not any(summed.zero_points)
    alike = (stored.scales, stored.axis) == (summed.scales, -1) and summed.axis == -1
    if stored.storage not in ("i8", "ui8") or not is_sum or not alike:
        raise Unsupported("sums of i8 or ui8 into i32, with one scale and no zero point")
    sizes = [program.operands[0].shape[dim] for dim in dims]
    if math.prod(dynamic_program.known(sizes, "a quantized sum")) >= 1 << 22:
        raise Unsupported("sums that are numbers of int32")
    zero_point = graph.constant(np.array(stored.zero_points[0], np.int32))
    terms = []
    for index, kind in enumerate(program.operands):
        plain = Type(stored.storage, kind.shape)
        wide = Type("i32", kind.shape)
        cast = graph.add("CAST", [graph.operand(index, plain)], wide, "CastOptions")
        terms.append(graph.add("SUB", [cast, zero_point], wide, "SubOptions"))
    kind = Type("i32", program.results[0].shape)
    axes = graph.integers(dims)
    folded = graph.add("SUM", [terms[0], axes], kind, "ReducerOptions", keepDims=False)
    return _combine(graph, "stablehlo.add", folded, terms[1], kind)


def _reduce_window(graph: Graph, program: Program) -> int:
    """MAX_POOL_2D of one batch, the other dimensions being features; then the initial value."""
    found = window_program.pooled_windows(program, spatial_max=2, takes_quantized=True)
    kind, result = program.operands[0], program.results[0]
    if kind.storage.element not in ("f32", "i8", "ui8"):
        raise Unsupported("pools f32, i8 or ui8")
    if any((w.dilation, w.low, w.high) != (1, 0, 0) for w in found.windows):
        raise Unsupported("no dilation, and no padding")
    order = [*found.spatial, *found.plain]
    plain = math.prod(kind.shape[dim] for dim in found.plain)
    ones = [1] * (3 - len(found.spatial))
    moved = graph.transpose(graph.operand(0), kind, order)
    sizes = [*ones, *(kind.shape[dim] for dim in found.spatial), plain]
    moved = graph.reshape(moved, reshaped(kind, sizes))
    window, stride = ([1, *values][-2:] for values in
                      ([w.size for w in found.windows], [w.stride for w in found.windows]))  # fmt: skip
    sizes = [*ones, *(result.shape[dim] for dim in found.spatial), plain]
    pooled = graph.add(
        "MAX_POOL_2D", [moved], reshaped(kind, sizes), "Pool2DOptions", padding=VALID,
        filterHeight=window[0], filterWidth=window[1], strideH=stride[0], strideW=stride[1],
    )  # fmt: skip
    shape = reshaped(kind, [result.shape[dim] for dim in order])
    back = sorted(range(len(order)), key=lambda dim: order[dim])
    pooled = graph.transpose(graph.reshape(pooled, shape), shape, back)
    return _combine(graph, "stablehlo.maximum", pooled, graph.operand(1), result)


# ---- Quantizing ---------------------------------------------------------------------------------


def _uniform_quantize(graph: Graph, program: Program) -> int:
    operand, result = window_program.same_shape(program)
    stored = result.quantization
    if stored is None or not stored.has_full_range or stored.storage not in ("i8", "ui8", "i16"):
        raise Unsupported("quantizes to the whole range of i8, ui8 or i16")
    if operand.quantization is None and operand.element != "f32":
        raise Unsupported("quantizes f32")
    if operand.quantization is not None and operand.quantization.expressed != "f32":
        raise Unsupported("requantizes in f32")
    if operand.quantization is not None:
        multiplier = max(operand.quantization.scales) / min(stored.scales)
        require_multiplier(multiplier, 2.0 ** (operand.dtype.itemsize * 8 + 1))
    return graph.add("QUANTIZE", [graph.operand(0)], result, "QuantizeOptions")


def _uniform_dequantize(graph: Graph, program: Program) -> int:
    operand, result = window_program.same_shape(program)
    if operand.quantization is None or result.element != "f32":
        raise Unsupported("dequantizes to f32")
    return graph.add("DEQUANTIZE", [graph.operand(0)], result, "DequantizeOptions")


# ---- ByteIR's -----------------------------------------------------------------------------------


def _f32(program: Program) -> Type:
    if {kind.element for kind in [*program.operands, *program.results]} != {"f32"}:
        raise Unsupported("f32")
    return program.operands[0]


def _softmax(graph: Graph, program: Program) -> int:
    axis, kind = byteir_program.softmax(program), _f32(program)
    order = [*(dim for dim in range(len(kind.shape)) if dim != axis), axis]
    moved, back = graph.transpose(graph.operand(0), kind, order), np.argsort(order).tolist()
    if program.op == "byteir.softmax":
        shares = graph.add("SOFTMAX", [moved], permuted(kind, order), "SoftmaxOptions", beta=1.0)
    else:
        shares = graph.add("LOG_SOFTMAX", [moved], permuted(kind, order), "LogSoftmaxOptions")
    return graph.transpose(shares, permuted(kind, order), back)


def _gelu(graph: Graph, program: Program) -> int:
    approximate = byteir_program.gelu(program) == "tanh"
    kind = _f32(program)
    return graph.add("GELU", [graph.operand(0)], kind, "GeluOptions", approximate=approximate)


def make(graph: Graph, program: Program) -> int:
    """Appends the ops of a program; the tensor that is its result."""
    if program.op not in MAKERS:
        raise Unsupported(f"no {program.op} here")
    number = MAKERS[program.op](graph, program)
    _require_normal([*program.operands, *program.results])
    return number


MAKERS: dict[str, Callable[[Graph, Program], int]] = {
    "stablehlo.dot_general": tflite_products.dot_general,
    "stablehlo.convolution": tflite_products.convolution,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.convert": _convert,
    "stablehlo.uniform_quantize": _uniform_quantize,
    "stablehlo.uniform_dequantize": _uniform_dequantize,
    **dict.fromkeys(elementwise_program.ELEMENTWISE, _elementwise),
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "byteir.softmax": _softmax,
    "byteir.log_softmax": _softmax,
    "byteir.gelu": _gelu,
}

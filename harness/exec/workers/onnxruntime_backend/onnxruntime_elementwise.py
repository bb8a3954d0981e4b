# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops that work element by element, and those that move elements, as ONNX graphs.

Add, Sub, Mul, Max, Min and Neg; Reshape, Transpose, Concat, and Expand of what is reshaped first.
Quantized ones are DequantizeLinear, the op in f32, QuantizeLinear, which ONNX Runtime makes one
kernel of where it knows one (QLinearAdd, QLinearMul).

ONNX adds a zero point after it has rounded, StableHLO before: with types=exact results have none, and
scales are such that what the merged kernels compute otherwise (multipliers instead of quotients) is
the same, powers of two; else all of them.  Results have no ranges.  The maximum and minimum of i8 and ui8 with one
scale and zero point throughout are Max and Min of what is stored.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from assay_worker import Program, Quantization, Unsupported
from shared_programs import elementwise_program, slicing_program
from shared_programs.window_program import is_power_of_two, is_recovered

OPS = {
    "stablehlo.add": "Add",
    "stablehlo.subtract": "Sub",
    "stablehlo.multiply": "Mul",
    "stablehlo.maximum": "Max",
    "stablehlo.minimum": "Min",
    "stablehlo.negate": "Neg",
}


def _parameters(graph: Any, quantization: Quantization, dtype: np.dtype) -> list[str]:
    return [
        graph.constant(np.array(quantization.scales[0], np.float32)),
        graph.constant(np.array(quantization.zero_points[0], dtype)),
    ]


def _picks_stored(program: Program, result: Quantization) -> bool:
    """Whether quantizing what was dequantized gives it back, and its order is that of what is
    stored."""
    picks = program.op in ("stablehlo.maximum", "stablehlo.minimum")
    is_one = len({*program.operands, *program.results}) == 1
    return picks and is_one and is_recovered(result)


def _quantized(graph: Any, program: Program) -> str:
    operands, result = elementwise_program.quantized_elementwise(program)
    if _picks_stored(program, result):
        return graph.add(OPS[program.op], ["operand0", "operand1"])
    if result.storage not in ("i8", "ui8", "i16", "ui16") or result.expressed != "f32":
        raise Unsupported("i8, ui8, i16 or ui16 of f32")
    is_exact = all(is_power_of_two(each.scales[0]) for each in (*operands, result))
    if not result.has_full_range:
        raise Unsupported("saturates at the ends of the type")
    if not graph.takes_any and (result.zero_points[0] != 0 or not is_exact):
        raise Unsupported("scales that are powers of two, and no zero point of the result")
    dtype = program.results[0].dtype
    floats = [
        graph.add("DequantizeLinear", [f"operand{i}", *_parameters(graph, each, dtype)])
        for i, each in enumerate(operands)
    ]
    value = graph.add(OPS[program.op], floats)
    return graph.add("QuantizeLinear", [value, *_parameters(graph, result, dtype)])


def _elementwise(graph: Any, program: Program) -> str:
    if program.op not in OPS:
        raise Unsupported(f"no {program.op}: BitShift is of unsigned integers")
    if program.is_quantized:
        return _quantized(graph, program)
    elementwise_program.plain_elementwise(program)
    return graph.add(OPS[program.op], [f"operand{i}" for i in range(len(program.operands))])


def _reshape(graph: Any, program: Program) -> str:
    sizes = graph.integers(elementwise_program.reshaped(program))
    return graph.add("Reshape", ["operand0", sizes], allowzero=1)


def _transpose(graph: Any, program: Program) -> str:
    permutation = elementwise_program.transposed(program)
    if not permutation:  # Which ONNX's helper takes for an attribute of unknown type.
        return graph.add("Identity", ["operand0"])
    return graph.add("Transpose", ["operand0"], perm=permutation)


def _broadcast(graph: Any, program: Program) -> str:
    order, sizes = elementwise_program.broadcast(program)
    moved = "operand0"
    if order != sorted(order):
        moved = graph.add("Transpose", [moved], perm=order)
    moved = graph.add("Reshape", [moved, graph.integers(sizes)], allowzero=1)
    return graph.add("Expand", [moved, graph.integers(list(program.results[0].shape))])


def _concatenate(graph: Any, program: Program) -> str:
    dimension = elementwise_program.concatenated(program)
    names = [f"operand{i}" for i in range(len(program.operands))]
    return graph.add("Concat", names, axis=dimension)


def _slice(graph: Any, program: Program) -> str:
    found = slicing_program.sliced(program)
    if not found:
        return graph.add("Identity", ["operand0"])
    lists = [graph.integers(list(one)) for one in zip(*found)]
    return graph.add("Slice", ["operand0", *lists[:2], graph.integers(list(range(len(found)))), lists[2]])


def _pad(graph: Any, program: Program) -> str:
    found = slicing_program.padded(program)
    if not found:
        return graph.add("Identity", ["operand0"])
    ends = [low for low, _ in found] + [high for _, high in found]
    return graph.add("Pad", ["operand0", graph.integers(ends), "operand1"])


MAKERS: dict[str, Callable[[Any, Program], str]] = {
    **dict.fromkeys(elementwise_program.ELEMENTWISE, _elementwise),
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.slice": _slice,
    "stablehlo.pad": _pad,
}

# What moves beside the types that ONNX Runtime computes in.
MOVED_TYPES = ("i1", "bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")


def types(program: Program) -> tuple[str, ...]:
    """Element types of this program's op beside those of all ops."""
    return MOVED_TYPES if program.op in elementwise_program.MOVEMENTS else ()

# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops that work element by element, those that move elements and those that take parts of tensors, as nodes of
OpenVINO's opset.

Refused is what its documents leave open or have otherwise: Divide of integers rounds down in Python's opset, Sign says
nothing of NaN, BitwiseRightShift nothing of amounts beyond the width; there is no expm1 and no log1p.
"""
from __future__ import annotations

from typing import Callable

import numpy as np

from assay_worker import Program, Type, Unsupported
from openvino_backend.openvino_graph import Graph, Value
from shared_programs import elementwise_program, pointwise_program, slicing_program
from shared_programs.pointwise_program import kind_of

PLAIN = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum",
    "negate": "negative",
}  # fmt: skip
POINTWISE = {
    "divide": "divide", "remainder": "mod", "sqrt": "sqrt", "abs": "abs", "sign": "sign", "floor": "floor",
    "ceil": "ceiling", "select": "select", "exponential": "exp", "log": "log", "logistic": "sigmoid", "tanh": "tanh",
    "sine": "sin", "cosine": "cos",
}  # fmt: skip
ROUNDINGS = {"round_nearest_even": "half_to_even", "round_nearest_afz": "half_away_from_zero"}
COMPARISONS = {
    "EQ": "equal", "NE": "not_equal", "GE": "greater_equal", "GT": "greater", "LE": "less_equal", "LT": "less",
}  # fmt: skip
Results = list[Value]


def _elementwise(graph: Graph, program: Program, operands: list[Value]) -> Results:
    name = program.op.removeprefix("stablehlo.")
    if name not in PLAIN:
        raise Unsupported("shifts by amounts beyond the width are undefined")
    if program.is_quantized:
        raise Unsupported("no quantized arithmetic: OpenVINO finds it by itself in models of FakeQuantize")
    if elementwise_program.plain_elementwise(program) == "i1":
        raise Unsupported("no arithmetic of booleans")
    return [graph.add(PLAIN[name], *operands)]


def _logical(graph: Graph, name: str, is_boolean: bool, operands: list[Value]) -> Value:
    return graph.add(f"{'logical' if is_boolean else 'bitwise'}_{name}", *operands)


def _pointwise(graph: Graph, program: Program, operands: list[Value]) -> Results:
    name, kind = program.op.removeprefix("stablehlo."), kind_of(pointwise_program.checked(program))
    if name == "compare":
        return [graph.add(COMPARISONS[program.attributes["comparison_direction"]], *operands)]
    if name in ("and", "or", "xor", "not"):
        return [_logical(graph, name, kind == "b", operands)]
    if name in ROUNDINGS:
        return [graph.add("round", *operands, mode=ROUNDINGS[name])]
    if name == "clamp":
        if kind == "b":
            raise Unsupported("no bounds of booleans")
        least, operand, most = operands
        return [graph.add("minimum", graph.add("maximum", operand, least), most)]
    if name == "rsqrt":
        one = graph.number(1.0, Type(program.operands[0].element, ()))
        return [graph.add("divide", one, graph.add("sqrt", *operands))]
    if name == "divide" and kind != "f":
        raise Unsupported("Divide of integers rounds down")
    if name == "sign" and kind == "f":
        raise Unsupported("documents nothing of the sign of NaN and -0")
    if name not in POINTWISE:
        raise Unsupported(f"no op for {name}")
    return [graph.add(POINTWISE[name], *operands)]


def _reshape(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [graph.reshape(operands[0], elementwise_program.reshaped(program))]


def _transpose(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [graph.transpose(operands[0], elementwise_program.transposed(program))]


def _broadcast(graph: Graph, program: Program, operands: list[Value]) -> Results:
    order, sizes = elementwise_program.broadcast(program)
    if 0 in program.results[0].shape:  # SIGFPE or SIGSEGV where it is compiled (2026.4.1), as of scalars.
        raise Unsupported("broadcasts something")
    moved = graph.reshape(graph.transpose(operands[0], order), sizes)
    if tuple(sizes) == program.results[0].shape:
        return [moved]
    return [graph.add("broadcast", moved, graph.integers(program.results[0].shape))]


def _concatenate(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [graph.concat(operands, elementwise_program.concatenated(program))]


def _part(graph: Graph, value: Value, ends: list[tuple[int, int, int]]) -> Value:
    lists = [graph.integers(list(one)) for one in zip(*ends)]
    return graph.add("slice", value, *lists) if ends else value


def _slice(graph: Graph, program: Program, operands: list[Value]) -> Results:
    return [_part(graph, operands[0], slicing_program.sliced(program))]


def _reverse(graph: Graph, program: Program, operands: list[Value]) -> Results:
    dims = slicing_program.reversed_dimensions(program)
    sizes = program.operands[0].shape
    ends = [(-1, -size - 1, -1) if dim in dims else (0, size, 1) for dim, size in enumerate(sizes)]
    return [_part(graph, operands[0], ends)]


def _pad(graph: Graph, program: Program, operands: list[Value]) -> Results:
    found = slicing_program.padded(program)
    if not found:
        return [operands[0]]
    low, high = (graph.integers(list(one)) for one in zip(*found))
    node = graph.opset.pad(operands[0].node, low.node, high.node, "constant", operands[1].node)
    words = ", ".join([operands[0].name, low.name, high.name, '"constant"', operands[1].name])
    return [graph.keep(node, f"ops.pad({words})")]


def _gather(graph: Graph, program: Program, operands: list[Value]) -> Results:
    """Gather, with indices clamped first as StableHLO has it."""
    found, (data, indices) = slicing_program.gathered_rows(program), program.operands
    if indices.element not in ("i32", "i8", "ui8"):
        raise Unsupported(f"indices of {indices.element}: the plugin has those of 32 bits")
    if 0 in data.shape or 0 in indices.shape:  # SIGFPE where it is compiled (2026.4.1).
        raise Unsupported("gathers something")
    where = graph.reshape(graph.convert(operands[1], Type("i32", ())), found.rows)
    where = graph.add("maximum", where, graph.constant(np.array(0, np.int32)))
    where = graph.add("minimum", where, graph.constant(np.array(data.shape[found.axis] - 1, np.int32)))
    others = [dim for dim in range(len(data.shape)) if dim != found.axis]
    front = graph.transpose(operands[0], [found.axis, *others])
    taken = graph.add("gather", front, where, graph.integers([0]))
    return [graph.transpose(taken, sorted(range(len(found.order)), key=lambda dim: found.order[dim]))]


MAKERS: dict[str, Callable[[Graph, Program, list[Value]], Results]] = {
    **dict.fromkeys(elementwise_program.ELEMENTWISE, _elementwise),
    **dict.fromkeys(pointwise_program.OPS, _pointwise),
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.slice": _slice,
    "stablehlo.reverse": _reverse,
    "stablehlo.pad": _pad,
    "stablehlo.gather": _gather,
}

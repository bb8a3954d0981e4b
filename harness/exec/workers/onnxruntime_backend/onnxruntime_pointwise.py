# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops that do one thing to each element, comparisons and choices among them, as ONNX graphs: Div, Mod,
Sqrt, Abs, Sign, Floor, Ceil, Round, And, Or, Xor, Not, Bitwise*, Equal, Less, Greater, Where, Max and Min; Exp,
Log, Sigmoid, Tanh, Sin and Cos; and Reciprocal of Sqrt."""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program, Unsupported
from shared_programs import pointwise_program
from shared_programs.pointwise_program import kind_of

NODES = {
    "divide": "Div", "sqrt": "Sqrt", "abs": "Abs", "sign": "Sign", "floor": "Floor", "ceil": "Ceil",
    "round_nearest_even": "Round", "select": "Where", "exponential": "Exp", "log": "Log", "logistic": "Sigmoid",
    "tanh": "Tanh", "sine": "Sin", "cosine": "Cos",
}  # fmt: skip
LOGICAL = {"and": "And", "or": "Or", "xor": "Xor", "not": "Not"}
COMPARISONS = {"EQ": "Equal", "GE": "GreaterOrEqual", "GT": "Greater", "LE": "LessOrEqual", "LT": "Less"}


def _pointwise(graph: Any, program: Program) -> str:
    name, element = program.op.removeprefix("stablehlo."), pointwise_program.checked(program)
    names = [f"operand{i}" for i in range(len(program.operands))]
    kind = kind_of(element)
    if name == "compare":
        direction = program.attributes["comparison_direction"]
        if direction == "NE":
            return graph.add("Not", [graph.add("Equal", names)])
        return graph.add(COMPARISONS[direction], names)
    if name in LOGICAL:
        return graph.add(LOGICAL[name] if kind == "b" else f"Bitwise{LOGICAL[name]}", names)
    if name == "clamp":
        least, operand, most = names  # Clip says nothing of NaN.
        return graph.add("Min", [graph.add("Max", [operand, least]), most])
    if name == "sign" and kind == "f":
        raise Unsupported("ONNX says nothing of the sign of NaN and -0")
    if name == "remainder":
        return graph.add("Mod", names, fmod=1)  # Of integers too: with the sign of the dividend.
    if name == "rsqrt":
        return graph.add("Reciprocal", [graph.add("Sqrt", names)])
    if name not in NODES:
        raise Unsupported(f"no op for {name}")
    return graph.add(NODES[name], names)


MAKERS: dict[str, Callable[[Any, Program], str]] = dict.fromkeys(pointwise_program.OPS, _pointwise)


def types(program: Program) -> tuple[str, ...]:
    """Element types of this program's op beside those of all ops."""
    is_one = program.op in ("stablehlo.and", "stablehlo.or", "stablehlo.xor", "stablehlo.not", "stablehlo.select")
    return ("i1",) if is_one or program.op == "stablehlo.compare" else ()

# SPDX-License-Identifier: Apache-2.0
"""The ops that do one thing to each element, comparisons and choices among them, taken apart and checked, for
backends that would broadcast, promote or guess where StableHLO has a rule."""
from __future__ import annotations

from assay_worker import Invalid, Program, Unsupported

BINARY = ("divide", "remainder", "and", "or", "xor")
FUNCTIONS = ("exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "rsqrt", "sine",
             "cosine")  # fmt: skip
UNARY = ("sqrt", "abs", "sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "not", *FUNCTIONS)
OPS = tuple(f"stablehlo.{name}" for name in (*BINARY, *UNARY, "compare", "select", "clamp"))
DIRECTIONS = ("EQ", "NE", "GE", "GT", "LE", "LT")
KINDS = {
    "divide": "iufc", "remainder": "iufc", "sqrt": "fc", "abs": "ifc", "sign": "ifc", "floor": "f", "ceil": "f",
    "round_nearest_even": "f", "round_nearest_afz": "f", "and": "biu", "or": "biu", "xor": "biu", "not": "biu",
    **dict.fromkeys(FUNCTIONS, "fc"),
}  # fmt: skip
COMPARED = {"FLOAT": "fc", "TOTALORDER": "f", "SIGNED": "i", "UNSIGNED": "ub"}


def kind_of(element: str) -> str:
    """A letter: b(oolean), i(nteger with a sign), u(nsigned), f(loat), c(omplex)."""
    if element == "i1":
        return "b"
    return {"i": "i", "u": "u", "c": "c"}.get(element[0], "f")


def _check(holds: bool, rule: str) -> None:
    if not holds:
        raise Invalid(rule)


def _compared(program: Program) -> None:
    left, right = program.operands
    (result,) = program.results
    _check(left.element == right.element, "C1: one element type")
    _check(left.shape == right.shape == result.shape, "C2: one shape")
    _check(result.element == "i1", "booleans")
    kind = program.attributes.get("compare_type")
    _check(kind is None or kind_of(left.element) in COMPARED[kind], "C3: the type that is compared")
    if kind == "TOTALORDER":
        raise Unsupported("no total order")


def _selected(program: Program) -> None:
    pred, first, second = program.operands
    _check(pred.element == "i1", "a predicate of booleans")
    _check(pred.shape in ((), first.shape), "C1: a scalar, or the shape of the others")
    _check(first == second == program.results[0], "C2: one type")


def _clamped(program: Program) -> None:
    least, operand, most = program.operands
    _check(least.shape in ((), operand.shape), "C1: a scalar, or the shape of the operand")
    _check(most.shape in ((), operand.shape), "C2: a scalar, or the shape of the operand")
    _check(least.element == operand.element == most.element, "C3: one element type")
    _check(operand == program.results[0], "C4: the type of the operand")


def checked(program: Program) -> str:
    """The element type that a program without quantized types computes with."""
    name = program.op.removeprefix("stablehlo.")
    if program.is_quantized:
        raise Unsupported("nothing quantized")
    arity = 3 if name in ("select", "clamp") else 1 if name in UNARY else 2
    _check(len(program.operands) == arity and len(program.results) == 1, "as many operands as the op takes")
    if name == "compare":
        _compared(program)
    elif name == "select":
        _selected(program)
    elif name == "clamp":
        _clamped(program)
    else:
        element = program.operands[0].element
        _check(kind_of(element) in KINDS[name], "an element type that the op has")
        is_magnitude = name == "abs" and kind_of(element) == "c"
        _check(is_magnitude or len({*program.operands, *program.results}) == 1, "C1: one type")
        if is_magnitude:
            raise Unsupported("no magnitude of complex numbers")
    return program.operands[1 if arity == 3 else 0].element

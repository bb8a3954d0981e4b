# SPDX-License-Identifier: Apache-2.0
"""What a module says that results are: StableHLO's dialect `check`, as ops of it or as custom calls of their names.

    check.expect_eq, expect_almost_eq, expect_close     two values; of older versions custom calls of check.eq
    check.expect_eq_const, check.eq, check.almost_eq    a value, and the attribute `value`

Whatever one of them tolerates, the data are what is expected.
"""
from __future__ import annotations

from typing import Any

from jaxlib.mlir import ir

import elements
from module import Node, Value
from words import Unknown

CALLS = ("stablehlo.custom_call", "mhlo.custom_call")
CONSTANTS = ("stablehlo.constant", "mhlo.constant", "arith.constant")
VIEW = "stablehlo.bitcast_convert"  # Of quantized values, which no check takes, and of their bits.
PREFIX = "check."
OF_VALUES = ("check.expect_eq", "check.expect_almost_eq", "check.expect_close", "check.eq", "check.almost_eq")
OF_CONSTANTS = ("check.expect_eq_const", "check.expect_almost_eq_const", "check.eq", "check.almost_eq")


def check_name(node: Node) -> str | None:
    """The name of the check, or None."""
    if node.name.startswith(PREFIX):
        return node.name
    if node.name.removeprefix("assay.") in CALLS:  # That was not verified.
        called = ir.StringAttr(node.attributes["call_target_name"]).value
        return called if called.startswith(PREFIX) else None
    return None


def is_view(node: Node) -> bool:
    """The same bits in a quantized type, or out of it: no op of a case."""
    if node.name != VIEW:
        return False
    kinds = [str(node.operands[0].type), str(node.results[0].type)]
    return any("!quant." in kind for kind in kinds)


def seen_through(value: Value) -> Value:
    while value.node is not None and is_view(value.node):
        value = value.node.operands[0]
    return value


def storage(kind: ir.Type) -> str:
    """The element of the bits of such a tensor: of a quantized one that of its storage."""
    element = str(ir.ShapedType(kind).element_type)
    if not element.startswith("!quant."):
        return element
    word = element.partition("<")[2].partition(":")[0].partition("<")[0]
    return word if word.startswith("i") else f"ui{word[1:]}"


def digits(node: Node, kind: ir.Type) -> str:
    """The data of a node's attribute `value`, of a tensor of that type."""
    return elements.dense(node, elements.Kind(storage(kind), tuple(ir.ShapedType(kind).shape))) or "-"


def data(value: Value) -> str:
    """The digits of a constant, seen in whatever type; "*" of what is none."""
    source = seen_through(value)
    if source.node is None or source.node.name not in CONSTANTS:
        return "*"
    return digits(source.node, source.type)


class Expectations:
    """What the checks of a module say of an op's results."""

    def __init__(self, checks: list[Node], of: Node) -> None:
        self.found: dict[int, str] = {}
        self.of = of
        for node in checks:
            self._take(node)

    def _take(self, node: Node) -> None:
        name = check_name(node)
        values = [seen_through(value) for value in node.operands]
        if name in OF_CONSTANTS and "value" in _names(node.op) and len(values) == 1:
            expected = digits(node, node.operands[0].type)
        elif name in OF_VALUES and len(values) == 2:
            values.sort(key=lambda value: value.node is not self.of)
            expected = data(values[1])
        else:
            raise Unknown(f"{name} is no check that is known here: {', '.join(OF_VALUES[:3])} of two values, or "
                          f"{' and '.join(OF_CONSTANTS[:2])} are")  # fmt: skip
        if values[0].node is not self.of:
            raise Unknown(f"{name} checks no result of it")
        if expected == "*":
            raise Unknown(f"what {name} expects is no constant")
        before = self.found.setdefault(values[0].index, expected)
        if before != expected:
            raise Unknown(f"two checks expect different data of result {values[0].index}")

    def lines(self) -> list[str]:
        return [self.found.get(index, "*") for index in range(len(self.of.results))]


def _names(op: Any) -> list[str]:
    return [item if isinstance(item, str) else item.name for item in op.operation.attributes]

# SPDX-License-Identifier: Apache-2.0
"""Writes StableHLO modules of one function as text, op by op."""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Sequence

import numpy as np

from assay_worker import Program, Type


def mlir_type(element: str, shape: Sequence[int]) -> str:
    sizes = "".join("?x" if size < 0 else f"{size}x" for size in shape)
    return f"tensor<{sizes}{element}>"


def mlir_types(types: Sequence[Type]) -> str:
    return ", ".join(mlir_type(kind.element, kind.shape) for kind in types)


@dataclass(frozen=True)
class Value:
    name: str
    kind: Type

    @property
    def shape(self) -> tuple[int, ...]:
        return self.kind.shape


def kinds(values: Sequence[Value]) -> list[Type]:
    return [value.kind for value in values]


class Block:
    """A list of ops, each of which takes values and gives one, or several."""

    def __init__(self, counter: list[int]) -> None:
        self.lines: list[str] = []
        self.counter = counter  # Shared by all blocks of a module.

    def name(self) -> str:
        self.counter[0] += 1
        return f"%v{self.counter[0]}"

    def ops(self, op: str, inputs: Sequence[Value], results: Sequence[Type],
            attributes: str = "", region: str = "") -> list[Value]:  # fmt: skip
        values = [Value(self.name(), kind) for kind in results]
        self.lines.append(
            f"{', '.join(value.name for value in values)} = \"{op}\"("
            f"{', '.join(value.name for value in inputs)}) {region} {{{attributes}}} : "
            f"({mlir_types(kinds(inputs))}) -> ({mlir_types(results)})"
        )
        return values

    def op(self, op: str, *inputs: Value, kind: Type | None = None, attributes: str = "") -> Value:
        """stablehlo's op, with a result of the first operand's type unless told otherwise."""
        return self.ops(f"stablehlo.{op}", inputs, [kind or inputs[0].kind], attributes)[0]

    def constant(self, value: object, kind: Type) -> Value:
        """A tensor full of one number, rounded to its type."""
        number = np.array(value).astype(kind.dtype)
        if kind.element == "i1":
            text = "true" if number else "false"
        elif kind.element.lstrip("u").startswith("i"):
            text = str(int(number))
        else:
            text = "0x" + number.tobytes()[::-1].hex().upper()
        attribute = f"value = dense<{text}> : {mlir_type(kind.element, kind.shape)}"
        return self.ops("stablehlo.constant", [], [kind], attribute)[0]

    def like(self, value: object, other: Value) -> Value:
        return self.constant(value, other.kind)

    def convert(self, value: Value, element: str) -> Value:
        return self.op("convert", value, kind=replace(value.kind, element=element))

    def spread(self, value: Value, shape: Sequence[int], dims: Sequence[int]) -> Value:
        """broadcast_in_dim: dimension i of the value becomes dims[i] of the shape."""
        kind = Type(value.kind.element, tuple(shape))
        listed = f"array<i64{':' if dims else ''} {', '.join(map(str, dims))}>"
        attribute = f"broadcast_dimensions = {listed}"
        return self.op("broadcast_in_dim", value, kind=kind, attributes=attribute)

    def compare(self, direction: str, left: Value, right: Value) -> Value:
        kind = Type("i1", left.shape)
        attribute = f"comparison_direction = #stablehlo<comparison_direction {direction}>"
        return self.op("compare", left, right, kind=kind, attributes=attribute)

    def iota(self, kind: Type, dim: int) -> Value:
        return self.ops("stablehlo.iota", [], [kind], f"iota_dimension = {dim} : i64")[0]

    def region(self, elements: Sequence[str],
               body: Callable[[Block, list[Value]], Sequence[Value]]) -> str:  # fmt: skip
        """A region of scalars."""
        block = Block(self.counter)
        arguments = [Value(self.name(), Type(element, ())) for element in elements]
        results = body(block, arguments)
        listed = ", ".join(
            f"{value.name}: {mlir_type(value.kind.element, ())}" for value in arguments
        )
        names = ", ".join(value.name for value in results)
        block.lines.append(f'"stablehlo.return"({names}) : ({mlir_types(kinds(results))}) -> ()')
        return "({ ^bb0(" + listed + "): " + "\n".join(block.lines) + " })"

    def reduces(self, inputs: Sequence[Value], inits: Sequence[Value], dims: Sequence[int],
                body: Callable[[Block, list[Value]], Sequence[Value]]) -> list[Value]:  # fmt: skip
        kept = tuple(size for dim, size in enumerate(inputs[0].shape) if dim not in dims)
        elements = [value.kind.element for value in inputs]
        listed = f"array<i64{':' if dims else ''} {', '.join(map(str, dims))}>"
        attribute = f"dimensions = {listed}"
        results = [Type(element, kept) for element in elements]
        region = self.region(elements * 2, body)
        return self.ops("stablehlo.reduce", [*inputs, *inits], results, attribute, region)

    def fold(self, op: str, value: Value, init: float, dims: Sequence[int]) -> Value:
        """A reduction by one op, spread over the shape of its operand again."""
        start = self.constant(init, Type(value.kind.element, ()))
        (folded,) = self.reduces(
            [value], [start], dims, lambda block, pair: [block.op(op, pair[0], pair[1])]
        )
        kept = [dim for dim in range(len(value.shape)) if dim not in dims]
        return self.spread(folded, value.shape, kept)


def module(program: Program, body: Callable[[Block, list[Value]], Sequence[Value]]) -> Program:
    """The program with a module that does what `body` writes."""
    block = Block([0])
    operands = [Value(f"%arg{i}", kind) for i, kind in enumerate(program.operands)]
    results = body(block, operands)
    if kinds(results) != program.results:
        raise TypeError(f"{mlir_types(kinds(results))}, not {mlir_types(program.results)}")
    arguments = ", ".join(
        f"{value.name}: {mlir_type(value.kind.element, value.shape)}" for value in operands
    )
    names = ", ".join(value.name for value in results)
    lines = "\n".join(block.lines)
    text = f"""module {{
func.func @main({arguments}) -> ({mlir_types(program.results)}) {{
{lines}
return {names} : {mlir_types(program.results)}
}}
}}
"""
    return replace(program, mlir=text)

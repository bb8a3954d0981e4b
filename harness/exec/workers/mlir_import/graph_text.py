# SPDX-License-Identifier: Apache-2.0
"""A graph as it is written (harness/quant/graph/graph.md); behind each line, as a comment, where in the
module it comes from."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Callable, Union

from elements import Kind
from source_text import Place

NAME_BYTES = 200  # Of 256: subprograms get a call's name in front, and others a number behind.


@dataclass(eq=False)
class Tensor:
    """A value of a graph, or a tensor inside of a region."""

    hint: str  # What it would like to be called.
    kind: Kind
    offset: int
    spec: str | None = None
    data: str | None = None  # Of a constant, as digits.


@dataclass(eq=False)
class Op:
    name: str
    words: str
    operands: list[Tensor]
    results: list[Tensor]
    offset: int
    path: str | None = None  # "call/name", where it stands, if its first result does not say so.


@dataclass(eq=False)
class Port:
    value: Tensor
    inner: Tensor | None  # None of rescales.
    spec: str | None


@dataclass(eq=False)
class Region:
    name: str
    kernel: str
    inputs: list[Port]
    outputs: list[Port]
    body: Body
    offset: int


@dataclass(eq=False)
class Call:
    name: str
    callee: Scope
    arguments: list[Tensor]
    results: list[Tensor]
    offset: int


Item = Union[Op, Region, Call]


@dataclass(eq=False)
class Body:
    constants: list[Tensor] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    constrained: list[Tensor] = field(default_factory=list)  # Made here, in order.


@dataclass(eq=False)
class Scope:
    """A graph, or a subprogram."""

    name: str
    offset: int
    inputs: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    body: Body = field(default_factory=Body)


class Names:
    """Names of one kind in one block: each once."""

    def __init__(self) -> None:
        self.taken: set[str] = set()
        self.of: dict[object, str] = {}

    def give(self, thing: object, hint: str) -> str:
        plain = re.sub(r"[^A-Za-z0-9_.\-]", ".", hint)[:NAME_BYTES] or "value"
        name, number = plain, 1
        while name in self.taken:
            number += 1
            name = f"{plain}.{number}"
        self.taken.add(name)
        self.of[thing] = name
        return name


class Printer:
    def __init__(self, place: Callable[[int], Place]) -> None:
        self.place = place
        self.definitions: list[str] = []
        self.subprograms: dict[str, str] = {}  # By name and text.
        self.taken: set[str] = set()

    def line(self, text: str, offset: int) -> str:
        place = self.place(offset)
        return f"{text} # {place.line}:{place.column}\n"

    # ---- Names -------------------------------------------------------------------------------

    def _values(self, scope: Scope) -> Names:
        names = Names()
        made = [tensor for item in scope.body.items for tensor in _made(item)]
        for tensor in [*scope.inputs, *scope.body.constants, *made]:
            names.give(tensor, tensor.hint)
        return names

    # ---- Lines -------------------------------------------------------------------------------

    def _constant(self, tensor: Tensor, name: str, indent: str, with_spec: bool) -> str:
        spec = f" {tensor.spec}" if with_spec and tensor.spec else ""
        data = f"0x{tensor.data}" if tensor.data else "[]"
        return self.line(f"{indent}constant {name} {tensor.kind}{spec} = {data}", tensor.offset)

    def _op(self, op: Op, names: Names, indent: str) -> str:
        results = ", ".join(names.of[tensor] for tensor in op.results)
        operands = ", ".join(names.of[tensor] for tensor in op.operands)
        words = f" {op.words}" if op.words else ""
        types = "".join(f" {tensor.kind}" for tensor in op.operands)
        made = " ".join(str(tensor.kind) for tensor in op.results)
        return self.line(f"{indent}op {results} = {op.name}({operands}){words}{types} -> {made}", op.offset)

    def _region(self, region: Region, name: str, values: Names, indent: str) -> str:
        lines = [self.line(f"{indent}region {name} {region.kernel}", region.offset)]
        deeper = indent + "  "
        inner = Names()
        for port in region.inputs:
            outer = values.of[port.value]
            own = outer if port.inner is None else inner.give(port.inner, port.inner.hint)
            renamed = "" if own == outer else f" as {own}"
            spec = f" {port.spec}" if port.spec else ""
            lines.append(self.line(f"{deeper}in {outer}{renamed}{spec}", region.offset))
        for port in region.outputs:
            spec = f" {port.spec}" if port.spec else ""
            lines.append(self.line(f"{deeper}out {values.of[port.value]} {port.value.kind}{spec}", region.offset))
        if region.kernel != "rescale":
            lines.append(self._region_body(region, inner, deeper))
        return "".join(lines) + self.line(f"{indent}end", region.offset)

    def _region_body(self, region: Region, inner: Names, indent: str) -> str:
        lines, constrained = [], []
        for tensor in region.body.constants:
            lines.append(self._constant(tensor, inner.give(tensor, tensor.hint), indent, False))
            constrained.append(tensor)
        for item in region.body.items:
            for tensor in _made(item):
                inner.give(tensor, tensor.hint)
                constrained.append(tensor)
            assert isinstance(item, Op)
            lines.append(self._op(item, inner, indent))
        for tensor in constrained:
            if tensor.spec:
                lines.append(self.line(f"{indent}value {inner.of[tensor]} {tensor.spec}", tensor.offset))
        returned = ", ".join(inner.of[port.inner] for port in region.outputs)
        return "".join(lines) + self.line(f"{indent}return {returned}", region.offset)

    def _body(self, scope: Scope, values: Names, indent: str) -> str:
        regions, calls = Names(), Names()
        lines = [self._constant(one, values.of[one], indent, True) for one in scope.body.constants]
        for item in scope.body.items:
            for tensor in _made(item):
                if tensor.spec and tensor in values.of:
                    lines.append(self.line(f"{indent}value {values.of[tensor]} {tensor.spec}", tensor.offset))
        for item in scope.body.items:
            if isinstance(item, Op):
                lines.append(self._op(item, values, indent))
            elif isinstance(item, Region):
                lines.append(self._region(item, regions.give(item, item.name), values, indent))
            else:
                arguments = ", ".join(values.of[tensor] for tensor in item.arguments)
                results = ", ".join(values.of[tensor] for tensor in item.results)
                name = calls.give(item, item.name)
                callee = self.subprogram(item.callee)
                lines.append(self.line(f"{indent}call {name} {callee}({arguments}) -> ({results})", item.offset))
        return "".join(lines)

    def subprogram(self, scope: Scope) -> str:
        """Its name; its text is among the definitions then.  Scopes that read alike are one."""
        values = self._values(scope)
        arguments = ", ".join(f"{values.of[one]}: {one.kind}" for one in scope.inputs)
        results = ", ".join(values.of[one] for one in scope.outputs)
        body = self._body(scope, values, "  ")
        header = f"({arguments}) -> ({results})"
        key = scope.name + re.sub(r" # \d+:\d+\n", "\n", header + body)
        if key not in self.subprograms:
            name, number = scope.name, 1
            while name in self.taken:
                number += 1
                name = f"{scope.name}.{number}"
            self.taken.add(name)
            self.subprograms[key] = name
            self.definitions.append(self.line(f"subprogram {name}{header}", scope.offset) + body
                                    + self.line("end", scope.offset))  # fmt: skip
        return self.subprograms[key]

    def graph(self, scope: Scope) -> str:
        values = self._values(scope)
        lines = [self.line(f"graph {scope.name}", scope.offset)]
        for tensor in scope.inputs:
            spec = f" {tensor.spec}" if tensor.spec else ""
            lines.append(self.line(f"input {values.of[tensor]} {tensor.kind}{spec}", tensor.offset))
        lines.append(self._body(scope, values, ""))
        for tensor in scope.outputs:
            lines.append(self.line(f"output {values.of[tensor]}", tensor.offset))
        return "".join(lines) + "".join(self.definitions)


def _made(item: Item) -> list[Tensor]:
    return [port.value for port in item.outputs] if isinstance(item, Region) else item.results

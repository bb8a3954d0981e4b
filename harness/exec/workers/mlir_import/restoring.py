# SPDX-License-Identifier: Apache-2.0
"""What quant_graph_print_mlir() says of a graph beside its ops, in attributes of the function.

    quant.values = {"name" = spec, ...}          constraints on what regions and ops make
    quant.ports = {"region" = [spec, ...], ...}  the ports' own, where input_specs and output_specs say what
                                                 was made of these and of the values'
    quant.inners = {"region" = {"tensor" = spec, ...}, ...}
    quant.ops = {"value" = "call/name", ...}     where an op stands whose first result is the caller's value
    quant.calls = [{name = "...", subprogram = "...", values = ["...", ...], formals = ["...", ...],
                    arguments = N : i64}, ...]   of which call what is called "call/name" was made
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jaxlib.mlir import ir

from graph_text import Body, Call, Op, Region, Scope, Tensor, _made
from module import Function
from translation import spec_of


@dataclass
class Said:
    """One of quant.calls."""

    name: str
    subprogram: str
    values: list[str]
    formals: list[str]
    argument_count: int


def entries(attributes: Any, key: str) -> dict[str, Any]:
    return {item.name: item.attr for item in attributes[key]} if key in attributes else {}


def parent(name: str) -> str:
    return name.rpartition("/")[0]


def local(name: str) -> str:
    return name.rpartition("/")[2]


def _specs(attributes: Any, scope: Scope) -> None:
    values = entries(attributes, "quant.values")
    ports = entries(attributes, "quant.ports")
    inners = entries(attributes, "quant.inners")
    paths = entries(attributes, "quant.ops")
    for item in scope.body.items:
        for tensor in _made(item):
            if tensor.hint in values:
                tensor.spec = spec_of(values[tensor.hint])
        if isinstance(item, Op) and item.results[0].hint in paths:
            item.path = paths[item.results[0].hint].value
        if not isinstance(item, Region):
            continue
        if item.name in ports:
            for port, spec in zip([*item.inputs, *item.outputs], ports[item.name]):
                port.spec = spec_of(spec) or "unit"
        own = entries(inners, item.name) if item.name in inners else {}
        for tensor in [*item.body.constants, *(made for op in item.body.items for made in _made(op))]:
            if tensor.hint in own:
                tensor.spec = spec_of(own[tensor.hint])


def _calls(attributes: Any) -> list[Said]:
    calls = []
    for one in attributes["quant.calls"] if "quant.calls" in attributes else []:
        given = {item.name: item.attr for item in ir.DictAttr(one)}
        lists = [[word.value for word in given[key]] for key in ("values", "formals")]
        calls.append(Said(given["name"].value, given["subprogram"].value, *lists, given["arguments"].value))
    return calls


def _where(item: Any) -> str:
    """The call that an item stands in."""
    if isinstance(item, Region):
        return parent(item.name)
    return parent(item.path if item.path is not None else item.results[0].hint)


def _order(item: Any) -> tuple[bool, str]:
    return isinstance(item, Op), item.name if isinstance(item, Region) else item.path or item.results[0].hint


class Splitter:
    """Puts what calls made back into subprograms, one for each call; Printer joins those alike."""

    def __init__(self, scope: Scope, calls: list[Said]) -> None:
        self.scope = scope
        self.calls = {call.name: call for call in calls}
        everything = [*scope.inputs, *scope.body.constants,
                      *(tensor for item in scope.body.items for tensor in _made(item))]  # fmt: skip
        self.tensors = {tensor.hint: tensor for tensor in everything}

    def split(self, path: str) -> Scope:
        call = self.calls.get(path)
        mine: dict[Tensor, Tensor] = {}  # What a value is called here.
        scope = Scope(call.subprogram if call else self.scope.name, self.scope.offset)
        if call is not None:
            for index, (name, formal) in enumerate(zip(call.values, call.formals)):
                outer = self.tensors[name]
                is_argument = index < call.argument_count
                inner = Tensor(formal, outer.kind, outer.offset)
                mine.setdefault(outer, inner)  # What is an argument twice goes by the first name.
                (scope.inputs if is_argument else scope.outputs).append(inner)
        else:
            scope.inputs, scope.outputs = self.scope.inputs, self.scope.outputs

        def here(tensor: Tensor) -> Tensor:
            if tensor in mine:
                return mine[tensor]
            if path == "":
                return tensor
            mine[tensor] = Tensor(local(tensor.hint), tensor.kind, tensor.offset, tensor.spec, tensor.data)
            return mine[tensor]

        scope.body.constants = [here(one) for one in self.scope.body.constants if parent(one.hint) == path]
        mine_alone = [item for item in self.scope.body.items if _where(item) == path]
        if path != "":  # The module's order depends on what is around a call, and copies are alike.
            mine_alone.sort(key=_order)
        scope.body.items = [self._moved(item, here) for item in mine_alone]
        for name, inner_call in self.calls.items():
            if parent(name) == path:
                outer = [here(self.tensors[value]) for value in inner_call.values]
                count = inner_call.argument_count
                callee = self.split(name)
                scope.body.items.append(Call(local(name), callee, outer[:count], outer[count:], self.scope.offset))
        return scope

    def _moved(self, item: Any, here: Any) -> Any:
        if isinstance(item, Op):
            operands = [here(one) for one in item.operands]
            return Op(item.name, item.words, operands, [here(one) for one in item.results], item.offset)
        for port in [*item.inputs, *item.outputs]:
            port.value = here(port.value)
        return Region(local(item.name), item.kernel, item.inputs, item.outputs, item.body, item.offset)


def restore(function: Function, scope: Scope) -> Scope:
    attributes = function.op.operation.attributes
    _specs(attributes, scope)
    calls = _calls(attributes)
    return Splitter(scope, calls).split("") if calls else scope

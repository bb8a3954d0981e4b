# SPDX-License-Identifier: Apache-2.0
"""The ops of a whole module, each distinct one once: how often it is there, what case line it is or why it is none,
and how many arithmetic operations it does.

Calls count as often as they are made, and what they call is not copied, so that a function that is called a thousand
times is looked at once.  The bodies of `while`, `case` and `if` are part of the module, as often as they stand there:
how often they run is not known.  Bodies of reductions, sorts and the like are a part of their op.
"""
from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator

from jaxlib.mlir import ir

import elements
import programs
import words
import work
from module import BYTECODE, Block, Node, Reader, Value, inlined_function, parse_bytecode
from source_text import ImportFailure, Place

CONTROL = ("stablehlo.while", "stablehlo.case", "stablehlo.if", "mhlo.while", "mhlo.case", "mhlo.if")
LEFT_OUT = (*programs.checks.CONSTANTS, *programs.ENDS, "func.func")
ATTRIBUTES_MAX = 300  # Of the text of those of ops that are no cases.
COUNT_MAX = 2**53  # What functions that call others many times, 64 deep, come to is no integer of JSON.
SOURCE_PLACE = re.compile(r'"([^"]+)":(\d+):(\d+)')
LOOPS = ("stablehlo.while", "mhlo.while")


@dataclass
class Item:
    """A distinct op."""

    op: str
    line: str | None  # A program line, sizes that are not known being "?" alone.
    types: str
    attributes: str
    why: str  # There is no line.
    place: str
    work: int  # Of one of them.


@dataclass
class Count:
    all: int = 0
    in_loops: int = 0


Counts = dict[str, Count]


@dataclass
class Contents:
    """Of a function: its own ops by their key, and its calls; of both how many, and how many of them in loops."""

    items: Counts = field(default_factory=dict)
    calls: Counts = field(default_factory=dict)


def _add(counts: Counts, key: str, times: int, in_loops: int) -> None:
    found = counts.setdefault(key, Count())
    found.all += times
    found.in_loops += in_loops


def _node(op: Any, known: dict[Any, Value]) -> Node:
    operation = op.operation
    node = Node(op, operation.name, 0, [known.get(one) or Value(None, one.type) for one in operation.operands], [], [], "")
    node.results = [Value(None, one.type, node, index) for index, one in enumerate(operation.results)]
    if operation.name not in CONTROL:
        node.blocks = [_block(block) for region in operation.regions for block in region]
    return node


def _block(block: Any) -> Block:
    known = {one: Value(None, one.type, None, index) for index, one in enumerate(block.arguments)}
    nodes = []
    arguments = list(known.values())
    for op in block.operations:
        node = _node(op, known)
        known.update(zip(op.operation.results, node.results))
        nodes.append(node)
    return Block(arguments, nodes)


def _types(operation: Any) -> str:
    operands = ", ".join(str(one.type) for one in operation.operands)
    results = ", ".join(str(one.type) for one in operation.results)
    return f"({operands}) -> ({results})"


def _key(operation: Any, names: dict[Any, int]) -> str:
    """Alike ops have the same: all but the names of values, and places.  (MLIR's own text of a region takes as long as
    all of its function does.)  `names` are the values of the region that the op stands in."""
    attributes = ",".join(f"{name}={value}" for name, value in _said(operation))
    bodies = []
    for region in operation.regions:
        for block in region:
            names.update((one, len(names) + index) for index, one in enumerate(block.arguments))
            bodies.append(",".join(str(one.type) for one in block.arguments))
            for op in block.operations:
                used = ",".join(str(names.get(one, "?")) for one in op.operation.operands)
                bodies.append(f"({used})" + _key(op.operation, names))
                names.update((one, len(names) + index) for index, one in enumerate(op.operation.results))
    return f"{operation.name}{{{attributes}}}{_types(operation)}[{';'.join(bodies)}]"


def _called(operation: Any) -> str | None:
    """What a call calls, or a composite stands for that is no case."""
    if operation.name == "stablehlo.composite":
        if ir.StringAttr(operation.attributes["name"]).value in words.CUSTOM_KEYS:
            return None
        return ir.FlatSymbolRefAttr(operation.attributes["decomposition"]).value
    return inlined_function(operation)


class Listing:
    def __init__(self, functions: dict[str, Any], place: Callable[[Any], str]) -> None:
        self.functions = functions
        self.place = place
        self.items: dict[str, Item] = {}
        self.contents: dict[str, Contents] = {}
        self.totals: dict[str, Counts] = {}
        self.open: list[str] = []  # Functions that are being added up.

    # ---- One function ------------------------------------------------------------------------

    def _take(self, op: Any, contents: Contents, is_in_loop: bool) -> None:
        operation = op.operation
        if operation.name in LEFT_OUT:
            return
        called = _called(operation)
        if called is not None and called in self.functions and len(self.functions[called].operation.regions[0].blocks) > 0:
            _add(contents.calls, called, 1, int(is_in_loop))
            return
        if operation.name in CONTROL:
            is_in_loop = is_in_loop or operation.name in LOOPS
            for region in operation.regions:
                for block in region:
                    for inner in block.operations:
                        self._take(inner, contents, is_in_loop)
            return
        key = _key(operation, {})
        if key not in self.items:
            self.items[key] = self._item(op)
        _add(contents.items, key, 1, int(is_in_loop))

    def _item(self, op: Any) -> Item:
        node = _node(op, {})
        item = Item(op.operation.name, None, _types(op.operation), "", "", self.place(op), 0)
        try:
            item.line = programs.program_line(node)
        except (words.Unknown, elements.UnknownType) as error:
            item.why = str(error)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            item.why = f"it is not as it is known here ({type(error).__name__}: {error})"
        try:
            item.work = work.operations(node)
        except (AttributeError, LookupError, TypeError, ValueError):
            item.work = 0
        if item.line is None:
            said = ", ".join(f"{name} = {value}" for name, value in _said(op.operation))
            item.attributes = said if len(said) <= ATTRIBUTES_MAX else said[: ATTRIBUTES_MAX - 3] + "..."
        return item

    def _contents(self, name: str) -> Contents:
        if name not in self.contents:
            found = Contents()
            for block in self.functions[name].operation.regions[0]:
                for op in block.operations:
                    self._take(op, found, False)
            self.contents[name] = found
        return self.contents[name]

    # ---- With what it calls ------------------------------------------------------------------

    def total(self, name: str) -> Counts:
        if name in self.totals:
            return self.totals[name]
        if name in self.open:
            raise ImportFailure(Place(1, 1), f"@{name} calls itself")
        self.open.append(name)
        contents = self._contents(name)
        found: Counts = {}
        for key, count in contents.items.items():
            _add(found, key, count.all, count.in_loops)
        for called, times in contents.calls.items():
            for key, count in self.total(called).items():
                outside = times.all - times.in_loops
                _add(found, key, times.all * count.all, times.in_loops * count.all + outside * count.in_loops)
        self.open.pop()
        self.totals[name] = found
        return found


def _said(operation: Any) -> Iterator[tuple[str, str]]:
    for item in operation.attributes:
        name = item if isinstance(item, str) else item.name
        try:
            yield name, str(operation.attributes[name])
        except TypeError:  # No class in the bindings.
            yield name, "..."


def _entries(functions: dict[str, Any]) -> list[str]:
    """`main`, or else all public functions: what may be called from outside."""

    def is_public(op: Any) -> bool:
        attributes = op.operation.attributes
        return "sym_visibility" not in attributes or str(attributes["sym_visibility"]) != '"private"'

    with_bodies = {name: op for name, op in functions.items() if len(op.operation.regions[0].blocks) > 0}
    if "main" in with_bodies:
        return ["main"]
    return [name for name, op in with_bodies.items() if is_public(op)]


def _source_place(op: Any) -> str:
    found = SOURCE_PLACE.search(str(op.operation.location))
    return ":".join(found.groups()) if found else "?"


def _load(data: bytes, context: ir.Context) -> tuple[ir.Module, Callable[[Any], str]]:
    """The module, and what says where an op stands: of bytecode where its source did, if that is known."""
    if data.startswith(BYTECODE):
        return parse_bytecode(data, context), _source_place
    reader = Reader(data, context, holds_functions=False)

    def place(op: Any) -> str:
        found = reader.source.place(reader.offset(op))
        return f"{found.line}:{found.column}"

    return reader.module, place


def _float(number: int) -> float:
    """Sizes of tensors that nobody has room for multiply to integers that no reader of JSON takes."""
    return float(min(number, int(sys.float_info.max)))


def read_module(data: bytes, context: ir.Context) -> str:
    """A JSON document."""
    with context, ir.Location.unknown():
        module, place = _load(data, context)
        functions = {ir.StringAttr(op.operation.attributes["sym_name"]).value: op
                     for op in module.body.operations if op.operation.name == "func.func"}  # fmt: skip
        entries = _entries(functions)
        if not entries:
            raise ImportFailure(Place(1, 1), "the module has no public function with a body")
        listing = Listing(functions, place)
        found: Counts = {}
        for name in entries:
            for key, count in listing.total(name).items():
                _add(found, key, count.all, count.in_loops)
        listed = [{**vars(listing.items[key]), "work": _float(listing.items[key].work),
                   "count": min(count.all, COUNT_MAX), "in_loops": min(count.in_loops, COUNT_MAX)}
                  for key, count in found.items()]  # fmt: skip
    return json.dumps({"functions": entries, "ops": listed})

# SPDX-License-Identifier: Apache-2.0
"""A module as nodes and values with names, of what jaxlib's parser makes of its text."""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Iterator

import jaxlib
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import chlo, mhlo, stablehlo

from source_text import ImportFailure, Place, Source

# Only its dependencies bring the dialect `quant` into a context: jaxlib has no function for it.
LOADS_QUANT = "builtin.module(vhlo-legalize-to-stablehlo)"
# Ops of versioned StableHLO (portable artifacts) and of MHLO are read as those of StableHLO that they stand for.
LEGALIZED = {
    "vhlo.": "builtin.module(vhlo-to-version{{target={version}}},vhlo-legalize-to-stablehlo)",
    "mhlo.": "builtin.module(hlo-legalize-to-stablehlo)",
}
KEPT_MHLO = ("mhlo.custom_call", "mhlo.constant", "mhlo.return")  # As documents quote them.
PLACE = re.compile(r'"-":(\d+):(\d+)')
BYTECODE = b"ML\xefR"


def versions() -> str:
    return f"jaxlib {jaxlib.__version__}, StableHLO {stablehlo.get_current_version()}"


def make_context() -> ir.Context:
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    chlo.register_dialect(context)
    with context, ir.Location.unknown():
        empty = ir.Module.parse("module {}").operation
        passmanager.PassManager.parse(LOADS_QUANT).run(empty)
    context.allow_unregistered_dialects = True
    return context


def _prefixes(operation: Any) -> Iterator[str]:
    """Those of LEGALIZED that ops of the module have."""
    for region in operation.regions:
        for block in region.blocks:
            for op in block.operations:
                name = op.operation.name
                if name.startswith(tuple(LEGALIZED)) and name not in KEPT_MHLO:
                    yield name.partition(".")[0] + "."
                yield from _prefixes(op.operation)


def legalize(module: ir.Module) -> None:
    """Puts ops of StableHLO in the place of those of other spellings of it.  In a context."""
    for prefix in sorted(set(_prefixes(module.operation)), reverse=True):
        passes = LEGALIZED[prefix].format(version=stablehlo.get_current_version())
        passmanager.PassManager.parse(passes).run(module.operation)


def parse_bytecode(data: bytes, context: ir.Context) -> ir.Module:
    """Bytecode, or a portable artifact, which is bytecode of versioned ops."""
    with context, ir.Location.unknown():
        try:
            module = ir.Module.parse(data)
            legalize(module)
            return module
        except (ir.MLIRError, ValueError) as error:
            found = [diagnostic.message for diagnostic in getattr(error, "error_diagnostics", [])]
            message = " ".join((found or [str(error)])[0].split())
            raise ImportFailure(Place(1, 1), f"MLIR cannot read this bytecode: {message}") from None


def text_of(data: bytes, context: ir.Context) -> bytes:
    """A module as text: places in one that was bytecode are places in what MLIR prints of it."""
    if not data.startswith(BYTECODE):
        return data
    module = parse_bytecode(data, context)
    return str(module.operation.get_asm(large_elements_limit=None)).encode()


@dataclass(eq=False)
class Value:
    name: str | None  # As the text has it, without '%'; None if it says none.
    type: ir.Type
    node: Node | None = None  # That makes it; None of arguments.
    index: int = 0  # Of the node's results, or of the arguments.
    uses: list[tuple[Node, int]] = field(default_factory=list)


@dataclass(eq=False)
class Node:
    """An op.  `call` is the path of calls that it was inlined through: "relu", "relu.2"."""

    op: Any  # ir.OpView or ir.Operation.
    name: str
    offset: int  # Of its name, in the text.
    operands: list[Value]
    results: list[Value]
    blocks: list[Block]
    call: str
    known: dict[Any, Value] = field(default_factory=dict)  # By MLIR's value, where the op stands.

    @property
    def attributes(self) -> dict[str, Any]:
        """Those that the bindings know how to name."""
        return dict(_attributes(self.op.operation))


@dataclass(eq=False)
class Block:
    arguments: list[Value]
    nodes: list[Node]  # In order; the last one is the terminator.


@dataclass(eq=False)
class Function:
    op: Any
    name: str
    offset: int
    block: Block


def _attributes(operation: Any) -> Iterator[tuple[str, Any]]:
    for item in operation.attributes:
        name = item if isinstance(item, str) else item.name
        try:
            yield name, operation.attributes[name]
        except TypeError:  # No class in the bindings: dense elements of complex numbers.
            continue


def inlined_function(operation: Any) -> str | None:
    """The function that a call, or a composite that nobody knows by name, stands for."""
    if operation.name == "func.call":
        return ir.FlatSymbolRefAttr(operation.attributes["callee"]).value
    if operation.name == "stablehlo.composite":
        name = ir.StringAttr(operation.attributes["name"]).value
        if not name.startswith(("quant.", "byteir.", "aten.gelu")):
            return ir.FlatSymbolRefAttr(operation.attributes["decomposition"]).value
    return None


class Reader:
    """Reads one module."""

    def __init__(self, data: bytes, context: ir.Context, is_verified: bool = True,
                 holds_functions: bool = True) -> None:  # fmt: skip
        """`holds_functions`: a module that holds something else is refused."""
        self.source = Source(text_of(data, context), is_verified)
        with context, ir.Location.unknown():
            try:
                self.module = ir.Module.parse(self.source.prepared)
                legalize(self.module)
            except ir.MLIRError as error:
                raise self._failure(error) from None
        self.functions: dict[str, Any] = {}
        self.calls: dict[str, int] = {}  # How often a function was inlined.
        self.depth = 0
        for op in self.module.body.operations:
            if op.operation.name != "func.func":
                if not holds_functions:
                    continue
                raise self.fail(self.offset(op), f"a module holds functions, not {op.operation.name}")
            self.functions[ir.StringAttr(op.attributes["sym_name"]).value] = op

    # ---- Places ------------------------------------------------------------------------------

    def fail(self, offset: int, message: str) -> ImportFailure:
        return ImportFailure(self.source.place(offset), message)

    def _failure(self, error: ir.MLIRError) -> ImportFailure:
        for diagnostic in error.error_diagnostics:
            message = " ".join(diagnostic.message.replace('"assay.', '"quant.').split())
            found = PLACE.search(str(diagnostic.location))
            place = Place(*map(int, found.groups())) if found else Place(1, 1)
            return self.fail(self.source.offset(place), message)
        return self.fail(0, "MLIR cannot read it")

    def offset(self, op: Any) -> int:
        return self._offset_of(op.operation.location)

    def _offset_of(self, location: ir.Location) -> int:
        found = PLACE.search(str(location))
        return self.source.offset(Place(*map(int, found.groups()))) if found else 0

    # ---- Functions ---------------------------------------------------------------------------

    def main(self) -> Function:
        """The function that the graph is made of: `main`, or the only public one."""
        public = [name for name, op in self.functions.items() if not self._is_private(op)]
        if not self.functions:
            raise self.fail(0, "the module has no function; write one func.func")
        if "main" in self.functions:
            name = "main"
        elif len(public) == 1:
            name = public[0]
        else:
            listed = ", ".join(f"@{name}" for name in sorted(public)) or "none"
            raise self.fail(0, f"a graph is made of one public function, or of @main; here: {listed}")
        return self.function(name)

    def _is_private(self, op: Any) -> bool:
        attributes = op.operation.attributes
        return "sym_visibility" in attributes and str(attributes["sym_visibility"]) == '"private"'

    def function(self, name: str) -> Function:
        op = self.functions[name]
        offset = self.offset(op)
        if not op.operation.regions[0].blocks:
            raise self.fail(offset, f"@{name} is declared and has no body")
        block = self._block(self._only_block(name, offset), {}, "")
        return Function(op, name, offset, block)

    def _only_block(self, name: str, offset: int) -> Any:
        blocks = self.functions[name].operation.regions[0].blocks
        if len(blocks) != 1:
            raise self.fail(offset, f"@{name} has {len(blocks)} blocks: graphs know no control flow")
        return blocks[0]

    def has_regions(self, name: str) -> bool:
        """Whether quant.region ops stand in the function: then its calls are kept."""

        def found(operation: Any) -> bool:
            return operation.name == "assay.region" or any(
                found(op.operation) for region in operation.regions for block in region for op in block
            )

        return found(self.functions[name].operation)

    # ---- Blocks ------------------------------------------------------------------------------

    def _block(self, block: Any, known: dict[Any, Value], call: str,
               given: list[Value] | None = None) -> Block:  # fmt: skip
        """`given` are the values that an inlined function is called with."""
        values = dict(known)
        arguments = []
        for index, argument in enumerate(block.arguments):
            if given is not None:
                values[argument] = given[index]
                continue
            offset = self._offset_of(argument.location)
            value = Value(self.source.value_at(offset), argument.type, None, index)
            arguments.append(value)
            values[argument] = value
        nodes: list[Node] = []
        for op in block.operations:
            self._op(op, values, call, nodes)
        return Block(arguments, nodes)

    def _op(self, op: Any, values: dict[Any, Value], call: str, nodes: list[Node]) -> None:
        operation = op.operation
        inlined = self._inlined(operation)
        operands = [values[operand] for operand in operation.operands]
        if inlined is not None:
            results = self._inline(op, inlined, operands, nodes)
            values.update(zip(operation.results, results))
            return
        offset = self.offset(op)
        names: list[str | None] = list(self.source.results_before(offset))
        if len(names) != len(operation.results):
            names = [None] * len(operation.results)
        node = Node(op, operation.name, offset, operands, [], [], call, values)
        node.blocks = [self._block(block, values, call) for region in operation.regions for block in region]
        for index, result in enumerate(operation.results):
            value = Value(names[index], result.type, node, index)
            node.results.append(value)
            values[result] = value
        for index, operand in enumerate(operands):
            operand.uses.append((node, index))
        nodes.append(node)

    def _inlined(self, operation: Any) -> str | None:
        name = inlined_function(operation)
        is_call = operation.name == "func.call"
        return None if is_call and name in self.functions and self.has_regions(name) else name

    def _inline(self, op: Any, name: str, operands: list[Value], nodes: list[Node]) -> list[Value]:
        function = self.functions[name]
        if not function.operation.regions[0].blocks:
            raise self.fail(self.offset(op), f"@{name} is declared and has no body")
        if self.depth == 64:
            raise self.fail(self.offset(op), f"calls of @{name} are over 64 deep")
        self.depth += 1
        self.calls[name] = self.calls.get(name, 0) + 1
        path = name if self.calls[name] == 1 else f"{name}.{self.calls[name]}"
        body = self._block(self._only_block(name, self.offset(function)), {}, path, operands)
        self.depth -= 1
        returned = body.nodes.pop()
        for operand in returned.operands:  # The return is no use.
            operand.uses = [use for use in operand.uses if use[0] is not returned]
        nodes += body.nodes
        return returned.operands

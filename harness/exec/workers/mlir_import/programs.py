# SPDX-License-Identifier: Apache-2.0
"""A module of one op, or the text of one op alone, as a program of a case line; a function of several as the one that
several.py makes of it.

An op alone, as documents quote it, uses values that nothing defines: `%0 = "mhlo.custom_call"(%arg0) ...`.
It is put into a function in which they are; their types are those that MLIR's parser says it expects.

What gives the op its operands is not looked at, unless it is a constant: then these are its data.  What checks
say of its results are the expected ones (checks.py).
"""
from __future__ import annotations

import re
from typing import Any

from jaxlib.mlir import ir

import checks
import collectives
import constraints
import elements
import words
from module import BYTECODE, Function, Node, Reader, Value
from several import module_line
from sketches import ELLIPSIS, LEFT_OUT, GenericReductions, Given, Sketch, explained, line_words
from source_text import ImportFailure, Place, mask

GIVERS = ("assay.input", "assay.byre.compute", "assay.shape.shape_of", "shape.shape_of")
ENDS = ("func.return", "stablehlo.return", "mhlo.return")
PLAIN = ("stablehlo.uniform_quantize", "stablehlo.uniform_dequantize")
FUNCTION = re.compile(r"(?<![\w.$%@!#\-])(?:func\.func|vhlo\.func_v\d+)(?![\w.])")
NAMES = re.compile(r"\b(?:stablehlo|mhlo|chlo|vhlo|byre|module)\b|=")
UNDECLARED = "use of undeclared SSA value name"
OF_ANOTHER_TYPE = re.compile(r"use of value '%([^']+)' expects different type than prior uses: '(.*)' vs 'none'")
NAME = re.compile(r"(:?)(\s*)(?<![\w.])([A-Za-z_][\w.$\-]*)")  # A colon is before a zero point.
OF_RFCS = re.compile(r"accumulation_type .* is not|its last region")
WHOLE_SCALE = re.compile(r"([,{]\s*\d+)(?=[:,}>\s])")  # MLIR reads scales with a point alone.
QUANTIZED_TEXT = re.compile(r"!quant\.uniform<[^<>]*(?:<[^<>]*>)?[^<>]*>")
QUANTIZED = re.compile(r"!quant\.uniform<(u|i)(\d+)(?:<(-?\d+):(-?\d+)>)?:(\w+)(?::(\d+))?,\s*(.*)>$")
VALUES_MAX = 64
NO_SUCH_OP = "cases have no such op; `assay ops` lists those they have"


# ---- The text -----------------------------------------------------------------------------------


def with_numbers(text: str, given: Given) -> str:
    """Scales and zero points that RFCs have as names."""

    def fill(match: re.Match[str]) -> str:
        head, comma, entries = match.group().partition(",")
        line = text.count("\n", 0, match.start()) + 1
        place = Place(line, match.start() - text.rfind("\n", 0, match.start()))

        def number(name: re.Match[str]) -> str:
            return name.group(1) + name.group(2) + given.number(name.group(3), place, name.group(1) != "")

        numbers = NAME.sub(number, comma + entries)
        return WHOLE_SCALE.sub(r"\1.0", head + numbers)

    return QUANTIZED_TEXT.sub(fill, text)


class Snippet:
    """Ops without a function, made one: the first line is the function's."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.types: dict[str, str] = {}
        self.results: list[Value] = []  # Of several ops.

    def module(self) -> bytes:
        if self.results:
            arguments = ", ".join(f"%{name}: {kind}" for name, kind in self.types.items())
            names = ", ".join(f"%{value.name}" for value in self.results)
            kinds = ", ".join(str(value.type) for value in self.results)
            head = f"func.func @main({arguments}) -> ({kinds}) {{"
            return f"{head}\n{self.text}\nreturn {names} : {kinds} }}\n".encode("latin-1", "replace")
        values = " ".join(f'%{name} = "assay.input"() : () -> {kind}' for name, kind in self.types.items())
        return f"func.func @main() {{ {values}\n{self.text}\nreturn }}\n".encode("latin-1", "replace")

    def learn(self, failure: ImportFailure, text: str) -> bool:
        """What MLIR misses; False if it misses nothing that could be given."""
        other = OF_ANOTHER_TYPE.search(failure.message)
        if other is not None:
            self.types[other.group(1)] = other.group(2)
            return True
        if UNDECLARED not in failure.message or len(self.types) == VALUES_MAX:
            return False
        line = text.split("\n")[failure.place.line - 1]
        name = re.match(r"%([\w$.\-]+)", line[failure.place.column - 1 :])
        if name is None or name.group(1) in self.types:
            return False
        self.types[name.group(1)] = "none"
        return True


def _up(failure: ImportFailure, text: str) -> ImportFailure:
    """Of a snippet: its first line is the second one of the module."""
    line = min(max(failure.place.line - 1, 1), text.count("\n") + 1)
    return ImportFailure(Place(line, failure.place.column), failure.message)


# ---- Types --------------------------------------------------------------------------------------


def _quantized(text: str) -> str:
    found = QUANTIZED.match(text)
    if found is None:
        raise words.Unknown(f"cases have no type {text}")
    sign, bits, low, high, expressed, axis, entries = found.groups()
    limits = f"<{low}:{high}>" if low is not None else ""
    listed = []
    for entry in entries.strip("{}").split(","):
        scale, _, zero = entry.strip().partition(":")
        rounded = elements.scale_of(elements.binary64(scale), expressed)
        listed.append(words.hex_float(rounded) + (f":{int(zero)}" if zero and int(zero) != 0 else ""))
    storage = ("ui" if sign == "u" else "i") + bits
    if axis is None:
        return f"!quant.uniform<{storage}{limits}:{expressed},{listed[0]}>"
    return f"!quant.uniform<{storage}{limits}:{expressed}:{axis},{{{','.join(listed)}}}>"


def _element(kind: ir.Type) -> str:
    text = str(kind)
    if text.startswith("!quant."):
        return _quantized(text)
    return "i64" if text == "index" else text  # Cases have indices as i64.


def line_type(kind: ir.Type, processes: int | None = None) -> str:
    """A tensor type of a case line; sizes that are not known are "?".  `processes`: one such tensor for each."""
    try:
        shaped = ir.RankedTensorType(kind)
    except (ValueError, TypeError):
        raise words.Unknown(f"cases have ranked tensors, and no {kind}") from None
    sizes = ["?" if shaped.is_dynamic_dim(dim) else str(shaped.get_dim_size(dim)) for dim in range(shaped.rank)]
    if processes is not None:
        sizes.insert(0, str(processes))
    return f"{_element(shaped.element_type)}[{','.join(sizes)}]"


# ---- The op -------------------------------------------------------------------------------------


CONVERSIONS = ("convert", "uniform_quantize", "uniform_dequantize", "return")


def _short(node: Node) -> str:
    return node.name.removeprefix("assay.").removeprefix("stablehlo.")


def _take_computation(node: Node) -> None:
    """Of an RFC's reduction with three regions, that convert what goes in, compute, and convert what comes out, the
    second: types alone say what the others do."""
    if len(node.blocks) != 3:
        return
    for block in (node.blocks[0], node.blocks[2]):
        if [_short(inner) for inner in block.nodes][1:] != ["return"] or _short(block.nodes[0]) not in CONVERSIONS:
            raise words.Unknown("its first and its last region are each one conversion")
    node.blocks = [node.blocks[1]]


def _accumulation(node: Node) -> str:
    """The types of a reduction's body, where they are not those of its results."""
    arguments = node.blocks[-1].arguments if node.blocks else []
    made = [_element(ir.RankedTensorType(result.type).element_type) for result in node.results]
    inside = [_element(ir.RankedTensorType(one.type).element_type) for one in arguments[: len(arguments) // 2]]
    if node.name in collectives.NAMES:  # One body for all operands.
        made = made[:1]
    said = node.attributes.get("accumulation_type")
    if said is not None and [str(one.type) for one in arguments] != [str(said)] * len(arguments):
        raise words.Unknown(f"accumulation_type {said} is not the type of its body's arguments")
    if not inside or inside == made:
        return ""
    return f" accumulation={inside[0]}" if len(inside) == 1 else f" accumulation=[{','.join(inside)}]"


def _custom(called: str, given: dict[str, Any], node: Node) -> str:
    if called not in words.CUSTOM_KEYS:
        raise words.Unknown(f"{called}: {NO_SUCH_OP}")
    return words.custom(called, given, node.results)


def _name_and_words(node: Node, said: Given | None) -> tuple[str, str]:
    name, short = node.name.removeprefix("assay."), _short(node)
    if said is not None and LEFT_OUT in node.attributes:
        rank = len(ir.ShapedType(node.operands[0].type).shape) if node.operands else 0
        return name, line_words(short, rank, said)
    if name.startswith("stablehlo.") and short in words.STABLEHLO:
        _take_computation(node)
        return name, words.STABLEHLO[short](node) + _accumulation(node)
    if name == "chlo.erf":
        return "byteir.erf", ""
    if name in PLAIN:
        return name, ""
    if name in collectives.NAMES:
        return name, collectives.said(node) + _accumulation(node)
    if name in checks.CALLS:
        listed = node.attributes.get("byteir_attrs") or node.attributes.get("mhlo.backend_config")
        given = {item.name: item.attr for item in listed} if isinstance(listed, ir.DictAttr) else {}
        called = ir.StringAttr(node.attributes["call_target_name"]).value
        return called, _custom(called, given, node)
    if node.name == "stablehlo.composite":
        called, given = constraints.name_and_attributes(node)
        return called, _custom(called, given, node)
    raise words.Unknown(NO_SUCH_OP)


def program_line(node: Node, given: Given | None = None) -> str:
    """A program line, in which sizes that are not known are "?" alone; `given` says what a sketch leaves out."""
    name, said = _name_and_words(node, given)
    processes = collectives.processes(node) if name in collectives.NAMES else None
    operands = "".join(f" {line_type(value.type, processes)}" for value in node.operands)
    results = " ".join(line_type(value.type, processes) for value in node.results)
    return f"{name}{' ' if said else ''}{said}{operands} -> {results}"


def _lines(node: Node, checked: list[Node], said: Given) -> str:
    line = program_line(node, said)
    given = [checks.data(value) for value in node.operands]
    expected = checks.Expectations(checked, node).lines()
    if node.name in collectives.NAMES:  # Each process is given the same constants.
        count = collectives.processes(node)
        given, expected = ([one if one in "*-" else one * count for one in listed] for listed in (given, expected))
    return "".join(f"{text}\n" for text in [line, *given, *expected])


class Unreturned(Exception):
    """Several ops alone, of which nothing is returned."""

    def __init__(self, results: list[Value]) -> None:
        super().__init__()
        self.results = results


def _several(reader: Reader, function: Function, ops: list[Node], given: Given) -> str:
    def fail(node: Node, message: str) -> ImportFailure:
        return reader.fail(node.offset, f"{node.name.removeprefix('assay.')}: {message}")

    try:
        line = module_line(function, ops, lambda node: program_line(node, given), line_type, fail)
    except (words.Unknown, elements.UnknownType) as error:
        raise reader.fail(function.offset, str(error)) from None
    data = "*\n" * (len(function.block.arguments) + len(function.block.nodes[-1].operands))
    return f"{line}\n{data}"


def _program(reader: Reader, context: ir.Context, given: Given) -> str:
    with context, ir.Location.unknown():
        function = reader.main()
        nodes = function.block.nodes
        around = (*checks.CONSTANTS, *GIVERS, *ENDS)
        checked = [node for node in nodes if checks.check_name(node) is not None]
        ops = [node for node in nodes if node.name not in around and node not in checked and not checks.is_view(node)]
        if not ops:
            raise reader.fail(0, "a case is one op, and here is none")
        if len(ops) > 1 and nodes[-1].operands and not checked:
            return _several(reader, function, ops, given)
        if len(ops) > 1 and not checked and not function.block.arguments:
            raise Unreturned([value for node in ops for value in node.results if not value.uses])
        if len(ops) != 1:
            many = "`assay module` lists them, `assay quant import` reads graphs"
            raise reader.fail(ops[1].offset, f"a case is one op, and here are {len(ops)}; {many}")
        try:
            return _lines(ops[0], checked, given)
        except (words.Unknown, elements.UnknownType) as error:
            raise reader.fail(ops[0].offset, f"{ops[0].name.removeprefix('assay.')}: {error}") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise reader.fail(ops[0].offset, f"{ops[0].name} is not as it is known here ({what})") from None


def _of_module(data: bytes, context: ir.Context, given: Given) -> str:
    """What breaks a rule of its dialect is read too, where it can be: Assay says which rule it is."""
    try:
        reader = Reader(data, context)
    except ImportFailure as failure:
        try:
            text = GenericReductions(data.decode("latin-1")).edited()
            return _program(Reader(text.encode("latin-1", "replace"), context, is_verified=False), context, given)
        except ImportFailure as second:  # Of what RFCs alone have MLIR says less.
            raise (second if OF_RFCS.search(second.message) else failure) from None
    return _program(reader, context, given)


def _of_snippet(text: str, context: ir.Context, given: Given) -> str:
    snippet = Snippet(text)
    while True:
        module = snippet.module()
        try:
            return _of_module(module, context, given)
        except Unreturned as several:
            snippet.results = several.results
        except ImportFailure as failure:
            if snippet.learn(failure, module.decode("latin-1")):
                continue
            if text.strip() and NAMES.search(text) is None:
                raise ImportFailure(Place(1, 1), f"this is no MLIR module, nor an op of one ({failure.message})") from None
            raise _up(failure, text) from None


def read_program(data: bytes, numbers: dict[str, str], context: ir.Context) -> str:
    """A program line, a line of the digits of each operand, and one of the expected digits of each result; "*" where
    there are none."""
    given = Given(numbers)
    if data.startswith(BYTECODE):
        lines = _program(Reader(data, context), context, given)
    else:
        lines = _of_text(data.decode("latin-1"), context, given)
    given.check_all_asked()
    return lines


def _of_text(text: str, context: ir.Context, given: Given) -> str:
    is_sketch = ELLIPSIS.search(mask(text)) is not None
    filled = with_numbers(Sketch(text, given).edited() if is_sketch else text, given)
    given.check_complete()
    try:
        if FUNCTION.search(text) is not None:
            return _of_module(filled.encode("latin-1", "replace"), context, given)
        return _of_snippet(filled, context, given)
    except Unreturned:
        raise ImportFailure(Place(1, 1), "a function of several ops returns what they make") from None
    except ImportFailure as failure:
        raise explained(failure, filled) from None

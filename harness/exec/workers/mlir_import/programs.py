# SPDX-License-Identifier: Apache-2.0
"""A module, or the text of ops alone, as a program of a case line: one op, or the steps of op `module`.

Ops alone, as documents quote them, use values that nothing defines: `%0 = "mhlo.custom_call"(%arg0) ...`.
They are put into a function in which they are; their types are those that MLIR's parser says it expects.

What gives the ops their operands is not looked at, unless it is a constant: then these are its data.
"""
from __future__ import annotations

import re

from jaxlib.mlir import ir

import constraints
import elements
import words
from module import Node, Reader, Value
from sketches import ELLIPSIS, LEFT_OUT, GenericReductions, Given, Sketch, explained, line_words
from source_text import ImportFailure, Place, mask

CONSTANTS = ("stablehlo.constant", "mhlo.constant", "arith.constant")
GIVERS = ("assay.input", "assay.byre.compute", "assay.shape.shape_of", "shape.shape_of")
ENDS = ("func.return", "stablehlo.return", "mhlo.return")
CALLS = ("stablehlo.custom_call", "mhlo.custom_call")
FUNCTION = re.compile(r"(?<![\w.$%@!#\-])func\.func(?![\w.])")
UNDECLARED = "use of undeclared SSA value name"
OF_ANOTHER_TYPE = re.compile(r"use of value '%([^']+)' expects different type than prior uses: '(.*)' vs 'none'")
VERIFIED = re.compile(r"'(?:stablehlo|mhlo)\.\w+' op |inferred type|failed to infer")
NAME = re.compile(r"(:?)(\s*)(?<![\w.])([A-Za-z_][\w.$\-]*)")  # A colon is before a zero point.
WHOLE_SCALE = re.compile(r"([,{]\s*\d+)(?=[:,}>\s])")  # MLIR reads scales with a point alone.
QUANTIZED_TEXT = re.compile(r"!quant\.uniform<[^<>]*(?:<[^<>]*>)?[^<>]*>")
QUANTIZED = re.compile(r"!quant\.uniform<(u|i)(\d+)(?:<(-?\d+):(-?\d+)>)?:(\w+)(?::(\d+))?,\s*(.*)>$")
VALUES_MAX = 64


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

    def module(self) -> bytes:
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


def _reader(data: bytes, context: ir.Context) -> Reader:
    """What breaks a rule of its dialect is read too: Assay says which rule it is."""
    try:
        return Reader(data, context)
    except ImportFailure as failure:
        if VERIFIED.search(failure.message) is None:
            raise
        text = GenericReductions(data.decode("latin-1")).edited()
        return Reader(text.encode("latin-1", "replace"), context, is_verified=False)


def _up(failure: ImportFailure, text: str) -> ImportFailure:
    """Of a snippet: its first line is the second one of the module."""
    line = min(max(failure.place.line - 1, 1), text.count("\n") + 1)
    return ImportFailure(Place(line, failure.place.column), failure.message)


def _read(text: str, context: ir.Context) -> Reader:
    snippet = Snippet(text)
    while True:
        module = snippet.module()
        try:
            return _reader(module, context)
        except ImportFailure as failure:
            if not snippet.learn(failure, module.decode("latin-1")):
                raise


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
        rounded = float(elements.np.array(float(scale)).astype(elements.FLOATS[expressed]))
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


def line_type(kind: ir.Type) -> str:
    """A tensor type of a case line; sizes that are not known are "?"."""
    try:
        shaped = ir.RankedTensorType(kind)
    except (ValueError, TypeError):
        raise words.Unknown(f"cases have ranked tensors, and no {kind}") from None
    sizes = ("?" if shaped.is_dynamic_dim(dim) else str(shaped.get_dim_size(dim)) for dim in range(shaped.rank))
    return f"{_element(shaped.element_type)}[{','.join(sizes)}]"


# ---- The op -------------------------------------------------------------------------------------

WORDS = {**words.STABLEHLO, "uniform_quantize": words.plain(), "uniform_dequantize": words.plain()}
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
    inside = [_element(ir.RankedTensorType(one.type).element_type) for one in arguments[: len(made)]]
    said = node.attributes.get("accumulation_type")
    if said is not None and [str(one.type) for one in arguments] != [str(said)] * len(arguments):
        raise words.Unknown(f"accumulation_type {said} is not the type of its body's arguments")
    if not inside or inside == made:
        return ""
    return f" accumulation={inside[0]}" if len(inside) == 1 else f" accumulation=[{','.join(inside)}]"


def _name_and_words(node: Node, given: Given) -> tuple[str, str]:
    name, short = node.name.removeprefix("assay."), _short(node)
    if name.startswith("stablehlo.") and short in WORDS:
        if LEFT_OUT in node.attributes:
            rank = len(ir.ShapedType(node.operands[0].type).shape) if node.operands else 0
            return name, line_words(short, rank, given)
        _take_computation(node)
        return name, WORDS[short](node) + _accumulation(node)
    if name in CALLS:
        listed = node.attributes.get("byteir_attrs") or node.attributes.get("mhlo.backend_config")
        found = {item.name: item.attr for item in listed} if isinstance(listed, ir.DictAttr) else {}
        called = ir.StringAttr(node.attributes["call_target_name"]).value
        return called, words.custom(called, found, node.results)
    if node.name == "stablehlo.composite":
        called, found = constraints.name_and_attributes(node)
        return called, words.custom(called, found, node.results)
    raise words.Unknown("cases have no such op; `assay ops` lists those they have")


def _data(value: Value) -> str:
    if value.node is None or value.node.name not in CONSTANTS or "quant" in str(value.type):
        return "*"
    return elements.constant(value.node)[1] or "-"


def _spaced(*texts: str) -> str:
    return " ".join(text for text in texts if text)


class Program:
    """The ops of a function: one, or the steps of a module."""

    def __init__(self, reader: Reader, given: Given) -> None:
        self.reader = reader
        self.given = given
        block = reader.main().block
        self.ops = [node for node in block.nodes if node.name not in (*CONSTANTS, *GIVERS, *ENDS)]
        self.returned = [value for node in block.nodes if node.name in ENDS for value in node.operands]
        if not self.ops:
            raise reader.fail(0, "a case is one op or several, and here is none")
        if not self.returned:
            self.returned = [value for node in self.ops for value in node.results if not value.uses]

    def lines(self) -> str:
        """The program, and the data of its operands."""
        if len(self.ops) == 1:
            name, said, types, operands = self._step(self.ops[0])
            return self._joined(_spaced(name, said, types), operands)
        return self._module()

    def _joined(self, line: str, operands: list[Value]) -> str:
        return "".join(f"{text}\n" for text in [line, *map(_data, operands)])

    def _step(self, node: Node) -> tuple[str, str, str, list[Value]]:
        try:
            name, said = _name_and_words(node, self.given)
            return name, said, self._types(node.operands, node.results), node.operands
        except (words.Unknown, elements.UnknownType) as error:
            raise self.reader.fail(node.offset, f"{node.name.removeprefix('assay.')}: {error}") from None
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            what = f"{type(error).__name__}: {error}"
            raise self.reader.fail(node.offset, f"{node.name} is not as it is known here ({what})") from None

    def _types(self, operands: list[Value], results: list[Value]) -> str:
        listed = [line_type(value.type) for value in operands]
        return " ".join([*listed, "->", *(line_type(value.type) for value in results)])

    def _module(self) -> str:
        """Operands are what no step makes, in the order of their first use."""
        names: dict[Value, str] = {}
        operands: list[Value] = []
        steps, made = [], 0
        for node in self.ops:
            name, said, types, taken = self._step(node)
            for value in taken:
                if value not in names:
                    names[value] = f"a{len(operands)}"
                    operands.append(value)
            listed = ",".join(names[value] for value in taken)
            for value in node.results:
                names[value] = f"v{made}"
                made += 1
            steps.append(f"{','.join(names[value] for value in node.results)}={_spaced(f'{name}({listed})', said, types)};")
        for value in self.returned:
            if value not in names:
                raise self.reader.fail(self.ops[-1].offset, "what is returned is no result of an op")
        returned = ",".join(names[value] for value in self.returned)
        line = f"module steps={{{''.join(steps)}return({returned})}} {self._types(operands, self.returned)}"
        return self._joined(line, operands)


def _program(reader: Reader, context: ir.Context, given: Given) -> str:
    with context, ir.Location.unknown():
        return Program(reader, given).lines()


def read_program(data: bytes, numbers: dict[str, str], context: ir.Context) -> str:
    text, given = data.decode("latin-1"), Given(numbers)
    is_sketch = ELLIPSIS.search(mask(text)) is not None
    filled = with_numbers(Sketch(text, given).edited() if is_sketch else text, given)
    given.check_complete()
    is_function = FUNCTION.search(text) is not None
    try:
        if is_function:
            lines = _program(_reader(filled.encode("latin-1", "replace"), context), context, given)
        else:
            lines = _program(_read(filled, context), context, given)
    except ImportFailure as failure:
        raise explained(failure if is_function else _up(failure, filled), filled) from None
    given.check_all_asked()
    return lines

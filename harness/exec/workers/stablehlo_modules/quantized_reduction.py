# SPDX-License-Identifier: Apache-2.0
"""Quantized reductions as reductions of what is stored: StableHLO's passes lower no op with a region
but reduce_window, and of that none between types.

An implicit conversion becomes a uniform_quantize before the op, or behind it. Then each line that works
on quantized values, in a region or outside, is lowered by itself, by the same passes as a program
of that op alone, and takes the place of the line; what is left are names of types.  Needs the form
in which Assay prints modules: generic, an op a line, a region's end with the types behind it.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable

from assay_worker import Unsupported

OPS = ("reduce", "reduce_window", "select_and_scatter", "all_reduce", "reduce_scatter")
QUANT = re.compile(r"!quant\.uniform<[ui]+(\d+)[^>]*?(?:<[^>]*>[^>]*)?>")  # u8 or i8.
LINE = re.compile(r'^ *(%\w+) = "(stablehlo\.\w+)"\(([^()]*)\)(.*) : \((.*)\) -> (tensor<.*>)$')
OPENS = re.compile(r'^ *(%\w+(?::\d+)?) = "stablehlo\.(\w+)"\(([^()]*)\)(.*\(\{)$')
CLOSES = re.compile(r"^ *\}\) : \((.*)\) -> \(?(tensor<.*>)\)?$")
BODY = re.compile(r"^ *\^body\(%lhs0: tensor<([^%]*)>, %rhs0: ")
NAME = re.compile(r"%\w+")

Lower = Callable[[str], str]  # A module, by the passes.


def is_reduction(mlir: str) -> bool:
    """Whether the module has a quantized op of a region that the passes do not lower."""
    opened = re.search(rf'"stablehlo\.({"|".join(OPS)})"\(', mlir)
    if opened is None or "!quant" not in mlir:
        return False
    types = {found.group(0) for found in QUANT.finditer(mlir[opened.start() :])}
    return opened.group(1) != "reduce_window" or len(types) > 1


def _split(types: str) -> list[str]:
    return re.findall(r"tensor<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>", types)


def _with_type(tensor: str, quantized: str) -> str:
    """The type of a tensor of that shape."""
    return QUANT.sub(lambda _: quantized, tensor)


def _quant(text: str) -> str:
    found = QUANT.search(text)
    if found is None:
        raise Unsupported("a reduction of quantized values and of others")
    return found.group(0)


def _requantize(target: str, source: str, have: str, want: str) -> str:
    return f'    {target} = "stablehlo.uniform_quantize"({source}) : ({have}) -> {want}'


@dataclass
class _Op:
    """The op with regions: lines from `first` to `last`."""

    first: int
    last: int
    body: str  # The quantized type that its body takes.
    operands: list[str]
    results: list[str]


def _find_op(lines: list[str]) -> _Op:
    first = last = -1
    body = ""
    for number, line in enumerate(lines):
        opened = OPENS.match(line)
        if opened is not None and opened.group(2) in OPS:
            first = number
        found = BODY.match(line)
        if found is not None:
            body = _quant(found.group(1))
        if first >= 0 and CLOSES.match(line):
            last = number
            break
    if last < 0 or not body:
        raise Unsupported("a module with a quantized reduction in a form that is not known here")
    types = CLOSES.match(lines[last])
    assert types is not None
    return _Op(first, last, body, _split(types.group(1)), _split(types.group(2)))


def with_conversions(mlir: str) -> str:
    """The module with a uniform_quantize for each implicit conversion."""
    lines = mlir.split("\n")
    op = _find_op(lines)
    opened = OPENS.match(lines[op.first])
    assert opened is not None
    target, name, names, rest = opened.groups()
    sources, before = names.split(", "), []
    wanted = [_with_type(kind, op.body) for kind in op.operands]
    if name == "select_and_scatter" and wanted[0] != op.operands[0]:
        raise Unsupported("selects in the type of the operand, and adds in another")
    for i, (source, have, want) in enumerate(zip(sources, op.operands, wanted)):
        if have != want:
            before.append(_requantize(f"%widened{i}", source, have, want))
            sources[i] = f"%widened{i}"
    reduced = [_with_type(kind, op.body) for kind in op.results]
    computed, after = target, []
    if reduced != op.results:
        if len(reduced) > 1:  # They share a name.
            raise Unsupported("several quantized results that are converted")
        computed = "%reduced"
        after.append(_requantize(target, computed, reduced[0], op.results[0]))
    head = f'    {computed} = "stablehlo.{name}"({", ".join(sources)}){rest}'
    types = reduced[0] if len(reduced) == 1 else f"({', '.join(reduced)})"
    tail = f"    }}) : ({', '.join(wanted)}) -> {types}"
    inner = lines[op.first + 1 : op.last]
    return "\n".join(
        [*lines[: op.first], *before, head, *inner, tail, *after, *lines[op.last + 1 :]]
    )


def _lower_line(line: str, number: int, lower: Lower) -> list[str]:
    found = LINE.match(line)
    if found is None or "!quant" not in line:
        return [line]
    target, op, names, attributes, types, result = found.groups()
    sources, kinds = names.split(", "), _split(types)
    arguments = ", ".join(f"%arg{i}: {kind}" for i, kind in enumerate(kinds))
    listed = ", ".join(f"%arg{i}" for i in range(len(kinds)))
    module = lower(
        f"module {{\n  func.func @main({arguments}) -> {result} {{\n"
        f'    %0 = "{op}"({listed}){attributes} : ({types}) -> {result}\n'
        f"    return %0 : {result}\n  }}\n}}\n"
    )
    body = module.split("{\n", 2)[2].split("\n  }\n")[0].split("\n")
    returned = NAME.search(body[-1])
    assert returned is not None
    renamed = {f"%arg{i}": source for i, source in enumerate(sources)}
    if returned.group(0) in renamed:
        raise Unsupported(f"{op} of quantized values is nothing here")
    renamed[returned.group(0)] = target

    def rename(name: re.Match[str]) -> str:
        return renamed.get(name.group(0), f"%line{number}_{name.group(0)[1:]}")

    return [NAME.sub(rename, text) for text in body[:-1]]


def lower_reduction(mlir: str, lower: Lower) -> str:
    """The module on what is stored, signless.  `lower` runs the passes."""
    lines = with_conversions(mlir).split("\n")
    lowered = [
        text for number, line in enumerate(lines) for text in _lower_line(line, number, lower)
    ]
    return QUANT.sub(lambda found: f"i{found.group(1)}", "\n".join(lowered))

# SPDX-License-Identifier: Apache-2.0
"""Ops as documents sketch them, with "..." in place of what they leave out, written out by what `--let` says.

What "..." may stand for, and what is to be said of it:

    tensor<...xf32>                  sizes of a value, by its name:  %lhs = ...  --let lhs=[4,16]
    !quant.uniform<i8:f32, s:z>      alone where a tensor is meant: sizes, likewise
    !quant.uniform<i8:f32, ...>      scale and zero point:           --let lhs_scale=0.5 --let lhs_zp=0
    "op"(%lhs, %rhs) ... : types     attributes, as case lines have them:  --let batch=[]x[] --let contract=[1]x[0]
    dimensions = dense<...>          dimensions of a reduction:      --let dims=[1]

In such a text a reduction may also lack what a reader is to think of: its initial value is then a value %init, its
dimensions are `dims`, and a body without ops is that of `--let body=add`.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Callable

import words
from source_text import PAIRS, VALUE, ImportFailure, Place, Text, mask

ELLIPSIS = re.compile(r"(?<![.\w])\.\.\.(?!\.)")
PROSE = re.compile("\u2026".encode().decode("latin-1") + r"|%\.\.")
OP = re.compile(r'"((?:stablehlo|mhlo)\.\w+)"\s*(?=\()')
SIZES = re.compile(r"tensor<\s*\.\.\.\s*x\s*")
BARE = re.compile(r"!quant\.\w+<")
SCALE = re.compile(r",\s*\.\.\.\s*(?=>)")
HEADER = re.compile(r"\s*\^\w+\s*(?=\()")
DIMENSIONS = re.compile(r"\bdimensions\s*=\s*dense<\s*\.\.\.\s*>\s*:\s*tensor<(?:\d+x)?i64>")
RANKED = re.compile(r"^tensor<(?:\s*[\d?]+\s*x\s*)*")
PRETTY_REDUCE = re.compile(rf"(?<![\w.$%@!#\-])stablehlo\.reduce\s*\(\s*({VALUE})\s+init:\s*({VALUE})\s*\)"
                           r"\s*across\s+dimensions\s*=\s*\[([\d,\s]*)\]\s*")  # fmt: skip
LIST = re.compile(r"\[(?:\d+(?:,\d+)*)?\]")
BODIES = tuple(words.NAMED_BODIES[text] for text in words.NAMED_BODIES if text.count(";") == 1)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
INTEGER = re.compile(r"[-+]?\d+")
LETS_MAX = 14  # Named in one error.
LEFT_OUT = "assay.left_out"  # The attribute of an op whose attributes are "...".

# Attributes of case lines in their order, each with what it may be; "?": the line may lack it;
# a key of DEFAULTS: what it is along each dimension of the window where nothing is said.
LINES: dict[str, tuple[tuple[str, str], ...]] = {
    "dot_general": (("batch", "[]x[]"), ("contract", "[1]x[0]"), ("precision", "?"), ("algorithm", "?"),
                    ("accumulation", "?")),
    "convolution": (("window_strides", "ones"), ("padding", "zeros"), ("lhs_dilation", "ones"),
                    ("rhs_dilation", "ones"), ("window_reversal", "falses"), ("dimension_numbers", "[b,0,f]x[0,i,o]->[b,0,f]"),
                    ("feature_group_count", "1"), ("batch_group_count", "1"), ("precision", "?"),
                    ("accumulation", "?")),
    "transpose": (("permutation", "[1,0]"),),
    "broadcast_in_dim": (("broadcast_dimensions", "[0]"),),
    "concatenate": (("dimension", "0"),),
}  # fmt: skip
DEFAULTS: dict[str, Callable[[int], str]] = {
    "ones": lambda rank: f"[{','.join(['1'] * rank)}]",
    "zeros": lambda rank: f"[{','.join(['[0,0]'] * rank)}]",
    "falses": lambda rank: f"[{','.join(['false'] * rank)}]",
}


def _quoted(text: str) -> str:
    """For a shell."""
    return f"'{text}'" if re.search(r"[<>(){};]", text) else text


class Given:
    """What `--let` says, NAME=VALUE; which of it was asked for, and what it does not say."""

    def __init__(self, values: dict[str, str]) -> None:
        self._values = values
        self._asked: set[str] = set()
        self._missing: dict[str, str] = {}  # With examples.
        self._first: tuple[Place, str] | None = None  # Of what is missing.

    def get(self, name: str) -> str | None:
        self._asked.add(name)
        return self._values.get(name)

    def take(self, name: str, place: Place, what: str, example: str) -> str:
        """`what` says what is left out.  The example, if it is not said: check_complete() fails then."""
        found = self.get(name)
        if found is None:
            self._first = self._first or (place, what)
            self._missing.setdefault(name, example)
        return example if found is None else found

    def number(self, name: str, place: Place, is_zero_point: bool) -> str:
        kind, example = ("an integer", "0") if is_zero_point else ("a number", "0.5")
        found = self.take(name, place, f"{name} is a name of {kind}", example)
        if not (INTEGER if is_zero_point else NUMBER).fullmatch(found):
            raise ImportFailure(place, f"--let {name} is {kind}, such as {example}, not {found}")
        return found

    def check_complete(self) -> None:
        if self._first is None:
            return
        lets = [f"--let {_quoted(f'{name}={example}')}" for name, example in self._missing.items()]
        more = f" and {len(lets) - LETS_MAX} more" if len(lets) > LETS_MAX else ""
        what = self._first[1] + (", and more" if len(lets) > 1 else "")
        raise ImportFailure(self._first[0], f"{what}: say it, such as {' '.join(lets[:LETS_MAX])}{more}")

    def check_all_asked(self) -> None:
        for name in self._values:
            if name not in self._asked:
                raise ImportFailure(Place(1, 1), f"--let {name}: nothing that the text leaves open is called {name}")


def explained(failure: ImportFailure, text: str) -> ImportFailure:
    """Of a text that MLIR cannot read because it is prose in part."""
    masked = mask(text)
    found = PROSE.search(masked) or ELLIPSIS.search(masked)
    if found is None:
        return failure
    before = text[: found.start()]
    place = Place(before.count("\n") + 1, found.start() - before.rfind("\n"))
    what = "'%..' stands for values: write their names, such as %0"
    if found.group() == "...":
        what = "'...' leaves something out that a case has: write it"
    elif found.group() != "%..":
        what = "the ellipsis stands for ops: write them, as harness/docs/ops/quantized-import.md has them"
    return ImportFailure(place, f"{what} ({failure.message} at {failure.place.line}:{failure.place.column})")


# ---- Attributes ---------------------------------------------------------------------------------


def ask_for_words(op: str, given: Given, place: Place) -> None:
    """What is to be said of an op whose attributes are left out."""
    for name, rule in LINES.get(op, ()):
        if rule != "?" and rule not in DEFAULTS:
            given.take(name, place, f"attributes of stablehlo.{op} are left out", rule)


def line_words(op: str, rank: int, given: Given) -> str:
    """Of an op whose attributes are left out; `rank` of its first operand."""
    if op not in LINES:
        raise words.Unknown("'...' leaves out its attributes: write them")
    found = []
    for name, rule in LINES[op]:
        value = given.get(name)
        if value is None and rule in DEFAULTS:
            value = DEFAULTS[rule](max(rank - 2, 0))
        if value is not None:
            found.append(f"{name}={value}")
    return " ".join(found)


# ---- The text -----------------------------------------------------------------------------------


def one_type(text: Text, at: int) -> tuple[int, int]:
    """A type that stands there, to the bracket that closes it."""
    start = at = text.skip_blanks(at)
    depth = 0
    while at < len(text.masked):
        sign = text.masked[at]
        depth += (sign == "<") - (sign == ">")
        at += 1
        if sign == ">" and depth <= 0:
            break
    return start, at


@dataclass(frozen=True)
class Signature:
    """Of an op: where the list of its operands ends, and what stands behind it."""

    operands: list[str]
    operands_end: int
    colon: int
    types: list[str]  # Of the operands, written out.
    types_end: int


class Sketch(Text):
    """A text with ellipses; `edited()` is without."""

    def __init__(self, text: str, given: Given) -> None:
        super().__init__(text.replace("!qunat.", "!quant."))  # An RFC has it so.
        self.given = given
        for match in OP.finditer(self.text):
            if self.masked[match.start()] == '"':  # Not in a comment.
                self._op(match.group(1).partition(".")[2], match.start(), match.end())

    def _edit(self, start: int, end: int, text: str) -> str:
        if self.text[start:end] != text:
            self.edits.append((start, end, text))
        return text

    # ---- Where things stand ------------------------------------------------------------------

    def _parts(self, start: int, end: int) -> list[tuple[int, int]]:
        """What commas part, outside of all brackets."""
        parts, depth, begin = [], 0, start
        for at in range(start, end):
            sign = self.masked[at]
            depth += (sign in "<([{") - (sign in ">)]}")
            if sign == "," and depth == 0:
                parts.append((begin, at))
                begin = at + 1
        if self.masked[begin:end].strip():
            parts.append((begin, end))
        return [self._trimmed(*part) for part in parts]

    def _trimmed(self, start: int, end: int) -> tuple[int, int]:
        start = self.skip_blanks(start)
        while end > start and self.masked[end - 1].isspace():
            end -= 1
        return start, end

    def _one_type(self, at: int) -> tuple[int, int]:
        """A type without parentheses around it; a '>' too many behind it is taken away."""
        start, end = one_type(self, at)
        last = end
        while self.masked[last : last + 1] == ">":
            last += 1
        if last > end:
            self._edit(end, last, "")
        return start, end

    # ---- Ops ---------------------------------------------------------------------------------

    def _op(self, name: str, start: int, opening: int) -> None:
        closing = self.closing(opening)
        operands = [value[1:] for value in re.findall(VALUE, self.masked[opening:closing])]
        regions: list[tuple[int, int]] = []
        attributes: tuple[int, int] | None = None
        at = self.skip_blanks(closing + 1)
        while at < len(self.masked) and self.masked[at] != ":":
            if ELLIPSIS.match(self.masked, at):
                ask_for_words(name, self.given, self.place(at))
                self._edit(at, at + 3, f"{{{LEFT_OUT}}}")
                at = self.skip_blanks(at + 3)
                continue
            if self.masked[at] not in PAIRS:
                return  # MLIR says what is wrong there.
            end = self.closing(at)
            if self.masked[at] == "(":
                regions += self._regions_in(at, end)
            elif HEADER.match(self.masked, at + 1):
                self._edit(at, at, "(")
                self._edit(end + 1, end + 1, ")")
                regions.append((at, end))
            else:
                attributes = (at, end)
            at = self.skip_blanks(end + 1)
        signature = self._signature(at, operands, closing, self.results_before(start))
        if signature is None:
            return
        if name == "reduce":
            self._reduction(signature, attributes)
        for region in regions:
            self._region(region, signature)

    def _regions_in(self, opening: int, closing: int) -> list[tuple[int, int]]:
        found, at = [], self.skip_blanks(opening + 1)
        while at < closing and self.masked[at] == "{":
            end = self.closing(at)
            found.append((at, end))
            at = self.skip_blanks(end + 1)
            if self.masked[at] == ",":
                at = self.skip_blanks(at + 1)
        return found

    def _signature(self, colon: int, operands: list[str], operands_end: int,
                   results: list[str]) -> Signature | None:  # fmt: skip
        """None where MLIR says what is wrong."""
        at = self.skip_blanks(colon + 1)
        if not self.masked.startswith("(", at):
            return None
        end = self.closing(at)
        parts = self._parts(at + 1, end)
        arrow = self.skip_blanks(end + 1)
        if not self.masked.startswith("->", arrow) or len(parts) != len(operands):
            return None
        types = [self._type(part, name) for part, name in zip(parts, operands)]
        at = self.skip_blanks(arrow + 2)
        made = self._parts(at + 1, self.closing(at)) if self.masked.startswith("(", at) else [self._one_type(at)]
        for index, part in enumerate(made):
            self._type(part, results[index] if index < len(results) else f"result{index}")
        return Signature(operands, operands_end, colon, types, end)

    # ---- Types -------------------------------------------------------------------------------

    def _type(self, part: tuple[int, int], name: str) -> str:
        """The type of a value, written out."""
        place, text = self.place(part[0]), self.text[slice(*part)]
        text = SCALE.sub(f", {name}_scale:{name}_zp", text)
        shown = SIZES.match(text)
        if shown is not None:
            text = self._sizes(name, place) + text[shown.end() :]
        elif BARE.match(text):
            text = f"{self._sizes(name, place)}{text}>"
        return self._edit(*part, text)

    def _list(self, name: str, place: Place, what: str, example: str) -> list[str]:
        said = self.given.take(name, place, what, example)
        if not LIST.fullmatch(said):
            raise ImportFailure(place, f"--let {name} is a list of numbers, such as {example}, not {said}")
        return [number for number in said[1:-1].split(",") if number]

    def _sizes(self, name: str, place: Place) -> str:
        sizes = self._list(name, place, f"the sizes of %{name} are left out", "[4,16]")
        return f"tensor<{''.join(f'{size}x' for size in sizes)}"

    # ---- Reductions --------------------------------------------------------------------------

    def _reduction(self, signature: Signature, attributes: tuple[int, int] | None) -> None:
        if len(signature.operands) == 1:
            self._edit(signature.operands_end, signature.operands_end, ", %init")
            self._edit(signature.types_end, signature.types_end, f", {RANKED.sub('tensor<', signature.types[0])}")
        found = None if attributes is None else DIMENSIONS.search(self.masked, *attributes)
        if attributes is not None and found is None:
            return
        begin, end = (signature.colon, signature.colon) if found is None else found.span()
        listed = self._list("dims", self.place(begin), "the dimensions of the reduction are left out", "[1]")
        numbers = f"dimensions = array<i64{': ' * (listed != [])}{', '.join(listed)}>"
        self._edit(begin, end, numbers if found else f"{{{numbers}}} ")

    def _region(self, region: tuple[int, int], signature: Signature) -> None:
        """A block: its arguments may be called as operands are, and lack what makes them tensors."""
        header = HEADER.match(self.masked, region[0] + 1)
        if header is None or not signature.types:
            return
        closing = self.closing(header.end())
        names, kinds = [], []
        for index, (start, end) in enumerate(self._parts(header.end() + 1, closing)):
            name = self.text[start:end].partition(":")[0]
            begin = self.skip_blanks(start + len(name) + 1)
            given = signature.types[index % len(signature.types)]
            kinds.append(self._edit(begin, end, self._argument_type(self.text[begin:end], name[1:], given)))
            names.append(name.strip())
            if name.strip()[1:] in signature.operands:
                self._rename(name.strip(), region)
        colon = self.skip_blanks(closing + 1)
        if self.masked[colon] == ":" and not self.masked[colon + 1 : region[1]].strip():
            self._edit(region[1], region[1], self._body(names, kinds, self.place(region[0])))

    def _argument_type(self, text: str, name: str, operand: str) -> str:
        """A scale that is left out is the operand's, if all else is."""
        left_out = SCALE.search(text)
        if left_out is not None:
            begin = text.find("!quant")
            same = operand.find(text[begin : left_out.start() + 1])
            if same >= 0:
                text = text[:begin] + operand[same : operand.rfind(">")] + text[left_out.end() + 1 :]
            else:
                text = SCALE.sub(f", {name}_scale:{name}_zp", text)
        return f"tensor<{text}>" if BARE.match(text) else text

    def _rename(self, name: str, region: tuple[int, int]) -> None:
        for match in re.compile(re.escape(name) + r"(?![\w$.\-])").finditer(self.masked, *region):
            self._edit(match.start(), match.end(), f"{name}.inside")

    def _body(self, names: list[str], kinds: list[str], place: Place) -> str:
        said = self.given.take("body", place, "the body of the reduction is left out", "add")
        if said not in BODIES or len(names) != 2:
            raise ImportFailure(place, f"--let body is one of {', '.join(BODIES)}, of two arguments, not {said}")
        return (f'%left_out = "stablehlo.{said}"({", ".join(names)}) : ({", ".join(kinds)}) -> {kinds[0]}\n'
                f'"stablehlo.return"(%left_out) : ({kinds[0]}) -> ()\n')  # fmt: skip


# ---- Reductions as StableHLO prints them ----------------------------------------------------------


class GenericReductions(Text):
    """A text whose reductions of one input are in the generic form of ops, in which MLIR does not hold what is
    read against the rules of today's dialect."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        for match in PRETTY_REDUCE.finditer(self.masked):
            self._reduce(match)

    def _reduce(self, match: re.Match[str]) -> None:
        at, attributes = match.end(), ""
        if self.masked.startswith("{", at):
            end = self.closing(at)
            attributes = ", " + self.text[at + 1 : end].strip()
            at = self.skip_blanks(end + 1)
        opening = self.skip_blanks(at + 1)
        if not self.masked.startswith(":", at) or not self.masked.startswith("(", opening):
            return
        arrow = self.skip_blanks(self.closing(opening) + 1)
        reducer = self.skip_blanks(one_type(self, arrow + 2)[1])
        arguments = self.skip_blanks(reducer + len("reducer"))
        if not self.masked.startswith("reducer", reducer) or not self.masked.startswith("(", arguments):
            return
        arguments_end = self.closing(arguments)
        body = self.skip_blanks(arguments_end + 1)
        if not self.masked.startswith("{", body):
            return
        end = self.closing(body)
        listed = match.group(3).strip()
        self.edits.append((match.start(), end + 1, (
            f'"stablehlo.reduce"({match.group(1)}, {match.group(2)}) ({{\n'
            f"^reducer{self.text[arguments : arguments_end + 1]}:{self.text[body + 1 : end]}}}) "
            f"{{dimensions = array<i64{': ' * (listed != '')}{listed}>{attributes}}} "
            f": {self.text[opening:reducer]}")))  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
"""The text of a module on its way to MLIR's parser, and places in it on their way back.

MLIR's parser reads all but this, which is rewritten before, so that every place can be told:

- locations (`loc(...)`) are blanked: an op's location is then where it stands in the file, of which
  also the names of values are read, which MLIR forgets;
- ops that the quant dialect once had (`"quant.region"`, `"quant.stats"`, ...) get the prefix of a
  dialect that nobody has: MLIR takes unknown ops of unknown dialects alone;
- StableHLO's dialect `check`, which jaxlib has not, gets the generic form of ops, which any dialect may have;
- other spellings of documents from before a dialect's syntax was settled: `OLD_SPELLINGS`;
- the RFC's spelling of a region, `quant.region (...) { ... quant.return ... } {...} : types`, gets the
  generic form of ops, and its list of specs `input_specs: [...]` a `=`.
"""
from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

OLD_OPS = ("region", "return", "stats", "stats_ref", "coupled_ref", "const_fake_quant",
           "const_fake_quant_per_axis", "qcast", "dcast", "scast", "storage_cast")  # fmt: skip
PREFIX = "assay."  # As long as "quant.".
VALUE = r"%[\w$.\-]+"
VALUES_BEFORE = re.compile(rf"((?:{VALUE}(?::\d+)?\s*,\s*)*{VALUE}(?::\d+)?)\s*=\s*$")
OLD_OP = re.compile(rf'"quant\.({"|".join(OLD_OPS)})"(?=\s*\()')
LOCATION = re.compile(r"(?<![\w$.#%@!\-])(?:#loc\d*\s*=\s*)?loc\s*(?=\()")
SEED_REGION = re.compile(r"(?<![\w$.%@!#\-])quant\.region(?![\w$.\-])")
SEED_RETURN = re.compile(r"(?<![\w$.%@!#\-])quant\.return(?![\w$.\-])")
RETURNED = re.compile(rf"\s*({VALUE}(?:#\d+)?(?:\s*,\s*{VALUE}(?:#\d+)?)*)?")
NAMED_ARGUMENT = re.compile(rf'({VALUE})\s*:\s*[^%=\n]*?\sloc\("([A-Za-z_][\w.\-]*)"\)')
# Of RFCs and of ByteIR's document.  What `shape_of` is given is not said there by a type, nor needed.
LISTS = ("dimensions|permutation|broadcast_dimensions|window_dimensions|window_strides|base_dilations|"
         "window_dilations|lhs_dilation|rhs_dilation")  # fmt: skip
OLD_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(rf"\b({LISTS})\s*=\s*dense<(-?\d+)>\s*:\s*tensor<(?:1x)?i64>"), r"\1 = array<i64: \2>"),
    (re.compile(rf"\b({LISTS})\s*=\s*dense<\[([-\d, ]+)\]>\s*:\s*tensor<\d+xi64>"), r"\1 = array<i64: \2>"),
    (re.compile(r"(!quant\.\w+<)ui(?=\d)"), r"\1u"),
    (re.compile(rf"(?<![\w.$%@!#\-])byre\.compute\s+(@[\w$.\-]+)\(\)\s*:\s*(tensor<[^\n>]*>)"),
     r'"assay.byre.compute"() {callee = \1} : () -> \2'),
    (re.compile(rf"(?<![\w.$%@!#\-])shape\.shape_of\s+{VALUE}\s*:\s*(tensor<\d+xindex>)(?!\s*->)"),
     r'"assay.shape.shape_of"() : () -> \1'),
    (re.compile(r"(?<=[<,\s])lhs_type(?=\s*=\s*\w+,\s*rhs_type)"), "lhs_precision_type"),
    (re.compile(r"(?<=[<,\s])rhs_type(?=\s*=\s*\w+,\s*accum_type)"), "rhs_precision_type"),
    (re.compile(r"(?<=[<,\s])accum_type(?=\s*=\s*\w+,\s*lhs_component_count)"), "accumulation_type"),
    (re.compile(r"(?<=[<,\s])num_primitive_ops(?=\s*=)"), "num_primitive_operations"),
    (re.compile(r"(?<=[<,\s])allow_imprecise_accum(?=\s*=)"), "allow_imprecise_accumulation"),
)
SPACED_SIZES = re.compile(r"(?<=tensor<)(?:\d+\s*x\s*)*\d+\s+x\s*(?:\d+\s*x\s*)*")
GENERIC_OP = re.compile(r'"((?:stablehlo|mhlo)\.(?!constant"|bitcast_convert"|return")\w+)"(?=\s*\()')
# check.expect_eq %a, %b : TYPES, and with numbers between; or a constant in the place of %b and the types.
CHECK = re.compile(rf"(?<![\w.$%@!#\-\"])(check\.\w+)\s+({VALUE}(?:#\d+)?)\s*,\s*(?:({VALUE}(?:#\d+)?)([^:%\n]*):|(?=dense<))")
CHECK_NUMBER = re.compile(r"(\w+)\s*=\s*(\d+)")
TENSOR = re.compile(r"(?<![\w.$%@!#])tensor(?=<)")
PAIRS = {"(": ")", "{": "}", "[": "]"}


@dataclass(frozen=True)
class Place:
    line: int  # Both from 1; columns count bytes.
    column: int


class ImportFailure(Exception):
    """Something in the module that a graph cannot be made of."""

    def __init__(self, place: Place, message: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message


def mask(text: str) -> str:
    """The text with comments and what is in strings blanked, so that brackets can be counted."""

    def blank(match: re.Match[str]) -> str:
        found = match.group()
        if found.startswith('"') and len(found) > 1:
            return '"' + " " * (len(found) - 2) + '"'
        return " " * len(found)

    return re.sub(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"|//[^\n]*', blank, text)


class Source:
    """A module's text; `prepared` is what MLIR's parser is given."""

    def __init__(self, data: bytes, is_verified: bool = True) -> None:
        """Unless `is_verified`, ops in generic form are given to MLIR as of a dialect that nobody has:
        what breaks a rule of its dialect is read too."""
        # A byte is a character, as MLIR counts columns.  RFCs have typographic quotes.
        for quote in ("\u201c", "\u201d"):
            data = data.replace(quote.encode(), b'"  ')
        self.text = data.decode("latin-1")
        self.masked = mask(self.text)
        self.edits: list[tuple[int, int, str]] = []
        self.line_starts = _line_starts(self.text)
        # What exporters call the arguments of functions: `%arg0: tensor<2xf32> loc("image")`.
        self.argument_names = {match.start(): match.group(2)
                               for match in NAMED_ARGUMENT.finditer(self.text)}  # fmt: skip
        self._blank_locations()
        self._rename_old_ops()
        self._rewrite_old_spellings()
        self._rewrite_checks()
        if not is_verified:
            self._rename(GENERIC_OP)
            self._copy_properties()
        self._rewrite_seed_regions()
        self.edits = _without_overlaps(self.edits)
        self.prepared = self._apply()
        self.prepared_starts = _line_starts(self.prepared)

    # ---- Places ------------------------------------------------------------------------------

    def place(self, offset: int) -> Place:
        line = bisect.bisect_right(self.line_starts, offset)
        return Place(line, offset - self.line_starts[line - 1] + 1)

    def offset(self, prepared: Place) -> int:
        """Where in the text stands what the parser saw at that place."""
        line = min(max(prepared.line, 1), len(self.prepared_starts))
        target = self.prepared_starts[line - 1] + prepared.column - 1
        shift = 0  # How much longer the prepared text is so far.
        for start, end, replacement in self.edits:
            begins = start + shift
            if target < begins:
                break
            if target < begins + len(replacement):
                same = len(replacement) == end - start
                return start + (target - begins if same else 0)
            shift += len(replacement) - (end - start)
        return min(target - shift, len(self.text))

    def results_before(self, offset: int) -> list[str]:
        """The names that the op at the offset gives its results: `%a, %b = "op"` has a and b, and
        `%a:2 = "op"` has a.0 and a.1."""
        start = offset
        while start > 0 and (self.masked[start - 1].isalnum() or self.masked[start - 1] in "%$.-_:,= \t\r\n"):
            start -= 1
        found = VALUES_BEFORE.search(self.masked[start:offset])
        names: list[str] = []
        for word in found.group(1).split(",") if found else []:
            name, _, count = word.strip()[1:].partition(":")
            names += [f"{name}.{i}" for i in range(int(count))] if count else [name]
        return names

    def value_at(self, offset: int) -> str | None:
        """The name of the value that stands there, an argument of a block, or what it is called."""
        if offset in self.argument_names:
            return self.argument_names[offset]
        found = re.compile(VALUE).match(self.masked, offset)
        return found.group()[1:] if found else None

    # ---- Edits -------------------------------------------------------------------------------

    def _apply(self) -> str:
        pieces, at = [], 0
        for start, end, replacement in self.edits:
            pieces += [self.text[at:start], replacement]
            at = end
        pieces.append(self.text[at:])
        return "".join(pieces).encode("ascii", "replace").decode()

    def _closing(self, opening: int) -> int:
        """The offset of the bracket that closes the one at `opening`."""
        stack: list[str] = []
        for at in range(opening, len(self.masked)):
            sign = self.masked[at]
            if sign in PAIRS:
                stack.append(PAIRS[sign])
            elif stack and sign == stack[-1]:
                stack.pop()
                if not stack:
                    return at
            elif sign in ")}]":
                break
        raise ImportFailure(self.place(opening), f"'{self.text[opening]}' is never closed")

    def _blank_locations(self) -> None:
        taken = 0
        for match in LOCATION.finditer(self.masked):
            if match.start() < taken:
                continue
            taken = self._closing(match.end()) + 1
            blanked = re.sub(r"[^\n]", " ", self.text[match.start() : taken])
            self.edits.append((match.start(), taken, blanked))

    def _rename(self, pattern: re.Pattern[str]) -> None:
        for match in pattern.finditer(self.text):
            if self.masked[match.start()] == '"':  # Not in a comment.
                self.edits.append((match.start(), match.end(), f'"{PREFIX}{match.group(1)}"'))

    def _copy_properties(self) -> None:
        """Of ops that nobody has, `<{...}>` in front of the regions are no attributes: so also behind these, where
        attributes are."""
        for match in GENERIC_OP.finditer(self.text):
            if self.masked[match.start()] != '"':
                continue
            begin = self._skip_blanks(self._closing(self._skip_blanks(match.end())) + 1)
            if not self.masked.startswith("<{", begin):
                continue
            end = self._closing(begin + 1)
            at = self._skip_blanks(end + 2)
            if self.masked.startswith("(", at):
                at = self._closing(at) + 1
            self.edits.append((at, at, f" {self.text[begin + 1 : end + 1]}"))

    def _rename_old_ops(self) -> None:
        self._rename(OLD_OP)

    def _rewrite_old_spellings(self) -> None:
        for pattern, replacement in OLD_SPELLINGS:
            for match in pattern.finditer(self.masked):
                self.edits.append((match.start(), match.end(), match.expand(replacement)))
        for match in SPACED_SIZES.finditer(self.masked):
            self.edits.append((match.start(), match.end(), re.sub(r"\s", "", match.group())))

    def _rewrite_checks(self) -> None:
        for match in CHECK.finditer(self.masked):
            name, actual, expected, numbers = match.groups()
            begin, end = self._type(match.end())
            kind = self.text[begin:end]
            if expected is None:  # A constant: `dense<...> : tensor<...>`.
                self.edits.append((match.start(), match.end(), f'"{name}"({actual}) {{value = '))
                self.edits.append((end, end, f"}} : ({kind}) -> ()"))
                continue
            other = kind
            if (second := re.compile(r"\s*,\s*(?=tensor<)").match(self.masked, end)) is not None:
                begin, end = self._type(second.end())
                other = self.text[begin:end]
            said = ", ".join(f"{key} = {number} : ui64" for key, number in CHECK_NUMBER.findall(numbers))
            types = f"({kind}, {other}) -> ()"
            self.edits.append((match.start(), end, f'"{name}"({actual}, {expected}) {{{said}}} : {types}'))

    def _type(self, at: int) -> tuple[int, int]:
        """Where the next `tensor<...>` begins and ends."""
        found = TENSOR.search(self.masked, at)
        depth = 0
        for end in range(found.end() if found else at, len(self.masked)):
            depth += (self.masked[end] == "<") - (self.masked[end] == ">")
            if found and depth == 0:
                return found.start(), end + 1
        raise ImportFailure(self.place(at), "expected the type of what is checked, tensor<...>")

    def _skip_blanks(self, at: int) -> int:
        while at < len(self.masked) and self.masked[at].isspace():
            at += 1
        return at

    def _expect(self, at: int, sign: str, where: str) -> int:
        at = self._skip_blanks(at)
        if not self.masked.startswith(sign, at):
            found = self.text[at : at + 12].split("\n")[0] or "the end"
            raise ImportFailure(
                self.place(min(at, len(self.text))),
                f"expected '{sign}' {where} of quant.region, found '{found}'",
            )
        return at

    def _rewrite_seed_regions(self) -> None:
        for match in SEED_REGION.finditer(self.masked):
            self.edits.append((match.start(), match.end(), f'"{PREFIX}region"'))
            opening = self._expect(match.end(), "(", "before the operands")
            body = self._expect(self._closing(opening) + 1, "{", "before the ops")
            end = self._closing(body)
            self.edits += [(body, body + 1, "({"), (end, end + 1, "})")]
            at = self._skip_blanks(end + 1)
            if self.masked.startswith("{", at):
                last = self._closing(at)
                for colon in re.finditer(r"\b(?:input_specs|output_specs|kernel)\s*(:)", self.masked[at:last]):
                    self.edits.append((at + colon.start(1), at + colon.end(1), "="))
                at = last + 1
            at = self._expect(at, ":", "before the types")
            arrow = self._expect(self._closing(self._expect(at + 1, "(", "before the types of operands")) + 1, "->", "before the types of results")  # fmt: skip
            types = self._result_types(arrow + 2)
            self._rewrite_seed_return(body, end, types)

    def _result_types(self, at: int) -> str:
        at = self._skip_blanks(at)
        if self.masked.startswith("(", at):
            return self.text[at + 1 : self._closing(at)]
        found = re.compile(r"tensor<[^\n]*>").match(self.text, at)
        if found is None:
            raise ImportFailure(self.place(at), "expected the types of the results of quant.region")
        return found.group()

    def _rewrite_seed_return(self, body: int, end: int, types: str) -> None:
        found = SEED_RETURN.search(self.masked, body, end)
        if found is None:
            raise ImportFailure(self.place(body), "a quant.region ends with quant.return")
        values = RETURNED.match(self.masked, found.end(), end)
        assert values is not None
        last = values.end()
        listed = " ".join((values.group(1) or "").split())
        rest = self._skip_blanks(last)
        if self.masked.startswith(":", rest):  # Its types are said: those of the region, again.
            last = end
            while self.masked[last - 1].isspace():
                last -= 1
        typed = " ".join(types.split())
        self.edits.append((found.start(), last, f'"{PREFIX}return"({listed}) : ({typed}) -> ()'))


def _without_overlaps(edits: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """In order; what begins inside of another edit is gone with the text around it."""
    kept: list[tuple[int, int, str]] = []
    for edit in sorted(edits):
        if not kept or edit[0] >= kept[-1][1]:
            kept.append(edit)
    return kept


def _line_starts(text: str) -> list[int]:
    return [0] + [match.end() for match in re.finditer("\n", text)]

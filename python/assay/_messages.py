# SPDX-License-Identifier: Apache-2.0
"""What a failed assertion prints: what is wrong where, what it could be, and the smallest case to paste into a test."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

import numpy

from ._completion import Pair
from ._library import AssayError
from ._programs import program_from_line, program_of
from ._tensors import ELEMENTS, Tensor, from_hex, type_of
from ._verdicts import Verdict

SHORT = 2000  # Characters of a line that is printed; what is longer is told where to find.
_LITERAL_ELEMENTS = 1 << 16  # Of a literal that is made at all.
_NUMPY = {"bool", "complex64", "complex128", "float16", "float32", "float64"}


def number_literal(value: Any) -> str:
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, complex):
        return f"complex({number_literal(value.real)}, {number_literal(value.imag)})"
    if isinstance(value, (bool, int)):
        return repr(value)
    value = float(value)
    if value != value:
        return "np.nan"
    if value in (float("inf"), float("-inf")):
        return "-np.inf" if value < 0 else "np.inf"
    return repr(value)


def _nested(array: numpy.ndarray) -> str:
    if array.ndim == 0:
        return number_literal(array[()])
    return "[" + ", ".join(_nested(part) for part in array) + "]"


def array_literal(array: numpy.ndarray, element: str) -> str:
    """Python source that makes the array again, to the bit (but for which NaN it is)."""
    name = array.dtype.name
    home = "np" if name in _NUMPY or array.dtype.kind in "iu" and not name.endswith(("int2", "int4")) else "ml_dtypes"
    name = "bool_" if name == "bool" else name
    text = f"np.array({_nested(array)}, {home}.{name})" if array.size else f"np.zeros({array.shape}, {home}.{name})"
    return text if element in ELEMENTS.values() else f'assay.typed({text}, "{element}")'


def call_literal(
    op: str, operands: Sequence[Tensor], results: Sequence[Tensor], attributes: dict[str, Any], contract: str
) -> str:
    inputs = ", ".join(array_literal(*operand) for operand in operands)
    outputs = ", ".join(array_literal(*result) for result in results)
    words = "".join(
        f", {'contracting' if key == 'contract' else key}={tuple(value) if isinstance(value, Pair) else value!r}"
        for key, value in attributes.items()
    )
    words += "" if contract == "wide" else f", contract={contract!r}"
    outputs = outputs if len(results) == 1 else f"[{outputs}]"
    return f"assay.assert_conforms({op!r}, [{inputs}], {outputs}{words})"


# ---- The worst element alone -----------------------------------------------------------------------------------------


class Small(NamedTuple):
    """What the worst element depends on alone, which diverges by itself."""

    line: str  # The program.
    operands: list[Tensor]
    results: list[Tensor]


def smallest(verdict: Verdict) -> Optional[Small]:
    """As the library cuts it out."""
    line, _, returned = verdict.smallest.partition("\t")
    if not line:
        return None
    text, *operands = line.split(" : ")
    program = program_from_line(text)
    parts = zip((program.operands, program.results), (operands, returned.split(" : ")))
    ins, outs = (
        [Tensor(from_hex(data, type_.element, type_.shape), type_.element) for type_, data in zip(types, texts)]
        for types, texts in parts
    )
    return Small(text, ins, outs)


def _literal(op: str, small: Small, attributes: dict[str, Any], contract: str) -> str:
    """Python source that judges it: a call as it was made, unless the part wants other attributes."""
    types = [[type_of(one) for one in tensors] for tensors in (small.operands, small.results)]
    try:
        if program_of(op, *types, attributes).line == small.line:
            return call_literal(op, small.operands, small.results, attributes, contract)
    except AssayError:
        pass
    inputs, outputs = (
        ", ".join(array_literal(*one) for one in tensors) for tensors in (small.operands, small.results)
    )
    return f'assert assay.case("{small.line}", [{inputs}], {contract!r}).check({outputs})'


# ---- The text ---------------------------------------------------------------------------------------------------------


def spell_reading(reading: str) -> str:
    """The library's words as keywords of a call: eps_outside_sqrt=True, norm_epsilon="larger"."""

    def spell(setting: str) -> str:
        key, value = setting.split("=")
        words = {"true": "True", "false": "False"}
        try:
            return f"{key}={float(value):g}"
        except ValueError:
            return f"{key}={words.get(value) or chr(34) + value + chr(34)}"

    return ", or ".join(", ".join(map(spell, one.split(","))) for one in reading.split(", or "))


def headline(verdict: Verdict) -> str:
    types = ", ".join(map(str, verdict.program.operands)) + " -> " + ", ".join(map(str, verdict.program.results))
    return f"{verdict.program.op} does not conform to contract {verdict.contract!r}: {types}"


def describe(verdict: Verdict) -> list[str]:
    """Lines on what is wrong, where, how much of it, and what it could be."""
    lines = [headline(verdict)]
    worst = verdict.worst
    if verdict.outcome != "diverges" or worst is None:
        return lines + [verdict.explanation or verdict.reason]
    place = f"result {worst.result} at {list(worst.index)}" + (f" ({worst.part} part)" if worst.part else "")
    lines.append(f"  worst: {place}, class {verdict.class_name}")
    lines.append(f"    got        {worst.got}  ({worst.got.hex})" if worst.got.hex else f"    got        {worst.got}")
    of_row = verdict.class_name == "shared"  # Each element of which is permitted by itself.
    if worst.low is not None and worst.high is not None and not of_row:
        lines.append(f"    permitted  {worst.low} .. {worst.high}  ({worst.low.hex} .. {worst.high.hex})")
    elif worst.permitted:
        lines.append(f"    permitted  {worst.permitted}")
    if worst.exact.decimal:
        lines.append(f"    exact      {worst.exact}")
    share = f"{'at least ' if of_row else ''}{verdict.wrong_count} of {verdict.judged_count} components are wrong"
    lines.append(
        f"  {share}"
        + (f" ({verdict.pattern})" if verdict.pattern else "")
        + f"; largest error {verdict.ulp_error_max:.4g} ulp"
    )
    if verdict.left_out_count:
        lines.append(f"  {verdict.left_out_count} components were not looked at")
    if verdict.cause:
        lines.append(f"  cause: {verdict.cause}")
    if verdict.algorithms:
        lines.append(f"  these results could come from: {', '.join(verdict.algorithms)}")
    if verdict.observed:
        lines.append(
            f"  it would conform under: {verdict.observed}"
            if "=" in verdict.observed
            else f"  observed: {verdict.observed}"
        )
    if verdict.reading:
        is_of_file = verdict.reading.startswith("reading=")
        what = verdict.reading if is_of_file else f"{spell_reading(verdict.reading)}: say so, if that is what the kernel means"
        lines.append(f"  it would conform with {what}")
    return lines


def literal_lines(literal: str, otherwise: str) -> list[str]:
    """What is printed of it: itself, if that is short."""
    if len(literal) < SHORT:
        return ["  smallest case, to paste into a test:", "    " + literal]
    return [f"  {otherwise}: `literal` of this exception is the line to paste into a test"]


def finish(
    lines: list[str],
    verdict: Verdict,
    op: str,
    small: Optional[Small],
    attributes: dict[str, Any],
) -> tuple[str, str]:
    """The text, with what was inferred, the smallest case and how to judge it again; and that case as a literal."""
    if verdict.inferred:
        lines.append(f"  inferred: {', '.join(verdict.inferred)}")
    literal = ""
    if small is not None and sum(one.array.size for one in [*small.operands, *small.results]) <= _LITERAL_ELEMENTS:
        literal = _literal(op, small, attributes, verdict.contract)
        types = ", ".join(str(type_of(one)) for one in small.operands)
        what = "its row" if verdict.class_name == "shared" else "the worst element"
        lines += literal_lines(literal, f"{what} diverges by itself, with operands {types}")
    if verdict.replay:
        lines += [
            "  replay:",
            (
                "    " + verdict.replay
                if len(verdict.replay) < SHORT
                else "    (the command has " + str(len(verdict.replay)) + " characters: verdict.replay)"
            ),
        ]
    return "\n".join(lines), literal

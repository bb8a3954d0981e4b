# SPDX-License-Identifier: Apache-2.0
"""What a failed assertion prints: what is wrong where, what it could be, and the smallest case to paste into a test."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence

import numpy

from ._completion import Pair
from ._library import AssayError
from ._programs import Program
from ._tensors import ELEMENTS, Tensor, TensorType, type_of
from ._verdicts import Verdict, check_program

_LITERAL_ELEMENTS = 64  # More than that nobody pastes.
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


# ---- One row or element of a case: what the worst element depends on --------------------------------------------------


def _keep(array: numpy.ndarray, index: Sequence[int], dims: Sequence[int]) -> numpy.ndarray:
    """The slice at the given index of the given dimensions; the others whole."""
    return array[tuple(slice(index[d], index[d] + 1) if d in dims else slice(None) for d in range(array.ndim))]


def _cut_elementwise(
    operands: list[numpy.ndarray], results: list[numpy.ndarray], index: Sequence[int], attributes: dict
) -> None:
    for arrays in (operands, results):
        arrays[:] = [_keep(array, index, range(array.ndim)) for array in arrays]


def _cut_row(
    operands: list[numpy.ndarray], results: list[numpy.ndarray], index: Sequence[int], attributes: dict
) -> None:
    axis = attributes["axis"]
    axes = [axis] if isinstance(axis, int) else axis
    others = [d for d in range(operands[0].ndim) if d not in axes]
    operands[0] = _keep(operands[0], index, others)
    results[:] = [_keep(result, index, others) for result in results]


def _cut_reduce(
    operands: list[numpy.ndarray], results: list[numpy.ndarray], index: Sequence[int], attributes: dict
) -> None:
    kept = [d for d in range(operands[0].ndim) if d not in attributes["dims"]]
    place = dict(zip(kept, index))
    for i in range(len(operands) // 2):
        operands[i] = _keep(operands[i], [place.get(d, 0) for d in range(operands[i].ndim)], kept)
    results[:] = [_keep(result, index, range(result.ndim)) for result in results]


def _cut_dot(
    operands: list[numpy.ndarray], results: list[numpy.ndarray], index: Sequence[int], attributes: dict
) -> None:
    position = 0
    places: list[dict[int, int]] = [{}, {}]
    for left, right in zip(attributes["batch"].left, attributes["batch"].right):
        places[0][left] = places[1][right] = index[position]
        position += 1
    for side, place, contracted in (
        (0, places[0], attributes["contract"].left),
        (1, places[1], attributes["contract"].right),
    ):
        for d in range(operands[side].ndim):
            if d not in place and d not in contracted:
                place[d] = index[position]
                position += 1
    for side in (0, 1):
        operands[side] = _keep(
            operands[side], [places[side].get(d, 0) for d in range(operands[side].ndim)], list(places[side])
        )
    results[:] = [_keep(result, index, range(result.ndim)) for result in results]


_CUTS: dict[str, Callable[..., None]] = {
    **{f"byteir.{name}": _cut_row for name in ("softmax", "log_softmax", "layer_norm", "l2_norm")},
    **{f"byteir.{name}": _cut_elementwise for name in ("gelu", "erf", "addn")},
    **{
        f"stablehlo.{name}": _cut_elementwise
        for name in ("add", "subtract", "multiply", "maximum", "minimum", "negate", "convert", "shift_right_arithmetic")
    },
    "stablehlo.reduce": _cut_reduce,
    "stablehlo.dot_general": _cut_dot,
}


def smallest(
    verdict: Verdict,
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    attributes: dict[str, Any],
    rebuild: Callable[[list[TensorType], list[TensorType], dict[str, Any]], Program],
) -> Optional[tuple[list[Tensor], list[Tensor]]]:
    """What the worst element depends on alone, if that diverges by itself."""
    worst, cut = verdict.worst, _CUTS.get(verdict.program.op)
    if worst is None or cut is None:
        return None
    small_operands, small_results = [one.array for one in operands], [one.array for one in results]
    try:
        cut(small_operands, small_results, worst.index, attributes)
        ins = [Tensor(array, one.element) for array, one in zip(small_operands, operands)]
        outs = [Tensor(array, one.element) for array, one in zip(small_results, results)]
        program = rebuild([type_of(one) for one in ins], [type_of(one) for one in outs], attributes)
        again = check_program(program, small_operands, small_results, contract=verdict.contract, find_cause=False)
    except (AssayError, IndexError, KeyError):
        return None
    return (ins, outs) if again.outcome == "diverges" else None


# ---- The text ---------------------------------------------------------------------------------------------------------


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
    if worst.low is not None and worst.high is not None:
        lines.append(f"    permitted  {worst.low} .. {worst.high}  ({worst.low.hex} .. {worst.high.hex})")
    elif worst.permitted:
        lines.append(f"    permitted  {worst.permitted}")
    if worst.exact.decimal:
        lines.append(f"    exact      {worst.exact}")
    share = f"{verdict.wrong_count} of {verdict.judged_count} components are wrong"
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
    return lines


def finish(
    lines: list[str],
    verdict: Verdict,
    op: str,
    small: Optional[tuple[list[Tensor], list[Tensor]]],
    attributes: dict[str, Any],
) -> str:
    """The text, with what was inferred, the smallest case and how to judge it again."""
    if verdict.inferred:
        lines.append(f"  inferred: {', '.join(verdict.inferred)}")
    if small is not None and sum(one.array.size for one in [*small[0], *small[1]]) <= _LITERAL_ELEMENTS:
        lines += [
            "  smallest case, to paste into a test:",
            "    " + call_literal(op, small[0], small[1], attributes, verdict.contract),
        ]
    elif small is not None:
        lines.append(
            "  the worst element diverges by itself, with operands " + ", ".join(str(type_of(one)) for one in small[0])
        )
    if verdict.replay:
        lines += [
            "  replay:",
            (
                "    " + verdict.replay
                if len(verdict.replay) < 2000
                else "    (the command has " + str(len(verdict.replay)) + " characters: verdict.replay)"
            ),
        ]
    return "\n".join(lines)

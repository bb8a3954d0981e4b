# SPDX-License-Identifier: Apache-2.0
"""The ops that take parts of tensors, taken apart and checked: of slice, pad and reverse what libraries call with."""
from __future__ import annotations

from assay_worker import Invalid, Program, Unsupported

OPS = tuple(
    f"stablehlo.{name}"
    for name in ("slice", "pad", "reverse", "iota", "dynamic_slice", "dynamic_update_slice", "gather")
)


def _check(holds: bool, rule: str) -> None:
    if not holds:
        raise Invalid(rule)


def _lists(program: Program, count: int, *keys: str) -> list[list[int]]:
    program.check_attributes(*keys)
    if program.is_quantized:
        raise Unsupported("nothing quantized")
    _check(len(program.operands) == count and len(program.results) == 1, "as many operands as the op takes")
    _check(len({kind.element for kind in (*program.operands, *program.results)}) == 1, "C1: one element type")
    return [list(program.numbers(key)) for key in keys]


def sliced(program: Program) -> list[tuple[int, int, int]]:
    """Start, limit and stride along each dimension."""
    lists = _lists(program, 1, "start_indices", "limit_indices", "strides")
    sizes = program.operands[0].shape
    _check(all(len(one) == len(sizes) for one in lists), "C2: an entry for each dimension")
    found = list(zip(*lists))
    _check(all(0 <= low <= high <= size for (low, high, _), size in zip(found, sizes)), "C3: within the operand")
    _check(all(step > 0 for _, _, step in found), "C4: positive strides")
    shape = tuple(-(-(high - low) // step) for low, high, step in found)
    _check(program.results[0].shape == shape, "C5: the shape of the slice")
    return found


def padded(program: Program) -> list[tuple[int, int]]:
    """What is put before and behind along each dimension, or cut off."""
    low, high, between = _lists(program, 2, "edge_padding_low", "edge_padding_high", "interior_padding")
    sizes = program.operands[0].shape
    _check(program.operands[1].shape == (), "a scalar")
    _check(all(len(one) == len(sizes) for one in (low, high, between)), "C2: an entry for each dimension")
    _check(all(inner >= 0 for inner in between), "C3: padding between that is not negative")
    shape = tuple(
        size + max(size - 1, 0) * inner + before + behind
        for size, inner, before, behind in zip(sizes, between, low, high)
    )
    _check(program.results[0].shape == shape, "C4: the shape of what is padded")
    if any(inner > 0 and size > 1 for inner, size in zip(between, sizes)):
        raise Unsupported("no padding between elements")
    return list(zip(low, high))


def reversed_dimensions(program: Program) -> list[int]:
    (dims,) = _lists(program, 1, "dimensions")
    _check(program.operands[0] == program.results[0], "C1: one type")
    _check(len(set(dims)) == len(dims), "C2: no dimension twice")
    _check(all(0 <= dim < len(program.results[0].shape) for dim in dims), "C3: dimensions of the operand")
    return dims

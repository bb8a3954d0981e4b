# SPDX-License-Identifier: Apache-2.0
"""The ops that work element by element and those that move elements, taken apart and checked, for
backends that would broadcast, promote or guess where StableHLO has a rule."""
from __future__ import annotations

import math

from assay_worker import Invalid, Program, Quantization, Type, Unsupported

BINARY = ("add", "subtract", "multiply", "maximum", "minimum")
MOVING = ("reshape", "transpose", "broadcast_in_dim", "concatenate")
ELEMENTWISE = tuple(f"stablehlo.{name}" for name in (*BINARY, "negate", "shift_right_arithmetic"))
MOVEMENTS = tuple(f"stablehlo.{name}" for name in MOVING)


def _check(holds: bool, rule: str) -> None:
    if not holds:
        raise Invalid(rule)


def _one_operand(program: Program) -> tuple[Type, Type]:
    _check(len(program.operands) == 1 == len(program.results), "one operand, one result")
    return program.operands[0], program.results[0]


def plain_elementwise(program: Program) -> str:
    """The element type that operands and result of a program without quantized types have."""
    program.check_attributes()
    unary = program.op == "stablehlo.negate"
    _check(len(program.operands) == (1 if unary else 2), "as many operands as the op takes")
    _check(len(program.results) == 1, "one result")
    _check(len({*program.operands, *program.results}) == 1, "C1: one type")
    return program.results[0].element


def quantized_elementwise(program: Program) -> tuple[list[Quantization], Quantization]:
    """What operands and result of one with quantized types have; one scale each."""
    program.check_attributes()
    unary = program.op == "stablehlo.negate"
    _check(len(program.operands) == (1 if unary else 2), "as many operands as the op takes")
    _check(len(program.results) == 1, "one result")
    _check(program.op != "stablehlo.shift_right_arithmetic", "shifts integers")
    result = program.results[0]
    _check(all(kind.shape == result.shape for kind in program.operands), "C1: one shape")
    found = [kind.quantization for kind in (*program.operands, result)]
    known = [quantization for quantization in found if quantization is not None]
    _check(len(known) == len(found), "C2: all are quantized, or none")
    _check(len({(each.storage, each.expressed) for each in known}) == 1, "C1, C3, C4: one storage")
    if any(each.axis != -1 for each in known):
        raise Unsupported("one scale for the whole tensor")
    return known[:-1], known[-1]


# ---- Moving elements ----------------------------------------------------------------------------


def _same_element(operand: Type, result: Type, may_rescale: bool = False) -> None:
    """C1: one element type, but for the quantized dimension."""
    left, right = operand.quantization, result.quantization
    if left is None or left.axis == -1 or right is None or right.axis == -1:
        _check(operand.element == result.element, "C1: the element type of the operand")
        return
    ranges = [(each.storage, each.minimum, each.maximum, each.expressed) for each in (left, right)]
    _check(ranges[0] == ranges[1], "C1: the storage of the operand")
    parameters = [(each.scales, each.zero_points) for each in (left, right)]
    _check(may_rescale or parameters[0] == parameters[1], "C1: the scales of the operand")


def _axes(operand: Type, result: Type) -> tuple[int, int]:
    """The quantized dimensions, or -1 and -1."""
    left, right = operand.quantization, result.quantization
    return (-1 if left is None else left.axis), (-1 if right is None else right.axis)


def reshaped(program: Program) -> list[int]:
    """The sizes of the result."""
    program.check_attributes()
    operand, result = _one_operand(program)
    _same_element(operand, result)
    _check(math.prod(operand.shape) == math.prod(result.shape), "C2: as many elements")
    before, after = _axes(operand, result)
    if before >= 0:
        parts = [
            (math.prod(kind.shape[:axis]), kind.shape[axis], math.prod(kind.shape[axis + 1 :]))
            for kind, axis in ((operand, before), (result, after))
        ]
        _check(parts[0] == parts[1], "C3: the quantized dimension stays")
    return list(result.shape)


def transposed(program: Program) -> list[int]:
    """The permutation."""
    program.check_attributes("permutation")
    operand, result = _one_operand(program)
    (permutation,) = program.dims("permutation")
    _same_element(operand, result)
    _check(sorted(permutation) == list(range(len(operand.shape))), "C2: a permutation")
    shape = tuple(operand.shape[dim] for dim in permutation)
    _check(shape == result.shape, "C3: the shape of the operand, permuted")
    before, after = _axes(operand, result)
    _check(before < 0 or permutation[after] == before, "C4: the quantized dimension moves along")
    return permutation


def broadcast(program: Program) -> tuple[list[int], list[int]]:
    """The operand's dimensions in the order of the result's, and its sizes among those of the result,
    1 where it has none."""
    program.check_attributes("broadcast_dimensions")
    operand, result = _one_operand(program)
    (dims,) = program.dims("broadcast_dimensions")
    _same_element(operand, result, may_rescale=True)
    _check(len(dims) == len(operand.shape), "C2: an entry for each dimension")
    _check(all(0 <= dim < len(result.shape) for dim in dims), "C3: dimensions of the result")
    _check(len(set(dims)) == len(dims), "C4: none twice")
    sizes = [1] * len(result.shape)
    for size, dim in zip(operand.shape, dims):
        _check(size in (1, result.shape[dim]), "C5: sizes that fit")
        sizes[dim] = size
    before, after = _axes(operand, result)
    if before >= 0:
        _check(dims[before] == after, "C6: the quantized dimension moves along")
        _check_repeated(operand, result, operand.shape[before])
    return sorted(range(len(dims)), key=lambda place: dims[place]), sizes


def _check_repeated(operand: Type, result: Type, size: int) -> None:
    left, right = operand.quantization, result.quantization
    assert left is not None and right is not None
    pairs = list(zip(right.scales, right.zero_points))
    if size == 1:
        _check(set(pairs) <= {(left.scales[0], left.zero_points[0])}, "C6: one scale, repeated")
    elif (left.scales, left.zero_points) != (right.scales, right.zero_points):
        raise Unsupported("nobody knows what other scales mean")


def concatenated(program: Program) -> int:
    """The dimension."""
    program.check_attributes("dimension")
    _check(len(program.operands) > 0 and len(program.results) == 1, "C3: an operand, one result")
    first, result = program.operands[0], program.results[0]
    dimension = int(program.attributes["dimension"])
    _check(0 <= dimension < len(first.shape), "C4: a dimension of the operands")
    total = 0
    for kind in program.operands:
        quantization = kind.quantization
        _check(quantization is None or quantization.axis == -1, "one scale for a whole tensor")
        _check(kind.element == result.element, "C1, C5: one element type")
        _check(len(kind.shape) == len(first.shape), "C2: one rank")
        same = [*kind.shape[:dimension], first.shape[dimension], *kind.shape[dimension + 1 :]]
        _check(tuple(same) == first.shape, "C2: one shape but for the dimension")
        total += kind.shape[dimension]
    joined = (*first.shape[:dimension], total, *first.shape[dimension + 1 :])
    _check(joined == result.shape, "C6: the sum of the sizes")
    return dimension

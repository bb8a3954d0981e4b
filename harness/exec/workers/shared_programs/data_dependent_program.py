# SPDX-License-Identifier: Apache-2.0
"""The ops whose operands say where elements go, taken apart: byteir.repeat, byteir.non_zero,
tf.DynamicPartition, tf.DynamicStitch and tf.Select.  What breaks their rules is Invalid."""
from __future__ import annotations

from assay_worker import Invalid, Program, Type, Unsupported

OPS = (
    "byteir.repeat",
    "byteir.non_zero",
    "tf.DynamicPartition",
    "tf.DynamicStitch",
    "tf.Select",
)


def _rule(holds: bool, text: str) -> None:
    if not holds:
        raise Invalid(text)


def _counts(program: Program, operands: int, results: int) -> None:
    _rule(
        len(program.operands) == operands and len(program.results) == results,
        f"{operands} operands and {results} results",
    )


def _plain(program: Program) -> None:
    if program.is_quantized:
        raise Unsupported("quantized rows")


def _is_list(kind: Type, elements: tuple[str, ...], size: int) -> bool:
    return kind.element in elements and list(kind.shape) == [size]


def _rows_are_alike(one: Type, other: Type) -> bool:
    return (
        one.element == other.element
        and 0 < len(one.shape) == len(other.shape)
        and list(one.shape[1:]) == list(other.shape[1:])
    )


def _is_prefix(kind: Type, data: Type) -> bool:
    """Whether data have a row for each of the integers."""
    return kind.element == "i32" and list(data.shape[: len(kind.shape)]) == list(kind.shape)


def _are_rows_behind(rows: Type, prefix: Type, data: Type) -> bool:
    rest = list(data.shape[len(prefix.shape) :])
    return rows.element == data.element and len(rows.shape) > 0 and list(rows.shape[1:]) == rest


def _require_list(kind: Type) -> None:
    if len(kind.shape) != 1:
        raise Unsupported("indices that are no list")


def repeat(program: Program) -> None:
    _counts(program, 2, 1)
    (data, times), (result,) = program.operands, program.results
    _rule(_rows_are_alike(data, result), "a result with rows like the operand's")
    _rule(_is_list(times, ("i32", "i64"), data.shape[0]), "times: a list of integers, one a row")
    _rule(data.shape[0] > 0 or result.shape[0] == 0, "no rows of no rows")
    _plain(program)


def non_zero(program: Program) -> None:
    _counts(program, 1, 1)
    (data,), (result,) = program.operands, program.results
    elements = 1
    for size in data.shape:
        elements *= size
    is_matrix = len(result.shape) == 2 and result.shape[1] == len(data.shape)
    _rule(is_matrix and result.element in ("i32", "i64"), "a matrix of indices, i32 or i64")
    _rule(result.shape[0] <= elements, "no more indices than elements")
    _plain(program)


def partition(program: Program) -> int:
    """The number of partitions."""
    count = int(program.attributes["num_partitions"])
    _counts(program, 2, count)
    _rule(count > 0, "one partition at least")
    data, labels = program.operands
    _rule(_is_prefix(labels, data), "partitions: i32, of a shape that data's begins with")
    are_rows = all(_are_rows_behind(result, labels, data) for result in program.results)
    _rule(are_rows, "results of such rows")
    elements = 1
    for size in labels.shape:
        elements *= size
    _rule(sum(result.shape[0] for result in program.results) == elements, "as many rows as there are")
    _require_list(labels)
    _plain(program)
    return count


def stitch(program: Program) -> int:
    """The number of lists of indices."""
    lists = len(program.operands) // 2
    _rule(lists > 0 and len(program.results) == 1, "operands and one result")
    _counts(program, 2 * lists, 1)
    pairs = list(zip(program.operands[:lists], program.operands[lists:]))
    for indices, data in pairs:
        _rule(_is_prefix(indices, data), "indices: i32, of a shape that their data's begins with")
    for indices, data in pairs:
        _rule(_are_rows_behind(program.results[0], indices, data), "data and result of such rows")
    for indices, _ in pairs:
        _require_list(indices)
    _plain(program)
    return lists


def select(program: Program) -> list[int]:
    """The shape of the condition with which it can be broadcast to the result's."""
    _counts(program, 3, 1)
    condition, *data = program.operands
    result = program.results[0]
    _rule(all(kind == result for kind in data), "operands and result of one type")
    shape, rank = list(condition.shape), len(result.shape)
    is_row = rank > 1 and len(shape) == 1 and shape[0] == result.shape[0]
    fits = shape in ([], list(result.shape)) or is_row
    _rule(condition.element == "i1" and fits, "a condition of i1, whole, for rows or for elements")
    _plain(program)
    return shape + [1] * (rank - 1) if is_row else shape

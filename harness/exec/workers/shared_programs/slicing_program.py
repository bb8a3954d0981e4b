# SPDX-License-Identifier: Apache-2.0
"""The ops that take parts of tensors, taken apart and checked: of slice, pad, reverse and gather what libraries call with."""
from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True)
class RowGather:
    """A gather of whole slices along one dimension, which the result has not."""

    axis: int
    rows: list[int]  # The shape of the indices, without the dimension of index vectors.
    order: list[int]  # Dimension i of rows, then slices is dimension order[i] of the result.


def gathered_rows(program: Program) -> RowGather:
    """What libraries have as gather, take or index_select; C1 to C23 of the specification, in which no dimension is one of
    batches."""
    keys = ("offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
            "start_index_map", "index_vector_dim", "slice_sizes")  # fmt: skip
    program.check_attributes(*keys, "indices_are_sorted")
    offsets, collapsed, batches, index_batches, axes, vector, sizes = (program.numbers(key) for key in keys)
    _check(len(program.operands) == 2 and len(program.results) == 1, "as many operands as the op takes")
    (data, indices), result = program.operands, program.results[0]
    _check(indices.element.lstrip("u")[0] == "i" and indices.element != "i1", "indices are integers")
    _check(len(batches) == len(index_batches), "C16: as many dimensions of batches")
    if batches or program.is_quantized:
        raise Unsupported("no dimensions of batches, nothing quantized")
    rank, places = len(data.shape), len(indices.shape)
    _check(rank == len(offsets) + len(collapsed), "C1: a dimension is an offset or collapsed")
    _check(0 <= vector <= places, "C2: a dimension of the indices, or behind them")
    _check(len(axes) == (indices.shape[vector] if vector < places else 1), "C3: an entry for each index")
    for dims, limit in ((offsets, len(result.shape)), (collapsed, rank), (axes, rank)):
        are_places = len(set(dims)) == len(dims) and all(0 <= dim < limit for dim in dims)
        _check(are_places and (dims is axes or sorted(dims) == dims), "C4 to C8, C18, C19: dimensions, each once")
    _check(len(sizes) == rank and all(0 <= one <= size for one, size in zip(sizes, data.shape)), "C20, C21: sizes")
    _check(all(sizes[dim] <= 1 for dim in collapsed), "C9: what is collapsed has size 1")
    rows = [size for dim, size in enumerate(indices.shape) if dim != vector]
    kept = [size for dim, size in enumerate(sizes) if dim not in collapsed]
    order = [*(dim for dim in range(len(result.shape)) if dim not in offsets), *offsets]
    _check(len(order) == len(rows) + len(kept), "C22: the rank of the result")
    _check([result.shape[dim] for dim in order] == [*rows, *kept], "C22: the shape of the result")
    _check(result.element == data.element, "C23: one element type")
    are_rows = axes == collapsed and len(axes) == 1
    if not are_rows or any(one != (1 if dim == axes[0] else data.shape[dim]) for dim, one in enumerate(sizes)):
        raise Unsupported("gathers whole slices along one dimension")
    return RowGather(axes[0], rows, order)

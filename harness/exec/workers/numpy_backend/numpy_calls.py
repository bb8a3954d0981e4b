# SPDX-License-Identifier: Apache-2.0
"""StableHLO's ops, and a few of ByteIR's and TensorFlow's, as calls of NumPy: for each program the text of a Python
expression of its operands, which is what the worker evaluates and what a script for a bug report prints.

bf16, the 8-bit floats and what is narrower are types of ml_dtypes, whose loops NumPy calls by the same names.  An
op is refused where NumPy has no function with its meaning: integer division rounds down there, nothing rounds ties away
from zero, the sign of -0 is 0, and a right shift of unsigned integers moves zeros in.
"""
from __future__ import annotations

import math
from typing import Callable, Sequence

import assay_worker
from assay_worker import Invalid, Program, Type, Unsupported
from shared_programs import data_dependent_program as dependent
from shared_programs import (
    dynamic_program,
    elementwise_program,
    pointwise_program,
    product_program,
    slicing_program,
    window_program,
)
from shared_programs.pointwise_program import kind_of

FUNCTIONS = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum",
    "negate": "negative", "divide": "divide", "remainder": "fmod", "and": "bitwise_and", "or": "bitwise_or",
    "xor": "bitwise_xor", "not": "bitwise_not", "sqrt": "sqrt", "abs": "absolute", "sign": "sign", "floor": "floor",
    "ceil": "ceil", "round_nearest_even": "rint", "exponential": "exp", "exponential_minus_one": "expm1", "log": "log",
    "log_plus_one": "log1p", "tanh": "tanh", "sine": "sin", "cosine": "cos", "select": "where",
}  # fmt: skip
COMPARISONS = {"EQ": "equal", "NE": "not_equal", "GE": "greater_equal", "GT": "greater", "LE": "less_equal", "LT": "less"}
FOLDS = {"add": "add", "multiply": "multiply", "maximum": "maximum", "minimum": "minimum", "and": "bitwise_and",
         "or": "bitwise_or", "xor": "bitwise_xor"}  # fmt: skip

Names = Sequence[str]
Maker = Callable[[Program, Names], list[str]]


def dtype_text(kind: Type) -> str:
    """The numpy type of what is stored, as Python writes it."""
    dtype = kind.dtype
    return f"numpy.{dtype.name}" if dtype.type.__module__ == "numpy" else f"ml_dtypes.{dtype.name}"


def _call(name: str, *arguments: object) -> list[str]:
    return [f"numpy.{name}({', '.join(map(str, arguments))})"]


def _in_order(text: str, order: Sequence[int]) -> str:
    return text if list(order) == list(range(len(order))) else f"{text}.transpose({list(order)})"


# ---- Element by element ----------------------------------------------------------------------------


def _elementwise(program: Program, names: Names) -> list[str]:
    element, op = elementwise_program.plain_elementwise(program), program.op.removeprefix("stablehlo.")
    if op == "shift_right_arithmetic":
        if kind_of(element) != "i":
            raise Unsupported("shifts zeros into unsigned integers")
        return _call("right_shift", *names)
    return _call(FUNCTIONS[op], *names)


def _pointwise(program: Program, names: Names) -> list[str]:
    element, op = pointwise_program.checked(program), program.op.removeprefix("stablehlo.")
    if op == "compare":
        return _call(COMPARISONS[program.attributes["comparison_direction"]], *names)
    if op == "clamp":
        return _call("clip", names[1], names[0], names[2])
    if op not in FUNCTIONS:
        raise Unsupported("has no function of this name")
    if op == "divide" and kind_of(element) in "iu":
        raise Unsupported("rounds quotients of integers down")
    if op == "sign" and kind_of(element) in "fc":
        raise Unsupported("documents the sign of -0 as 0")
    return _call(FUNCTIONS[op], *names)


def _convert(program: Program, names: Names) -> list[str]:
    _, result = window_program.same_shape(program)
    if kind_of(program.operands[0].element) == "c" and kind_of(result.element) != "c":
        return [f"{names[0]}.real.astype({dtype_text(result)})"]
    return [f"{names[0]}.astype({dtype_text(result)})"]


# ---- Moving elements -------------------------------------------------------------------------------


def _reshape(program: Program, names: Names) -> list[str]:
    sizes = elementwise_program.reshaped(program)  # First of all: an invalid program may have no operands.
    return [f"{names[0]}.reshape({sizes})"]


def _transpose(program: Program, names: Names) -> list[str]:
    permutation = elementwise_program.transposed(program)
    return [f"{names[0]}.transpose({permutation})"]


def _broadcast(program: Program, names: Names) -> list[str]:
    order, sizes = elementwise_program.broadcast(program)
    return _call("broadcast_to", f"{_in_order(names[0], order)}.reshape({sizes})", program.results[0].shape)


def _concatenate(program: Program, names: Names) -> list[str]:
    dimension = elementwise_program.concatenated(program)
    return _call("concatenate", f"[{', '.join(names)}]", f"axis={dimension}")


def _slice(program: Program, names: Names) -> list[str]:
    places = slicing_program.sliced(program)
    return [f"{names[0]}[{', '.join(f'{low}:{high}:{step}' for low, high, step in places) or '()'}]"]


def _reverse(program: Program, names: Names) -> list[str]:
    dims = tuple(slicing_program.reversed_dimensions(program))
    return _call("flip", names[0], dims)


def _pad(program: Program, names: Names) -> list[str]:
    widths = slicing_program.padded(program)
    if any(width < 0 for pair in widths for width in pair):
        raise Unsupported("cuts nothing off where it pads")
    return _call("pad", names[0], widths, f"constant_values={names[1]}")


def _iota(program: Program, names: Names) -> list[str]:
    program.check_attributes("iota_dimension")
    if program.operands or len(program.results) != 1:
        raise Invalid("no operands, one result")
    (result,), axis = program.results, int(program.attributes["iota_dimension"])
    if not 0 <= axis < len(result.shape):
        raise Invalid("C1: a dimension of the result")
    if kind_of(result.element) not in "iuf":
        raise Unsupported("counts in integers and floats")
    sizes = [size if dim == axis else 1 for dim, size in enumerate(result.shape)]
    counted = f"numpy.arange({result.shape[axis]}).astype({dtype_text(result)})"
    return _call("broadcast_to", f"{counted}.reshape({sizes})", result.shape)


def _gather(program: Program, names: Names) -> list[str]:
    found = slicing_program.gathered_rows(program)
    size = program.operands[0].shape[found.axis]
    if size == 0:
        raise Unsupported("takes nothing out of nothing")
    # mode="clip" is StableHLO's clamping of indices.
    axis, count = found.axis, len(found.rows)
    taken = f"numpy.take({names[0]}, {names[1]}.reshape({found.rows}), axis={axis}, mode=\"clip\")"
    # The rows stand where the axis was; they go to the front, and then everything to its place.
    rank = len(program.results[0].shape)
    front = [*range(axis, axis + count), *range(axis), *range(axis + count, rank)]
    back = sorted(range(rank), key=lambda dim: found.order[dim])
    return [_in_order(_in_order(taken, front), back)]


# ---- Sums and products -----------------------------------------------------------------------------


def _reduce(program: Program, names: Names) -> list[str]:
    dims, body = assay_worker.plain_reduction(program), program.attributes["body"]
    element = program.operands[0].element
    if body not in FOLDS:
        raise Unsupported(f"no reduction by {body}")
    if kind_of(element) == "c" and body[0] == "m" and body != "multiply":
        raise Unsupported("no maximum or minimum of complex numbers")
    kind = f"dtype={dtype_text(program.results[0])}"  # Sums of small integers would be wider by themselves.
    return [f"numpy.{FOLDS[body]}.reduce({names[0]}, axis={tuple(dims)}, {kind}, initial={names[1]}[()])"]


def _reduce_window(program: Program, names: Names) -> list[str]:
    body = program.attributes["body"]
    if body not in ("add", "maximum", "minimum"):
        raise Unsupported(f"no windows by {body}")
    if kind_of(program.operands[0].element) not in "iuf":
        raise Unsupported("windows of integers and floats")
    found = window_program.pooled_windows(program, body, spatial_max=8)
    if any(window.dilation != 1 for window in found.windows):
        raise Unsupported("no gaps in windows")
    rank, axes = len(program.operands[0].shape), tuple(found.spatial)
    padding, steps = [(0, 0)] * rank, ["::1"] * rank
    for dim, window in zip(found.spatial, found.windows):
        padding[dim], steps[dim] = (window.low, window.high), f"::{window.stride}"
    padded = names[0]
    if any(pair != (0, 0) for pair in padding):
        padded = f"numpy.pad({names[0]}, {padding}, constant_values={names[1]})"
    sizes = tuple(window.size for window in found.windows)
    views = f"numpy.lib.stride_tricks.sliding_window_view({padded}, {sizes}, axis={axes})[{', '.join(steps)}]"
    inner, kind = tuple(range(rank, rank + len(axes))), f"dtype={dtype_text(program.results[0])}"
    return [f"numpy.{FOLDS[body]}.reduce({views}, axis={inner}, {kind}, initial={names[1]}[()])"]


def _dot_general(program: Program, names: Names, way: str) -> list[str]:
    batch, contract = assay_worker.plain_product(program)
    if way == "einsum":
        return _call("einsum", f'"{product_program.einsum_equation(program, batch, contract)}"', *names)
    if not batch[0]:
        return _call("tensordot", *names, f"axes={(contract[0], contract[1])}")
    sides = []
    for side, kind in enumerate(program.operands):
        free = [dim for dim in range(len(kind.shape)) if dim not in (*batch[side], *contract[side])]
        order = [*batch[side], *free, *contract[side]] if side == 0 else [*batch[side], *contract[side], *free]
        sizes = dynamic_program.known(kind.shape, "batches of products")
        rows, terms = (math.prod(sizes[dim] for dim in dims) for dims in (free, contract[side]))
        shape = [*(sizes[dim] for dim in batch[side]), *((rows, terms) if side == 0 else (terms, rows))]
        sides.append(f"{_in_order(names[side], order)}.reshape({shape})")
    return [f"numpy.matmul({', '.join(sides)}).reshape({list(program.results[0].shape)})"]


# ---- ByteIR's and TensorFlow's ---------------------------------------------------------------------


def _repeat(program: Program, names: Names) -> list[str]:
    dependent.repeat(program)
    return _call("repeat", *names, "axis=0")


def _non_zero(program: Program, names: Names) -> list[str]:
    dependent.non_zero(program)
    return [f"numpy.argwhere({names[0]}).astype({dtype_text(program.results[0])})"]


def _partition(program: Program, names: Names) -> list[str]:
    return [f"{names[0]}[{names[1]} == {label}]" for label in range(dependent.partition(program))]


def _select(program: Program, names: Names) -> list[str]:
    shape = dependent.select(program)
    return _call("where", f"{names[0]}.reshape({shape})", names[1], names[2])


MAKERS: dict[str, Maker] = {
    **dict.fromkeys(elementwise_program.ELEMENTWISE, _elementwise),
    **dict.fromkeys(pointwise_program.OPS, _pointwise),
    "stablehlo.convert": _convert,
    "stablehlo.reshape": _reshape,
    "stablehlo.transpose": _transpose,
    "stablehlo.broadcast_in_dim": _broadcast,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.slice": _slice,
    "stablehlo.reverse": _reverse,
    "stablehlo.pad": _pad,
    "stablehlo.iota": _iota,
    "stablehlo.gather": _gather,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _reduce_window,
    "byteir.repeat": _repeat,
    "byteir.non_zero": _non_zero,
    "tf.DynamicPartition": _partition,
    "tf.Select": _select,
}


def expressions(program: Program, names: Names, product: str) -> list[str]:
    """Those of the results, of operands by these names; products by `product`: matmul (and tensordot) or einsum."""
    if program.is_quantized and program.op not in elementwise_program.MOVEMENTS:
        raise Unsupported("computes nothing quantized")
    if program.op == "stablehlo.dot_general":
        return _dot_general(program, names, product)
    if program.op not in MAKERS:
        raise Unsupported(f"no function for {program.op}: NumPy has none, and functions=FILE may name one")
    return MAKERS[program.op](program, names)

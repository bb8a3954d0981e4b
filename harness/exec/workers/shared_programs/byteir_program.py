# SPDX-License-Identifier: Apache-2.0
"""Programs of the ByteIR ops, checked and taken apart: what every worker that does them begins
with.

A library is never told what a case line says of its own, the shapes and types of results, and takes
much that the document does not allow.  So each function here raises Invalid for what breaks a rule
of ByteIR's documents, and Unsupported where they are silent, or where one permits what the other
forbids (axes counted from the end).
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay_worker import BITS, Invalid, Program, Type, Unsupported

FLOATS = ("f16", "bf16", "f32", "f64")
INTEGERS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
NARROW_INTEGERS = ("i2", "i4", "ui2", "ui4")
SIZES = ("i32", "i64")  # Types of the sizes of a resize.
QUANTA = ("i8", "ui8", "i16", "ui16")  # Types of quantized numbers and zero points.


def is_byteir(program: Program) -> bool:
    return program.op.startswith("byteir.")


def _rule(holds: bool, text: str) -> None:
    if not holds:
        raise Invalid(text)


def _limit(holds: bool, text: str) -> None:
    if not holds:
        raise Unsupported(text)


def _begin(program: Program, operands: int, results: int, *keys: str) -> None:
    program.check_attributes(*keys)
    _rule(len(program.operands) == operands, f"{operands} operands")
    _rule(len(program.results) == results, f"{results} results")


def _text(program: Program, key: str) -> str:
    _rule(key in program.attributes, f"has attribute {key}")
    return program.attributes[key]


def _word(program: Program, key: str, *choices: str) -> str:
    word = _text(program, key)
    _rule(word in choices, f"{key} is one of {', '.join(choices)}")
    return word


def _boolean(program: Program, key: str) -> bool:
    return _word(program, key, "false", "true") == "true"


def _is_float(kind: Type) -> None:
    _rule(kind.element in FLOATS, f"{kind.element} is no f16, bf16, f32 or f64")


def _dimension(axis: int, rank: int) -> int:
    _rule(-rank <= axis < rank, f"axis {axis} is a dimension")
    _limit(axis >= 0, "axes are not negative, says ByteIR's document of today")
    return axis


def _axis(program: Program, rank: int) -> int:
    return _dimension(int(_text(program, "axis")), rank)


def _axes(program: Program, rank: int) -> list[int]:
    """The dimensions of a list, ascending."""
    _text(program, "axis")
    listed = program.dims("axis")[0]
    _rule(all(-rank <= axis < rank for axis in listed), "axes are dimensions")
    _rule(len({axis % rank for axis in listed}) == len(listed), "axes are distinct")
    _limit(len(listed) != 0, "nothing along no axis")
    return sorted(_dimension(axis, rank) for axis in listed)


def _are_indices(kind: Type, size: int) -> None:
    """Indices of `size` elements."""
    is_integer = kind.element in (*INTEGERS, *NARROW_INTEGERS)
    _rule(is_integer, "indices are integers")
    bits = int(kind.element.lstrip("ui")) - (kind.element[0] == "i")
    _rule(size <= 1 << bits, "indices are of a type that holds the largest")
    _limit(kind.element in INTEGERS, f"no indices of {kind.element}")


def _keeping(shape: tuple[int, ...], axes: list[int], size: int = 1) -> tuple[int, ...]:
    return tuple(size if dim in axes else old for dim, old in enumerate(shape))


def _without(shape: tuple[int, ...], axis: int) -> tuple[int, ...]:
    return shape[:axis] + shape[axis + 1 :]


def _stands_beside(kind: Type, first: Type, takes_f32: bool) -> None:
    """A tensor of floats beside the first operand: of its type, or of f32 where that has 16 bits."""
    is_mixed = kind.element == "f32" and first.element in ("f16", "bf16")
    _limit(takes_f32 or not is_mixed, f"no f32 beside {first.element}")
    _rule(is_mixed or kind.element == first.element, "the types of the tensors")


def _one_float(program: Program, *keys: str, takes_f32: bool = False) -> Type:
    """Of an op from one tensor of floats to another of its type, or of f32: the first one's type."""
    _begin(program, 1, 1, *keys)
    kind = program.operands[0]
    _is_float(kind)
    _rule(program.results[0].shape == kind.shape, "the result has the shape of the operand")
    _stands_beside(program.results[0], kind, takes_f32)
    return kind


# ---- One function for each op -------------------------------------------------------------------


def softmax(program: Program, takes_f32: bool = False) -> int:
    """The axis of a softmax or log_softmax."""
    return _axis(program, len(_one_float(program, "axis", takes_f32=takes_f32).shape))


def gelu(program: Program) -> str:
    """"erf" or "tanh": none means erf."""
    _one_float(program, "approximate")
    word = _word(program, "approximate", "none", "erf", "tanh")
    return "erf" if word == "none" else word


def erf(program: Program) -> None:
    _one_float(program)


@dataclass(frozen=True)
class Norm:
    epsilon: float
    axes: list[int]  # Ascending, at least one.
    is_outside: bool  # eps_outside_sqrt

    def are_last(self, rank: int) -> bool:
        return self.axes == list(range(rank - len(self.axes), rank))


def _norm(program: Program, kind: Type) -> Norm:
    is_outside = "eps_outside_sqrt" in program.attributes and _boolean(program, "eps_outside_sqrt")
    epsilon = float.fromhex(_text(program, "epsilon"))
    return Norm(epsilon, _axes(program, len(kind.shape)), is_outside)


NORM_KEYS = ("epsilon", "axis", "eps_outside_sqrt")


def layer_norm(program: Program, takes_f32: bool = False) -> Norm:
    """Weight and bias have the dimensions of the axes, ascending; mean and inverse deviation those
    of the input, of size 1 along the axes."""
    _begin(program, 3, 3 if len(program.results) != 1 else 1, *NORM_KEYS)
    kind, weight, bias = program.operands
    _is_float(kind)
    norm = _norm(program, kind)
    inner = tuple(kind.shape[axis] for axis in norm.axes)
    outer = _keeping(kind.shape, norm.axes)
    _rule(weight.shape == bias.shape == inner, "weight and bias have the dimensions of the axes")
    _rule(program.results[0].shape == kind.shape, "the result has the shape of the operand")
    _rule(all(one.shape == outer for one in program.results[1:]), "one mean, one deviation a row")
    for other in (weight, bias, *program.results):
        _stands_beside(other, kind, takes_f32)
    _limit(all(inner), "no mean of nothing")
    return norm


def l2_norm(program: Program) -> Norm:
    return _norm(program, _one_float(program, *NORM_KEYS))


@dataclass(frozen=True)
class Pick:
    is_max: bool
    axis: int
    keeps_dims: bool
    takes_last: bool
    has_values: bool
    count: int  # Of the numbers to choose from.


def pick(program: Program) -> Pick:
    """arg_max or arg_min: results are indices, or values and indices."""
    keys = ("axis", "keep_dims", "select_last_index")
    _begin(program, 1, 2 if len(program.results) != 1 else 1, *keys)
    kind, indices = program.operands[0], program.results[-1]
    _limit(kind.element in (*FLOATS, *INTEGERS), "picks among floats or integers")
    axis, keeps_dims = _axis(program, len(kind.shape)), _boolean(program, "keep_dims")
    shape = _keeping(kind.shape, [axis]) if keeps_dims else _without(kind.shape, axis)
    _rule(kind.shape[axis] != 0, "there is something to pick")
    _rule(indices.shape == shape, "the shape of the indices")
    has_values = len(program.results) == 2
    if has_values:
        _rule(program.results[0] == Type(kind.element, shape), "the type of the values")
    _are_indices(indices, kind.shape[axis])
    takes_last = _boolean(program, "select_last_index")
    is_max = program.op == "byteir.arg_max"
    return Pick(is_max, axis, keeps_dims, takes_last, has_values, kind.shape[axis])


@dataclass(frozen=True)
class TopK:
    k: int
    axis: int
    is_sorted: bool


def top_k(program: Program) -> TopK:
    _begin(program, 1, 2, "k", "axis", "sorted")
    kind, (values, indices) = program.operands[0], program.results
    _limit(kind.element in (*FLOATS, *INTEGERS), "picks among floats or integers")
    _text(program, "axis")
    _rule(len(program.dims("axis")[0]) == 1, "one axis")
    (axis,), k = _axes(program, len(kind.shape)), int(_text(program, "k"))
    _rule(0 <= k <= kind.shape[axis], "k numbers are there")
    shape = _keeping(kind.shape, [axis], k)
    _rule(values == Type(kind.element, shape), "the type of the values")
    _rule(indices.shape == shape, "the shape of the indices")
    _are_indices(indices, kind.shape[axis])
    return TopK(k, axis, _boolean(program, "sorted"))


@dataclass(frozen=True)
class OneHot:
    depth: int
    axis: int  # Of the result.
    on: np.ndarray  # One number each, of the result's type.
    off: np.ndarray


def _pattern(program: Program, key: str, kind: Type) -> np.ndarray:
    digits, bytes_ = _text(program, key), kind.dtype.itemsize
    bits, value = BITS.get(kind.element, 8 * bytes_), int(digits, 16)
    fits = len(digits) == (bits + 3) // 4 and value < 1 << bits
    _rule(fits, f"{key} has the type of the result")
    pattern = np.frombuffer(value.to_bytes(bytes_, "little"), np.uint8)
    return pattern.copy().view(kind.dtype).reshape(())


def one_hot(program: Program) -> OneHot:
    _begin(program, 1, 1, "depth", "axis", "on_value", "off_value")
    indices, result = program.operands[0], program.results[0]
    _rule(indices.element in (*INTEGERS, *NARROW_INTEGERS), "indices are integers")
    _rule(not result.element.startswith("complex"), "the result has no complex numbers")
    depth, axis = int(_text(program, "depth")), _axis(program, len(indices.shape) + 1)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    _rule(depth >= 0 and result.shape == shape, "the shape of the result")
    on, off = (_pattern(program, key, result) for key in ("on_value", "off_value"))
    return OneHot(depth, axis, on, off)


def addn(program: Program) -> None:
    _begin(program, len(program.operands), 1)
    _rule(len(program.operands) > 0, "an operand")
    _rule(all(kind == program.results[0] for kind in program.operands), "one type")


@dataclass(frozen=True)
class NllLoss:
    """reduction is PyTorch's: 0 none, 1 mean, 2 sum."""

    reduction: int
    ignore_index: int


def nll_loss(program: Program) -> NllLoss:
    is_backward = program.op == "byteir.nll_loss_backward"
    _begin(program, *((4, 1) if is_backward else (2, 2)), "ignore_index", "reduction")
    reduction = int(_text(program, "reduction"))
    _rule(0 <= reduction <= 2, "reduction is 0, 1 or 2")
    source, target = program.operands[1:3] if is_backward else program.operands
    _is_float(source)
    _rule(len(source.shape) in (1, 2), "samples and classes")
    _rule(target.element == "i64" and target.shape == source.shape[:-1], "a target for each sample")
    losses = source.shape[:-1] if reduction == 0 else ()
    if is_backward:
        loss, weight = program.operands[0], program.operands[3]
        _rule(program.results[0] == source, "the result is like the input")
    else:
        loss, weight = program.results
    _rule(loss.shape == losses and weight.shape == (), "the shape of the losses")
    _rule(loss.element == weight.element == source.element, "the type of the losses")
    return NllLoss(reduction, int(_text(program, "ignore_index")))


def quantization(program: Program) -> int | None:
    """The axis of the channels of a quantize or dequantize; None: one scale for all."""
    _begin(program, 3, 1, "axis")
    (kind, scale, zero_point), result = program.operands, program.results[0]
    is_quantize = program.op == "byteir.quantize"
    number, quantum = (kind, result) if is_quantize else (result, kind)
    _is_float(number)
    _is_float(scale)
    _rule(number.shape == quantum.shape, "the result has the shape of the operand")
    _rule(zero_point.element == quantum.element, "the type of the zero point")
    _rule(quantum.element in QUANTA, f"no quantized numbers of {quantum.element}")
    _rule(len(scale.shape) <= 1 and zero_point.shape == scale.shape, "one scale, or one a channel")
    _rule(scale.element == number.element, "the type of the scale")
    if not scale.shape:
        _rule("axis" not in program.attributes, "no axis without channels")
        return None
    axis = _axis(program, len(kind.shape))
    _rule(scale.shape[0] == kind.shape[axis], "a scale for each channel")
    return axis


def aligned(shape: tuple[int, ...], axis: int | None) -> tuple[int, ...]:
    """The shape of one number a channel that broadcasts against `shape`."""
    return () if axis is None else tuple(
        size if dim == axis else 1 for dim, size in enumerate(shape)
    )


@dataclass(frozen=True)
class Resize:
    has_scales: bool  # The second operand; else it has sizes.
    is_linear: bool
    coordinates: str
    sizes: tuple[int, ...]
    scaled: list[int]  # The dimensions whose size changes.

    @property
    def shrinks_to_1(self) -> bool:
        """Where pytorch_half_pixel and half_pixel differ."""
        return any(self.sizes[dim] == 1 for dim in self.scaled)

    def check_target(self, shape: tuple[int, ...], target: np.ndarray) -> None:
        """The sizes of a result are known before the operand that tells them; they must agree."""
        wanted = [float(number) for number in target]
        if self.has_scales:
            usable = all(math.isfinite(scale) for scale in wanted)
            wanted = [math.floor(n * s) if usable else -1 for n, s in zip(shape, wanted)]
        if tuple(wanted) != self.sizes:
            raise Invalid("the target does not give the shape of the result")


COORDINATES = ("asymmetric", "pytorch_half_pixel", "half_pixel", "align_corners")


def resize(program: Program) -> Resize:
    _begin(program, 2, 1, "target_mode", "mode", "coordinate_transformation_mode")
    (kind, target), result = program.operands, program.results[0]
    has_scales = _word(program, "target_mode", "scale", "size") == "scale"
    is_linear = _word(program, "mode", "nearest", "linear") == "linear"
    coordinates = _word(program, "coordinate_transformation_mode", *COORDINATES)
    known = (*FLOATS, *(kind for kind in INTEGERS if not (is_linear and kind.endswith("64"))))
    _rule(kind.element in known, f"resizes {', '.join(known)}")
    _rule(target.element in (("f32",) if has_scales else SIZES), "the type of the target")
    _rule(target.shape == (len(kind.shape),), "the target has a number for each dimension")
    same = result.element == kind.element and len(result.shape) == len(kind.shape)
    _rule(same, "the result has the type and rank of the operand")
    empty, left = ([size == 0 for size in sizes] for sizes in (kind.shape, result.shape))
    _rule(empty == left, "empty stay those dimensions that are, and no others")
    _limit(not any(empty), "nothing to resize")
    scaled = [dim for dim, size in enumerate(kind.shape) if result.shape[dim] != size]
    return Resize(has_scales, is_linear, coordinates, result.shape, scaled)


def rng(program: Program) -> Type:
    """The type of the result of rng_uniform, whose first operands are bounds, or of rng_normal, where
    they are a mean and a standard deviation."""
    _begin(program, 5 if len(program.operands) > 4 else 4, 1)
    low, high, seed, offset, *shape = program.operands
    result = program.results[0]
    _is_float(result)
    bound, integer = Type(result.element, ()), Type("i64", ())
    _rule(low == bound and high == bound, "the first two are numbers of the result's type")
    _rule(seed == integer and offset == integer, "seed and offset are i64")
    _rule(all(kind == Type("i64", (len(result.shape),)) for kind in shape), "the shape's type")
    return result


def _whole_scale(old: int, new: int) -> np.float32:
    """A scale that makes `new` of `old`: rounded up, since what is left over is cut off."""
    scale = np.float32(new / old)
    return scale if float(scale) * old >= new else np.nextafter(scale, np.float32(np.inf))


def example_operands(program: Program) -> list[np.ndarray]:
    """Operands with which a program can be tried, for libraries that say only when they run what
    they cannot do: ones, the target of a resize, and the first class."""
    operands = [np.ones(kind.shape, kind.dtype) for kind in program.operands]
    if program.op == "byteir.resize":
        sizes = program.results[0].shape
        if resize(program).has_scales:
            sizes = [_whole_scale(n, m) for n, m in zip(program.operands[0].shape, sizes)]
        operands[1] = np.array(sizes, operands[1].dtype)
    if program.op.startswith("byteir.nll_loss_"):
        source, target = (1, 2) if len(operands) == 4 else (0, 1)
        class_ = 0 if operands[source].shape[-1] > 0 else nll_loss(program).ignore_index
        operands[target] = np.full_like(operands[target], class_)
    return operands

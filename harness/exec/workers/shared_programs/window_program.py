# SPDX-License-Identifier: Apache-2.0
"""Convolutions and windows, taken apart and checked, for backends that would not notice that a
program breaks a rule of StableHLO's, or that name things in another order."""
from __future__ import annotations

import math
from dataclasses import dataclass

from assay_worker import Invalid, Program, Quantization, Type, Unsupported

CONVOLUTION_KEYS = (
    "window_strides", "padding", "lhs_dilation", "rhs_dilation", "window_reversal",
    "dimension_numbers", "feature_group_count", "batch_group_count", "precision",
)  # fmt: skip
WINDOW_KEYS = (
    "body", "window_dimensions", "window_strides", "padding", "base_dilations", "window_dilations",
)  # fmt: skip


@dataclass(frozen=True)
class Window:
    """What runs along one dimension."""

    size: int
    stride: int
    low: int
    high: int
    base_dilation: int
    dilation: int
    is_reversed: bool = False

    def __post_init__(self) -> None:
        if min(self.stride, self.base_dilation, self.dilation) < 1 or self.size < 0:
            raise Invalid("sizes, strides and dilations of windows are positive")

    @property
    def does_nothing(self) -> bool:
        return (self.size, self.stride, self.low, self.high, self.base_dilation) == (1, 1, 0, 0, 1)

    def count(self, size: int) -> int:
        """How many there are along `size` elements."""
        padded = self.low + (0 if size == 0 else (size - 1) * self.base_dilation + 1) + self.high
        covered = 0 if self.size == 0 else (self.size - 1) * self.dilation + 1
        return 0 if padded <= 0 or covered > padded else (padded - covered) // self.stride + 1

    def has_one_of_padding(self, size: int) -> bool:
        """Whether some window lies on none of `size` elements that are not dilated."""
        starts = (number * self.stride - self.low for number in range(self.count(size)))
        covered = self.size * self.dilation
        windows = (range(start, start + covered, self.dilation) for start in starts)
        return any(not any(0 <= place < size for place in window) for window in windows)


@dataclass(frozen=True)
class Convolution:
    """Of tensors in the orders batch, feature, spatial and output, input, spatial: dimension i of
    the operand in that order is dimension lhs[i] of the program's."""

    lhs: list[int]
    rhs: list[int]
    result: list[int]
    windows: list[Window]
    feature_groups: int
    batch_groups: int

    @property
    def from_result(self) -> list[int]:
        """The permutation that gives the program's result of one in the order of `result`."""
        return sorted(range(len(self.result)), key=lambda dim: self.result[dim])


def _check(holds: bool, rule: str) -> None:
    if not holds:
        raise Invalid(rule)


def _places(text: str, letters: str) -> list[int]:
    names = text.strip("[]").split(",")
    wanted = [*letters, *map(str, range(len(names) - len(letters)))]
    _check(sorted(names) == sorted(wanted), "each dimension number is there once")
    return [names.index(name) for name in wanted]


def convolution(program: Program) -> Convolution:
    program.check_attributes(*CONVOLUTION_KEYS)
    _check(len(program.operands) == 2 and len(program.results) == 1, "two operands, one result")
    lhs, rhs, result = *program.operands, program.results[0]
    rank = len(lhs.shape)
    _check(len(rhs.shape) == rank == len(result.shape) and rank >= 2, "C1, C26: ranks")
    inputs, kernels, outputs = program.attributes["dimension_numbers"].replace("->", "x").split("x")
    found = Convolution(
        _places(inputs, "bf"), _places(kernels, "oi"), _places(outputs, "bf"),
        [], program.numbers("feature_group_count"), program.numbers("batch_group_count"),
    )  # fmt: skip
    count = rank - 2
    lists = [program.numbers(key) for key in CONVOLUTION_KEYS[:5]]
    same_rank = all(len(places) == rank for places in (found.lhs, found.rhs, found.result))
    same_rank = same_rank and all(len(numbers) == count for numbers in lists)
    _check(same_rank, "C2 to C20: sizes of lists")
    for i, (stride, (low, high), base, dilation, is_reversed) in enumerate(zip(*lists)):
        size = rhs.shape[found.rhs[2 + i]]
        found.windows.append(Window(size, stride, low, high, base, dilation, is_reversed))
    _check(found.feature_groups > 0 and found.batch_groups > 0, "C21, C22: positive group counts")
    _check(1 in (found.feature_groups, found.batch_groups), "C23: groups of one kind")
    batch, features = (lhs.shape[dim] for dim in found.lhs[:2])
    kernel_outputs, kernel_inputs = (rhs.shape[dim] for dim in found.rhs[:2])
    _check(batch % found.batch_groups == 0, "C10: batch in equal groups")
    _check(features % found.feature_groups == 0, "C11: features in equal groups")
    _check(kernel_inputs == features // found.feature_groups, "C14: features of rhs")
    groups = found.feature_groups * found.batch_groups
    _check(kernel_outputs % groups == 0, "C15, C16: output features in equal groups")
    precision = program.attributes.get("precision")
    _check(precision is None or precision.count(",") == 1, "C24: precision_config has two entries")
    spatial = [window.count(lhs.shape[dim]) for window, dim in zip(found.windows, found.lhs[2:])]
    wanted = [batch // found.batch_groups, kernel_outputs, *spatial]
    _check([result.shape[dim] for dim in found.result] == wanted, "C25: the shape of the result")
    return found


def plain_convolution(program: Program, spatial_max: int = 3) -> Convolution:
    """One that libraries know: without groups of the batch, reversed windows, dilated operands or
    negative padding, of something."""
    found = convolution(program)
    if found.batch_groups != 1:
        raise Unsupported("no groups of the batch")
    if not 1 <= len(found.windows) <= spatial_max:
        raise Unsupported(f"1 to {spatial_max} spatial dimensions")
    for window in found.windows:
        if window.base_dilation != 1 or min(window.low, window.high) < 0:
            raise Unsupported("no dilation of lhs, no negative padding")
        if window.is_reversed and window.size > 1:
            raise Unsupported("no reversed windows")
    if any(0 in kind.shape for kind in [*program.operands, *program.results]):
        raise Unsupported("a convolution of nothing")
    return found


@dataclass(frozen=True)
class Windows:
    """The maximum over windows of one tensor: dimensions in which nothing happens, and the others."""

    plain: list[int]
    spatial: list[int]
    windows: list[Window]  # Of the latter.


def is_recovered(quantization: Quantization) -> bool:
    """Whether quantizing what was dequantized, in f32, gives back what was stored: with 8 bits the
    roundings are too small to matter, where nothing overflows."""
    return (
        quantization.axis == -1
        and quantization.storage in ("i8", "ui8")
        and quantization.expressed == "f32"
        and quantization.scales[0] <= 2.0**60
    )


def pooled_windows(program: Program, body: str = "maximum", spatial_max: int = 3,
                   takes_quantized: bool = False) -> Windows:  # fmt: skip
    """A reduce_window that libraries know as pooling, but for the initial value."""
    program.check_attributes(*WINDOW_KEYS)
    if program.attributes["body"] != body or len(program.operands) != 2:
        raise Unsupported("no windows of one tensor but these")
    (operand, init), result = program.operands, program.results[0]
    is_sum = takes_quantized and body == "add" and program.is_quantized  # Left to the caller.
    kinds = (operand, init) if is_sum else (operand, init, result)
    if len({kind.element for kind in kinds}) != 1:
        raise Unsupported("windows of one type of numbers")
    quantization = None if is_sum else result.quantization
    if quantization is not None and not (takes_quantized and is_recovered(quantization)):
        raise Unsupported("no windows of this quantized type")
    rank = len(operand.shape)
    lists = [program.numbers(key) for key in WINDOW_KEYS[1:]]
    _check(all(len(numbers) == rank for numbers in lists) and not init.shape, "sizes of lists")
    windows = [
        Window(size, stride, low, high, base, dilation)
        for size, stride, (low, high), base, dilation in zip(*lists)
    ]
    _check(all(window.size > 0 for window in windows), "C5: sizes of windows are positive")
    counts = tuple(window.count(size) for window, size in zip(windows, operand.shape))
    _check(counts == result.shape, "C15: the shape of the result")
    spatial = [dim for dim, window in enumerate(windows) if not window.does_nothing]
    if not 1 <= len(spatial) <= spatial_max:
        raise Unsupported(f"windows along 1 to {spatial_max} dimensions")
    if any(windows[dim].base_dilation != 1 for dim in spatial):
        raise Unsupported("no dilated operand")
    if min(0, *(min(windows[dim].low, windows[dim].high) for dim in spatial)) < 0:
        raise Unsupported("no negative padding")
    if 0 in operand.shape or 0 in result.shape:
        raise Unsupported("windows of nothing")
    if any(windows[dim].has_one_of_padding(operand.shape[dim]) for dim in spatial):
        raise Unsupported("windows of padding alone")
    plain = [dim for dim in range(rank) if dim not in spatial]
    return Windows(plain, spatial, [windows[dim] for dim in spatial])


def same_shape(program: Program) -> tuple[Type, Type]:
    """Operand and result of convert, uniform_quantize or uniform_dequantize."""
    program.check_attributes()
    _check(len(program.operands) == 1 == len(program.results), "one operand, one result")
    operand, result = program.operands[0], program.results[0]
    _check(operand.shape == result.shape, "C1: the shape of the operand")
    return operand, result


@dataclass(frozen=True)
class Product:
    """A product of integers that is rescaled, with the types of its operands and result."""

    lhs: Quantization
    rhs: Quantization
    result: Quantization
    is_sum: bool  # Whether the result is the sum of products itself: scales that cancel.


# Beyond this many terms a sum of products, each 255 * 128 at most, may reach 2^23.
TERMS_MAX = (1 << 23) // (255 * 128)


def _is_sum(steps: list[float], into: list[float], is_short: bool) -> bool:
    """Whether a sum of products, in units of `steps`, is the nearest integer in units of `into` too.
    A quotient that is off from 1 by 2^-24, as of a product that was rounded to f32, moves a sum
    below 2^23 by less than a half."""
    if steps == into:
        return True
    return is_short and all(abs(step - to) <= 2.0**-24 * to for step, to in zip(steps, into))


def quantized_product(program: Program, rhs_axis: int, result_axis: int, terms: int,
                      takes_any: bool = False) -> Product:  # fmt: skip
    """What libraries do exactly: expressed type f32, symmetric weights, one zero point for lhs, none
    for the result, which they would add after rounding; the whole range of the result's type, where
    they saturate; and multipliers that need no rounding, or none at all.  Scales of rhs may run along
    `rhs_axis`; each number of the result has that many `terms`.  With `takes_any` also zero points of
    the result, and any multipliers."""
    kinds = [*program.operands, *program.results]
    lhs, rhs, result = found = [kind.quantization for kind in kinds]
    if lhs is None or rhs is None or result is None:
        raise Unsupported("operands and result are quantized, or none")
    if any(quantization.expressed != "f32" for quantization in found):
        raise Unsupported("rescales in f32")
    if any(not quantization.scales for quantization in found):
        raise Unsupported("a channel at least")
    _check(lhs.storage == rhs.storage, "C17, C31: one storage type")
    _check(lhs.axis == -1 and (rhs.axis != -1 or result.axis == -1), "C19, C33: one scale")
    if any(rhs.zero_points) or (any(result.zero_points) and not takes_any):
        raise Unsupported("no zero point of rhs, and none of the result before rounding")
    if rhs.axis not in (-1, rhs_axis) or result.axis not in (-1, result_axis):
        raise Unsupported("scales of other dimensions")
    steps = [lhs.scales[0] * scale for scale in rhs.scales]
    into = list(result.scales) * (len(steps) if len(result.scales) == 1 else 1)
    _check(len(into) == len(steps), "as many scales of the result")
    is_sum = result.storage == "i32" and result.has_full_range and not any(result.zero_points)
    is_sum = is_sum and _is_sum(steps, into, takes_any or terms <= TERMS_MAX)
    needs_no_rounding = all(_is_power(step) and _is_power(to) for step, to in zip(steps, into))
    if not is_sum and not needs_no_rounding and not takes_any:
        raise Unsupported("scales whose products and quotients are powers of two")
    if not is_sum and not result.has_full_range:
        raise Unsupported("saturates at the ends of the result's type")
    return Product(lhs, rhs, result, is_sum)


def _is_power(value: float) -> bool:
    """Whether a number is a power of two among the normal ones of f32."""
    return math.frexp(value)[0] == 0.5 and 2.0**-126 <= value < 2.0**127


def is_power_of_two(scale: float) -> bool:
    """Whether by such scales nothing is rounded, nor too large: what is stored has 32 bits at most."""
    return math.frexp(scale)[0] == 0.5 and 2.0**-60 <= scale <= 2.0**60


def quantizes_exactly(quantization: Quantization, divides: bool) -> bool:
    """Whether adding the zero point after rounding is the specification's quantize, as it is with
    none; and, if the library `divides` not, multiplying by the inverse of the scale: that of a power
    of two."""
    return (
        quantization.expressed == "f32"
        and quantization.has_full_range
        and not any(quantization.zero_points)
        and (divides or all(map(_is_power, quantization.scales)))
    )

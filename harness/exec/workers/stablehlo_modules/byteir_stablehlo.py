# SPDX-License-Identifier: Apache-2.0
"""The ByteIR ops as StableHLO modules, for backends that know no custom call.

ByteIR itself decomposes its ops before its backends see them, and publishes how: its pass
DecomposeMhloCustomCallOps and its lowerings to linalg.  What is under test then is the backend
under such a graph.  There are two of them for each op, chosen by the option `byteir`:

`stable`, the default: the textbook's formulas.  softmax and log_softmax subtract the maximum;
layer_norm takes the mean of the squared distances from the mean; gelu is 0.5 x (1 + erf(x /
sqrt(2))) or its approximation by tanh, with constants of the operand's type; the best index is that
of the first NaN, or of the first or last best number; top_k sorts, stably, NaN first; one_hot
selects; quantize divides, rounds half to even, adds the zero point and clamps.  Numbers of 16 bits
are computed with in f32.

`published`: what ByteIR wrote down, its faults included.  softmax has no maximum; layer_norm takes
mean(x^2) - mean^2, whatever eps_outside_sqrt says, and gives one result; l2_norm takes one axis;
gelu has the constants 0.707106781f, 0.79788456f and 0.044715f in every type, and no
approximate="none"; arg_max and arg_min keep the left number if it is not smaller, or not larger,
which no NaN is, with neither keep_dims nor select_last_index; all in the operand's type.  What it
has no decomposition for is refused.

In both rng_uniform and rng_normal are ByteIR's Philox4x32-10, with arithmetic in the result's type.  resize is
refused: neither ByteIR nor StableHLO has it.
"""
from __future__ import annotations

import math
from dataclasses import replace
from typing import Callable, Sequence

import numpy as np

from assay_worker import Program, Type, Unsupported
from shared_programs import byteir_program as byteir
from stablehlo_modules.stablehlo_text import Block, Value, module

VARIANTS = ("stable", "published")
Body = Callable[[Block, list[Value]], Sequence[Value]]

# ByteIR's constants of gelu: 1 / sqrt(2), sqrt(2 / pi), and that of the cube, as it spells them.
PUBLISHED_GELU = tuple(float(np.float32(x)) for x in (0.707106781, 0.79788456, 0.044715))
GELU = (math.sqrt(0.5), math.sqrt(2 / math.pi), 0.044715)


def _softmax(program: Program, is_published: bool) -> Body:
    dims = [byteir.softmax(program)]
    is_log = program.op == "byteir.log_softmax"

    def body(b: Block, operands: list[Value]) -> list[Value]:
        (x,) = operands
        if not is_published:
            x = b.op("subtract", x, b.fold("maximum", x, -math.inf, dims))
        exponentials = b.op("exponential", x)
        total = b.fold("add", exponentials, 0, dims)
        if is_log:
            return [b.op("subtract", x, b.op("log", total))]
        return [b.op("divide", exponentials, total)]

    return body


def _gelu(program: Program, is_published: bool) -> Body:
    if is_published and program.attributes["approximate"] == "none":
        raise Unsupported('ByteIR publishes no gelu with approximate="none"')
    is_erf = byteir.gelu(program) == "erf"
    root_half, root, cubic = PUBLISHED_GELU if is_published else GELU

    def body(b: Block, operands: list[Value]) -> list[Value]:
        (x,) = operands
        if is_erf:
            bend = erf(b, b.op("multiply", x, b.like(root_half, x)))
        else:
            cube = b.op("multiply", b.op("multiply", x, x), x)
            inner = b.op("add", x, b.op("multiply", b.like(cubic, x), cube))
            bend = b.op("tanh", b.op("multiply", b.like(root, x), inner))
        half = b.op("multiply", b.like(0.5, x), x)
        return [b.op("multiply", half, b.op("add", bend, b.like(1, x)))]

    return body


def erf(b: Block, x: Value) -> Value:
    return b.ops("chlo.erf", [x], [x.kind])[0]


def _erf(program: Program, is_published: bool) -> Body:
    byteir.erf(program)
    return lambda b, operands: [erf(b, operands[0])]


def _mean(b: Block, x: Value, dims: list[int]) -> Value:
    count = math.prod(x.shape[dim] for dim in dims)
    return b.op("divide", b.fold("add", x, 0, dims), b.like(count, x))


def _layer_norm(program: Program, is_published: bool) -> Body:
    norm = byteir.layer_norm(program)
    dims, has_statistics = norm.axes, len(program.results) == 3
    if is_published and has_statistics:
        raise Unsupported("ByteIR publishes no layer_norm with three results")

    def body(b: Block, operands: list[Value]) -> list[Value]:
        x, weight, bias = operands
        mean, epsilon = _mean(b, x, dims), b.like(norm.epsilon, x)
        centred = b.op("subtract", x, mean)
        if is_published:
            squares = _mean(b, b.op("multiply", x, x), dims)
            variance = b.op("subtract", squares, b.op("multiply", mean, mean))
        else:
            variance = _mean(b, b.op("multiply", centred, centred), dims)
        if norm.is_outside and not is_published:
            divisor = b.op("add", b.op("sqrt", variance), epsilon)
            inverse = b.op("divide", b.like(1, x), divisor)
        else:
            inverse = b.op("rsqrt", b.op("add", variance, epsilon))
        scale = b.op("multiply", inverse, b.spread(weight, x.shape, dims))
        y = b.op("add", b.op("multiply", centred, scale), b.spread(bias, x.shape, dims))
        if not has_statistics:
            return [y]
        return [y, *(_one_a_row(b, value, program.results[1]) for value in (mean, inverse))]

    return body


def _one_a_row(b: Block, value: Value, kind: Type) -> Value:
    """Of a tensor whose rows are all the same: its first elements."""
    zeros, ones = ([number] * len(kind.shape) for number in (0, 1))
    attributes = (
        f"start_indices = array<i64: {str(zeros)[1:-1]}>, "
        f"limit_indices = array<i64: {str(list(kind.shape))[1:-1]}>, "
        f"strides = array<i64: {str(ones)[1:-1]}>"
    )
    return b.op("slice", value, kind=kind, attributes=attributes)


def _l2_norm(program: Program, is_published: bool) -> Body:
    norm = byteir.l2_norm(program)
    if is_published and len(norm.axes) != 1:
        raise Unsupported("ByteIR publishes no l2_norm along several axes")

    def body(b: Block, operands: list[Value]) -> list[Value]:
        (x,) = operands
        epsilon = b.like(norm.epsilon, x)
        length = b.fold("add", b.op("multiply", x, x), 0, norm.axes)
        if norm.is_outside:
            length = b.op("maximum", b.op("sqrt", length), epsilon)
        else:
            length = b.op("sqrt", b.op("maximum", length, epsilon))
        return [b.op("divide", x, length)]

    return body


# ---- Choosing -----------------------------------------------------------------------------------


def _worst(kind: Type, is_max: bool) -> float | int:
    """What every number is better than, or equal to."""
    if kind.element in byteir.FLOATS:
        return -math.inf if is_max else math.inf
    ends = np.iinfo(kind.dtype)
    return int(ends.min if is_max else ends.max)


def _pick(program: Program, is_published: bool) -> Body:
    pick = byteir.pick(program)
    if is_published and (pick.keeps_dims or pick.takes_last):
        raise Unsupported("ByteIR publishes no keep_dims, and no select_last_index")
    kind, index_kind = program.operands[0], program.results[-1]
    better = "GT" if pick.is_max else "LT"
    is_float = kind.element in byteir.FLOATS

    def published(b: Block, pairs: list[Value]) -> list[Value]:
        value, index, other, other_index = pairs
        keeps = b.compare("GE" if pick.is_max else "LE", value, other)
        smaller = b.op("minimum", index, other_index)
        chosen = b.op("select", keeps, index, other_index, kind=index.kind)
        is_tie = b.compare("EQ", value, other)
        return [
            b.op("select", keeps, value, other, kind=value.kind),
            b.op("select", is_tie, smaller, chosen, kind=index.kind),
        ]

    def stable(b: Block, pairs: list[Value]) -> list[Value]:
        value, index, other, other_index = pairs
        keeps, is_tie = b.compare(better, value, other), b.compare("EQ", value, other)
        if is_float:
            is_nan, other_is_nan = b.compare("NE", value, value), b.compare("NE", other, other)
            keeps = b.op("or", keeps, b.op("and", is_nan, b.op("not", other_is_nan)))
            is_tie = b.op("or", is_tie, b.op("and", is_nan, other_is_nan))
        is_first = b.compare("GT" if pick.takes_last else "LT", index, other_index)
        keeps = b.op("or", keeps, b.op("and", is_tie, is_first))
        return [
            b.op("select", keeps, value, other, kind=value.kind),
            b.op("select", keeps, index, other_index, kind=index.kind),
        ]

    def body(b: Block, operands: list[Value]) -> list[Value]:
        indices = b.iota(Type(index_kind.element, kind.shape), pick.axis)
        worst = b.constant(_worst(kind, pick.is_max), Type(kind.element, ()))
        start = b.constant(0, Type(index_kind.element, ()))
        choose = published if is_published else stable
        results = b.reduces([operands[0], indices], [worst, start], [pick.axis], choose)
        results = results[2 - len(program.results) :]
        return [b.op("reshape", y, kind=to) for y, to in zip(results, program.results)]

    return body


def _top_k(program: Program, is_published: bool) -> Body:
    wanted = byteir.top_k(program)
    kind, index_kind = program.operands[0], program.results[1]

    def is_before(b: Block, pairs: list[Value]) -> list[Value]:
        value, other = pairs[:2]
        result = b.compare("GT", value, other)
        if kind.element in byteir.FLOATS:
            is_nan, other_is_number = b.compare("NE", value, value), b.compare("EQ", other, other)
            result = b.op("or", result, b.op("and", is_nan, other_is_number))
        return [result]

    def body(b: Block, operands: list[Value]) -> list[Value]:
        indices = b.iota(Type(index_kind.element, kind.shape), wanted.axis)
        elements = [kind.element] * 2 + [index_kind.element] * 2
        attributes = f"dimension = {wanted.axis} : i64, is_stable = true"
        region = b.region(elements, is_before)
        pair = [operands[0], indices]
        pair = b.ops("stablehlo.sort", pair, [y.kind for y in pair], attributes, region)
        return [_one_a_row(b, y, to) for y, to in zip(pair, program.results)]

    return body


def _one_hot(program: Program, is_published: bool) -> Body:
    wanted, result = byteir.one_hot(program), program.results[0]
    element = "ui64" if program.operands[0].element.startswith("ui") else "i64"
    dims = [dim for dim in range(len(result.shape)) if dim != wanted.axis]

    def body(b: Block, operands: list[Value]) -> list[Value]:
        indices = b.spread(b.convert(operands[0], element), result.shape, dims)
        is_there = b.compare("EQ", indices, b.iota(indices.kind, wanted.axis))
        on, off = b.constant(wanted.on, result), b.constant(wanted.off, result)
        return [b.op("select", is_there, on, off, kind=result)]

    return body


# ---- Quantized numbers, and random numbers ------------------------------------------------------


def _quantization(program: Program, is_published: bool) -> Body:
    axis = byteir.quantization(program)
    kind, result = program.operands[0], program.results[0]
    is_quantize = program.op == "byteir.quantize"
    wide = "f64" if "f64" in (kind.element, result.element) else "f32"
    dims = [] if axis is None else [axis]

    def body(b: Block, operands: list[Value]) -> list[Value]:
        x = b.convert(operands[0], wide)
        scale, zero_point = (
            b.spread(b.convert(value, wide), x.shape, dims) for value in operands[1:]
        )
        if not is_quantize:
            # Both are of 16 bits at most: their difference is exact.
            steps = b.op("subtract", x, zero_point)
            return [b.convert(b.op("multiply", steps, scale), result.element)]
        steps = b.op("round_nearest_even", b.op("divide", x, scale))
        moved, ends = b.op("add", steps, zero_point), np.iinfo(result.dtype)
        clamped = b.op("clamp", b.like(ends.min, x), moved, b.like(ends.max, x), kind=x.kind)
        return [b.convert(clamped, result.element)]

    return body


def _philox(b: Block, counter: list[Value], key: list[Value]) -> list[Value]:
    """The first two words of Philox4x32-10."""

    def product(word: Value, multiplier: int) -> tuple[Value, Value]:
        wide = b.convert(word, "ui64")
        whole = b.op("multiply", wide, b.like(multiplier, wide))
        high = b.op("shift_right_logical", whole, b.like(32, whole))
        return b.convert(high, "ui32"), b.convert(whole, "ui32")

    for round_number in range(10):
        if round_number != 0:
            steps = (0x9E3779B9, 0xBB67AE85)
            key = [b.op("add", word, b.like(step, word)) for word, step in zip(key, steps)]
        high0, low0 = product(counter[0], 0xD2511F53)
        high1, low1 = product(counter[2], 0xCD9E8D57)
        first = b.op("xor", b.op("xor", high1, counter[1]), key[0])
        third = b.op("xor", b.op("xor", high0, counter[3]), key[1])
        counter = [first, low1, third, low0]
    return counter[:2]


def _words(b: Block, kind: Type, operands: list[Value]) -> list[Value]:
    """The first two words of each element's block, as numbers in [0, 1]."""
    words = Type("ui32", kind.shape)
    key = [b.spread(b.convert(word, "ui32"), kind.shape, []) for word in operands[2:4]]
    position = b.op("add", *key)
    for dim in range(len(kind.shape)):
        moved = b.op("add", position, b.iota(words, dim))
        product = b.op("multiply", moved, b.constant(1103515245, words))
        position = b.op("add", product, b.constant(12345, words))
    block = _philox(b, [position, *[b.constant(0, words)] * 3], key)
    wide = [b.convert(word, "f64") for word in block]
    return [b.convert(b.op("multiply", x, b.like(2.0**-32, x)), kind.element) for x in wide]


def _rng_uniform(program: Program, is_published: bool) -> Body:
    kind = byteir.rng(program)

    def body(b: Block, operands: list[Value]) -> list[Value]:
        low, high = (b.spread(bound, kind.shape, []) for bound in operands[:2])
        share, _ = _words(b, kind, operands)
        return [b.op("add", low, b.op("multiply", share, b.op("subtract", high, low)))]

    return body


def _rng_normal(program: Program, is_published: bool) -> Body:
    kind = byteir.rng(program)

    def body(b: Block, operands: list[Value]) -> list[Value]:
        mean, deviation = (b.spread(number, kind.shape, []) for number in operands[:2])
        radial, angular = _words(b, kind, operands)
        logarithm = b.op("log", radial)
        distance = b.op("sqrt", b.op("multiply", logarithm, b.like(-2.0, logarithm)))
        angle = b.op("multiply", angular, b.like(2 * math.pi, angular))
        normal = b.op("multiply", distance, b.op("cosine", angle))
        return [b.op("add", b.op("multiply", normal, deviation), mean)]

    return body


MAKERS: dict[str, Callable[[Program, bool], Body]] = {
    "byteir.softmax": _softmax,
    "byteir.log_softmax": _softmax,
    "byteir.gelu": _gelu,
    "byteir.erf": _erf,
    "byteir.layer_norm": _layer_norm,
    "byteir.l2_norm": _l2_norm,
    "byteir.arg_max": _pick,
    "byteir.arg_min": _pick,
    "byteir.top_k": _top_k,
    "byteir.one_hot": _one_hot,
    "byteir.quantize": _quantization,
    "byteir.dequantize": _quantization,
    "byteir.rng_uniform": _rng_uniform,
    "byteir.rng_normal": _rng_normal,
}

PUBLISHED = (
    "softmax", "gelu", "layer_norm", "l2_norm", "arg_max", "arg_min", "rng_uniform", "rng_normal",
)  # fmt: skip


# Formulas of several roundings, which `stable` leaves to f32 where the numbers are of 16 bits.
FORMULAS = ("softmax", "log_softmax", "gelu", "layer_norm", "l2_norm")


def _widened(program: Program, maker: Callable[[Program, bool], Body]) -> Body:
    """What a stable formula makes of numbers of 16 bits."""

    def widen(types: list[Type]) -> list[Type]:
        return [Type("f32", kind.shape) for kind in types]

    wide = replace(program, operands=widen(program.operands), results=widen(program.results))
    inner = maker(wide, False)

    def body(b: Block, operands: list[Value]) -> list[Value]:
        results = inner(b, [b.convert(operand, "f32") for operand in operands])
        return [b.convert(y, to.element) for y, to in zip(results, program.results)]

    return body


def decompose(program: Program, variant: str) -> Program:
    """The program with a module of StableHLO ops and chlo.erf in place of the custom call."""
    is_published, name = variant == "published", program.op.removeprefix("byteir.")
    if program.op not in MAKERS:
        raise Unsupported(f"no {program.op} here")
    if is_published and name not in PUBLISHED:
        raise Unsupported(f"ByteIR publishes no decomposition of {program.op}")
    maker = MAKERS[program.op]
    body = maker(program, is_published)
    if not is_published and name in FORMULAS and program.results[0].element in ("f16", "bf16"):
        body = _widened(program, maker)
    return module(program, body)

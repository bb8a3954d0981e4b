# SPDX-License-Identifier: Apache-2.0
"""Products of tensors, and convolutions, as TensorFlow Lite models.

CONV_2D and DEPTHWISE_CONV_2D between TRANSPOSEs, behind a PAD, and FULLY_CONNECTED, with the right
operand as a constant, as weights are in models; BATCH_MATMUL where weights have batches, or the result
is what an accumulator of 32 bits holds.  TensorFlow Lite's convolutions keep no such accumulators: a
GATHER lays the windows of integers side by side then, for BATCH_MATMUL.
"""
from __future__ import annotations

import math

import numpy as np

from assay_worker import Program, Quantization, Type, Unsupported, plain_product
from shared_programs import dynamic_program, window_program
from tflite_backend.tflite_graph import Graph, quantized

VALID = 1  # The schema's Padding.


def reshaped(kind: Type, shape: list[int]) -> Type:
    """A type of those sizes; one with scales by channel has no place for them any more."""
    stored = kind.quantization
    if stored is not None and stored.axis != -1:
        raise Unsupported("scales of channels that are reshaped")
    return Type(kind.element, tuple(shape))


def require_multiplier(multiplier: float, largest: float) -> None:
    """TensorFlow Lite's fixed point shifts integers to the left before it multiplies, in 32 bits, and
    does not look what that makes of them; by multipliers below 1 it does not shift so."""
    if multiplier >= 1 and largest * multiplier >= 2.0**30:
        raise Unsupported("no multiplier by which a shift leaves 32 bits")


def _one_scale(stored: Quantization) -> Quantization:
    if len(set(zip(stored.scales, stored.zero_points))) != 1:
        raise Unsupported("one scale of the result")
    first = (stored.scales[:1], stored.zero_points[:1])
    return Quantization(stored.storage, stored.minimum, stored.maximum, stored.expressed, -1, *first)


def _uniform(storage: str, scale: float, zero_point: int, shape: list[int]) -> Type:
    pair = f"{float(np.float32(scale)).hex()}:{zero_point}"
    return Type(f"!quant.uniform<{storage}:f32,{pair}>", tuple(shape))





# ---- Products -----------------------------------------------------------------------------------


def _product(sizes: list[int]) -> int:
    """Of sizes, -1 being one that is unknown."""
    return -1 if -1 in sizes else math.prod(sizes)


def _matrices(program: Program, contract: list[list[int]], batch: list[list[int]],
              ) -> list[tuple[list[int], list[int]]]:  # fmt: skip
    """Of both operands the order batches, rows, terms or batches, terms, columns, and these sizes."""
    found = []
    for side, kind in enumerate(program.operands):
        fixed = [*batch[side], *contract[side]]
        free = [dim for dim in range(len(kind.shape)) if dim not in fixed]
        groups = [batch[side], free, contract[side]]
        if side == 1:
            groups = [batch[side], contract[side], free]
        sizes = [_product([kind.shape[dim] for dim in group]) for group in groups]
        found.append(([dim for group in groups for dim in group], sizes))
    return found


def dot_general(graph: Graph, program: Program) -> int:
    batch, contract = plain_product(program, takes_quantized=True)
    if any(0 in kind.shape for kind in [*program.operands, *program.results]):
        raise Unsupported("products of nothing")
    if "algorithm" in program.attributes and program.is_quantized:
        raise Unsupported("no algorithm of quantized types")
    (left_order, left), (right_order, right) = _matrices(program, contract, batch)
    if program.is_quantized:
        dynamic_program.known([left[2], *right], "a quantized product, with weights,")
        free = [dim for dim in right_order if dim not in (*batch[1], *contract[1])]
        has_columns = len(free) == 1 and not batch[1]
        rank = len(program.results[0].shape)
        axes = (free[0], rank - 1) if has_columns else (-2, -2)
        product = window_program.quantized_product(program, *axes, left[2], takes_any=True)
        _require_bytes(product, left[2])
        if not product.is_sum and left[0] == 1:
            return _fully_connected(graph, program, left_order, left, right_order, right)
        if not product.is_sum and product.rhs.axis != -1:
            raise Unsupported("scales of channels where weights have no batches")
        result = product.result if product.is_sum else _one_scale(product.result)
        lhs = _uniform("i8", product.lhs.scales[0], product.lhs.zero_points[0], left)
        rhs = _uniform("i8", product.rhs.scales[0], 0, right)
        kinds = [lhs, rhs]
        # The sum itself has no scale, and the schema's options of BATCH_MATMUL none of it.
        out = Type("i32", ()) if product.is_sum else quantized(result, ())
    elif program.results[0].element != "f32":
        raise Unsupported("multiplies f32, or i8 that is quantized")
    else:
        kinds = [Type("f32", tuple(left)), Type("f32", tuple(right))]
        out = program.results[0]
    moved = []
    for index, (order, kind) in enumerate(((left_order, kinds[0]), (right_order, kinds[1]))):
        plain = Type(kind.element, program.operands[index].shape)
        moved.append(graph.transpose(graph.operand(index, plain), plain, order))
    are_matrices = all(len(kind.shape) == 2 for kind in [*program.operands, *program.results])
    if program.is_dynamic and are_matrices and not batch[0]:  # No two unknown sizes to reshape to.
        return graph.add("BATCH_MATMUL", moved, Type(out.element, program.results[0].shape), "BatchMatMulOptions")
    sides = [graph.reshape(*side) for side in zip(moved, kinds)]
    product_kind = Type(out.element, (left[0], left[1], right[2]))
    if out.element == "i32":
        summed = _sums(graph, sides, kinds, product_kind)
    else:
        summed = graph.add("BATCH_MATMUL", sides, product_kind, "BatchMatMulOptions")
    return graph.reshape(summed, Type(out.element, program.results[0].shape))


def _sums(graph: Graph, sides: list[int], kinds: list[Type], result: Type) -> int:
    """BATCH_MATMUL of i8 into i32 multiplies what is stored, whatever its zero points; so the left one's
    times the sums of the right columns are taken away.  (The right one has none.)"""
    summed = graph.add("BATCH_MATMUL", sides, result, "BatchMatMulOptions")
    stored = kinds[0].quantization
    assert stored is not None
    if stored.zero_points[0] == 0:
        return summed
    batches, _, columns = result.shape
    wide = graph.add("CAST", [sides[1]], Type("i32", kinds[1].shape), "CastOptions")
    totals = Type("i32", (batches, 1, columns))
    axis = graph.integers([1])
    total = graph.add("SUM", [wide, axis], totals, "ReducerOptions", keepDims=True)
    zero_point = graph.constant(np.array(stored.zero_points[0], np.int32))
    share = graph.add("MUL", [total, zero_point], totals, "MulOptions")
    return graph.add("SUB", [summed, share], result, "SubOptions")


def _require_bytes(product: window_program.Product, terms: int) -> None:
    if product.lhs.storage != "i8":
        raise Unsupported("products of i8")
    if product.is_sum:
        return
    if product.result.storage != "i8":
        raise Unsupported("products of i8 into i8, or the accumulator of 32 bits")
    into = min(product.result.scales)
    multiplier = product.lhs.scales[0] * max(product.rhs.scales) / into
    require_multiplier(multiplier, terms * 2.0**16)


def _fully_connected(graph: Graph, program: Program, left_order: list[int], left: list[int],
                     right_order: list[int], right: list[int]) -> int:  # fmt: skip
    lhs, rhs, result = program.operands[0], program.operands[1].quantization, program.results[0]
    assert rhs is not None and result.quantization is not None
    moved = graph.transpose(graph.operand(0), lhs, left_order)
    rows = graph.reshape(moved, reshaped(lhs, left[1:]))
    weights = graph.weights(1).transpose(right_order).reshape(right[1:]).T
    kind = quantized(rhs, weights.shape, 0 if rhs.axis != -1 else -1)
    out = quantized(_one_scale(result.quantization), (left[1], right[2]))
    product = graph.add(
        "FULLY_CONNECTED", [rows, graph.tensor(kind, np.ascontiguousarray(weights)), -1], out,
        "FullyConnectedOptions",
    )  # fmt: skip
    return graph.reshape(product, Type(out.element, result.shape))


# ---- Convolutions -------------------------------------------------------------------------------


def convolution(graph: Graph, program: Program) -> int:
    found = window_program.plain_convolution(program, spatial_max=2)
    element = program.operands[0].element
    if not program.is_quantized:
        if len({kind.element for kind in [*program.operands, *program.results]}) != 1:
            raise Unsupported("convolves tensors of one type")
        if element != "f32":
            raise Unsupported("convolves f32, or i8 that is quantized")
        return _convolve(graph, program, found, None)
    terms = math.prod(program.operands[1].shape[dim] for dim in found.rhs[1:])
    product = window_program.quantized_product(
        program, found.rhs[0], found.result[1], terms, takes_any=True
    )
    _require_bytes(product, terms)
    if product.is_sum:
        return _gathered(graph, program, found, product)
    return _convolve(graph, program, found, product)


def _convolve(graph: Graph, program: Program, found: window_program.Convolution,
              product: window_program.Product | None) -> int:  # fmt: skip
    """CONV_2D of batch, height, width, feature and output, height, width, input, or of one input a
    group DEPTHWISE_CONV_2D."""
    lhs, rhs, result = *program.operands, program.results[0]
    order = [found.lhs[0], *found.lhs[2:], found.lhs[1]]
    moved = graph.transpose(graph.operand(0), lhs, order)
    sizes = [lhs.shape[dim] for dim in order]
    ones = [1] * (2 - len(found.windows))
    sizes[1:1] = ones
    current = reshaped(lhs, sizes)
    moved = graph.reshape(moved, current)
    pads = [(0, 0)] * (1 + len(ones)) + [(w.low, w.high) for w in found.windows] + [(0, 0)]
    if any(low or high for low, high in pads):
        sizes = [size + low + high for size, (low, high) in zip(sizes, pads)]
        current = reshaped(lhs, sizes)
        places = graph.constant(np.array(pads, np.int32))
        moved = graph.add("PAD", [moved, places], current, "PadOptions")
    stride = [1, *(w.stride for w in found.windows)][-2:]
    dilation = [1, *(w.dilation for w in found.windows)][-2:]
    weights = graph.weights(1).transpose([found.rhs[0], *found.rhs[2:], found.rhs[1]])
    weights = weights.reshape([weights.shape[0], *ones, *weights.shape[1:]])
    is_depthwise = 1 != found.feature_groups == sizes[3]
    if is_depthwise:
        weights = weights.transpose([3, 1, 2, 0])
    kind, out, inputs = Type("f32", weights.shape), Type("f32", ()), [moved]
    if product is not None:
        place = (3 if is_depthwise else 0) if product.rhs.axis != -1 else -1
        kind = quantized(product.rhs, weights.shape, place)
        out = quantized(_one_scale(product.result), ())
    inputs.append(graph.tensor(kind, np.ascontiguousarray(weights)))
    channels = rhs.shape[found.rhs[0]]
    inputs.append(_no_bias(graph, channels, product))
    spatial = [1, *(result.shape[dim] for dim in found.result[2:])][-2:]
    shape = (result.shape[found.result[0]], *spatial, channels)
    options = {
        "padding": VALID, "strideH": stride[0], "strideW": stride[1],
        "dilationHFactor": dilation[0], "dilationWFactor": dilation[1],
    }  # fmt: skip
    op, name = "CONV_2D", "Conv2DOptions"
    if is_depthwise:
        op, name = "DEPTHWISE_CONV_2D", "DepthwiseConv2DOptions"
        options["depthMultiplier"] = channels // found.feature_groups
    convolved = graph.add(op, inputs, Type(out.element, shape), name, **options)
    return _bring_back(graph, convolved, out, found, result)


def _no_bias(graph: Graph, channels: int, product: window_program.Product | None) -> int:
    """Zeros, with the scales that a bias has."""
    if product is None:
        return graph.constant(np.zeros(channels, np.float32), "f32")
    steps = [np.float32(product.lhs.scales[0]) * np.float32(scale) for scale in product.rhs.scales]
    axis = -1 if product.rhs.axis == -1 else 0
    zeros = Quantization("i32", -(1 << 31), (1 << 31) - 1, "f32", axis,
                         tuple(map(float, steps)), (0,) * len(steps))  # fmt: skip
    return graph.tensor(quantized(zeros, (channels,)), np.zeros(channels, np.int32))


def _bring_back(graph: Graph, number: int, out: Type, found: window_program.Convolution,
                result: Type) -> int:  # fmt: skip
    """The program's result of one with batch, spatial dimensions and features."""
    order = [found.result[0], *found.result[2:], found.result[1]]
    plain = Type(out.element, tuple(result.shape[dim] for dim in order))
    back = sorted(range(len(order)), key=lambda dim: order[dim])
    return graph.transpose(graph.reshape(number, plain), plain, back)


def _gathered(graph: Graph, program: Program, found: window_program.Convolution,
              product: window_program.Product) -> int:  # fmt: skip
    """The sums themselves: all windows side by side, groups x windows x terms, and the weights as
    groups x terms x outputs."""
    lhs, rhs, result = *program.operands, program.results[0]
    groups, outputs = found.feature_groups, rhs.shape[found.rhs[0]]
    places = _places(lhs, rhs, result, found)
    count = math.prod(lhs.shape)
    stored = _uniform("i8", product.lhs.scales[0], product.lhs.zero_points[0], [count])
    flat = graph.reshape(graph.operand(0), stored)
    padding = graph.tensor(Type(stored.element, (1,)), np.array([product.lhs.zero_points[0]], np.int8))
    joined = Type(stored.element, (count + 1,))
    flat = graph.add("CONCATENATION", [flat, padding], joined, "ConcatenationOptions", axis=0)
    windows = Type(stored.element, places.shape)
    gathered = graph.add("GATHER", [flat, graph.constant(places)], windows, "GatherOptions", axis=0)
    order = [*found.rhs[1:], found.rhs[0]]
    columns = outputs // groups
    kind = _uniform("i8", product.rhs.scales[0], 0, list(rhs.shape))
    moved = graph.transpose(graph.operand(1, kind), kind, order)
    moved = graph.reshape(moved, Type(kind.element, (places.shape[2], groups, columns)))
    grouped = Type(kind.element, (places.shape[2], groups, columns))
    moved = graph.transpose(moved, grouped, [1, 0, 2])
    kinds = [windows, Type(kind.element, (groups, places.shape[2], columns))]
    kind = Type("i32", (groups, places.shape[1], columns))
    summed = _sums(graph, [gathered, moved], kinds, kind)
    summed = graph.reshape(graph.transpose(summed, kind, [1, 0, 2]),
                           Type("i32", (places.shape[1], outputs)))  # fmt: skip
    return _bring_back(graph, summed, Type("i32", ()), found, result)


def _places(lhs: Type, rhs: Type, result: Type, found: window_program.Convolution) -> np.ndarray:
    """Where in the operand, or behind it for padding, each term of each window of each group lies."""
    count = math.prod(lhs.shape)
    numbers = np.arange(count, dtype=np.int32).reshape(lhs.shape).transpose(found.lhs)
    pads = [(0, 0), (0, 0)] + [(window.low, window.high) for window in found.windows]
    numbers = np.pad(numbers, pads, constant_values=count)
    for dim, window in enumerate(found.windows):
        starts = np.arange(result.shape[found.result[2 + dim]]) * window.stride
        taps = np.arange(window.size) * window.dilation
        # After the dimensions before it: windows, then taps.
        numbers = np.take(numbers, starts[:, None] + taps[None, :], axis=2 + 2 * dim)
    spatial = len(found.windows)
    order = [0, *(2 + 2 * dim for dim in range(spatial)), 1, *(3 + 2 * dim for dim in range(spatial))]
    batch, features = numbers.shape[:2]
    moved = numbers.transpose(order)  # Batch, windows, features, taps.
    windows = math.prod(moved.shape[1 : 1 + spatial])
    taps = math.prod(moved.shape[2 + spatial :])
    groups = found.feature_groups
    split = moved.reshape(batch * windows, groups, features // groups * taps)
    assert split.shape[2] == math.prod(rhs.shape[dim] for dim in found.rhs[1:])
    return np.ascontiguousarray(split.transpose(1, 0, 2)).astype(np.int32)

# SPDX-License-Identifier: Apache-2.0
"""ATen's ops as StableHLO's and ByteIR's (torch_export.py): a function each, of the writer, the node and its
arguments, defaults included."""
from __future__ import annotations

from typing import Any, Callable, Sequence

import torch

from torch_writer import ELEMENTS, LAST, Unread, Value, Writer, permuted


def number_of(writer: Writer, argument: Any) -> float | None:
    return float(argument) if isinstance(argument, (int, float)) else None


def elementwise(op: str) -> Callable[[Writer, Any, list[Any]], Value]:
    def read(writer: Writer, node: Any, arguments: list[Any]) -> Value:
        left, right = arguments[:2]
        if len(arguments) > 2 and arguments[2] not in (None, 1):
            raise Unread("alpha other than 1")
        if number_of(writer, left) is not None:
            left, right = right, left
        first = writer.value(left)
        if number_of(writer, right) is not None:
            return elementwise_number(writer, op, first, float(right), op == "subtract" and left is not arguments[0])
        second = writer.value(right)
        if first.is_last != second.is_last and 4 in (len(first.shape), len(second.shape)):
            first, second = writer.plain(left), writer.plain(right)
        shape = torch.broadcast_shapes(first.shape, second.shape)
        sides = []
        for side in (first, second):
            dims = range(len(shape) - len(side.shape), len(shape))
            sides.append(side if side.shape == shape else writer.broadcast(side, dims, shape))
        return writer.make(f"stablehlo.{op}", sides, shape, is_last=first.is_last)

    return read


def elementwise_number(writer: Writer, op: str, value: Value, number: float, is_first: bool = False) -> Value:
    element = next(kind for kind, word in ELEMENTS.items() if word == value.element)
    scalar = writer.constant(torch.tensor(number, dtype=element), f"{writer.node}_number")
    spread = writer.broadcast(scalar, (), value.shape)
    sides = [spread, value] if is_first else [value, spread]
    return writer.make(f"stablehlo.{op}", sides, value.shape, is_last=value.is_last)


def clamped(low: float | None, high: float | None) -> Callable[[Writer, Any, list[Any]], Value]:
    def read(writer: Writer, node: Any, arguments: list[Any]) -> Value:
        given = [None if one is None else number_of(writer, one) for one in arguments[1:3]]
        least, most = (low, high) if node.target._schema.name.startswith("aten::relu") else given
        value = writer.value(arguments[0])
        if least is not None:
            value = elementwise_number(writer, "maximum", value, least)
        return value if most is None else elementwise_number(writer, "minimum", value, most)

    return read


def convolution(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    image, kernel, bias, stride, padding, dilation, groups = arguments[:7]
    if isinstance(padding, str):
        raise Unread(f"padding '{padding}': write numbers")
    stride, padding, dilation = (list(one) * (2 if len(one) == 1 else 1) for one in (stride, padding, dilation))
    lhs, rhs = writer.last(image), writer.weight(kernel, (2, 3, 1, 0))
    result = tuple(node.meta["val"].shape)
    pads = ", ".join(f"[{one}, {one}]" for one in padding)
    words = (
        f"window_strides = array<i64: {stride[0]}, {stride[1]}>, padding = dense<[{pads}]> : tensor<2x2xi64>, "
        f"rhs_dilation = array<i64: {dilation[0]}, {dilation[1]}>, "
        "dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, "
        f"feature_group_count = {groups} : i64, batch_group_count = 1 : i64"
    )
    sums = writer.make("stablehlo.convolution", [lhs, rhs], permuted(result, LAST), words, True)
    return sums if bias is None else with_bias(writer, sums, bias)


def with_bias(writer: Writer, sums: Value, bias: Any) -> Value:
    spread = writer.broadcast(writer.value(bias), (len(sums.shape) - 1,), sums.shape)
    return writer.make("stablehlo.add", [sums, spread], sums.shape, is_last=sums.is_last)


def product(writer: Writer, left: Value, right: Value, batch: int) -> Value:
    rank = len(left.shape)
    listed = ", ".join(map(str, range(batch)))
    words = (
        f"dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [{listed}], "
        f"rhs_batching_dimensions = [{listed}], lhs_contracting_dimensions = [{rank - 1}], "
        f"rhs_contracting_dimensions = [{batch}]>"
    )
    return writer.make("stablehlo.dot_general", [left, right], (*left.shape[:-1], right.shape[-1]), words)


def reshaped(writer: Writer, value: Value, shape: Sequence[int]) -> Value:
    return value if value.shape == tuple(shape) else writer.make("stablehlo.reshape", [value], shape)


def linear(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    image, kernel, bias = arguments[:3]
    value, weights = writer.plain(image), writer.weight(kernel, (1, 0))
    rows = reshaped(writer, value, (torch.Size(value.shape[:-1]).numel(), value.shape[-1]))
    sums = product(writer, rows, weights, 0)
    if bias is not None:
        sums = with_bias(writer, sums, bias)
    return reshaped(writer, sums, node.meta["val"].shape)


def matmul(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    left, right = writer.plain(arguments[0]), writer.plain(arguments[1])
    if len(left.shape) < 2 or left.shape[:-2] != right.shape[:-2]:
        raise Unread("a product of tensors of unlike batches")
    return product(writer, left, right, len(left.shape) - 2)


def mean(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    value = writer.value(arguments[0])
    rank = len(value.shape)
    dims = sorted(dim % rank for dim in (arguments[1] or range(rank)))
    if value.is_last:
        dims = sorted(LAST.index(dim) for dim in dims)
    if value.is_last and 3 in dims:
        raise Unread("a mean over channels")
    kept = [size for dim, size in enumerate(value.shape) if dim not in dims]
    element = next(kind for kind, word in ELEMENTS.items() if word == value.element)
    zero = writer.constant(torch.tensor(0.0, dtype=element), f"{writer.node}_zero")
    scalar = f"tensor<{value.element}>"
    result = Value(writer.fresh(f"{writer.node}_sum"), tuple(kept), value.element)
    writer.lines.append(
        f'    %{result.name} = "stablehlo.reduce"(%{value.name}, %{zero.name}) ({{\n'
        f"    ^bb0(%left: {scalar}, %right: {scalar}):\n"
        f'      %added = "stablehlo.add"(%left, %right) : ({scalar}, {scalar}) -> {scalar}\n'
        f'      "stablehlo.return"(%added) : ({scalar}) -> ()\n'
        f"    }}) {{dimensions = array<i64: {', '.join(map(str, dims))}>}} : ({value.type}, {scalar}) -> {result.type}"
    )
    count = torch.Size([value.shape[dim] for dim in dims]).numel()
    made = elementwise_number(writer, "divide", result, float(count))
    shape = node.meta["val"].shape
    return made if made.shape == tuple(shape) else reshaped(writer, made, shape)


def moved(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    return reshaped(writer, writer.plain(arguments[0]), node.meta["val"].shape)


def transposed(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    value = writer.plain(arguments[0])
    order = list(range(len(value.shape)))
    if node.target._schema.name == "aten::permute":
        order = [dim % len(order) for dim in arguments[1]]
    elif node.target._schema.name == "aten::t":
        order.reverse()
    else:
        a, b = (dim % len(order) for dim in arguments[1:3])
        order[a], order[b] = order[b], order[a]
    return writer.transpose(value, order)


def same(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    return writer.value(arguments[0])


def dropout(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    if arguments[2]:
        raise Unread("dropout in training: export the model in eval()")
    return writer.value(arguments[0])


def softmax(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    value = writer.plain(arguments[0])
    return writer.custom("byteir.softmax", [value], f"axis = {arguments[1] % len(value.shape)} : i64")


def gelu(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    word = {"none": "erf"}.get(arguments[1], arguments[1])
    value = writer.value(arguments[0])
    return writer.custom("byteir.gelu", [value], f'approximate = "{word}"', value.is_last)


def layer_norm(writer: Writer, node: Any, arguments: list[Any]) -> Value:
    image, shape, weight, bias, epsilon = arguments[:5]
    if weight is None or bias is None:
        raise Unread("layer_norm without weight and bias")
    value = writer.plain(image)
    axes = ", ".join(str(len(value.shape) - len(shape) + place) for place in range(len(shape)))
    words = f"axis = [{axes}], epsilon = {epsilon:.17e} : f64"
    return writer.custom("byteir.layer_norm", [value, writer.value(weight), writer.value(bias)], words)


OPS: dict[str, Callable[[Writer, Any, list[Any]], Value]] = {
    "conv2d": convolution, "linear": linear, "matmul": matmul, "bmm": matmul, "mm": matmul,
    "add": elementwise("add"), "add_": elementwise("add"), "sub": elementwise("subtract"),
    "mul": elementwise("multiply"), "maximum": elementwise("maximum"),
    "minimum": elementwise("minimum"), "relu": clamped(0.0, None), "relu_": clamped(0.0, None),
    "relu6": clamped(0.0, 6.0), "relu6_": clamped(0.0, 6.0), "hardtanh": clamped(None, None),
    "hardtanh_": clamped(None, None), "clamp": clamped(None, None), "mean": mean, "view": moved,
    "reshape": moved, "flatten": moved, "unsqueeze": moved, "squeeze": moved, "permute": transposed,
    "transpose": transposed, "t": transposed, "contiguous": same, "clone": same, "detach": same,
    "dropout": dropout, "softmax": softmax, "gelu": gelu, "layer_norm": layer_norm,
}  # fmt: skip

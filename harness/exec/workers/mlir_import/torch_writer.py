# SPDX-License-Identifier: Apache-2.0
"""The text of a StableHLO module, as it is written node by node of an ATen graph (torch_export.py): values, weights
that are transposed where they are used, fake-quant ops, and pt2e's pairs of quantize and dequantize, which say the
same."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Sequence

import torch

LAST = (0, 2, 3, 1)  # NCHW as NHWC.
FIRST = (0, 3, 1, 2)  # And back.
ELEMENTS = {torch.float32: "f32", torch.float64: "f64", torch.float16: "f16", torch.bfloat16: "bf16"}


class Unread(Exception):
    """What a graph cannot be made of."""


@dataclass(frozen=True)
class Value:
    """A tensor of the module.  `is_last`: its dimensions stand channels last, unlike the program's."""

    name: str
    shape: tuple[int, ...]  # As it stands in the module.
    element: str
    is_last: bool = False

    @property
    def type(self) -> str:
        return f"tensor<{''.join(f'{size}x' for size in self.shape)}{self.element}>"


@dataclass
class Weight:
    """A constant, and the fake-quant op that it goes through, if any: written where it is used."""

    data: torch.Tensor
    name: str
    quant: tuple[str, list[Any]] | None = None  # "channel", [scales, zero points, axis, low, high]
    written: dict[tuple[int, ...], Value] = field(default_factory=dict)


@dataclass(frozen=True)
class Stored:
    """What an op of pt2e has quantized: the number before it, and by what."""

    argument: Any
    kind: str
    said: list[Any]


def permuted(items: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    return tuple(items[place] for place in order)


def numbers(stored: torch.Tensor, kind: str, said: list[Any]) -> torch.Tensor:
    """What stored integers mean."""
    if kind == "tensor":
        scale, zero = torch.tensor(said[0], dtype=torch.float32), torch.tensor(said[1])
    else:
        shape = [-1 if dim == said[2] else 1 for dim in range(stored.dim())]
        scale = torch.tensor(said[0], dtype=torch.float32).reshape(shape)
        zero = torch.tensor(said[1]).reshape(shape)
    return (stored.to(torch.int32) - zero.to(torch.int32)).to(torch.float32) * scale


class Writer:
    def __init__(self, ops: dict[str, Callable[[Writer, Any, list[Any]], Value]]) -> None:
        self.ops = ops  # By the names of ATen.
        self.lines: list[str] = []
        self.known: dict[Any, Value | Weight | Stored | tuple[Any, ...]] = {}
        self.names: set[str] = set()
        self.node = ""

    # ---- Text ----------------------------------------------------------------------------------

    def fresh(self, hint: str) -> str:
        name, number = hint, 1
        while name in self.names:
            number += 1
            name = f"{hint}_{number}"
        self.names.add(name)
        return name

    def add(self, op: str, operands: Sequence[Value], result: Value, words: str = "") -> Value:
        taken = ", ".join(f"%{value.name}" for value in operands)
        types = ", ".join(value.type for value in operands)
        self.lines.append(f"    %{result.name} = \"{op}\"({taken}) {{{words}}} : ({types}) -> {result.type}")
        return result

    def make(self, op: str, operands: Sequence[Value], shape: Sequence[int], words: str = "",
             is_last: bool = False, hint: str | None = None) -> Value:  # fmt: skip
        result = Value(self.fresh(hint or self.node), tuple(shape), operands[0].element, is_last)
        return self.add(op, operands, result, words)

    def custom(self, op: str, operands: Sequence[Value], words: str, is_last: bool = False) -> Value:
        attributes = f'call_target_name = "{op}", byteir_attrs = {{{words}}}'
        return self.make("stablehlo.custom_call", operands, operands[0].shape, attributes, is_last)

    def constant(self, data: torch.Tensor, hint: str) -> Value:
        if data.dtype not in ELEMENTS:
            raise Unread(f"a constant of {str(data.dtype).removeprefix('torch.')}")
        result = Value(self.fresh(hint), tuple(data.shape), ELEMENTS[data.dtype])
        bits = data.detach().contiguous().reshape(-1).view(torch.uint8).numpy().tobytes().hex().upper()
        literal = f'dense<"0x{bits}">' if data.numel() != 1 else f"dense<{float(data):.17e}>"
        return self.add("stablehlo.constant", [], result, f"value = {literal} : {result.type}")

    def transpose(self, value: Value, order: Sequence[int], is_last: bool = False) -> Value:
        words = f"permutation = array<i64: {', '.join(map(str, order))}>"
        hint = f"{value.name}_{'nhwc' if is_last else 'moved'}"
        return self.make("stablehlo.transpose", [value], permuted(value.shape, order), words, is_last, hint)

    def broadcast(self, value: Value, dims: Sequence[int], shape: Sequence[int]) -> Value:
        words = f"broadcast_dimensions = array<i64: {', '.join(map(str, dims))}>".replace(": >", ">")
        return self.make("stablehlo.broadcast_in_dim", [value], shape, words, hint=f"{value.name}_spread")

    # ---- Values --------------------------------------------------------------------------------

    def value(self, argument: Any) -> Value:
        found = self.known[argument]
        if isinstance(found, Value):
            return found
        if isinstance(found, Weight):
            return self.weight(argument, tuple(range(found.data.dim())))
        if isinstance(found, Stored):
            raise Unread("integers that are used before they are dequantized")
        raise Unread("several results")

    def weight(self, argument: Any, order: tuple[int, ...]) -> Value:
        """A constant with its dimensions in that order; what is computed is transposed."""
        found = self.known[argument]
        if not isinstance(found, Weight):
            return self.transpose(self.plain(argument), order)
        if order not in found.written:
            made = self.constant(found.data.permute(order), found.name)
            if found.quant is not None:
                node, self.node = self.node, f"{found.name}_fake_quant"
                made = self.quantize(made, *found.quant, order)
                self.node = node
            found.written[order] = made
        return found.written[order]

    def plain(self, argument: Any) -> Value:
        """With the dimensions as the program has them."""
        value = self.value(argument)
        return self.transpose(value, FIRST) if value.is_last else value

    def last(self, argument: Any) -> Value:
        value = self.value(argument)
        return value if value.is_last else self.transpose(value, LAST, True)

    def quantize(self, value: Value, kind: str, said: list[Any], order: tuple[int, ...] | None = None) -> Value:
        if kind == "tensor":
            scale, zero, low, high = said
            words = f"scale = {float(scale):.17e} : f64, zero_point = {int(zero)} : i64, "
        else:
            scales, zeros, axis, low, high = said
            if order is not None:
                axis = order.index(axis)
            elif value.is_last:
                axis = LAST.index(axis)
            listed = ", ".join(f"{float(scale):.17e}" for scale in scales)
            rounded = ", ".join(str(int(zero)) for zero in zeros)
            words = f"scale = array<f64: {listed}>, zero_point = array<i64: {rounded}>, axis = {axis} : i64, "
        words += f"quant_min = {low} : i64, quant_max = {high} : i64"
        return self.custom(f"torch.fake_quantize_per_{kind}_affine", [value], words, value.is_last)

    # ---- Nodes ---------------------------------------------------------------------------------

    def read(self, node: Any) -> None:
        self.node = self.fresh(node.name)
        self.names.discard(self.node)  # The op's own value gets it.
        name = str(node.target).removeprefix("aten.")
        if name.startswith("_assert"):  # Of what torch.export has checked; nobody uses its result.
            return
        arguments = list(node.args)
        for argument in list(node.target._schema.arguments)[len(arguments):]:
            arguments.append(node.kwargs.get(argument.name, argument.default_value))
        if name.startswith("quantized_decomposed."):
            self.known[node] = self.decomposed(name, arguments)
            return
        fakes = name.startswith("fake_quantize_per_")
        constants = [self.known[one] for one in node.all_input_nodes]
        if not fakes and all(isinstance(one, Weight) and one.quant is None for one in constants):
            self.known[node] = self.computed(node)
        elif fakes:
            self.known[node] = self.fake_quantize(name, arguments)
        elif name.partition(".")[0] in self.ops:
            self.known[node] = self.ops[name.partition(".")[0]](self, node, arguments)
        else:
            raise Unread(f"graphs have no {node.target}")

    def computed(self, node: Any) -> Weight:
        def data(argument: Any) -> Any:
            found = self.known[argument]
            assert isinstance(found, Weight)
            return found.data

        arguments = torch.fx.map_arg(node.args, data), torch.fx.map_arg(node.kwargs, data)
        result = node.target(*arguments[0], **arguments[1])
        if not isinstance(result, torch.Tensor):
            raise Unread("a constant that is no tensor")
        return Weight(result, node.name)

    def fake_quantize(self, name: str, arguments: list[Any]) -> Value | Weight:
        return self.annotated(arguments[0], *self.parameters(name, arguments))

    def annotated(self, argument: Any, kind: str, said: list[Any]) -> Value | Weight:
        about = self.known[argument]
        if isinstance(about, Weight) and about.quant is None:
            return Weight(about.data, about.name, (kind, said))
        return self.quantize(self.value(argument), kind, said)

    def parameters(self, name: str, arguments: list[Any]) -> tuple[str, list[Any]]:
        """"tensor" with scale, zero point and range, or "channel", with lists and the axis before the range."""
        kind = "channel" if "channel" in name else "tensor"
        said = []
        for argument in arguments[1 : 6 if kind == "channel" else 5]:
            found = self.known.get(argument) if isinstance(argument, torch.fx.Node) else None
            if found is not None and not isinstance(found, Weight):
                raise Unread("an annotation that is computed")
            number = argument if found is None else found.data
            said.append(number.reshape(-1).tolist() if isinstance(number, torch.Tensor) else number)
        if kind == "channel":
            said[1] = said[1] or [0] * len(said[0])  # No zero points: symmetric.
            return kind, said
        return kind, [one[0] if isinstance(one, list) else one for one in said]

    # ---- The ops of pt2e -----------------------------------------------------------------------

    def decomposed(self, name: str, arguments: list[Any]) -> Value | Weight | Stored:
        """quantize and dequantize, which together are a fake-quant op; the integers of weights may be stored."""
        op = name.split(".")[1]
        if op.partition("_per_")[0] not in ("quantize", "dequantize") or "_per_token" in op or "group" in op:
            raise Unread(f"graphs have no {name}")
        kind, said = self.parameters(op, arguments)
        if op.startswith("quantize"):
            return Stored(arguments[0], kind, said)
        if arguments[-1] not in (None, torch.float32):
            raise Unread("integers that are dequantized to another type than f32")
        source = self.known[arguments[0]]
        if isinstance(source, Stored):
            if (source.kind, source.said) != (kind, said):
                raise Unread("integers that are dequantized by other scales than they were quantized by")
            return self.annotated(source.argument, kind, said)
        if not isinstance(source, Weight) or source.data.dtype.is_floating_point:
            raise Unread("integers that nobody has quantized")
        return Weight(numbers(source.data, kind, said), source.name, (kind, said))

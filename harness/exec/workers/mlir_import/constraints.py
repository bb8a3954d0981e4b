# SPDX-License-Identifier: Apache-2.0
"""Model constraints from annotations: which ops are annotations, and the spec that each one states.

    stablehlo.uniform_quantize, quant.qcast      the quantized type of the result, whatever it is
    stablehlo.uniform_dequantize, quant.dcast    nothing more: the value before
    quant.stats                                  !quant.calibrated of layerStats and axisStats together
    tf.FakeQuantWithMinMax{Args,Vars,VarsPerChannel}, quant.const_fake_quant[_per_axis]
                                                 !quant.uniform of the nudged range: nudge()
    quant.fake_quant, quant.quantize (LiteRT's)  !quant.uniform of its scales and zero points;
                                                 without any (dynamic range) !quant.any of its type
    fake_quantize_per_tensor_affine, quantize_per_tensor and the like (PyTorch's)
                                                 !quant.uniform likewise

Those with dots may be ops of their own dialect in generic form, stablehlo.custom_call to that name, or a
stablehlo.composite of that name.
"""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np
from jaxlib.mlir import ir

import elements
from module import Node, Value
from words import Unknown

WIDTHS = (2, 4, 8, 16, 32)
PASSES_ON = ("stablehlo.uniform_dequantize", "quant.dcast", "quant.stats_ref", "quant.coupled_ref",
             "stablehlo.optimization_barrier")  # fmt: skip
BY_RESULT = ("stablehlo.uniform_quantize", "quant.qcast")
TORCH = re.compile(
    r"(?:[\w:]+[.:])?(fake_quantize|quantize|dequantize)_per_(tensor|channel)(?:_affine)?(?:\.\w+)?$"
)


@dataclass(frozen=True)
class Annotation:
    """spec None: it says nothing, and passes the value on."""

    spec: str | None


def annotated(node: Node) -> Value:
    """What an annotation is about: the first operand; of composites the last one, since exporters put
    what the decomposition captures in front."""
    return node.operands[-1 if node.name == "stablehlo.composite" else 0]


# ---- Conversions --------------------------------------------------------------------------------


def storage_of(low: int, high: int) -> str:
    """The narrowest integer type that holds the range, with the range unless it is all of it."""
    signed = low < 0
    for bits in WIDTHS:
        least, most = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
        if least <= low and high <= most:
            limits = "" if (least, most) == (low, high) else f"<{low}:{high}>"
            return f"{'i' if signed else 'u'}{bits}{limits}"
    raise Unknown(f"no storage type holds {low} to {high}")


def uniform(storage: str, expressed: str, scales: Sequence[float], zero_points: Sequence[int],
            axis: int | None) -> str:  # fmt: skip
    for scale in scales:
        if not (math.isfinite(scale) and scale > 0):
            raise Unknown(f"{scale:g} is no scale: scales are positive and finite")
    entries = [f"{scale.hex()}:{zero}" for scale, zero in zip(map(float, scales), zero_points)]
    if axis is None:
        return f"!quant.uniform<{storage}:{expressed}, {entries[0]}>"
    return f"!quant.uniform<{storage}:{expressed}:{axis}, {{{','.join(entries)}}}>"


@dataclass(frozen=True)
class Nudged:
    low: int
    high: int
    scale: float
    zero_point: int


def nudge(minimum: float, maximum: float, bits: int, is_narrow: bool, is_signed: bool,
          number: Callable[[float], Any] = np.float32) -> Nudged:  # fmt: skip
    """The scale and the zero point of a fake-quant op, as TensorFlow documents them: the storage range
    is [0, 2^bits - 1], from 1 on if narrow; scale = (max - min) / steps; the zero point is the
    storage value nearest to low - min / scale, halves upwards, within the range.  So a range that
    does not hold 0 is shifted until it does.  Computed in f32, as TensorFlow's kernels do
    (const_fake_quant: in f64, as MLIR did).  Signed: the same numbers, with storage and zero point
    lower by 2^(bits - 1)."""
    if not 2 <= bits <= 16:
        raise Unknown(f"num_bits is 2 to 16, not {bits}")
    if not (math.isfinite(minimum) and math.isfinite(maximum)) or minimum > maximum:
        raise Unknown(f"its range, {minimum:g} to {maximum:g}, is not two finite numbers, the smaller first")
    low, high = int(is_narrow), (1 << bits) - 1
    shift = 1 << bits - 1 if is_signed else 0
    if minimum == maximum == 0:
        return Nudged(low - shift, high - shift, 1.0, low - shift)
    scale = number(number(number(maximum) - number(minimum)) / number(high - low))
    if not (math.isfinite(scale) and scale > 0):
        raise Unknown(f"its range, {minimum:g} to {maximum:g}, gives a scale of {float(scale):g}")
    from_minimum = number(number(low) - number(number(minimum) / scale))
    zero_point = min(max(math.floor(float(from_minimum) + 0.5), low), high)
    return Nudged(low - shift, high - shift, float(scale), zero_point - shift)


def nudged_spec(minima: Sequence[float], maxima: Sequence[float], axis: int | None, expressed: str,
                bits: int, is_narrow: bool, is_signed: bool,
                number: Callable[[float], Any] = np.float32) -> str:  # fmt: skip
    if len(minima) != len(maxima) or not minima:
        raise Unknown(f"it has {len(minima)} minima and {len(maxima)} maxima")
    all_nudged = [nudge(low, high, bits, is_narrow, is_signed, number)
                  for low, high in zip(minima, maxima)]  # fmt: skip
    storage = storage_of(all_nudged[0].low, all_nudged[0].high)
    scales = [one.scale for one in all_nudged]
    return uniform(storage, expressed, scales, [one.zero_point for one in all_nudged], axis)


# ---- Attributes and constant operands -----------------------------------------------------------


def numbers_of(value: Any) -> list[float]:
    if isinstance(value, (ir.DenseFPElementsAttr, ir.DenseIntElementsAttr)):
        return [float(one) for one in np.array(value).flatten()]
    if isinstance(value, ir.ArrayAttr):
        return [float(one.value) for one in value]
    if isinstance(value, (ir.DenseI64ArrayAttr, ir.DenseF64ArrayAttr, ir.DenseF32ArrayAttr)):
        return [float(one) for one in value]
    return [float(value.value)]


def constant_numbers(value: Value) -> list[float] | None:
    """Those of an operand that is a constant, whatever shape it was given."""
    node = value.node
    while node is not None and node.name in ("stablehlo.broadcast_in_dim", "stablehlo.reshape",
                                             "stablehlo.convert"):  # fmt: skip
        node = node.operands[0].node
    if node is None or node.name not in ("stablehlo.constant", "arith.constant", "tf.Const"):
        return None
    array = elements.decode(node)
    return None if array is None else [float(one) for one in array.flatten()]


class Said:
    """What an op says by attributes, or by constant operands in an order of their own."""

    def __init__(self, node: Node, name: str, attributes: dict[str, Any], order: Sequence[str]) -> None:
        self.name = name
        self.attributes = attributes
        self.operands = dict(zip(order, node.operands[1:]))

    def numbers(self, key: str, default: list[float] | None = None) -> list[float]:
        if key in self.attributes:
            return numbers_of(self.attributes[key])
        if key in self.operands:
            found = constant_numbers(self.operands[key])
            if found is None:
                raise Unknown(f"its {key} is computed: an annotation is constant")
            return found
        if default is None:
            raise Unknown(f"it does not say its {key}")
        return default

    def integer(self, key: str, default: int | None = None) -> int:
        return int(self.numbers(key, None if default is None else [float(default)])[0])

    def boolean(self, key: str, default: bool = False) -> bool:
        return bool(self.attributes[key].value) if key in self.attributes else default


def name_and_attributes(node: Node) -> tuple[str, dict[str, Any]]:
    """Of custom calls and composites those of what they stand for."""
    attributes = node.attributes
    if node.name == "stablehlo.custom_call":
        given = {**attributes}
        for key in ("byteir_attrs", "mhlo.backend_config", "backend_config"):
            if isinstance(attributes.get(key), ir.DictAttr):
                given.update({item.name: item.attr for item in attributes[key]})
        return attributes["call_target_name"].value, given
    if node.name == "stablehlo.composite":
        listed = attributes.get("composite_attributes")
        given = {item.name: item.attr for item in listed} if listed is not None else {}
        return attributes["name"].value, given
    return node.name.replace("assay.", "quant.", 1), attributes


# ---- Kinds of annotations -----------------------------------------------------------------------


def _statistics(said: Said, kind: elements.Kind) -> str:
    layer = said.numbers("layerStats")
    if len(layer) != 2:
        raise Unknown(f"layerStats are a minimum and a maximum, not {len(layer)} numbers")
    axes = said.numbers("axisStats", [])
    minimum, maximum = min([layer[0], *axes[0::2]]), max([layer[1], *axes[1::2]])
    if not (math.isfinite(minimum) and math.isfinite(maximum)) or layer[0] > layer[1]:
        raise Unknown(f"layerStats, {layer[0]:g} to {layer[1]:g}, are not two finite numbers, the smaller first")
    return f"!quant.calibrated<{kind.element}<{minimum.hex()}:{maximum.hex()}>>"


def _tf_fake_quant(said: Said, kind: elements.Kind, is_signed: bool) -> str:
    axis = len(kind.shape) - 1 if said.name.endswith("PerChannel") else None
    default = ([-6.0], [6.0]) if said.name.endswith("Args") else (None, None)
    return nudged_spec(said.numbers("min", default[0]), said.numbers("max", default[1]), axis,
                       kind.element, said.integer("num_bits", 8), said.boolean("narrow_range"),
                       is_signed)  # fmt: skip


def _const_fake_quant(said: Said, kind: elements.Kind) -> str:
    axis = said.integer("axis") if said.name.endswith("per_axis") else None
    return nudged_spec(said.numbers("min"), said.numbers("max"), axis, kind.element,
                       said.integer("num_bits"), said.boolean("narrow_range"),
                       said.boolean("is_signed"), float)  # fmt: skip


def _litert(said: Said, kind: elements.Kind, result: elements.Kind) -> str:
    dtype = said.attributes.get("dtype")
    if dtype is None:
        word = result.element
    else:
        word = dtype.value if isinstance(dtype, ir.StringAttr) else str(dtype.value)
    found = re.fullmatch(r"(ui|si|u|i)(\d+)", word)
    if found is None or int(found.group(2)) not in WIDTHS:
        raise Unknown(f"its dtype is an integer type of 2 to 32 bits, not {word}")
    bits, is_signed = int(found.group(2)), found.group(1) in ("i", "si")
    shift = 1 << bits - 1 if is_signed else 0
    low = said.integer("storage_type_min", int(said.boolean("narrow_range")) - shift)
    high = said.integer("storage_type_max", (1 << bits) - 1 - shift)
    scales, zero_points = said.numbers("scale", []), said.numbers("zero_point", [])
    if not scales:
        return f"!quant.any<{storage_of(low, high)}:{kind.element}>"
    return _affine(said, kind, low, high, scales, zero_points,
                   "quantization_dimension" if len(scales) > 1 else None)  # fmt: skip


def _affine(said: Said, kind: elements.Kind, low: int, high: int, scales: list[float],
            zero_points: list[float], axis_key: str | None) -> str:  # fmt: skip
    zeros = [int(one) for one in zero_points] or [0]
    if len(zeros) == 1:
        zeros *= len(scales)
    if len(zeros) != len(scales):
        raise Unknown(f"it has {len(scales)} scales and {len(zeros)} zero points")
    rounded = [elements.scale_of(float(scale), kind.element) for scale in scales]
    axis = said.integer(axis_key) if axis_key is not None else None
    return uniform(storage_of(low, high), kind.element, rounded, zeros, axis)


TORCH_ORDER = {
    "tensor": ("scale", "zero_point", "quant_min", "quant_max"),
    "channel": ("scale", "zero_point", "axis", "quant_min", "quant_max"),
}


def _torch(node: Node, match: re.Match[str], attributes: dict[str, Any],
           kind: elements.Kind) -> str | None:  # fmt: skip
    if match.group(1) == "dequantize":
        return None
    said = Said(node, match.group(), attributes, TORCH_ORDER[match.group(2)])
    axis_key = "axis" if match.group(2) == "channel" else None
    return _affine(said, kind, said.integer("quant_min"), said.integer("quant_max"),
                   said.numbers("scale"), said.numbers("zero_point"), axis_key)  # fmt: skip


def annotation(node: Node, is_signed: bool) -> Annotation | None:
    """What an annotation says of annotated(); None of other ops.  `is_signed`: of fake-quant
    ops that name no storage type."""
    if not node.operands:
        return None
    name, attributes = name_and_attributes(node)
    if name in PASSES_ON or name == "quant.dequantize":
        return Annotation(None)
    if name in BY_RESULT:
        return Annotation(elements.kind_of(node.results[0].type).spec)
    torch = TORCH.fullmatch(name)
    is_known = torch is not None or name.startswith("tf.FakeQuantWithMinMax") or name in (
        "quant.stats", "quant.const_fake_quant", "quant.const_fake_quant_per_axis",
        "quant.fake_quant", "quant.quantize")  # fmt: skip
    if not is_known:
        return None
    kind = elements.kind_of(annotated(node).type)
    if torch is not None:
        return Annotation(_torch(node, torch, attributes, kind))
    if name.startswith("quant.fake") or name == "quant.quantize":
        said = Said(node, name, attributes, ("scale", "zero_point"))
        return Annotation(_litert(said, kind, elements.kind_of(node.results[0].type)))
    said = Said(node, name, attributes, ("min", "max"))
    if name == "quant.stats":
        return Annotation(_statistics(said, kind))
    if name.startswith("tf."):
        return Annotation(_tf_fake_quant(said, kind, is_signed))
    return Annotation(_const_fake_quant(said, kind))

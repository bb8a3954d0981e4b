# SPDX-License-Identifier: Apache-2.0
"""Types and data as graphs have them: "f32[1,4]", and the digits of all elements."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import ml_dtypes
import numpy as np
from jaxlib.mlir import ir

from module import Node

FLOATS = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "bf16": ml_dtypes.bfloat16,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
    "f6E2M3FN": ml_dtypes.float6_e2m3fn,
    "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
BITS = {"i1": 1, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}
DENSE = re.compile(r"dense<(.*)> : tensor<", re.DOTALL)
TOKEN = re.compile(r'"0x([0-9A-Fa-f]*)"|[^\s\[\](),]+')


@dataclass(frozen=True)
class Kind:
    """A type of the case line; `spec` is that of a quantized element, or None."""

    element: str
    shape: tuple[int, ...]
    spec: str | None = None

    def __str__(self) -> str:
        return f"{self.element}[{','.join(map(str, self.shape))}]"

    @property
    def count(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64))


class UnknownType(Exception):
    pass


def expressed(quantized: str) -> str | None:
    """The float of a quantized type, where it says one."""
    inner = re.fullmatch(r"!quant\.\w+<(.*)>", quantized.strip(), re.DOTALL)
    if inner is None:
        return None
    if quantized.startswith("!quant.calibrated"):
        return inner.group(1).split("<")[0].strip()
    found = re.match(r"\w+(?:<[^>]*>)?:(\w+)", inner.group(1))
    return found.group(1) if found else None


def kind_of(kind: ir.Type) -> Kind:
    text = str(kind)
    try:
        shaped = ir.RankedTensorType(kind)
    except (ValueError, TypeError):
        raise UnknownType(f"graphs have tensors of known sizes, and no {text}") from None
    if not shaped.has_static_shape:
        raise UnknownType(f"{text} has a dimension of unknown size; export the model with sizes")
    element = str(shaped.element_type)
    shape = tuple(shaped.shape)
    if not element.startswith("!quant."):
        return Kind(element, shape)
    base = expressed(element)
    if base is None:
        raise UnknownType(f"{element} names no float that it stands for; write !quant.any<i8:f32>")
    return Kind(base, shape, element)


def binary64(word: str) -> float:
    """A number of MLIR's text: a decimal, or the bits of what has too many digits."""
    return float(np.uint64(int(word, 16)).view(np.float64)) if word.startswith("0x") else float(word)


ROUNDED: dict[str, None] = {}  # What is to be told of scales, in their order, of the module that is being read.


def scale_of(scale: float, expressed: str) -> float:
    """A scale, f64 in MLIR, as a number of the type that is expressed, as the specification has it; where that is another
    number, it is told."""
    rounded = float(np.array(scale).astype(FLOATS[expressed]))
    if rounded != scale:
        ROUNDED[f"scale {scale!r} is no number of {expressed}, and is taken as {rounded!r} ({rounded.hex()})"] = None
    return rounded


def bits_of(element: str) -> int:
    if element in BITS:
        return BITS[element]
    found = re.match(r"[a-z]+(\d+)", element)
    if found is None:
        raise UnknownType(f"graphs know no elements of type {element}")
    return int(found.group(1))


def _component(word: str, element: str) -> int:
    """The bits of one number of MLIR's text."""
    mask = (1 << bits_of(element)) - 1
    if word in ("true", "false"):
        return int(word == "true")
    if word.startswith("0x"):
        return int(word, 16) & mask
    if element in FLOATS:
        # A decimal is rounded to the type as MLIR rounds it: once, from its exact value; MLIR's
        # own text of a number is read back as the same number by either way.
        number = np.array([float(word)]).astype(FLOATS[element])
        return int.from_bytes(number.tobytes(), "little") & mask
    return int(word) & mask


def digits(text: str, element: str, count: int) -> str:
    """The data of `dense<...> : type` as case lines have them."""
    found = DENSE.search(text)
    if found is None:
        raise UnknownType("its data are not dense<...>")
    complex_of = re.fullmatch(r"complex<(\w+)>", element)
    base = complex_of.group(1) if complex_of else element
    width = (bits_of(base) + 3) // 4
    total = count * (2 if complex_of else 1)
    if total == 0:
        return ""
    words = [match for match in TOKEN.finditer(found.group(1))]
    if words and words[0].group(1) is not None:
        return _raw_digits(bytes.fromhex(words[0].group(1)), base, width, total)
    values = [_component(match.group(), base) for match in words]
    repeated = values * (total // len(values))
    return "".join(f"{value:0{width}x}" for value in repeated)


def _raw_digits(raw: bytes, element: str, width: int, total: int) -> str:
    if element == "i1":  # Eight to a byte; one byte of 0 or 255 is all of them.
        bits = np.unpackbits(np.frombuffer(raw, np.uint8), bitorder="little")
        return "".join("1" if bits[i if len(bits) >= total else 0] else "0" for i in range(total))
    size = (bits_of(element) + 7) // 8
    numbers = [int.from_bytes(raw[i : i + size], "little") for i in range(0, len(raw), size)]
    mask = (1 << bits_of(element)) - 1
    return "".join(f"{number & mask:0{width}x}" for number in numbers * (total // len(numbers)))


def array_digits(array: np.ndarray[Any, Any], element: str) -> str:
    """The same of an array whose type has whole bytes, or of booleans."""
    if array.dtype == np.bool_:
        return "".join("1" if one else "0" for one in array.flatten())
    size = array.dtype.itemsize
    swapped = array.astype(array.dtype.newbyteorder(">")) if size > 1 else array
    width = 2 * size
    return swapped.tobytes().hex() if width else ""


WHOLE = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64, "ui8": np.uint8,
         "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64, "f16": np.float16,
         "f32": np.float32, "f64": np.float64, "i1": np.bool_}  # fmt: skip


def constant(node: Node) -> tuple[Kind, str]:
    """The type and the data of a constant of unquantized elements."""
    kind = kind_of(node.results[0].type)
    return kind, dense(node, kind)


def dense(node: Node, kind: Kind) -> str:
    """The data of the attribute `value`, of dense elements of that kind."""
    value = node.attributes.get("value")
    if kind.element in WHOLE and isinstance(value, (ir.DenseFPElementsAttr, ir.DenseIntElementsAttr)):
        return array_digits(np.array(value), kind.element)
    if value is not None and "dense_resource" in str(value)[:20]:
        return _resource(node, kind)
    return digits(node.op.operation.get_asm(large_elements_limit=None), kind.element, kind.count)


def _resource(node: Node, kind: Kind) -> str:
    """The data of dense_resource<NAME>, which stand at the end of the file."""
    name = re.match(r"dense_resource<\"?([^\">]+)", str(node.attributes["value"])).group(1)
    module = node.op.operation
    while module.parent is not None:
        module = module.parent.operation
    text = module.get_asm(large_elements_limit=None)
    found = re.search(rf'"?{re.escape(name)}"?: "0x([0-9A-Fa-f]*)"', text)
    if found is None:
        raise UnknownType(f"dense_resource<{name}> has no data in the file")
    raw = bytes.fromhex(found.group(1))[4:]  # The first four bytes say the alignment.
    width = (bits_of(kind.element) + 3) // 4
    return _raw_digits(raw, kind.element, width, kind.count)


def decode(node: Node) -> np.ndarray[Any, Any] | None:
    """The numbers of a constant of floats or integers of whole bytes, as binary64 or int64."""
    kind, text = constant(node)
    if kind.element in FLOATS and bits_of(kind.element) % 8 == 0:
        raw = bytes.fromhex(text)
        dtype = np.dtype(FLOATS[kind.element])
        size = dtype.itemsize
        words = b"".join(raw[i : i + size][::-1] for i in range(0, len(raw), size))
        return np.frombuffer(words, dtype).astype(np.float64).reshape(kind.shape)
    if kind.element in WHOLE:
        raw = bytes.fromhex(text) if kind.element != "i1" else bytes(int(one) for one in text)
        big = np.dtype(WHOLE[kind.element]).newbyteorder(">")
        return np.frombuffer(raw, big).astype(np.int64).reshape(kind.shape)
    return None

# SPDX-License-Identifier: Apache-2.0
"""Tensors of any library as memory that libassay borrows: copied only where they are not in host memory."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple, Optional, Union

import ml_dtypes
import numpy

from ._library import InvalidArgument

_FLOATS = (
    "float4_e2m1fn",
    "float6_e2m3fn",
    "float6_e3m2fn",
    "float8_e3m4",
    "float8_e4m3",
    "float8_e4m3b11fnuz",
    "float8_e4m3fn",
    "float8_e4m3fnuz",
    "float8_e5m2",
    "float8_e5m2fnuz",
    "float8_e8m0fnu",
)


def _element_of_float(name: str) -> str:
    """f8E4M3FN of float8_e4m3fn."""
    head, tail = name.split("_")
    return "f" + head.removeprefix("float") + tail.upper().replace("B11FNUZ", "B11FNUZ")


ELEMENTS: dict[str, str] = {
    "bool": "i1",
    "float16": "f16",
    "float32": "f32",
    "float64": "f64",
    "bfloat16": "bf16",
    "complex64": "complex<f32>",
    "complex128": "complex<f64>",
    **{f"int{n}": f"i{n}" for n in (8, 16, 32, 64)},
    **{f"uint{n}": f"ui{n}" for n in (8, 16, 32, 64)},
    **{f"int{n}": f"i{n}" for n in (2, 4)},
    **{f"uint{n}": f"ui{n}" for n in (2, 4)},
    **{name: _element_of_float(name) for name in _FLOATS},
}

DTYPES: dict[str, numpy.dtype] = {
    element: numpy.dtype(getattr(ml_dtypes, name, None) or getattr(numpy, "bool_" if name == "bool" else name))
    for name, element in ELEMENTS.items()
}


_ELEMENT_OF_DTYPE: dict[Any, str] = {
    dtype: element for element, dtype in DTYPES.items()
}  # numpy's names are slow to ask for.


class Tensor(NamedTuple):
    """Elements in host memory, and what they are: "f32", "bf16", "!quant.uniform<i8:f32,0x1p-4>"."""

    array: numpy.ndarray
    element: str

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape


class TensorType(NamedTuple):
    element: str
    shape: tuple[int, ...]

    def __str__(self) -> str:
        return f"{self.element}[{','.join(map(str, self.shape))}]"


_QUANTIZED = re.compile(
    r"!quant\.uniform<(?P<storage>u?i?\d+)(<(?P<low>-?\d+):(?P<high>-?\d+)>)?:(?P<expressed>\w+)(:(?P<axis>\d+))?,"
    r"(?P<scales>\{[^{}<>]*\}|[^{}<>,]+)>"
)


def _scale(text: str, expressed: str) -> str:
    """A scale and its zero point, if it is not 0.  Decimals are rounded to the expressed type, whose number a scale is."""
    scale, _, zero = text.partition(":")
    is_hex = scale.lower().lstrip("+-").startswith("0x")
    number = float.fromhex(scale) if is_hex else float(numpy.asarray(float(scale), DTYPES[expressed]))
    digits = re.sub(r"\.?0*p([+-])", r"p\1", number.hex())
    return digits + (f":{int(zero)}" if zero and int(zero) != 0 else "")


def spelt(element: str) -> str:
    """A quantized type as case lines have it, of what MLIR and float.hex() write: with spaces, decimals, zeros at the end, u8 for
    ui8, zero points of 0 and the full storage range.  What is no such type is returned as it is, for the library to refuse."""
    found = _QUANTIZED.fullmatch("".join(element.split())) if element.startswith("!quant.uniform<") else None
    if found is None or found["expressed"] not in DTYPES:
        return element
    storage = re.sub(r"^u(\d)", r"ui\1", found["storage"])
    bits = int(storage.lstrip("ui"))
    full = (0, 2**bits - 1) if storage.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    held = (int(found["low"]), int(found["high"])) if found["low"] is not None else full
    try:
        scales = ",".join(_scale(one, found["expressed"]) for one in found["scales"].strip("{}").split(","))
    except ValueError:
        return element
    if found["scales"].startswith("{"):
        scales = "{" + scales + "}"
    narrow = "" if held == full else f"<{held[0]}:{held[1]}>"
    axis = "" if found["axis"] is None else f":{int(found['axis'])}"
    return f"!quant.uniform<{storage}{narrow}:{found['expressed']}{axis},{scales}>"


def typed(tensor: Any, element: str) -> Tensor:
    """A tensor whose elements are of another type than its dtype says: a quantized one of storage values.

    assay.typed(weights_int8, "!quant.uniform<i8:f32,0x1p-5>")

    Quantized types may be written as MLIR writes them, "!quant.uniform<i8:f32, 0.0235:-12>"; a decimal scale is the number of f32
    (of the expressed type) that is next to it.
    """
    return Tensor(as_tensor(tensor).array, spelt(element))


def element_of(dtype: Any) -> str:
    """ "f32" of numpy.float32, "float32", torch.float32, jnp.float32 or "f32"."""
    name = str(dtype).removeprefix("torch.")
    if name in DTYPES or name.startswith("!quant."):
        return spelt(name)
    if name not in ELEMENTS:
        try:
            name = numpy.dtype(dtype).name
        except TypeError:
            pass
    if name in ELEMENTS:
        return ELEMENTS[name]
    raise InvalidArgument(
        f"no element type is called {dtype!r}; those of numpy and ml_dtypes are known, and MLIR's names: "
        + ", ".join(sorted(DTYPES))
    )


def dtype_of(element: str) -> numpy.dtype:
    """What numpy holds elements of the type in: of a quantized type its storage type."""
    if element.startswith("!quant.uniform<"):
        storage = element[len("!quant.uniform<") :].split(":", 1)[0].split("<", 1)[0]
        return DTYPES[storage]
    return DTYPES[element]


def from_hex(text: str, element: str, shape: tuple[int, ...]) -> numpy.ndarray:
    """The data of a case line: so many digits for each component, the most significant first."""
    dtype = dtype_of(element)
    if text == "-":
        return numpy.zeros(shape, dtype)
    parts = 2 if dtype.kind == "c" else 1
    digits = len(text) // (parts * math.prod(shape))
    if digits == 1:
        return numpy.array([int(digit, 16) for digit in text], numpy.uint8).view(dtype).reshape(shape)
    size = digits // 2
    return numpy.frombuffer(bytes.fromhex(text), f">u{size}").astype(f"<u{size}").view(dtype).reshape(shape)


def _of_torch(tensor: Any) -> Tensor:
    """Types that numpy has not are taken by their bits."""
    tensor = tensor.detach()
    element = element_of(tensor.dtype)
    if tensor.device.type != "cpu":
        tensor = tensor.cpu()
    if getattr(tensor, "is_conj", bool)() or getattr(tensor, "is_neg", bool)():
        tensor = tensor.resolve_conj().resolve_neg()
    dtype = dtype_of(element)
    if dtype.kind == "V" or dtype.name not in numpy.sctypeDict:
        import torch

        bits = {1: torch.uint8, 2: torch.int16}[dtype.itemsize]
        return Tensor(tensor.view(bits).numpy().view(dtype), element)
    return Tensor(tensor.numpy(), element)


def as_tensor(value: Any, like: Optional[Tensor] = None) -> Tensor:
    """Anything that has elements.  A number, or a list of them, gets the type of `like`."""
    if type(value) is numpy.ndarray and (element := _ELEMENT_OF_DTYPE.get(value.dtype)):
        return Tensor(value, element)
    if isinstance(value, Tensor):
        return value
    if type(value).__module__.partition(".")[0] == "torch" and hasattr(value, "detach"):
        return _of_torch(value)
    is_typed = like is None and isinstance(value, numpy.generic)  # numpy.float64 is a float, too.
    if isinstance(value, (bool, int, float, complex, list, tuple)) and not is_typed:
        if like is None:
            raise InvalidArgument("a number has no element type by itself: give a tensor, such as numpy.float32(1)")
        return Tensor(numpy.asarray(value, dtype=dtype_of(like.element)), like.element)
    if type(value).__module__.partition(".")[0] == "cupy" and hasattr(value, "get"):
        value = value.get()  # From the device; CuPy makes no copies that nobody asked for.
    if isinstance(value, (numpy.ndarray, numpy.generic)) or hasattr(value, "__array__"):
        array = numpy.asarray(value)
    elif hasattr(value, "__dlpack__"):
        from ._dlpack import array_of

        array = array_of(value)
    else:
        raise InvalidArgument(f"{type(value).__name__} is no tensor: it has neither __array__ nor __dlpack__")
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("<"))
    if array.dtype not in _ELEMENT_OF_DTYPE:
        raise InvalidArgument(f"elements of dtype {array.dtype} are none of StableHLO's")
    return Tensor(array, _ELEMENT_OF_DTYPE[array.dtype])


def type_of(value: Union[Tensor, TensorType]) -> TensorType:
    return value if isinstance(value, TensorType) else TensorType(value.element, value.array.shape)

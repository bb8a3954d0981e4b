# SPDX-License-Identifier: Apache-2.0
"""Arrays as types and data of a case line (harness/model/case_line.md)."""
from __future__ import annotations

import numpy as np

ELEMENTS = {
    "bool": "i1", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i64",
    "uint8": "ui8", "uint16": "ui16", "uint32": "ui32", "uint64": "ui64", "int4": "i4", "uint4": "ui4",
    "int2": "i2", "uint2": "ui2", "float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64",
    "float8_e4m3fn": "f8E4M3FN", "float8_e4m3fnuz": "f8E4M3FNUZ", "float8_e5m2": "f8E5M2",
    "float8_e5m2fnuz": "f8E5M2FNUZ", "float8_e8m0fnu": "f8E8M0FNU", "float4_e2m1fn": "f4E2M1FN",
    "complex64": "complex<f32>", "complex128": "complex<f64>",
}
NARROW = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4}  # Bits, of types that take a byte.


class NotTaken(Exception):
    """Why a test is no case."""


def element_of(array: np.ndarray) -> str:
    name = array.dtype.name
    if name not in ELEMENTS:
        raise NotTaken(f"cases have no element type {name}")
    return ELEMENTS[name]


def type_of(array: np.ndarray) -> str:
    return f"{element_of(array)}[{','.join(str(size) for size in array.shape)}]"


def _digits(element: str, bits: np.ndarray) -> str:
    if element in NARROW:
        mask = (1 << NARROW[element]) - 1
        return "".join(f"{int(value) & mask:x}" for value in bits)
    width = 2 * bits.dtype.itemsize
    return "".join(f"{int(value):0{width}x}" for value in bits)


def data_of(array: np.ndarray) -> str:
    if array.size == 0:
        return "-"
    element = element_of(array)
    flat = np.ascontiguousarray(array).reshape(-1)
    if element.startswith("complex"):
        flat = flat.view(flat.real.dtype)
    return _digits(element, flat.view(f"u{flat.dtype.itemsize}"))


def number_text(value: float) -> str:
    """A hex float without trailing zeros, as C's %a prints it."""
    text = float(value).hex()
    if text in ("0x0.0p+0", "-0x0.0p+0"):
        return text.replace("0x0.0", "0x0")
    mantissa, exponent = text.split("p")
    return f"{mantissa.rstrip('0').rstrip('.')}p{exponent}"


def case(op: str, attributes: str, operands: list[np.ndarray], results: list[np.ndarray]) -> str:
    """The case, a tab, and the expected results."""
    words = [op] + ([attributes] if attributes else [])
    types = " ".join(words + [type_of(o) for o in operands] + ["->"] + [type_of(r) for r in results])
    data = " : ".join(data_of(o) for o in operands)
    return f"{types} : {data}\t" + " : ".join(data_of(r) for r in results)

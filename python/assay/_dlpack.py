# SPDX-License-Identifier: Apache-2.0
"""Tensors of libraries that have __dlpack__ and no __array__, as numpy arrays: of the element types that numpy has not, too."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import ml_dtypes
import numpy

from ._library import InvalidArgument

_IN_HOST_MEMORY = {1, 3, 11, 13}  # kDLCPU, kDLCUDAHost, kDLROCMHost, kDLCUDAManaged.

# DLDataTypeCode and bits of the types that numpy does not read.
_DTYPES = {
    (4, 16): "bfloat16",
    (7, 8): "float8_e3m4",
    (8, 8): "float8_e4m3",
    (9, 8): "float8_e4m3b11fnuz",
    (10, 8): "float8_e4m3fn",
    (11, 8): "float8_e4m3fnuz",
    (12, 8): "float8_e5m2",
    (13, 8): "float8_e5m2fnuz",
    (14, 8): "float8_e8m0fnu",
}


class _Tensor(ctypes.Structure):
    """DLTensor, with which a DLManagedTensor begins."""

    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),  # In elements; null: dense.
        ("offset", ctypes.c_uint64),
    ]


_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of.restype, _pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def _of_bits(capsule: Any) -> numpy.ndarray:
    """Borrows the memory of a capsule, which lives as long as the array."""
    told = _Tensor.from_address(_pointer_of(capsule, b"dltensor"))
    name = _DTYPES.get((told.code, told.bits)) if told.lanes == 1 else None
    if name is None:
        raise InvalidArgument(
            f"a DLPack tensor of type code {told.code}, {told.bits} bits and {told.lanes} lanes: no element type of StableHLO's"
        )
    dtype = numpy.dtype(getattr(ml_dtypes, name))
    shape = tuple(told.shape[d] for d in range(told.rank))
    if math.prod(shape) == 0:
        return numpy.zeros(shape, dtype)
    strides = [told.strides[d] for d in range(told.rank)] if told.strides else None
    steps = strides or [math.prod(shape[d + 1 :]) for d in range(told.rank)]
    reach = 1 + sum((size - 1) * step for size, step in zip(shape, steps))
    memory = (ctypes.c_char * (reach * dtype.itemsize)).from_address(told.data + told.offset)
    memory.capsule = capsule
    return numpy.ndarray(shape, dtype, memory, strides=tuple(step * dtype.itemsize for step in steps))


def array_of(value: Any) -> numpy.ndarray:
    """Without a copy where it is in host memory; else copied over, if its library does that."""
    kind = int(value.__dlpack_device__()[0])
    if kind not in _IN_HOST_MEMORY:
        try:
            return numpy.from_dlpack(value, device="cpu")
        except (TypeError, BufferError, RuntimeError, ValueError) as error:
            raise InvalidArgument(
                f"{type(value).__name__} is on a device (DLPack's type {kind}), and its library makes no copy in host memory "
                f"({error}): give one"
            ) from error
    try:
        return numpy.from_dlpack(value)
    except (BufferError, RuntimeError, TypeError):  # Of a type that numpy has not.
        pass
    try:
        capsule = value.__dlpack__()
    except (BufferError, RuntimeError, TypeError) as error:
        raise InvalidArgument(f"{type(value).__name__} does not give its memory by __dlpack__: {error}") from error
    return _of_bits(capsule)

# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite models, made op by op: flatbuffers by the classes of TFLite's own schema, which
ai_edge_litert ships."""
from __future__ import annotations

import importlib
from typing import Any, Sequence

import numpy as np

from assay_worker import Quantization, Type, Unsupported

ELEMENTS = {
    "i1": "BOOL", "i8": "INT8", "ui8": "UINT8", "i16": "INT16", "i32": "INT32", "i64": "INT64",
    "f32": "FLOAT32",
}  # fmt: skip


class Graph:
    """Each op takes tensors, by their numbers, and gives one.  `operands`: those of the program as they
    will be, or examples of them."""

    def __init__(self, kinds: Sequence[Type], operands: Sequence[np.ndarray]) -> None:
        self.kinds, self.operands = kinds, operands
        self.given: dict[int, int] = {}  # Operands that are inputs, and their tensors.
        self.baked: set[int] = set()  # Those that are constants, as weights are in models.
        self.schema = importlib.import_module("ai_edge_litert.schema_py_generated")
        self.flatbuffers = importlib.import_module("flatbuffers")
        self.tensors: list[Any] = []
        self.buffers: list[Any] = [self.schema.BufferT()]  # Number 0 is that of no data.
        self.operators: list[Any] = []
        self.codes: dict[str, int] = {}

    def tensor(self, kind: Type, data: np.ndarray | None = None) -> int:
        """A tensor of that type; a constant, if there are data."""
        schema, stored = self.schema, kind.quantization
        name = ELEMENTS.get(kind.storage.element)
        if name is None:
            raise Unsupported(f"no tensors of {kind.storage.element}")
        made = schema.TensorT()
        made.name = f"tensor{len(self.tensors)}".encode()
        made.shape = np.array([1 if size < 0 else size for size in kind.shape], np.int32)
        if -1 in kind.shape:  # Which the interpreter is told of before each call.
            made.shapeSignature = np.array(kind.shape, np.int32)
        made.hasRank = True
        made.type = getattr(schema.TensorType, name)
        if stored is not None:
            if stored.expressed != "f32" or not stored.scales:
                raise Unsupported("scales of f32, one at least")
            made.quantization = schema.QuantizationParametersT()
            made.quantization.scale = np.array(stored.scales, np.float32)
            made.quantization.zeroPoint = np.array(stored.zero_points, np.int64)
            made.quantization.quantizedDimension = max(stored.axis, 0)
        if data is not None:
            made.buffer = len(self.buffers)
            self.buffers.append(schema.BufferT())
            self.buffers[-1].data = np.frombuffer(data.tobytes(), np.uint8)
        self.tensors.append(made)
        return len(self.tensors) - 1

    def constant(self, array: np.ndarray, element: str = "i32") -> int:
        return self.tensor(Type(element, array.shape), array)

    def integers(self, values: Sequence[int]) -> int:
        return self.constant(np.array(values, np.int32))

    def operand(self, index: int, kind: Type | None = None) -> int:
        """An input of the model: that operand of the program, of another type of its storage perhaps."""
        if index not in self.given:
            self.given[index] = self.tensor(kind or self.kinds[index])
        return self.given[index]

    def weights(self, index: int) -> np.ndarray:
        """What an operand of the program holds: to be a constant of the model."""
        self.baked.add(index)
        return self.operands[index]

    def add(self, op: str, inputs: Sequence[int], result: Type, options: str = "",
            **attributes: Any) -> int:  # fmt: skip
        """Appends an op, by its name in the schema (CONV_2D), with the options of that name there
        (Conv2DOptions)."""
        schema = self.schema
        made = schema.OperatorT()
        made.opcodeIndex = self.codes.setdefault(op, len(self.codes))
        made.inputs = np.array(inputs, np.int32)
        number = self.tensor(result)
        made.outputs = np.array([number], np.int32)
        if options:
            made.builtinOptionsType = getattr(schema.BuiltinOptions, options)
            made.builtinOptions = getattr(schema, f"{options}T")()
            for name, value in attributes.items():
                setattr(made.builtinOptions, name, value)
        self.operators.append(made)
        return number

    def reshape(self, number: int, kind: Type) -> int:
        if kind.shape.count(-1) > 1:
            raise Unsupported("RESHAPE has one size that is unknown")
        sizes = self.integers(kind.shape)
        shape = np.array(kind.shape, np.int32)
        return self.add("RESHAPE", [number, sizes], kind, "ReshapeOptions", newShape=shape)

    def transpose(self, number: int, kind: Type, order: Sequence[int]) -> int:
        """Dimension i of the result is dimension order[i]; the axis of scales moves along."""
        if list(order) == sorted(order):
            return number
        moved = permuted(kind, order)
        return self.add("TRANSPOSE", [number, self.integers(order)], moved, "TransposeOptions")

    def model(self, outputs: Sequence[int]) -> bytes:
        schema = self.schema
        whole, graph = schema.ModelT(), schema.SubGraphT()
        graph.tensors, graph.operators = self.tensors, self.operators
        graph.inputs = np.array([self.given[index] for index in sorted(self.given)], np.int32)
        graph.outputs = np.array(outputs, np.int32)
        whole.version = 3
        whole.subgraphs, whole.buffers, whole.operatorCodes = [graph], self.buffers, []
        for name in self.codes:
            code = schema.OperatorCodeT()
            code.builtinCode = getattr(schema.BuiltinOperator, name)
            code.deprecatedBuiltinCode = min(code.builtinCode, 127)
            code.version = VERSIONS.get(name, 1)
            whole.operatorCodes.append(code)
        builder = self.flatbuffers.Builder(1 << 12)
        builder.Finish(whole.Pack(builder), b"TFL3")
        return bytes(builder.Output())


# The lowest version of each op that has the types used here, where that is not the first.
VERSIONS = {
    "ADD": 2, "SUB": 2, "MUL": 2, "MAXIMUM": 2, "MINIMUM": 2, "CONV_2D": 3, "DEPTHWISE_CONV_2D": 3,
    "BATCH_MATMUL": 3, "QUANTIZE": 2, "DEQUANTIZE": 5, "TRANSPOSE": 2, "CONCATENATION": 2,
    "GATHER": 2, "SUM": 2, "BROADCAST_TO": 2, "SOFTMAX": 2, "CAST": 1, "PADV2": 2, "MAX_POOL_2D": 2,
}  # fmt: skip


def permuted(kind: Type, order: Sequence[int]) -> Type:
    """The type of what is transposed."""
    shape = tuple(kind.shape[dim] for dim in order)
    stored = kind.quantization
    if stored is None or stored.axis == -1:
        return Type(kind.element, shape)
    return quantized(stored, shape, list(order).index(stored.axis))


def quantized(stored: Quantization, shape: Sequence[int], axis: int | None = None) -> Type:
    """A type of that quantization, along another axis perhaps."""
    axis = stored.axis if axis is None else axis
    pairs = ",".join(
        f"{scale.hex()}:{zero}" for scale, zero in zip(stored.scales, stored.zero_points)
    )
    bounds = "" if stored.has_full_range else f"<{stored.minimum}:{stored.maximum}>"
    scales = pairs if axis == -1 else f"{{{pairs}}}"
    place = "" if axis == -1 else f":{axis}"
    element = f"!quant.uniform<{stored.storage}{bounds}:{stored.expressed}{place},{scales}>"
    return Type(element, tuple(shape))

# SPDX-License-Identifier: Apache-2.0
"""Graphs of OpenVINO's opset, made in memory, with the Python that makes them again beside them: what a script for a
bug report has."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Sequence

import ml_dtypes
import numpy as np

from assay_worker import Type, Unsupported

# What the CPU plugin computes in, by MLIR's name and by OpenVINO's.
TYPES = {
    "f32": "f32", "f16": "f16", "bf16": "bf16", "i32": "i32", "i8": "i8", "ui8": "u8", "i1": "boolean",
}  # fmt: skip
# What OpenVINO has beside them, and the CPU plugin narrows to i32 or f32 first.
NARROWED = {"i64": "i64", "i16": "i16", "ui16": "u16", "ui32": "u32", "ui64": "u64", "f64": "f64"}


@dataclass(frozen=True)
class Value:
    name: str  # In the script.
    node: Any  # A node of OpenVINO's, or one output of it.


class Graph:
    """Nodes that follow one another; each takes values and gives one, or as many as it has."""

    def __init__(self, openvino: Any, opset: Any) -> None:
        self.openvino = openvino
        self.opset = opset
        self.lines: list[str] = []
        self.parameters: list[Value] = []

    def type_name(self, kind: Type) -> str:
        name = {**TYPES, **NARROWED}.get(kind.storage.element)
        if name is None:
            raise Unsupported(f"OpenVINO computes nothing in {kind.element}")
        return name

    def keep(self, node: Any, source: str) -> Value:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {source}")
        return Value(name, node)

    def parameter(self, kind: Type) -> Value:
        name, shape = self.type_name(kind), list(kind.shape)
        node = self.opset.parameter(shape, getattr(self.openvino.Type, name))
        value = self.keep(node, f"ops.parameter({shape}, openvino.Type.{name})")
        self.parameters.append(value)
        return value

    def constant(self, array: Any) -> Value:
        """A tensor of numpy's types, or of bf16, which is made from f32."""
        array = np.asarray(array)
        if array.dtype == np.dtype(ml_dtypes.bfloat16):
            return self.convert(self.constant(array.astype(np.float32)), Type("bf16", array.shape))
        node = self.opset.constant(array)
        text = f'numpy.array({array.tolist()}, "{array.dtype.name}")'
        if array.dtype.kind == "f":  # Decimals would do, but for NaN and infinity.
            data = f'numpy.frombuffer(bytes.fromhex("{array.tobytes().hex()}"), "{array.dtype.name}")'
            text = f"{data}.reshape({array.shape})"
        return self.keep(node, f"ops.constant({text})")

    def integers(self, values: Sequence[int]) -> Value:
        return self.constant(np.array(values, np.int64))

    def number(self, value: float, kind: Type) -> Value:
        return self.constant(np.array(value, np.float64).astype(kind.dtype))

    def add(self, op: str, *inputs: Value, **attributes: Any) -> Value:
        node = getattr(self.opset, op)(*(value.node for value in inputs), **attributes)
        words = [value.name for value in inputs] + [f"{key}={value!r}" for key, value in attributes.items()]
        return self.keep(node, f"ops.{op}({', '.join(words)})")

    def output(self, value: Value, index: int) -> Value:
        """One of several results of a node."""
        return self.keep(value.node.output(index), f"{value.name}.output({index})")

    def concat(self, values: Sequence[Value], axis: int) -> Value:
        node = self.opset.concat([value.node for value in values], axis)
        return self.keep(node, f"ops.concat([{', '.join(value.name for value in values)}], {axis})")

    def convert(self, value: Value, kind: Type) -> Value:
        return self.add("convert", value, destination_type=self.type_name(kind))

    def reshape(self, value: Value, sizes: Sequence[int]) -> Value:
        return self.add("reshape", value, self.integers(sizes), special_zero=False)

    def transpose(self, value: Value, order: Sequence[int]) -> Value:
        return value if list(order) == sorted(order) else self.add("transpose", value, self.integers(order))

    def fold(self, op: str, value: Value, axes: Sequence[int], keep_dims: bool = False) -> Value:
        return self.add(op, value, self.integers(axes), keep_dims=keep_dims)

    def model(self, results: Sequence[Value]) -> Any:
        nodes = [self.opset.result(value.node) for value in results]
        return self.openvino.Model(nodes, [value.node for value in self.parameters], "program")

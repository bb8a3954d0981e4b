# SPDX-License-Identifier: Apache-2.0
"""The ops whose operands say where elements go, as graphs of ONNX: NonZero, transposed; Compress
for each label; Where.  ONNX has no repeat by a list, and its ScatterND leaves open which of equal
indices wins: refused."""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program, Type
from shared_programs import data_dependent_program as dependent


def types(program: Program) -> tuple[str, ...]:
    """Element types of this program's op beside those of all ops."""
    return ("i1",) if program.op in MAKERS else ()


def _non_zero(graph: Any, program: Program) -> list[str]:
    dependent.non_zero(program)
    indices = graph.add("Transpose", [graph.add("NonZero", ["operand0"])], perm=[1, 0])
    return [graph.cast_index(indices, program.results[0])]


def _partition(graph: Any, program: Program) -> list[str]:
    results = []
    for label in range(dependent.partition(program)):
        number = graph.number(label, Type("i32", ()))
        is_there = graph.add("Equal", ["operand1", number])
        results.append(graph.add("Compress", ["operand0", is_there], axis=0))
    return results


def _select(graph: Any, program: Program) -> list[str]:
    shape = dependent.select(program)
    condition = "operand0"
    if shape != list(program.operands[0].shape):
        condition = graph.add("Reshape", [condition, graph.integers(shape)])
    return [graph.add("Where", [condition, "operand1", "operand2"])]


MAKERS: dict[str, Callable[[Any, Program], list[str]]] = {
    "byteir.non_zero": _non_zero,
    "tf.DynamicPartition": _partition,
    "tf.Select": _select,
}

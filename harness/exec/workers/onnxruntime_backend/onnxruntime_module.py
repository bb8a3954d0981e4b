# SPDX-License-Identifier: Apache-2.0
"""Modules of several steps as one ONNX graph: each step as for a program of its own, wired by names, so that
what stands between dequantize and quantize is a graph in QDQ form, which ONNX Runtime fuses.

A bias that is added to a convolution along its features is the third input of Conv, and a maximum with zeros is
Relu, since that is what the optimizer looks for.  ONNX adds zero points after it has rounded, and ONNX Runtime
multiplies scales into one another: what permission intermediates=either says.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from assay_worker import Program, Unsupported
from onnxruntime_backend import onnxruntime_elementwise, onnxruntime_stablehlo
from shared_programs.module_program import Module, Step

Make = Callable[[Any, Program], list[str]]


class StepGraph:
    """The graph as the maker of one step sees it: its operands are the values of the module."""

    takes_any = True  # See above.
    leaves_matrices = True

    def __init__(self, graph: Any, operands: list[str], bias: str | None) -> None:
        self.graph = graph
        self.operands = operands
        self.bias = bias  # Of the convolution that is made.

    def __getattr__(self, name: str) -> Any:
        return getattr(self.graph, name)

    def _rename(self, name: str) -> str:
        number = name.removeprefix("operand")
        return self.operands[int(number)] if number.isdigit() and name != number else name

    def add_many(self, op: str, inputs: list[str], count: int, **attributes: Any) -> list[str]:
        inputs = [self._rename(name) for name in inputs]
        if op == "Conv" and self.bias is not None:
            inputs = [*inputs, self.bias]
        return self.graph.add_many(op, inputs, count, **attributes)

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        return self.add_many(op, inputs, 1, **attributes)[0]

    def cast(self, name: str, kind: Any) -> str:
        return self.add("Cast", [name], to=self.graph.code(kind.dtype))

    def cast_index(self, name: str, kind: Any) -> str:
        return name if kind.element == "i64" else self.cast(name, kind)


def _is_zeros(module: Module, value: str) -> bool:
    """Whether it is a constant of positive zeros, or a broadcast of one."""
    step = module.definition(value)
    if step is not None and step.program.op == "stablehlo.broadcast_in_dim":
        return _is_zeros(module, step.operands[0])
    if value not in module.constants:
        return False
    return not module.constants[value][1].reshape(-1).view(np.uint8).any()


def _relu(module: Module, step: Step) -> str | None:
    """The value of which a maximum is a Relu, of floats."""
    if step.program.op != "stablehlo.maximum" or step.program.results[0].element != "f32":
        return None
    for side in (0, 1):
        if _is_zeros(module, step.operands[1 - side]):
            return step.operands[side]
    return None


def _features(program: Program) -> int:
    """The dimension of a convolution's result that has the features."""
    result = program.attributes["dimension_numbers"].partition("->")[2]
    return result.strip("[]").split(",").index("f")


def _find_bias(module: Module, step: Step) -> tuple[Step, str] | None:
    """Of a convolution of f32: the addition of a bias to it alone, and the bias, one for each feature."""
    if step.program.op != "stablehlo.convolution" or step.program.results[0].element != "f32":
        return None
    value = step.results[0]
    additions = [other for other in module.steps if value in other.operands]
    if module.uses(value) != 1 or not additions or additions[0].program.op != "stablehlo.add":
        return None
    (addition,) = additions
    spread = module.definition(addition.operands[1 - addition.operands.index(value)])
    if spread is None or spread.program.op != "stablehlo.broadcast_in_dim":
        return None
    if spread.program.dims("broadcast_dimensions")[0] != [_features(step.program)]:
        return None
    return addition, spread.operands[0]


def make(graph: Any, program: Program, make_step: Make) -> list[str]:
    """The names of the results; `make_step` makes the graph of one step."""
    module = Module.parse(program)
    names = {f"a{i}": f"operand{i}" for i in range(len(program.operands))}
    for name, (_, array) in module.constants.items():
        names[name] = graph.constant(array)
    waiting = list(module.steps)
    while waiting:
        # A bias may be computed behind the convolution that takes it: the first step that can be made.
        step = next(step for step in waiting if _is_ready(module, step, names))
        waiting.remove(step)
        found = _find_bias(module, step)
        bias = None if found is None else names[found[1]]
        relu = _relu(module, step)
        if relu is not None:
            names[step.results[0]] = graph.add("Relu", [names[relu]])
            continue
        inside = StepGraph(graph, [names[value] for value in step.operands], bias)
        try:
            made = make_step(inside, step.program)
        except Unsupported as error:
            raise step.refuse(error) from error
        names.update(zip(step.results, made))
        if found is not None:
            names[found[0].results[0]] = made[0]
            waiting.remove(found[0])
    # A value may be returned twice, or be an operand: results are nodes of their own.
    return [graph.add("Identity", [names[value]]) for value in module.returns]


def _is_ready(module: Module, step: Step, names: dict[str, str]) -> bool:
    found = _find_bias(module, step)
    needed = [*step.operands, *([] if found is None else [found[1]])]
    return all(value in names for value in needed)


def types(program: Program) -> set[str]:
    """All element types of the steps that only some of ONNX Runtime's ops take."""
    found = set()
    for step in Module.parse(program).steps:
        kinds = [*step.program.operands, *step.program.results]
        found |= {kind.storage.element for kind in kinds}
        found -= set(onnxruntime_stablehlo.types(step.program))
        found -= set(onnxruntime_elementwise.types(step.program))
    return found

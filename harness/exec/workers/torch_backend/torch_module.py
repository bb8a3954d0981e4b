# SPDX-License-Identifier: Apache-2.0
"""Modules of several steps in PyTorch, as one function from operands to results.

modules=call (default) runs the functions of the steps one after another: PyTorch's eager mode fuses nothing, so
that this is one call and as many kernels as there are steps.  modules=compile hands the function to
torch.compile, whose Inductor fuses steps into C++ loops and compiles them by the machine's g++; quantize and
dequantize are then the ops of torch.ops.quantized_decomposed, by which PyTorch 2's exported models have them, since
the older ones cannot be traced.  A step that breaks the graph is refused: nothing falls back to eager mode.
"""
from __future__ import annotations

import shutil
import types
from typing import Any, Callable

from assay_worker import Invalid, Program, Unsupported
from shared_programs import module_program
from shared_programs.module_program import Module

Run = Callable[..., list[Any]]
WAYS = ("call", "compile")


class TorchModule:
    def __init__(self, torch: Any, way: str, to_tensor: Callable[[Any], Any]) -> None:
        self.torch, self.way, self.to_tensor = torch, way, to_tensor
        if way == "compile":
            self._require_compiler()

    def _require_compiler(self) -> None:
        """Compiles a function: what is imported for the first one takes longer than a call may, and a machine
        without a C++ compiler, or without its headers, is told by name."""
        if shutil.which("g++") is None:
            raise Invalid("modules=compile needs g++, which is not installed")
        torch = self.torch
        try:
            torch.compile(lambda x: x + x, fullgraph=True, dynamic=False)(torch.zeros(2))
        except Exception as error:  # Whatever its compiler, or the loader, says.
            said = str(error).strip() or type(error).__name__
            raise Invalid(f"modules=compile: torch.compile does not work here: {said.splitlines()[0]}") from error

    def find(self, program: Program, find_step: Callable[[Program], Run]) -> Run:
        run = self.eager(program, find_step)
        return self._compiled(program, run) if self.way == "compile" else run

    def eager(self, program: Program, find_step: Callable[[Program], Run]) -> Run:
        """What is compiled, where that is asked for."""
        module = Module.parse(program)
        constants = {name: self.to_tensor(data) for name, (_, data) in module.constants.items()}
        steps = []
        for step in module.steps:
            try:
                steps.append((find_step(step.program), step.operands, step.results))
            except Unsupported as error:
                raise step.refuse(error) from error

        def run(*operands: Any) -> list[Any]:
            values = dict(constants)
            values.update((f"a{i}", operand) for i, operand in enumerate(operands))
            for function, taken, made in steps:
                values.update(zip(made, function(*(values[name] for name in taken))))
            return [values[name] for name in module.returns]

        return run

    def _compiled(self, program: Program, run: Run) -> Run:
        torch = self.torch
        # Of each code a few are compiled only: a module has one of its own.
        own = types.FunctionType(run.__code__.replace(), run.__globals__, closure=run.__closure__)
        compiled = torch.compile(own, fullgraph=True, dynamic=False)
        examples = [self.to_tensor(data) for data in module_program.example_operands(program)]
        try:
            compiled(*examples)  # It compiles when it is called first.
        except torch._dynamo.exc.TorchDynamoException as error:
            raise Unsupported(f"torch.compile: {str(error).splitlines()[0]}") from error
        return compiled

# SPDX-License-Identifier: Apache-2.0
"""Backend NumPy: its functions on the types that it has, and those of ml_dtypes on the others.

Each op is a call, or a few, of NumPy's functions (numpy_backend/numpy_calls.py).  Products are numpy.tensordot, which
needs no batches, and numpy.matmul; both hand floats to the BLAS that NumPy came with, or with the option
product=einsum numpy.einsum, whose loops are NumPy's own.  What NumPy has no function of is refused, so that formulas
(softmax, norms, gelu) are left to functions of yours:

    assay run --ops silu.op --op my.silu --executor 'numpy?functions=mine.py'

What the file says is in python_functions.py.
"""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import ml_dtypes
import numpy as np

import assay_worker
from assay_worker import Program, Type, Unsupported, Worker
from numpy_backend import numpy_calls
from shared_programs import accumulation_program, dynamic_program, module_program, standalone_script
from shared_programs.module_program import Module
from shared_programs.python_functions import PythonFunctions

PRODUCTS = ("matmul", "einsum")


@dataclass
class Handle:
    run: Callable[..., list[Any]]
    program: Program
    source: str  # Of the function `program`; empty where the function is the user's.


class NumPy(Worker):
    name = "numpy"
    takes_modules = True
    takes_dynamic = True  # A function gets arrays of whatever size.
    writes_scripts = True

    def __init__(self, options: dict[str, str]) -> None:
        self.functions = PythonFunctions(assay_worker.take(options, "functions", ""))
        self.product = assay_worker.take(options, "product", PRODUCTS[0], PRODUCTS)
        self.validates = not self.functions  # The user's need not check programs.
        super().__init__(options)
        self.version = f"{np.__version__}, ml_dtypes {ml_dtypes.__version__}{self.functions.version}"
        self.hardware = assay_worker.processor()
        warnings.simplefilter("ignore")  # Of overflows and NaN: they are what cases are about.

    def compile(self, program: Program) -> Handle:
        if program.op in self.functions:
            return Handle(self.functions.find(program), program, "")
        dynamic_program.require_op(program)
        if accumulation_program.is_accumulated(program):
            raise Unsupported("a type of accumulation, which only RFC 000 knows")
        source = self._source(program)
        names: dict[str, Any] = {"numpy": np, "ml_dtypes": ml_dtypes}
        exec(source, names)  # What _source() wrote, of a program that was checked.
        handle = Handle(names["program"], program, source)
        self._try(handle)
        return handle

    def _source(self, program: Program) -> str:
        operands = [f"operand{i}" for i in range(len(program.operands))]
        if module_program.is_module(program):
            lines, results = self._lines_of_module(program)
        else:
            lines, results = [], self._expressions(program, operands)
        text = "".join(f"    {line}\n" for line in lines)
        return f"def program({', '.join(operands)}):\n{text}    return [{', '.join(results)}]\n"

    def _expressions(self, program: Program, operands: Sequence[str]) -> list[str]:
        """Scalars, which NumPy makes of arrays without dimensions, are arrays again."""
        return [f"numpy.asarray({text})" for text in numpy_calls.expressions(program, operands, self.product)]

    def _lines_of_module(self, program: Program) -> tuple[list[str], list[str]]:
        """The lines, and the names of what is returned."""
        module = Module.parse(program)
        names = {f"a{i}": f"operand{i}" for i in range(len(program.operands))}
        lines = []
        for name, (kind, data) in module.constants.items():
            dtype = numpy_calls.dtype_text(kind.storage)
            bits = f'numpy.frombuffer(bytes.fromhex("{data.tobytes().hex()}"), {dtype}).reshape({data.shape})'
            lines.append(f"{name} = {bits}")
        for step in module.steps:
            try:
                texts = self._expressions(step.program, [names.get(name, name) for name in step.operands])
            except Unsupported as error:
                raise step.refuse(error) from error
            lines += [f"{name} = {text}" for name, text in zip(step.results, texts)]
        return lines, [names.get(name, name) for name in module.returns]

    def _try(self, handle: Handle) -> None:
        """NumPy tells only when it runs which types a function has no loop for."""
        kinds = dynamic_program.example(handle.program.operands)
        try:
            results = self._run(handle, [np.ones(kind.shape, kind.dtype) for kind in kinds])
        except (TypeError, ValueError) as error:
            raise Unsupported(f"NumPy says: {error}") from error
        for result, kind in zip(results, handle.program.results):
            if result.dtype != kind.dtype:
                raise Unsupported(f"NumPy gives {result.dtype} here")

    def _run(self, handle: Handle, operands: Sequence[np.ndarray]) -> list[Any]:
        with np.errstate(all="ignore"):
            return handle.run(*operands)

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[Any]:
        return self._run(handle, operands)

    def execute_sized(self, handle: Handle, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[Any]:  # fmt: skip
        if handle.source:
            dynamic_program.require_something(handle.program, operands)
        return self.execute(handle, operands)

    def script(self, handle: Handle, program: Program, operands: list[np.ndarray]) -> str:
        if not handle.source:
            raise Unsupported("a script would need the file of functions")
        given = ", ".join(f"operand{i}" for i in range(len(operands)))
        return standalone_script.make(
            program, operands, "# Calls NumPy: pip install numpy\n", f"{handle.source}\n\nresults = program({given})"
        )


if __name__ == "__main__":
    assay_worker.main(NumPy)

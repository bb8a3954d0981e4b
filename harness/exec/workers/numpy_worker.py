# SPDX-License-Identifier: Apache-2.0
"""Functions of a Python file, on NumPy arrays; types that NumPy has not are those of ml_dtypes.

    assay run --ops silu.op --op my.silu --executor 'numpy?functions=mine.py'

What the file says is in python_functions.py.  Ops that it does not name are refused.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

import assay_worker
from assay_worker import Program, Unsupported, Worker
from shared_programs.python_functions import PythonFunctions


class NumPy(Worker):
    name = "numpy"
    takes_dynamic = True  # A function gets arrays of whatever size.

    def __init__(self, options: dict[str, str]) -> None:
        self.functions = PythonFunctions(assay_worker.take(options, "functions", ""))
        super().__init__(options)
        self.version = np.__version__ + self.functions.version
        self.hardware = assay_worker.processor()

    def compile(self, program: Program) -> Callable[..., list[Any]]:
        if program.op not in self.functions:
            raise Unsupported(f"no function for {program.op}: functions=FILE names those that there are")
        return self.functions.find(program)

    def execute(self, handle: Callable[..., list[Any]], operands: list[np.ndarray]) -> list[Any]:
        with np.errstate(all="ignore"):
            return handle(*operands)


assay_worker.main(NumPy)

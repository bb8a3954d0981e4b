# SPDX-License-Identifier: Apache-2.0
"""Programs of several steps, taken apart: `module steps={v0=constant(f32[2],...);v1=stablehlo.add(a0,v0)
f32[2] f32[2] -> f32[2];return(v1)} f32[2] -> f32[2]` (harness/model/case_line.md).

A worker that takes them says so (Worker.takes_modules), compiles all steps as one program, and refuses those
whose steps it cannot do exactly, with the step that it is about.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Callable, Iterator

import numpy as np

from assay_worker import BITS, Program, Type, Unsupported

OP = "module"


def is_module(program: Program) -> bool:
    return program.op == OP


@dataclass(frozen=True)
class Step:
    """The program of an op, the names of the values that it takes, and of those that it gives."""

    program: Program
    operands: list[str]
    results: list[str]

    def refuse(self, reason: object) -> Unsupported:
        return Unsupported(f"{','.join(self.results)} ({self.program.op}): {reason}")


@dataclass(frozen=True)
class Module:
    constants: dict[str, tuple[Type, np.ndarray]]
    steps: list[Step]
    returns: list[str]

    @property
    def is_quantized(self) -> bool:
        return any(step.program.is_quantized for step in self.steps)

    def definition(self, value: str) -> Step | None:
        """The step that gives a value; None for operands and constants."""
        return next((step for step in self.steps if value in step.results), None)

    def uses(self, value: str) -> int:
        """How often a value is taken, by steps and as a result."""
        taken = [name for step in self.steps for name in step.operands]
        return [*taken, *self.returns].count(value)

    @staticmethod
    def parse(program: Program) -> Module:
        constants: dict[str, tuple[Type, np.ndarray]] = {}
        steps = []
        *definitions, returned = _split(program.attributes["steps"][1:-1])
        for text in definitions:
            names, _, right = text.partition("=")
            op, _, rest = right.partition("(")
            if op == "constant":
                kind, _, digits = rest.rstrip(")").rpartition(",")
                constants[names] = (Type.parse(kind), _read(Type.parse(kind), digits))
                continue
            operands, _, line = rest.partition(")")
            values = [word for word in operands.split(",") if word]
            steps.append(Step(Program.parse(op + line, ""), values, names.split(",")))
        returns = returned.removeprefix("return(").rstrip(")").split(",")
        return Module(constants, steps, returns)


def _split(text: str) -> Iterator[str]:
    """Definitions: what stands between semicolons that no brace encloses."""
    depth, begin = 0, 0
    for i, letter in enumerate(text):
        depth += {"{": 1, "}": -1}.get(letter, 0)
        if letter == ";" and depth == 0:
            yield text[begin:i]
            begin = i + 1
    yield text[begin:]


def _read(kind: Type, digits: str) -> np.ndarray:
    """Data as case lines have it: of each component the digits, most significant first."""
    array = np.zeros(kind.shape, kind.dtype)
    if digits == "-":
        return array
    storage = kind.storage.element
    components = 2 if storage.startswith("complex") else 1
    size = array.dtype.itemsize // components
    width = -(-BITS.get(storage, 8 * size) // 4)
    words = [int(digits[i : i + width], 16) for i in range(0, len(digits), width)]
    data = b"".join(word.to_bytes(size, "little") for word in words)
    return np.frombuffer(data, np.uint8).view(array.dtype).reshape(kind.shape).copy()


# ---- As one StableHLO module ----------------------------------------------------------------------


def with_functions(program: Program, decompose: Callable[[Program], Program | None]) -> Program:
    """The program with calls of functions in the place of steps that `decompose` makes a module of
    known ops of."""
    mlir, functions = program.mlir, []
    for number, step in enumerate(Module.parse(program).steps):
        if "accumulation" in step.program.attributes:
            raise step.refuse("a type of accumulation, which only RFC 000 knows")
        try:
            made = decompose(step.program)
        except Unsupported as error:
            raise step.refuse(error) from error
        if made is None:
            continue
        names = ", ".join(f"%{name}" for name in step.results)
        operands = ", ".join(_name_in_mlir(name) for name in step.operands)
        line = re.search(rf"^    {re.escape(names)} = .*?( : \([^\n]*)$", mlir, re.M | re.S)
        if line is None:
            raise step.refuse("is not found in the MLIR")
        call = f'    {names} = "func.call"({operands}) <{{callee = @step{number}}}>{line.group(1)}'
        mlir = mlir[: line.start()] + call + mlir[line.end() :]
        functions.append(_function(made.mlir, number))
    end = mlir.rstrip().rfind("}")
    return replace(program, mlir=mlir[:end] + "".join(functions) + mlir[end:])


def with_barriers(program: Program) -> Program:
    """The program with what each step gives behind a stablehlo.optimization_barrier, so that no compiler makes one
    of two steps."""
    if program.is_quantized or "!quant." in program.mlir:
        raise Unsupported("no barriers between quantized values; the executor steps:NAME runs steps apart")
    mlir = program.mlir
    for step in Module.parse(program).steps:
        names = [f"%{name}" for name in step.results]
        # Its last line has its type: the first one, or that which closes its region.
        pattern = rf"^    {re.escape(', '.join(names))} = ([^\n]*[^{{\n]|[^\n]*\{{\n.*?^    \}}[^\n]*)$"
        found = re.search(pattern, mlir, re.M | re.S)
        if found is None:
            raise step.refuse("is not found in the MLIR")
        apart = ", ".join(f"{name}_apart" for name in names)
        kinds = found.group(1).rpartition(" -> ")[2].strip("()")
        barrier = f'"stablehlo.optimization_barrier"({apart}) : ({kinds}) -> ({kinds})'
        lines = f"    {apart} = {found.group(1)}\n    {', '.join(names)} = {barrier}"
        mlir = mlir[: found.start()] + lines + mlir[found.end() :]
    return replace(program, mlir=mlir)


def _name_in_mlir(value: str) -> str:
    """a0 is %arg0 there, v0 is %v0."""
    return f"%arg{value[1:]}" if value.startswith("a") else f"%{value}"


def _function(mlir: str, number: int) -> str:
    """The function `main` of a module, by another name."""
    begin = mlir.index("func.func")
    text = mlir[begin : mlir.rstrip().rfind("}")].rstrip()
    return re.sub(r"func\.func (public )?@main", f"func.func private @step{number}", text) + "\n"


def example_operands(program: Program) -> list[Any]:
    """Zeros, for backends that tell only when they run what they do not do."""
    return [np.zeros(kind.shape, kind.dtype) for kind in program.operands]

# SPDX-License-Identifier: Apache-2.0
"""Programs with sizes that are not known when they are compiled, in XLA: bounded dynamic shapes.

XLA compiles no `tensor<?x64xf32>`, but one whose `?` has a bound: `tensor<?x64xf32, #stablehlo.bounds<64, ?>>`.  Operands
are then as large as the bound, of which as much counts as `stablehlo.set_dimension_size` says, at run time;
what lies behind is padding that XLA has to keep out of results.  So one executable runs at all sizes up to the
bound, 64 at first; a larger size has one of twice the bound compiled, and so on.
"""
from __future__ import annotations

import re
from typing import Any, Callable, Sequence

import numpy as np

from assay_worker import Program, Type
from stablehlo_modules.stablehlo_text import mlir_type, mlir_types

FIRST_BOUND = 64
TYPE = re.compile(r"tensor<((?:\?x|\d+x)*)((?:complex<\w+>|\w+))>")
PADDING = 7  # No number that would go unseen if it were summed.


def bounded_type(kind: Type, bound: int) -> str:
    if -1 not in kind.shape:
        return mlir_type(kind.element, kind.shape)
    bounds = ", ".join(str(bound) if size < 0 else "?" for size in kind.shape)
    return f"{mlir_type(kind.element, kind.shape)[:-1]}, #stablehlo.bounds<{bounds}>>"


def padded_type(kind: Type, bound: int) -> Type:
    return Type(kind.element, tuple(bound if size < 0 else size for size in kind.shape))


def with_bounds(mlir: str, bound: int) -> str:
    """A module's text with a bound of all sizes that are not known."""

    def bounded(match: re.Match[str]) -> str:
        sizes = [-1 if size == "?" else int(size) for size in match.group(1).split("x")[:-1]]
        return bounded_type(Type(match.group(2), tuple(sizes)), bound)

    return TYPE.sub(bounded, mlir)


def wrapped(program: Program, bound: int) -> str:
    """The program as a function `op`, and a `main` of padded operands and their sizes."""
    arguments, lines, names = [], [], []
    padded = [padded_type(kind, bound) for kind in program.operands]
    sizes = []
    for i, kind in enumerate(program.operands):
        arguments.append(f"%a{i}: {mlir_type(padded[i].element, padded[i].shape)}")
        dims = [dim for dim, size in enumerate(kind.shape) if size < 0]
        name = f"%a{i}"
        for dim in dims:
            sizes.append(f"%n{i}_{dim}: tensor<i32>")
            known = Type(kind.element, tuple(
                bound if size < 0 and at > dim else size for at, size in enumerate(kind.shape)))  # fmt: skip
            before = Type(kind.element, tuple(
                bound if size < 0 and at >= dim else size for at, size in enumerate(kind.shape)))  # fmt: skip
            lines.append(
                f'%d{i}_{dim} = "stablehlo.set_dimension_size"({name}, %n{i}_{dim}) <{{dimension = {dim} : i64}}> : '
                f"({bounded_type(before, bound)}, tensor<i32>) -> {bounded_type(known, bound)}"
            )
            name = f"%d{i}_{dim}"
        names.append(name)
    operand_types = ", ".join(bounded_type(kind, bound) for kind in program.operands)
    result_types = ", ".join(bounded_type(kind, bound) for kind in program.results)
    count = len(program.results)
    lines.append(f"%r:{count} = func.call @op({', '.join(names)}) : ({operand_types}) -> ({result_types})")
    lines.append(f"%full = stablehlo.constant dense<{bound}> : tensor<i32>")
    returned = []
    for i, kind in enumerate(program.results):
        name = f"%r#{i}"
        for dim in [dim for dim, size in enumerate(kind.shape) if size < 0]:
            before = Type(kind.element, tuple(
                bound if size < 0 and at < dim else size for at, size in enumerate(kind.shape)))  # fmt: skip
            after = Type(kind.element, tuple(
                bound if size < 0 and at <= dim else size for at, size in enumerate(kind.shape)))  # fmt: skip
            lines.append(
                f'%s{i}_{dim} = "stablehlo.set_dimension_size"({name}, %full) <{{dimension = {dim} : i64}}> : '
                f"({bounded_type(before, bound)}, tensor<i32>) -> {bounded_type(after, bound)}"
            )
            name = f"%s{i}_{dim}"
        returned.append(name)
    results = [padded_type(kind, bound) for kind in program.results]
    module = with_bounds(program.mlir, bound).replace("@main", "@op", 1).rstrip().removesuffix("}")
    body = "\n".join(lines)
    return f"""{module}
  func.func @main({', '.join([*arguments, *sizes])}) -> ({mlir_types(results)}) {{
    {body}
    return {', '.join(returned)} : {mlir_types(results)}
  }}
}}"""


def _padded(operand: np.ndarray, kind: Type, bound: int) -> np.ndarray:
    shape = padded_type(kind, bound).shape
    whole = np.full(shape, PADDING % 2 if operand.dtype == np.bool_ else PADDING, np.int64).astype(operand.dtype)
    whole[tuple(slice(size) for size in operand.shape)] = operand
    return whole


class DynamicHandle:
    """`compile_text` makes an executable of a module: a function of arrays that gives arrays."""

    def __init__(self, program: Program, compile_text: Callable[[str], Callable[[list[Any]], list[Any]]]) -> None:
        self.program = program
        self.compile_text = compile_text
        self.runs: dict[int, Callable[[list[Any]], list[Any]]] = {}
        self._at(FIRST_BOUND)

    def _at(self, bound: int) -> Callable[[list[Any]], list[Any]]:
        if bound not in self.runs:
            self.runs[bound] = self.compile_text(wrapped(self.program, bound))
        return self.runs[bound]

    def execute(self, operands: list[np.ndarray], results: Sequence[Type]) -> list[np.ndarray]:
        pairs = list(zip(self.program.operands, operands))
        largest = max([size for kind, array in zip([*self.program.operands, *self.program.results],
                                                   [*operands, *results])
                       for size, known in zip(array.shape, kind.shape) if known < 0], default=0)  # fmt: skip
        bound = FIRST_BOUND
        while bound < largest:
            bound *= 2
        run = self._at(bound)
        padded = [_padded(array, kind, bound) for kind, array in pairs]
        sizes = [np.int32(size) for kind, array in pairs for size, known in zip(array.shape, kind.shape) if known < 0]
        whole = run([*padded, *sizes])
        return [np.asarray(array)[tuple(slice(size) for size in kind.shape)] for array, kind in zip(whole, results)]

# SPDX-License-Identifier: Apache-2.0
"""Programs with sizes that are not known when they are compiled, "?" in a program's line and -1 in its types: such a
program is compiled once, and executed at several sizes (worker.md); or compiled again for each, `Specialized`, as
jax.jit does.
"""
from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, Callable, Sequence

import numpy as np

from assay_worker import Invalid, Program, Type, Unsupported
from shared_programs import batch_norm_program
from shared_programs.elementwise_program import ELEMENTWISE

EXAMPLE_SIZE = 3  # Of what is unknown, where a library has to be tried.

# What tells nothing but how elements lie in their dimensions: all operands and results have the same ones.
ALIKE = (
    *ELEMENTWISE, "stablehlo.convert", "byteir.softmax", "byteir.log_softmax", "byteir.gelu", "byteir.erf",
    "byteir.l2_norm",
)  # fmt: skip
OPS = (
    *ALIKE, *batch_norm_program.OPS, "stablehlo.transpose", "stablehlo.reduce", "stablehlo.dot_general",
    "byteir.layer_norm",
)  # fmt: skip


def require_op(program: Program) -> None:
    """Refuses, of programs with unknown sizes, those that the workers compile for the sizes at hand."""
    if not program.is_dynamic:
        return
    if program.op not in OPS:
        raise Unsupported(f"{program.op} is compiled here for known sizes")
    if "accumulation" in program.attributes:
        raise Unsupported("a type of accumulation, for known sizes")


def known(sizes: Sequence[int], what: str) -> Sequence[int]:
    """The sizes, which have to be known."""
    if any(size < 0 for size in sizes):
        raise Unsupported(f"{what} of a size that is known")
    return sizes


def example(kinds: Sequence[Type], size: int = EXAMPLE_SIZE) -> list[Type]:
    """The types at some size of all that is unknown."""
    return [replace(kind, shape=tuple(size if one < 0 else one for one in kind.shape)) for kind in kinds]


def with_size(program: Program, size: int) -> Program:
    return replace(program, operands=example(program.operands, size), results=example(program.results, size))


def with_example(program: Program) -> Program:
    return with_size(program, EXAMPLE_SIZE)


def at_sizes(program: Program, operands: Sequence[np.ndarray], results: Sequence[Type]) -> Program:
    """The program as it is executed, of `operands`, with results of these types."""
    kinds = [replace(kind, shape=array.shape) for kind, array in zip(program.operands, operands)]
    return replace(program, operands=kinds, results=list(results))


def require_something(program: Program, operands: Sequence[np.ndarray]) -> None:
    """Refuses a size of 0 that nobody knew: sums of nothing mean something else in most libraries, which is asked
    for where sizes are known."""
    if program.op not in ALIKE and any(array.size == 0 for array in operands):
        raise Unsupported(f"{program.op} of nothing")


# ---- Compiled again ---------------------------------------------------------------------------------

UNKNOWN = re.compile(r"tensor<((?:\d+x|\?x)*\?x(?:\d+x|\?x)*)")
SIZES_MAX = 64  # That are kept compiled.
TRIED = (EXAMPLE_SIZE, 4, 8, 1)  # Not every size makes a program of every op.


def mlir_at(program: Program, sized: Program) -> str:
    """The module of a program of one op, which has the types of operands and results twice, and those of results
    once more, at known sizes."""
    kinds = [
        (kind.shape, known.shape)
        for mine, others in ((program.operands, sized.operands), (program.results, sized.results))
        for kind, known in zip(mine, others)
        if -1 in kind.shape
    ]
    once = kinds[sum(-1 in kind.shape for kind in program.operands) :]
    places = [*kinds, *kinds, *once]
    if len(UNKNOWN.findall(program.mlir)) != len(places):
        raise Unsupported("a module of several steps, for known sizes")

    def with_sizes(match: re.Match[str]) -> str:
        unknown, known = places.pop(0)
        if match.group(1) != "".join("?x" if size < 0 else f"{size}x" for size in unknown):
            raise Unsupported("a module whose types are not in the order of its operands, for known sizes")
        return f"tensor<{''.join(f'{size}x' for size in known)}"

    return UNKNOWN.sub(with_sizes, program.mlir)


class Specialized:
    """A program that is compiled again for each sizes: where nothing else runs it, and a cache is as wrong as it can be."""

    def __init__(self, program: Program, compile_known: Callable[[Program], Any]) -> None:
        self.program = program
        self.compile_known = compile_known
        self.handles: dict[tuple[tuple[int, ...], ...], Any] = {}
        if program.is_declared:
            return  # It comes with a module for each sizes, and is compiled as these come.
        refusals = []
        for size in TRIED:  # What it takes at some size, it takes.
            try:
                self._at(with_size(program, size))
                return
            except (Unsupported, Invalid) as error:
                refusals.append(error)
        raise Unsupported(str(refusals[0]))

    def _at(self, sized: Program) -> Any:
        key = tuple(kind.shape for kind in [*sized.operands, *sized.results])
        if key not in self.handles:
            if "!quant." in self.program.mlir and not sized.is_declared:
                sized = replace(sized, mlir=mlir_at(self.program, sized))
            if len(self.handles) == SIZES_MAX:
                self.handles.clear()
            self.handles[key] = self.compile_known(sized)
        return self.handles[key]

    def of(self, sized: Program) -> Any:
        """What is compiled of this program, which has a module of its own."""
        return self._at(sized)

    def at(self, operands: Sequence[np.ndarray], results: Sequence[Type]) -> Any:
        """What was compiled for these operands, with results of these types."""
        return self._at(at_sizes(self.program, operands, results))


# ---- Sizes that are the same --------------------------------------------------------------------


def names(program: Program) -> tuple[list[list[str]], list[list[str]]]:
    """A name for each dimension of operands and of results; those that always have the same size share one."""
    require_op(program)
    whole = [f"d{dim}" for dim in range(len(program.operands[0].shape))]
    if program.op in ALIKE:
        return [whole] * len(program.operands), [whole] * len(program.results)
    if program.op == "stablehlo.transpose":
        (permutation,) = program.dims("permutation")
        return [whole], [[whole[dim] for dim in permutation]]
    if program.op == "stablehlo.reduce":
        (dims,), count = program.dims("dims"), len(program.results)
        kept = [name for dim, name in enumerate(whole) if dim not in dims]
        return [whole] * count + [[]] * count, [kept] * count
    if program.op == "byteir.layer_norm":
        (axes,) = program.dims("axis")
        inner = [whole[axis] for axis in sorted(axes)]
        outer = ["" if dim in axes else name for dim, name in enumerate(whole)]
        return [whole, inner, inner], [whole, outer, outer][: len(program.results)]
    if program.op in batch_norm_program.OPS:
        channels = [whole[int(program.attributes["feature_index"])]]
        inner = [channels] * 3 + [whole] if program.op == batch_norm_program.GRAD else [channels] * 2
        return [whole, *inner], [whole, channels, channels]
    return _product_names(program, whole)


def _product_names(program: Program, left: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    batch, contract = program.dims("batch"), program.dims("contract")
    right = [f"r{dim}" for dim in range(len(program.operands[1].shape))]
    for one, other in zip([*batch[0], *contract[0]], [*batch[1], *contract[1]]):
        right[other] = left[one]
    kept = [
        name
        for side, names_of in enumerate((left, right))
        for dim, name in enumerate(names_of)
        if dim not in (*batch[side], *contract[side])
    ]
    return [left, right], [[*(left[dim] for dim in batch[0]), *kept]]

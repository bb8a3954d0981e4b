# SPDX-License-Identifier: Apache-2.0
"""Programs with sizes that are not known when they are compiled, in JAX: jax.export traces a function once, with
symbols in the place of these sizes.  XLA then compiles what was traced for each size that comes, which takes time:
hence an option, sizes=export.
"""
from __future__ import annotations

from typing import Any, Callable, Sequence

import numpy as np

from assay_worker import Program, Type, Unsupported
from shared_programs import dynamic_program


class DynamicFunction:
    """The traced function.  Raises what tracing raises, and Unsupported where JAX cannot tell without the sizes."""

    def __init__(self, jax: Any, function: Callable[..., Any], program: Program) -> None:
        from jax import export

        self.program = program
        scope = export.SymbolicScope()
        operands, results = (
            [_symbols(kind, dims) for kind, dims in zip(kinds, named)]
            for kinds, named in zip((program.operands, program.results), dynamic_program.names(program))
        )
        structs = [
            jax.ShapeDtypeStruct(export.symbolic_shape(text, scope=scope), kind.dtype)
            for text, kind in zip(operands, program.operands)
        ]
        try:
            exported = export.export(jax.jit(function))(*structs)
        except jax.errors.InconclusiveDimensionOperation as error:
            raise Unsupported(f"with symbols for sizes: {error}") from error
        wanted = [export.symbolic_shape(text, scope=scope) for text in results]
        if [found.shape for found in exported.out_avals] != wanted:
            raise Unsupported(f"with symbols for sizes the results are {exported.out_avals}")
        self.run = jax.jit(exported.call)

    def execute(self, operands: Sequence[np.ndarray]) -> list[np.ndarray]:
        dynamic_program.require_something(self.program, operands)
        return [np.asarray(result) for result in self.run(*operands)]


def _symbols(kind: Type, dims: Sequence[str]) -> str:
    return ", ".join(dims[dim] if size < 0 else str(size) for dim, size in enumerate(kind.shape))

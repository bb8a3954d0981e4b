# SPDX-License-Identifier: Apache-2.0
"""JAX: the ops of jax.lax with all of JAX's own checks and type rules, compiled by XLA.

An algorithm is asked for as jax.lax.dot_general(precision=jax.lax.DotAlgorithmPreset...), or as a
jax.lax.DotAlgorithm where no preset says the same; JAX then converts operands and result as it
likes.

all_reduce and reduce_scatter are psum, pmax, pmin and psum_scatter on several devices:
jax_collective.py.

The ByteIR ops are in jax_byteir.py, with what layer_norm=fast means, modules of several steps in
jax_module.py; sizes that are unknown when a program is compiled, in
jax_dynamic.py, with the option sizes=export.  functions=FILE names functions
of your own by the ops that they do (python_functions.py), which are compiled by jax.jit.

    assay run --executor jax
    assay run --executor 'jax?platform=gpu'
"""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

import assay_worker
import xla_worker
from assay_worker import Invalid, Program, Type, Unsupported, Worker
from jax_backend.jax_byteir import JaxByteir
from jax_backend.jax_collective import JaxCollective
from jax_backend.jax_dynamic import DynamicFunction
from jax_backend.jax_module import JaxModule
from shared_programs import (
    byteir_program,
    collective_program,
    dynamic_program,
    module_program,
)
from shared_programs.python_functions import PythonFunctions

ATTRIBUTES = {
    "stablehlo.reduce": ("body", "dims"),
    "stablehlo.dot_general": ("batch", "contract", "precision", "algorithm"),
}
ARITHMETIC = ("add", "multiply", "sum_count")  # Which jax.lax does not do to booleans.


@dataclass
class Handle:
    function: Callable[..., Any]


def _check_results(program: Program, found: Any) -> None:
    """JAX infers the shapes of results: others break a rule that it is never told of."""
    for kind, result in zip(program.results, found):
        if tuple(result.shape) != kind.shape:
            raise Invalid(f"the result has the shape {list(result.shape)}, not {list(kind.shape)}")


class Jax(Worker):
    name = "jax"
    validates = True
    compiling_is_dear = True
    takes_modules = True

    def __init__(self, options: dict[str, str]) -> None:
        platform = assay_worker.take(options, "platform", "cpu", ("cpu", "gpu"))
        variance = assay_worker.take(options, "layer_norm", "stable", ("stable", "fast"))
        self.takes_dynamic = assay_worker.take(options, "sizes", "known", ("known", "export")) == "export"
        # Before anything imports JAX, as the file of functions does.
        os.environ["JAX_PLATFORMS"] = "cuda" if platform == "gpu" else "cpu"
        os.environ["JAX_ENABLE_X64"] = "1"  # Else 64-bit operands become 32-bit ones.
        self.functions = PythonFunctions(assay_worker.take(options, "functions", ""))
        self.validates = not self.functions  # The user's need not check programs.
        super().__init__(options)
        import jax

        self.jax = jax
        self.lax = jax.lax
        self.byteir = JaxByteir(jax, variance)
        self.collectives = JaxCollective(jax, platform)
        self.modules = JaxModule(
            jax,
            {
                "stablehlo.reduce": self._make_reduce,
                "stablehlo.dot_general": self._dot_general,
                "byteir.": self.byteir.make,
            },
        )
        self.version = f"{jax.__version__}, jaxlib {jax.lib.__version__}{self.functions.version}"
        self.hardware = f"{jax.devices()[0].device_kind}, {assay_worker.processor()}"
        self.bodies: dict[str, Callable[..., Any]] = {
            "add": self.lax.add,
            "multiply": self.lax.mul,
            "maximum": self.lax.max,
            "minimum": self.lax.min,
            "and": self.lax.bitwise_and,
            "or": self.lax.bitwise_or,
            "xor": self.lax.bitwise_xor,
            "argmax": lambda left, right: self._pick(left, right, self.lax.gt),
            "argmin": lambda left, right: self._pick(left, right, self.lax.lt),
            "sum_count": lambda left, right: tuple(map(self.lax.add, left, right)),
        }

    def _pick(self, left: Any, right: Any, is_better: Callable[..., Any]) -> Any:
        """The pair with the better value, a NaN first of all; of equals, the smaller index."""
        lax, (value, index), (other, other_index) = self.lax, left, right
        pick = is_better(value, other) | lax.ne(value, value)
        earlier = lax.eq(value, other) & lax.lt(index, other_index)
        picks_index = pick | earlier
        return lax.select(pick, value, other), lax.select(picks_index, index, other_index)

    def promises(self, program: Program) -> bool | None:
        if program.op in self.functions:
            return None  # What compiles.
        if module_program.is_module(program):
            return None
        if byteir_program.is_byteir(program):
            self._lower(program)  # Raises what it refuses.
            return True
        if collective_program.is_collective(program):
            return None  # What compiles.
        if program.op not in ATTRIBUTES or program.is_quantized:
            return False
        program.check_attributes(*ATTRIBUTES[program.op])
        if program.op == "stablehlo.reduce":
            body = program.attributes["body"]
            adds_booleans = program.results[0].element == "i1" and body in ARITHMETIC
            if body not in self.bodies or adds_booleans:
                return False
        return xla_worker.is_promised(program)

    def compile(self, program: Program) -> Handle | DynamicFunction:
        if not byteir_program.is_byteir(program) and self.promises(program) is False:
            raise Unsupported("not among the types and attributes of this op in JAX")
        dynamic_program.require_op(program)
        lowered = self._lower(program)
        if isinstance(lowered, DynamicFunction):
            return lowered
        try:
            return Handle(lowered.compile())
        except self.jax.errors.JaxRuntimeError as error:
            raise xla_worker.refusal(error) from error

    def _lower(self, program: Program) -> Any:
        """What JAX makes of the program, before XLA sees it."""
        if xla_worker.names_no_type(program):
            raise Unsupported(f"XLA has none of the types {', '.join(xla_worker.NO_TYPES)}")
        makers = {
            "stablehlo.reduce": self._reduce,
            "stablehlo.dot_general": self._dot_general,
            module_program.OP: self.modules.make,
        }
        make = makers.get(program.op, self.byteir.make)
        if collective_program.is_collective(program):
            make = self.collectives.make
        if program.op in self.functions:
            make = self.functions.find
        try:
            if program.is_dynamic:
                return DynamicFunction(self.jax, make(program), program)
            shapes = [self.jax.ShapeDtypeStruct(kind.shape, kind.dtype) for kind in program.operands]
            lowered = self.jax.jit(make(program)).lower(*shapes)
            _check_results(program, lowered.out_info)
            return lowered
        except (TypeError, NotImplementedError) as error:  # The checks of jax.lax.
            raise Unsupported(str(error)) from error
        except (ValueError, IndexError) as error:
            if "is not supported by dot_general" in str(error):  # An algorithm, on this platform.
                raise Unsupported(str(error)) from error
            raise Invalid(str(error)) from error

    def _precision(self, program: Program) -> Any:
        """The argument of jax.lax.dot_general that asks for precision or algorithm."""
        text = program.attributes.get("precision", "")
        words = text.strip("[]").split(",") if text else []
        asked = program.algorithm
        if asked is None:
            return tuple(self.lax.Precision[word] for word in words) or None
        if set(words) - {"DEFAULT"}:
            raise Unsupported("JAX takes a precision or an algorithm, not both")
        has_own_types = [asked.lhs, asked.rhs] == [kind.element for kind in program.operands]
        if asked.name in assay_worker.ALGORITHMS and ("F8" not in asked.name or has_own_types):
            return self.lax.DotAlgorithmPreset[asked.name]
        names = (asked.lhs, asked.rhs, asked.accumulation)
        types = [assay_worker.Type(name, ()).dtype for name in names]
        counts = (asked.lhs_components, asked.rhs_components, asked.primitives)
        return self.lax.DotAlgorithm(*types, *counts, asked.is_imprecise)

    def _make_reduce(self, program: Program) -> Callable[..., Any]:
        """As a step of a module."""
        program.check_attributes(*ATTRIBUTES[program.op])
        if program.attributes["body"] not in self.bodies:
            raise Unsupported("no such body")
        return self._reduce(program)

    def _reduce(self, program: Program) -> Callable[..., Any]:
        count = len(program.results)
        body = self.bodies[program.attributes["body"]]
        (dims,) = program.dims("dims")

        def run(*operands: Any) -> Any:
            inputs, inits = operands[:count], operands[count:]
            if count == 1:
                return (self.lax.reduce(inputs[0], inits[0], body, dims),)
            return self.lax.reduce(inputs, inits, body, dims)

        return run

    def _dot_general(self, program: Program) -> Callable[..., Any]:
        batch, contract = program.dims("batch"), program.dims("contract")
        precision = self._precision(program)

        def run(left: Any, right: Any) -> Any:
            return (
                self.lax.dot_general(
                    left,
                    right,
                    (contract, batch),
                    precision=precision,
                    preferred_element_type=program.results[0].dtype,
                ),
            )

        return run

    def execute_sized(self, handle: DynamicFunction, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        try:
            return handle.execute(operands)
        except self.jax.errors.JaxRuntimeError as error:  # XLA's, of what was traced, at this size.
            raise xla_worker.refusal(error) from error

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        return [np.asarray(result) for result in handle.function(*operands)]


if __name__ == "__main__":
    assay_worker.main(Jax)

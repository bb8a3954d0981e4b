# SPDX-License-Identifier: Apache-2.0
"""Quantized StableHLO programs as plain ones on what is stored, by the passes of jaxlib's own
MLIR.

WAYS["math"] is stablehlo-legalize-quant-to-math, which the reference interpreter runs by itself
on a module with quantized types: integer products, rescaled, in f32 whatever the expressed type.
WAYS["qdq"] runs stablehlo-legalize-quantized-op-to-qdq first, so that each op becomes what the
specification calls dequantize_op_quantize: operands dequantized to floats, the op of floats, its
result quantized; of f32 alone.  What both get wrong is in corpus/found/stablehlo.cases.

Reductions, which the passes know only as windows, are taken apart first: quantized_reduction.py.

Both end with chlo-legalize-to-stablehlo.  Arguments and results of `main` become signless
integers.
"""
from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from assay_worker import Invalid, Program, Type, Unsupported
from stablehlo_modules import quantized_reduction

# The dialect knows no kernel of size 0, and of add no result with other parameters than the
# operands': what the specification permits (tests/exec/verifier_disagreements.def).
NARROWER = re.compile(
    "expects window to have positive value"
    "|'stablehlo.add' op inferred type.* are incompatible with return type"
)

WAYS = {
    "math": "func.func(stablehlo-legalize-quant-to-math,chlo-legalize-to-stablehlo)",
    "qdq": "func.func(stablehlo-legalize-quantized-op-to-qdq,stablehlo-legalize-quant-to-math,"
    "chlo-legalize-to-stablehlo)",
}
# Only its dependencies bring the dialect `quant` into a context: jaxlib has no function for it.
LOADS_QUANT = "vhlo-legalize-to-stablehlo"


class Lowering:
    """The passes, and a context that knows quantized types."""

    def __init__(self, way: str) -> None:
        from jaxlib.mlir import ir, passmanager
        from jaxlib.mlir.dialects import stablehlo

        try:
            from jaxlib.mlir._mlir_libs import _jax_mlir_ext
        except ImportError:  # The name that it had in jaxlib 0.5.
            from jaxlib.mlir._mlir_libs import register_jax_dialects as _jax_mlir_ext

        self.ir = ir
        self.manager: Any = passmanager.PassManager
        registry = ir.DialectRegistry()
        _jax_mlir_ext.register_dialects(registry)
        self.context = ir.Context()
        self.context.append_dialect_registry(registry)
        self.context.load_all_available_dialects()
        stablehlo.register_dialect(self.context)
        if hasattr(stablehlo, "register_interpreter_dialect"):  # Not in jaxlib 0.6 and before.
            stablehlo.register_interpreter_dialect(self.context)
        stablehlo.register_stablehlo_passes()
        with self.context, ir.Location.unknown():
            self._run(LOADS_QUANT, ir.Module.parse("module {}"))
        self.passes = WAYS[way]

    def _run(self, passes: str, module: Any) -> None:
        self.manager.parse(f"builtin.module({passes})").run(module.operation)

    def parse(self, program: Program) -> Any:
        """Its module, verified; `with` the context.  A type of accumulation, which only RFC 000 knows, is
        that of conversions."""
        mlir = program.mlir
        if "accumulation" in program.attributes and quantized_reduction.is_reduction(mlir):
            mlir = quantized_reduction.with_conversions(mlir)
        try:
            return self.ir.Module.parse(mlir)
        except self.ir.MLIRError as error:
            if NARROWER.search(str(error)):
                raise Unsupported(str(error)) from error
            raise Invalid(str(error)) from error

    def _lower(self, module: Any) -> str:
        try:
            self._run(self.passes, module)
        except self.ir.MLIRError as error:
            raise Unsupported(f"{self.passes}: {error}") from error
        return str(module)

    def _lower_text(self, mlir: str) -> str:
        return self._lower(self.ir.Module.parse(mlir))

    def lower(self, program: Program) -> Program:
        """The program with operands and results as they are stored, signless."""
        with self.context, self.ir.Location.unknown():
            module = self.parse(program)
            if quantized_reduction.is_reduction(program.mlir):
                text = quantized_reduction.lower_reduction(program.mlir, self._lower_text)
            else:
                text = self._lower(module)
        if "quant" in text:
            raise Unsupported(f"{self.passes} leaves quantized types")
        operands = [_signless(kind) for kind in program.operands]
        results = [_signless(kind) for kind in program.results]
        return replace(program, mlir=text, operands=operands, results=results)


def _signless(kind: Type) -> Type:
    if kind.quantization is None:
        return kind
    return Type(re.sub("^u", "", kind.quantization.storage), kind.shape)

"""XLA, on the StableHLO program itself: none of JAX's own checks stand in the way.

    assay run --executor xla
    assay run --executor 'xla?xla_cpu_ftz=false,xla_allow_excess_precision=false'

Options: platform=cpu|gpu, and any debug option of XLA by its own name (xla_cpu_ftz,
xla_allow_excess_precision, xla_cpu_enable_fast_min_max, xla_backend_optimization_level, ...).

XLA knows nothing of ByteIR's custom calls: their programs are replaced by StableHLO modules, by
default (byteir=stable) of textbook formulas, with byteir=published ByteIR's own published
decompositions, faults included.  It is XLA that runs them; byteir_stablehlo.py says what they are.
"""
from __future__ import annotations

import os
import re
from typing import Any

import numpy as np

import assay_worker
import batch_norm_program
import byteir_program
import byteir_stablehlo
from assay_worker import Invalid, Program, Unsupported, Worker

OPS = ("stablehlo.dot_general", "stablehlo.reduce")
NO_TYPES = ("f6E2M3FN", "f6E3M2FN")  # XLA has no such type.

# Where XLA is narrower than StableHLO: HLO's reduce has one type throughout, and on a processor a
# dot product with one result knows no algorithm but F32_F32_F32 (larger ones ignore it).
NARROWER = re.compile(
    "^UNIMPLEMENTED|Invalid XLA PrimitiveType|hlo verifier|accumulator shape at index"
    "|Algorithm not supported by"
)
BREAKS_A_RULE = re.compile(r"^INVALID_ARGUMENT|^UNKNOWN: -:\d+:\d+: error")


def debug_option(value: str) -> bool | int | str:
    if value in ("true", "false"):
        return value == "true"
    return int(value) if value.lstrip("-").isdigit() else value


def refusal(error: Exception) -> Exception:
    """What an error of XLA's compiler means: Unsupported, Invalid, or a failure of its own."""
    text = str(error)
    if NARROWER.search(text):
        return Unsupported(text)
    return Invalid(text) if BREAKS_A_RULE.search(text) else error


def names_no_type(program: Program) -> bool:
    return any(kind.element in NO_TYPES for kind in [*program.operands, *program.results])


def is_promised(program: Program) -> bool | None:
    """XLA lists nowhere which algorithms a platform does: an error is to tell that it does not, so
    what it compiles is what it claims to do."""
    inputs = [kind.element for kind in program.operands[: len(program.results)]]
    results = [kind.element for kind in program.results]
    if batch_norm_program.is_batch_norm(program):
        return None
    if program.op not in OPS or names_no_type(program):
        return False
    if program.op == "stablehlo.reduce":
        return inputs == results
    return None if "algorithm" in program.attributes else True


class Xla(Worker):
    name = "xla"

    def __init__(self, options: dict[str, str]) -> None:
        platform = assay_worker.take(options, "platform", "cpu", ("cpu", "gpu"))
        variants = byteir_stablehlo.VARIANTS
        self.variant = assay_worker.take(options, "byteir", variants[0], variants)
        os.environ["JAX_PLATFORMS"] = "cuda" if platform == "gpu" else "cpu"
        os.environ["JAX_ENABLE_X64"] = "1"  # Else 64-bit operands become 32-bit ones.
        import jax
        from jax._src import compiler, xla_bridge
        from jax._src.lib import xla_client

        strange = [key for key in options if not key.startswith("xla_")]
        if strange:
            raise Invalid(f"no option {strange[0]}: platform, byteir, or an option of XLA, xla_...")
        self.jax = jax
        self.client = xla_bridge.get_backend()
        self.device = self.client.local_devices()[0]
        self.devices = xla_client.DeviceList((self.device,))
        self.options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        self.options.env_option_overrides = [
            (key, debug_option(value)) for key, value in options.items()
        ]
        self.version = f"jaxlib {jax.lib.__version__}"
        self.hardware = f"{self.device.device_kind}, {assay_worker.processor()}"

    def promises(self, program: Program) -> bool | None:
        if not byteir_program.is_byteir(program):
            return is_promised(program)
        byteir_stablehlo.decompose(program, self.variant)  # Raises what it refuses.
        return not names_no_type(program)

    def compile(self, program: Program) -> Any:
        if names_no_type(program):
            raise Unsupported(f"XLA has none of the types {', '.join(NO_TYPES)}")
        if byteir_program.is_byteir(program):
            program = byteir_stablehlo.decompose(program, self.variant)
        try:
            return self.client.compile_and_load(program.mlir, self.devices, self.options)
        except self.jax.errors.JaxRuntimeError as error:
            raise refusal(error) from error

    def execute(self, handle: Any, operands: list[np.ndarray]) -> list[np.ndarray]:
        buffers = [self.jax.device_put(operand, self.device) for operand in operands]
        return [np.asarray(result) for result in handle.execute(buffers)]


if __name__ == "__main__":
    assay_worker.main(Xla)

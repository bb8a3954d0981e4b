# SPDX-License-Identifier: Apache-2.0
"""XLA, on the StableHLO program itself: none of JAX's own checks stand in the way.

    assay run --executor xla
    assay run --executor 'xla?xla_cpu_ftz=false,xla_allow_excess_precision=false'
    assay run --op stablehlo.dot_general --executor 'xla?quantized=qdq'

XLA knows nothing of quantized types: a program with them is lowered here by passes of
StableHLO's, and XLA runs what comes of it.  quantized=math (default) makes integer arithmetic of
it, quantized=qdq arithmetic of f32: see quantized_stablehlo.py.  `hardware` names the passes, so
that nobody takes what they do for XLA's doing.

Options: platform=cpu|gpu, and any debug option of XLA by its own name (xla_cpu_ftz,
xla_allow_excess_precision, xla_cpu_enable_fast_min_max, xla_backend_optimization_level, ...).

XLA knows nothing of ByteIR's custom calls: their programs are replaced by StableHLO modules, by
default (byteir=stable) of textbook formulas, with byteir=published ByteIR's own published
decompositions, faults included.  It is XLA that runs them; byteir_stablehlo.py says what they
are.

Sizes that are unknown when a program is compiled are bounded dynamic shapes (xla_dynamic.py).  What XLA is given
for known sizes alone, ByteIR's ops, ops that a file declares and quantized programs, is compiled anew for each size with
sizes=each.

Modules of several steps are one module for XLA; with modules=apart an optimization barrier stands behind each
step, as XLA's users write them to keep a value as it is.

all_reduce and reduce_scatter run on as many devices of this process as a program has processes:
xla_collective.py.
"""
from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import assay_worker
from assay_worker import Invalid, Program, Unsupported, Worker
from shared_programs import (
    batch_norm_program,
    byteir_program,
    collective_program,
    module_program,
    pointwise_program,
    slicing_program,
    standalone_script,
)
from shared_programs.collective_program import Collective
from shared_programs.dynamic_program import Specialized, with_example
from stablehlo_modules import byteir_stablehlo
from stablehlo_modules.quantized_stablehlo import WAYS, Lowering
from xla_backend.xla_collective import CollectiveHandle, Processes, load
from xla_backend.xla_dynamic import DynamicHandle

OPS = (
    "stablehlo.dot_general", "stablehlo.reduce", "stablehlo.convolution", "stablehlo.reduce_window",
    "stablehlo.select_and_scatter", "stablehlo.convert", "stablehlo.uniform_quantize",
    "stablehlo.uniform_dequantize",
    "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.maximum",
    "stablehlo.minimum", "stablehlo.negate", "stablehlo.shift_right_arithmetic",
    "stablehlo.reshape", "stablehlo.transpose", "stablehlo.broadcast_in_dim",
    "stablehlo.concatenate", *pointwise_program.OPS, *slicing_program.OPS,
)  # fmt: skip
CONVOLUTION = "stablehlo.convolution"
NO_TYPES = ("f6E2M3FN", "f6E3M2FN")  # XLA has no such type.

# Where XLA is narrower than StableHLO: HLO's reduce has one type throughout, and on a processor a
# dot product with one result knows no algorithm but F32_F32_F32 (larger ones ignore it).  The
# dialect has no kernel of size 0.
NARROWER = re.compile(
    "expects window to have positive value|^UNIMPLEMENTED|Invalid XLA PrimitiveType|hlo verifier"
    "|input of AllReduce must have the same element type"
    "|accumulator shape at index|Algorithm not supported by"
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
    if batch_norm_program.is_batch_norm(program) or collective_program.is_collective(program):
        return None
    if module_program.is_module(program):
        return None  # Its steps are told by trying.
    if program.is_declared:
        program.require_known()
        return None if program.is_quantized else not names_no_type(program)
    if program.op not in OPS or names_no_type(program):
        return False
    if program.is_quantized or (program.op == CONVOLUTION and 0 in program.operands[1].shape):
        return None
    if program.op in ("stablehlo.reduce", "stablehlo.select_and_scatter"):
        return inputs == results
    if program.op == CONVOLUTION and (inputs != results or results[0] in ("i2", "ui2")):
        return None  # XLA widens types of a byte or more, and not all narrower ones; so of 2 bits.
    if program.op == "stablehlo.reduce_window":
        return True if inputs == results else None  # Without result elements it takes any types.
    return None if "algorithm" in program.attributes else True


@dataclass
class Handle:
    run: Any  # XLA's executable.
    operands: list[np.dtype]  # As the executable has them, of the bits that the program has.
    results: list[np.dtype]  # As the program has them.
    module: str = ""  # What was compiled.


class Xla(Worker):
    name = "xla"
    validates = True
    compiling_is_dear = True
    takes_modules = True
    takes_dynamic = True
    writes_scripts = True

    def __init__(self, options: dict[str, str]) -> None:
        platform = assay_worker.take(options, "platform", "cpu", ("cpu", "gpu"))
        variants = byteir_stablehlo.VARIANTS
        self.variant = assay_worker.take(options, "byteir", variants[0], variants)
        way = assay_worker.take(options, "quantized", "math", tuple(WAYS))
        self.compiles_each = assay_worker.take(options, "sizes", "bounded", ("bounded", "each")) == "each"
        self.takes_sized_modules = self.compiles_each
        self.has_barriers = assay_worker.take(options, "modules", "whole", ("whole", "apart")) == "apart"
        os.environ["JAX_PLATFORMS"] = "cuda" if platform == "gpu" else "cpu"
        os.environ["JAX_ENABLE_X64"] = "1"  # Else 64-bit operands become 32-bit ones.
        import jax
        from jax._src import compiler, xla_bridge
        from jax._src.lib import xla_client

        strange = [key for key in options if not key.startswith("xla_")]
        if strange:
            known = "platform, byteir, quantized, sizes, modules, or an option of XLA, xla_..."
            raise Invalid(f"no option {strange[0]}: {known}")
        self.lowering = Lowering(way)
        self.platform = platform
        self.processes: Processes | None = None
        self.jax = jax
        self.client = xla_bridge.get_backend()
        self.device = self.client.local_devices()[0]
        self.devices = xla_client.DeviceList((self.device,))
        self.options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
        self.options.env_option_overrides = [
            (key, debug_option(value)) for key, value in options.items()
        ]
        self.version = f"jaxlib {jax.lib.__version__}"
        kind = f"{self.device.device_kind}, {assay_worker.processor()}"
        self.hardware = f"{kind}, quantized by {self.lowering.passes}"

    def promises(self, program: Program) -> bool | None:
        if not byteir_program.is_byteir(program):
            return is_promised(program)
        byteir_stablehlo.decompose(with_example(program), self.variant)  # Raises what it refuses.
        return not names_no_type(program)

    def compile(self, program: Program) -> Handle | CollectiveHandle:
        program.require_specified()
        if names_no_type(program):
            raise Unsupported(f"XLA has none of the types {', '.join(NO_TYPES)}")
        wanted = [kind.dtype for kind in program.results]
        if program.is_dynamic:
            return self._compile_dynamic(program)
        if collective_program.is_collective(program):
            return self._compile_collective(Collective.parse(program), wanted)
        if byteir_program.is_byteir(program):
            program = byteir_stablehlo.decompose(program, self.variant)
        if module_program.is_module(program):
            program = module_program.with_functions(program, self._decompose_step)
            if self.has_barriers:
                program = module_program.with_barriers(program)
        program.require_known()
        if program.is_quantized or "!quant." in program.mlir:
            program = self.lowering.lower(program)
        try:
            run = load(self.client, program.mlir, self.devices, self.options)
        except self.jax.errors.JaxRuntimeError as error:
            raise refusal(error) from error
        return Handle(run, [kind.dtype for kind in program.operands], wanted, program.mlir)

    def _decompose_step(self, program: Program) -> Program | None:
        """A step of a module that is no op of StableHLO's, as one of these."""
        program.require_specified()
        if names_no_type(program):
            raise Unsupported(f"XLA has none of the types {', '.join(NO_TYPES)}")
        if collective_program.is_collective(program):
            raise Unsupported("no processes in a module of several steps")
        if not byteir_program.is_byteir(program):
            return None
        return byteir_stablehlo.decompose(program, self.variant)

    def _compile_dynamic(self, program: Program) -> DynamicHandle | Specialized:
        if program.op not in OPS or program.is_quantized:
            if not self.compiles_each:
                raise Unsupported(f"{program.op} of such types is compiled anew for each size, with the option sizes=each")
            return Specialized(program, self.compile)

        def compile_text(text: str) -> Any:
            run = load(self.client, text, self.devices, self.options)
            return lambda arrays: run.execute([self.jax.device_put(one, self.device) for one in arrays])

        try:
            return DynamicHandle(program, compile_text)
        except self.jax.errors.JaxRuntimeError as error:
            raise Unsupported(f"as a bounded dynamic shape: {error}") from error

    def execute_sized(self, handle: Any, operands: list[np.ndarray],
                      results: Any) -> list[np.ndarray]:  # fmt: skip
        if isinstance(handle, Specialized):
            return self.execute(handle.at(operands, results), operands)
        assert isinstance(handle, DynamicHandle)
        return handle.execute(operands, results)

    def execute_module(self, handle: Any, program: Program, operands: list[np.ndarray]) -> list[np.ndarray]:
        return self.execute(handle.of(program), operands)

    def _compile_collective(
        self, collective: Collective, wanted: list[np.dtype]
    ) -> CollectiveHandle:
        collective.require_parts()
        if self.processes is None:
            self.processes = Processes(self.platform, self.options.env_option_overrides)
        if collective.own.is_quantized:
            collective = replace(collective, own=self.lowering.lower(collective.own))
        try:
            return self.processes.compile(collective, wanted)
        except self.jax.errors.JaxRuntimeError as error:
            raise refusal(error) from error

    def execute(
        self, handle: Handle | CollectiveHandle, operands: list[np.ndarray]
    ) -> list[np.ndarray]:
        if isinstance(handle, CollectiveHandle):
            assert self.processes is not None
            return self.processes.execute(handle, operands)
        buffers = [
            self.jax.device_put(operand.view(dtype), self.device)
            for operand, dtype in zip(operands, handle.operands)
        ]
        results = handle.run.execute(buffers)
        return [np.asarray(result).view(dtype) for result, dtype in zip(results, handle.results)]

    def script(self, handle: Any, program: Program, operands: list[np.ndarray]) -> str:
        if not isinstance(handle, Handle):
            raise Unsupported("scripts run one program of known sizes in one process")
        operands = [operand.view(dtype) for operand, dtype in zip(operands, handle.operands)]
        kinds = ", ".join(f'"{dtype.name}"' for dtype in handle.results)
        return standalone_script.make(program, operands, HEAD, BODY.format(
            platform="cuda" if self.platform == "gpu" else "cpu", module=handle.module.strip(),
            options=self.options.env_option_overrides, kinds=kinds,
            arrays=", ".join(f"operand{i}" for i in range(len(operands)))))  # fmt: skip


# Of script().  JAX has no public way to compile a module of StableHLO as it is.
HEAD = """# Runs a StableHLO module on XLA as JAX brings it: pip install jax
import os

os.environ["JAX_ENABLE_X64"] = "1"
"""
BODY = """
os.environ["JAX_PLATFORMS"] = "{platform}"
import jax
import jax.numpy
from jax._src import compiler, xla_bridge
from jax._src.lib import xla_client

MODULE = r'''
{module}
'''
client = xla_bridge.get_backend()
device = client.local_devices()[0]
options = compiler.get_compile_options(num_replicas=1, num_partitions=1)
options.env_option_overrides = {options}
run = client.compile_and_load(MODULE, xla_client.DeviceList((device,)), options)
outputs = run.execute([jax.device_put(array, device) for array in [{arrays}]])
results = [numpy.asarray(output).view(jax.numpy.dtype(kind)) for output, kind in zip(outputs, [{kinds}])]
"""

if __name__ == "__main__":
    assay_worker.main(Xla)

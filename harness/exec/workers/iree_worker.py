# SPDX-License-Identifier: Apache-2.0
"""IREE on the CPU: its compiler takes the StableHLO program itself, its runtime runs what comes of it.

    assay run --executor iree
    assay run --executor 'iree?iree-opt-level=O3,cpu=generic'

Options: cpu=host|generic or a name of LLVM's (the target of llvm-cpu), and any option of iree-compile by its own name
(iree-opt-level, iree-llvmcpu-enable-ukernels, ...).  f64 and i64 are kept as they are, where IREE would make f32 of the former
by default.

ByteIR's ops and the batch norms, which IREE does not know, are replaced by StableHLO modules as in the workers of XLA and
of the reference interpreter (byteir=stable, or byteir=published with the faults of what ByteIR publishes).  Quantized
programs are refused, for what lowers them is a part of jaxlib; so are types of less than 8 bits, which IREE packs.  Modules of
several steps are one module, and sizes that are unknown stay so in it.

The compiler runs in this process.  It tells why it refuses on stderr alone, from where that is read here.
"""
from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

import numpy as np

import assay_worker
from assay_worker import BITS, Invalid, Program, Type, Unsupported, Worker
from shared_programs import (
    batch_norm_program,
    byteir_program,
    collective_program,
    module_program,
    standalone_script,
)
from stablehlo_modules import batch_norm_stablehlo, byteir_stablehlo

# MLIR's spelling -> that of IREE's element types.  Integers have no signs there.
ELEMENTS = {
    "i1": "BOOL_8", "i8": "INT_8", "i16": "INT_16", "i32": "INT_32", "i64": "INT_64", "ui8": "INT_8", "ui16": "INT_16",
    "ui32": "INT_32", "ui64": "INT_64", "f16": "FLOAT_16", "bf16": "BFLOAT_16", "f32": "FLOAT_32", "f64": "FLOAT_64",
    "complex<f32>": "COMPLEX_64", "complex<f64>": "COMPLEX_128", "f8E4M3FN": "FLOAT_8_E4M3_FN",
    "f8E4M3FNUZ": "FLOAT_8_E4M3_FNUZ", "f8E5M2": "FLOAT_8_E5M2", "f8E5M2FNUZ": "FLOAT_8_E5M2_FNUZ",
    "f8E8M0FNU": "FLOAT_8_E8M0_FNU",
}  # fmt: skip
# Where the dialect's verifier is narrower than the specification: it has no kernel of size 0.
NARROWER = re.compile("expects window to have positive value")
REASON_MAX = 600  # Of what the compiler says.


@dataclass
class Handle:
    function: Any  # Of IREE's, and what has to outlive it.
    context: Any
    operands: list[Type]
    results: list[Type]
    module: str


@contextmanager
def stderr_of_libraries() -> Iterator[list[str]]:
    """A list that gets what is written to file descriptor 2 in the meantime."""
    texts: list[str] = []
    kept, file = os.dup(2), os.memfd_create("stderr")
    os.dup2(file, 2)
    try:
        yield texts
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.lseek(file, 0, os.SEEK_SET)
        texts.append(os.fdopen(file, "rb").read().decode(errors="replace"))


class Iree(Worker):
    name = "iree"
    validates = True
    compiling_is_dear = True
    takes_modules = True
    takes_dynamic = True
    writes_scripts = True

    def __init__(self, options: dict[str, str]) -> None:
        cpu = assay_worker.take(options, "cpu", "host")
        variants = byteir_stablehlo.VARIANTS
        self.variant = assay_worker.take(options, "byteir", variants[0], variants)
        strange = [key for key in options if not key.startswith("iree-")]
        if strange:
            raise Invalid(f"no option {strange[0]}: known are cpu, byteir, or an option of iree-compile, iree-...")
        from importlib.metadata import version

        import iree.runtime
        from iree.compiler import api

        self.api = api
        self.runtime = iree.runtime
        self.config = iree.runtime.Config("local-sync")
        self.flags = [
            "--iree-input-type=stablehlo", "--iree-hal-target-backends=llvm-cpu", f"--iree-llvmcpu-target-cpu={cpu}",
            "--iree-input-demote-f64-to-f32=false", "--iree-input-demote-i64-to-i32=false",
            *(f"--{key}={value}" for key, value in options.items()),
        ]  # fmt: skip
        self.version = version("iree-base-compiler")
        ran_by = version("iree-base-runtime")
        self.hardware = f"{assay_worker.processor()}, llvm-cpu for {cpu}, runtime {ran_by}"

    def compile(self, program: Program) -> Handle:
        program.require_specified()
        self._require_types([*program.operands, *program.results])
        if collective_program.is_collective(program):
            raise Unsupported("no processes")
        made = self._decompose(program)
        program = made or program
        if module_program.is_module(program):
            program = module_program.with_functions(program, self._decompose_step)
        program.require_known()
        if program.is_quantized or "!quant." in program.mlir:
            raise Unsupported("no quantized types")
        self._require_survival(program)
        return self._load(program, self._compile_text(program.mlir))

    @staticmethod
    def _require_survival(program: Program) -> None:
        """Refuses what is known to end the compiler with SIGSEGV (3.13.0): corpus/found/iree.cases."""
        steps = module_program.Module.parse(program).steps if module_program.is_module(program) else []
        for one in [program, *(step.program for step in steps)]:
            if one.op == "stablehlo.dynamic_slice" and not one.operands[0].shape:
                raise Unsupported("a slice of a scalar")
            is_complex = one.op == "stablehlo.convolution" and one.results[0].element.startswith("complex")
            if is_complex and one.attributes["feature_group_count"] != "1":
                raise Unsupported("a convolution of complex numbers in groups")

    @staticmethod
    def _require_types(kinds: Sequence[Type]) -> None:
        strange = sorted({kind.element for kind in kinds} - set(ELEMENTS))
        if strange:
            raise Unsupported(f"nothing in {', '.join(strange)}")

    def _decompose(self, program: Program) -> Program | None:
        if program.is_dynamic and not program.op.startswith("stablehlo."):
            raise Unsupported(f"{program.op} is written for known sizes")
        if batch_norm_program.is_batch_norm(program):
            if program.is_dynamic:
                raise Unsupported("a batch norm is written for known sizes")
            return batch_norm_stablehlo.decompose(program)
        return byteir_stablehlo.decompose(program, self.variant) if byteir_program.is_byteir(program) else None

    def _decompose_step(self, program: Program) -> Program | None:
        program.require_specified()
        self._require_types([*program.operands, *program.results])
        if collective_program.is_collective(program):
            raise Unsupported("no processes")
        return self._decompose(program)

    def _compile_text(self, mlir: str) -> bytes:
        session = self.api.Session()
        with stderr_of_libraries() as said:
            session.set_flags(*self.flags)
            invocation = session.invocation()
            invocation.enable_console_diagnostics()
            is_parsed = invocation.parse_source(self.api.Source.wrap_buffer(session, mlir.encode() + b"\0"))
            is_compiled = is_parsed and invocation.execute()
            output = self.api.Output.open_membuffer()
            if is_compiled:
                invocation.output_vm_bytecode(output)
        if is_compiled:
            return bytes(output.map_memory())
        text = said[0].strip()[:REASON_MAX]
        raise Unsupported(text) if is_parsed or NARROWER.search(text) else Invalid(text)

    def _load(self, program: Program, bytecode: bytes) -> Handle:
        context = self.runtime.SystemContext(config=self.config)
        module = self.runtime.VmModule.copy_buffer(context.instance, bytecode)
        context.add_vm_module(module)
        return Handle(module.lookup_function("main"), context, program.operands, program.results, program.mlir)

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        return self.execute_sized(handle, operands, handle.results)

    def execute_sized(self, handle: Handle, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        runtime, device = self.runtime, self.config.device
        given = runtime.VmVariantList(len(operands))
        for array, kind in zip(operands, handle.operands):
            element = getattr(runtime.HalElementType, ELEMENTS[kind.element])
            data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
            buffer = device.allocator.allocate_buffer_copy(
                memory_type=runtime.MemoryType.DEVICE_LOCAL, device=device, buffer=data,
                allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING,
            )  # fmt: skip
            given.push_ref(runtime.HalBufferView(buffer, list(array.shape), element))
        taken = runtime.VmVariantList(len(results))
        handle.context.vm_context.invoke(handle.function, given, taken)
        return [self._array(taken.get_as_object(i, runtime.HalBufferView), kind) for i, kind in enumerate(results)]

    @staticmethod
    def _array(view: Any, kind: Type) -> np.ndarray:
        if tuple(view.shape) != kind.shape:
            raise TypeError(f"IREE gives {list(view.shape)}, not {list(kind.shape)}")
        if 0 in kind.shape:
            return np.empty(kind.shape, kind.dtype)
        data = view.map().asarray([view.byte_length], np.dtype(np.uint8))
        return np.array(data).view(kind.dtype).reshape(kind.shape)

    def script(self, handle: Handle, program: Program, operands: list[np.ndarray]) -> str:
        if program.is_dynamic or any(0 in kind.shape for kind in [*program.operands, *program.results]):
            raise Unsupported("scripts run programs of known sizes, of something")
        given = ", ".join(f'(operand{i}, "{ELEMENTS[kind.element]}")' for i, kind in enumerate(handle.operands))
        taken = ", ".join(f'({_numpy_name(kind)}, {list(kind.shape)})' for kind in handle.results)
        return standalone_script.make(program, operands, HEAD, BODY.format(
            module=handle.module.strip(), flags=self.flags, given=given, taken=taken))  # fmt: skip


def _numpy_name(kind: Type) -> str:
    name = kind.dtype.name
    return f'"{name}"' if hasattr(np, name) or kind.element in BITS else f"ml_dtypes.{name}"


# Of script().
HEAD = """# Compiles a StableHLO module with IREE and runs it: pip install iree-base-compiler iree-base-runtime
import iree.compiler
import iree.runtime as runtime
"""
BODY = """
MODULE = r'''
{module}
'''
bytecode = iree.compiler.compile_str(MODULE, extra_args={flags})
config = runtime.Config("local-sync")
context = runtime.SystemContext(config=config)
module = runtime.VmModule.copy_buffer(context.instance, bytecode)
context.add_vm_module(module)
given, outputs = runtime.VmVariantList(4), runtime.VmVariantList(4)
for array, element in [{given}]:
    buffer = config.device.allocator.allocate_buffer_copy(
        memory_type=runtime.MemoryType.DEVICE_LOCAL, device=config.device, buffer=array.reshape(-1).view("uint8"),
        allowed_usage=runtime.BufferUsage.DEFAULT | runtime.BufferUsage.MAPPING)
    given.push_ref(runtime.HalBufferView(buffer, list(array.shape), getattr(runtime.HalElementType, element)))
context.vm_context.invoke(module.lookup_function("main"), given, outputs)
results = []
for index, (kind, shape) in enumerate([{taken}]):
    view = outputs.get_as_object(index, runtime.HalBufferView)
    data = view.map().asarray([view.byte_length], numpy.dtype("uint8"))
    results.append(numpy.array(data).view(kind).reshape(shape))
"""

if __name__ == "__main__":
    assay_worker.main(Iree)

# SPDX-License-Identifier: Apache-2.0
"""The StableHLO reference interpreter, which defines what the specification's words mean in code.

    assay run --executor stablehlo

It takes operands as attributes and gives attributes back, of which Python can read only some
types bit for bit: results of the others are recast by the program itself, to integers or, of 6
bits, f32. What it does not implement ends its process.  Programs that are known to do so are
refused; with the option everything=true they are run, and each costs a process.

A quantized program is lowered first, by the pass that the interpreter itself runs on such a
module, so that its results too can be recast: see quantized_stablehlo.py.  quantized=qdq lowers
it op by op to floats instead.

all_reduce and reduce_scatter run as `interpreter.run_parallel`, the interpreter's own op for
several processes: one thread for each, as many at a time as the machine has hardware threads.
Programs whose processes would wait for one that gets no thread are refused: after three seconds the
interpreter ends its process.

The ByteIR ops are run as StableHLO modules, byteir=stable or byteir=published: see
byteir_stablehlo.py.  What has an erf in it is refused: the interpreter has no CHLO.  So are the
batch norms, which it does not know, as the specification's decompositions:
batch_norm_stablehlo.py.
"""
from __future__ import annotations

import copy
import os
import re
from dataclasses import dataclass, replace
from typing import Any, Sequence

import numpy as np

import assay_worker
from assay_worker import BITS, Program, Type, Unsupported, Worker
from shared_programs import (
    batch_norm_program,
    byteir_program,
    collective_program,
    module_program,
    pointwise_program,
    slicing_program,
)
from shared_programs.collective_program import Collective
from shared_programs.dynamic_program import Specialized, with_example
from shared_programs.process_groups import threads_needed
from stablehlo_modules import batch_norm_stablehlo, byteir_stablehlo
from stablehlo_modules.quantized_stablehlo import WAYS, Lowering
from stablehlo_modules.stablehlo_text import mlir_type, mlir_types

OPS = (
    "stablehlo.dot_general", "stablehlo.reduce", "stablehlo.convolution", "stablehlo.reduce_window",
    "stablehlo.select_and_scatter", "stablehlo.convert", "stablehlo.uniform_quantize",
    "stablehlo.uniform_dequantize",
    "stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.maximum",
    "stablehlo.minimum", "stablehlo.negate", "stablehlo.shift_right_arithmetic",
    "stablehlo.reshape", "stablehlo.transpose", "stablehlo.broadcast_in_dim",
    "stablehlo.concatenate", *pointwise_program.OPS, *slicing_program.OPS,
)  # fmt: skip
REDUCTIONS = ("stablehlo.reduce", "stablehlo.reduce_window", "stablehlo.select_and_scatter")
ELEMENTS_MAX = 1 << 16  # Each element is an object of its own there.
STEPS_MAX = 1 << 20  # Of elements of all ops of a module: two seconds.
READABLE = ("i1", "i8", "i16", "i32", "i64", "f32", "f64")


def fatal(program: Program) -> str:
    """What of this program, of a collective that of one process, ends the interpreter's process;
    empty if it is not known to."""
    is_collective = collective_program.is_collective(program)
    if program.op in REDUCTIONS or is_collective:
        for operand, result in zip(program.operands, program.results):
            is_run = is_collective or 0 not in result.shape
            is_converted = program.is_quantized  # By a line of its own: quantized_reduction.py.
            if operand.element != result.element and is_run and not is_converted:
                return "a reduction into a wider type ends the interpreter"
    if program.op == "stablehlo.reduce_window":
        sizes = zip(
            program.operands[0].shape, program.numbers("base_dilations"), program.numbers("padding")
        )
        if any(low + max(0, (size - 1) * base + 1) + high < 0 for size, base, (low, high) in sizes):
            return "padding that cuts off more than there is ends the interpreter"
    if program.op == "stablehlo.convolution":
        result = program.attributes["dimension_numbers"].partition("->")[2]
        if result.find("f") < result.find("b"):  # openxla/stablehlo issue 3011.
            return "a convolution with features before the batch in its result ends the interpreter"
    if program.op == "stablehlo.dot_general":
        (dims, _), shape = program.dims("contract"), program.operands[0].shape
        sums_nothing = any(shape[dim] == 0 for dim in dims if 0 <= dim < len(shape))
        if sums_nothing and 0 not in program.results[0].shape:
            return "a sum of no products ends the interpreter"
    return ""


def is_decomposed(program: Program) -> bool:
    return byteir_program.is_byteir(program) or batch_norm_program.is_batch_norm(program)


class Recast:
    """Text that turns the result %r#INDEX into values that can be read: `parts` of them."""

    def __init__(self, kind: Type, index: int) -> None:
        self.kind = kind
        source, have = f"%r#{index}", mlir_type(kind.element, kind.shape)
        name = f"%v{index}"
        self.lines: list[str] = []
        if kind.element in READABLE:
            self.names, self.elements = [source], [kind.element]
            return
        if kind.element.startswith("complex"):
            self.elements = [kind.element[8:-1]] * 2
            self.names = [f"{name}r", f"{name}i"]
            steps = [("real", self.names[0]), ("imag", self.names[1])]
        elif BITS.get(kind.element) == 6:
            self.elements, self.names = ["f32"], [name]
            steps = [("convert", name)]
        elif kind.element in BITS:
            self.elements, self.names = ["i8"], [name]
            bits = mlir_type(f"i{BITS[kind.element]}", kind.shape)
            self.lines.append(
                f'{name}b = "stablehlo.bitcast_convert"({source}) : ({have}) -> {bits}'
            )
            source, have, steps = f"{name}b", bits, [("convert", name)]
        else:
            self.elements, self.names = [f"i{8 * kind.dtype.itemsize}"], [name]
            steps = [("bitcast_convert", name)]
        for (op, target), element in zip(steps, self.elements):
            to = mlir_type(element, kind.shape)
            self.lines.append(f'{target} = "stablehlo.{op}"({source}) : ({have}) -> {to}')

    @property
    def types(self) -> list[Type]:
        return [Type(element, self.kind.shape) for element in self.elements]

    def read(self, arrays: list[np.ndarray]) -> np.ndarray:
        if len(arrays) == 2:
            result = np.empty(self.kind.shape, self.kind.dtype)
            result.real, result.imag = arrays
            return result
        array = np.ascontiguousarray(arrays[0]).reshape(self.kind.shape)
        if array.dtype == self.kind.dtype:
            return array
        if self.elements == ["f32"]:
            return array.astype(self.kind.dtype)  # Exact.
        return array.reshape(-1).view(self.kind.dtype).reshape(self.kind.shape)


def run_by_threads(collective: Collective | None) -> str:
    """What runs `op` once for each process; or once."""
    if collective is None:
        return "func.call @op({names})"
    replica = f"[{', '.join(['@op'] * collective.partitions)}]"
    programs = ", ".join([replica] * collective.replicas)
    return f'"interpreter.run_parallel"({{names}}) {{{{programs = [{programs}]}}}}'


def wrap(program: Program, recasts: list[Recast], collective: Collective | None = None) -> str:
    """The program as a function `op`, called by a `main` that recasts its results; or by all
    processes of a collective, whose operands and results follow one another."""
    processes = 1 if collective is None else collective.processes
    operands, results = program.operands * processes, program.results * processes
    arguments = ", ".join(
        f"%a{i}: {mlir_type(kind.element, kind.shape)}" for i, kind in enumerate(operands)
    )
    names = ", ".join(f"%a{i}" for i in range(len(operands)))
    call = run_by_threads(collective).format(names=names)
    values = ", ".join(name for recast in recasts for name in recast.names)
    types = ", ".join(mlir_types(recast.types) for recast in recasts)
    body = "\n".join(line for recast in recasts for line in recast.lines)
    module = program.mlir.replace("@main", "@op", 1).rstrip().removesuffix("}")
    return f"""{module}
  func.func @main({arguments}) -> ({types}) {{
    %r:{len(recasts)} = {call}
        : ({mlir_types(operands)}) -> ({mlir_types(results)})
    {body}
    return {values} : {types}
  }}
}}"""


def _require_threads(collective: Collective) -> None:
    needed = threads_needed(collective.groups)
    threads = len(os.sched_getaffinity(0))
    if needed > threads:
        raise Unsupported(f"{needed} processes at a time, and {threads} threads of this machine")


@dataclass
class Handle:
    module: Any
    dtypes: list[np.dtype]  # Of the operands of the module, and their types.
    types: list[Any]
    recasts: list[Recast]
    wanted: list[np.dtype]  # Of the results.
    collective: Collective | None = None  # The module has the operands of all its processes.
    text: str = ""  # Of a module with sizes that are not known yet, of which there is no other then.


class Interpreter(Worker):
    name = "stablehlo-interpreter"
    validates = True
    compiling_is_dear = True
    takes_modules = True
    takes_dynamic = True
    takes_sized_modules = True

    def __init__(self, options: dict[str, str]) -> None:
        everything = assay_worker.take(options, "everything", "false", ("true", "false"))
        variants = byteir_stablehlo.VARIANTS
        self.variant = assay_worker.take(options, "byteir", variants[0], variants)
        way = assay_worker.take(options, "quantized", "math", tuple(WAYS))
        super().__init__(options)
        import jaxlib
        from jaxlib.mlir import ir
        from jaxlib.mlir.dialects import stablehlo

        self.runs_everything = everything == "true"
        self.ir = ir
        self.stablehlo = stablehlo
        self.version = f"{stablehlo.get_current_version()} in jaxlib {jaxlib.__version__}"
        self.lowering = Lowering(way)
        self.hardware = f"quantized by {self.lowering.passes}"
        self.context = self.lowering.context

    def promises(self, program: Program) -> bool | None:
        if is_decomposed(program):
            self._decompose(with_example(program))  # Raises what it refuses.
            return True
        if program.is_declared or collective_program.is_collective(program):
            return None
        if module_program.is_module(program):
            return None  # Its steps are told by trying.
        if program.op not in OPS:
            return False
        if program.is_quantized or (program.operands and 0 in program.operands[-1].shape):
            return None  # What the lowering takes, and which sizes of 0, is told by trying.
        types = [*program.operands, *program.results]
        is_small = all(np.prod(kind.shape) <= ELEMENTS_MAX for kind in types)
        survives = self.runs_everything or not fatal(program)
        return is_small and survives

    @staticmethod
    def _require_small(program: Program) -> None:
        """Of what is declared a step may be larger than all operands."""
        if "chlo." in program.mlir:
            raise Unsupported("the interpreter has no erf")
        sizes = re.findall(r"tensor<([0-9x]*)x[a-z]", program.mlir)
        elements = sum(np.prod([int(n) for n in size.split("x")]) for size in sizes)
        if elements > STEPS_MAX:
            raise Unsupported(f"a module of more than {STEPS_MAX} elements")

    def _decompose(self, program: Program) -> Program:
        """A ByteIR program, or a batch norm, as one of other ops of StableHLO's."""
        if batch_norm_program.is_batch_norm(program):
            program = batch_norm_stablehlo.decompose(program)
        else:
            program = byteir_stablehlo.decompose(program, self.variant)
        if "chlo." in program.mlir:
            raise Unsupported("the interpreter has no erf")
        elements = max(np.prod(kind.shape) for kind in [*program.operands, *program.results])
        if elements * program.mlir.count(" = ") > STEPS_MAX:
            raise Unsupported(f"a module of more than {STEPS_MAX} elements")
        return program

    def _decompose_step(self, program: Program) -> Program | None:
        """A step of a module that the interpreter does not know, as one of ops that it knows."""
        program.require_specified()
        if collective_program.is_collective(program):
            raise Unsupported("no processes in a module of several steps")
        if fatal(program) and not self.runs_everything:
            raise Unsupported(fatal(program))
        return self._decompose(program) if is_decomposed(program) else None

    def compile(self, program: Program) -> Handle | Specialized:
        program.require_specified()
        if program.is_dynamic and program.is_declared:
            self._require_small(program)
        if program.is_dynamic and (program.op not in OPS or program.is_quantized):
            return Specialized(program, self.compile)
        if any(np.prod(t.shape) > ELEMENTS_MAX for t in program.operands):
            raise Unsupported(f"more than {ELEMENTS_MAX} elements")
        if is_decomposed(program):
            program = self._decompose(program)
        if module_program.is_module(program):
            program = module_program.with_functions(program, self._decompose_step)
        program.require_known()
        if program.is_declared or module_program.is_module(program):
            self._require_small(program)
        wanted = program.results
        collective = None
        if collective_program.is_collective(program):
            collective = Collective.parse(program)
            collective.require_parts()
            _require_threads(collective)
            program = collective.own
        copies = 1 if collective is None else collective.processes
        with self.context, self.ir.Location.unknown():
            self.lowering.parse(program)
            if fatal(program) and not self.runs_everything:
                raise Unsupported(fatal(program))
            if program.is_quantized or "!quant." in program.mlir:
                program = self.lowering.lower(program)
            recasts = [Recast(kind, index) for index, kind in enumerate(program.results * copies)]
            module = self.ir.Module.parse(wrap(program, recasts, collective))
            types = [
                self.ir.Type.parse(mlir_type(kind.element, kind.shape))
                for kind in program.operands * copies
            ]
        dtypes = [kind.dtype for kind in program.operands * copies]
        wanted_types = [kind.dtype for kind in wanted] * copies
        text = str(module) if program.is_dynamic else ""
        return Handle(module, dtypes, types, recasts, wanted_types, collective, text)

    def execute_sized(self, handle: Handle | Specialized, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        """The interpreter gives a module the sizes of its operands before it runs it, in place: so it gets
        the same module each time, as it was compiled."""
        if isinstance(handle, Specialized):
            return self.execute(handle.at(operands, results), operands)
        with self.context, self.ir.Location.unknown():
            module = self.ir.Module.parse(handle.text)
            types = [
                self.ir.RankedTensorType.get(operand.shape, self.ir.RankedTensorType(kind).element_type)
                for operand, kind in zip(operands, handle.types)
            ]
        recasts = []
        for recast, kind in zip(handle.recasts, results):
            sized = copy.copy(recast)
            sized.kind = replace(recast.kind, shape=kind.shape)
            recasts.append(sized)
        return self.execute(replace(handle, module=module, types=types, recasts=recasts), operands)

    def execute_module(self, handle: Specialized, program: Program,
                       operands: list[np.ndarray]) -> list[np.ndarray]:  # fmt: skip
        return self.execute(handle.of(program), operands)

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        collective = handle.collective
        if collective is not None:  # What one process has of all operands, then the next.
            operands = [part for parts in zip(*collective.split(operands)) for part in parts]
        with self.context, self.ir.Location.unknown():
            attributes = [
                self.ir.DenseElementsAttr.get(operand.view(dtype), type=kind)
                for operand, dtype, kind in zip(operands, handle.dtypes, handle.types)
            ]
            values = list(self.stablehlo.eval_module(handle.module, attributes))
            results = []
            for recast, dtype in zip(handle.recasts, handle.wanted):
                parts = [np.array(values.pop(0)) for _ in recast.names]
                results.append(recast.read(parts).view(dtype))
        if collective is not None:
            count = len(collective.own.results)
            results = collective.join([results[i::count] for i in range(count)])
        return results


if __name__ == "__main__":
    assay_worker.main(Interpreter)

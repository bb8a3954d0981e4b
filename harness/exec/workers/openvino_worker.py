# SPDX-License-Identifier: Apache-2.0
"""OpenVINO, on the CPU, on models made in memory of its opset.

    assay run --executor openvino
    assay run --executor 'openvino?precision=bf16,threads=2'

Option precision is OpenVINO's hint of that name, what inference may compute floats in: f32 (default here), f16 or bf16, or
`chosen` by the plugin, which with mode=performance is bf16 on a processor that has it.  Option types=any takes types that
the CPU plugin documents to narrow as well: i64, ui32, ui64 and 16-bit integers to i32, f64 to f32; else these are refused.
Option mode=performance is the execution mode in which the plugin may be less precise (accuracy by default here).
`hardware` names all of that.

The models are in openvino_elementwise.py, openvino_stablehlo.py and openvino_byteir.py; programs of several steps are one
model, whose nodes the plugin fuses.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import assay_worker
from assay_worker import Program, Type, Unsupported, Worker
from openvino_backend import openvino_byteir, openvino_elementwise, openvino_stablehlo
from openvino_backend.openvino_graph import NARROWED, TYPES, Graph, Value
from shared_programs import byteir_program, module_program, standalone_script
from shared_programs.module_program import Module

MAKERS = {**openvino_elementwise.MAKERS, **openvino_stablehlo.MAKERS, **openvino_byteir.MAKERS}


@dataclass
class Handle:
    compiled: Any  # OpenVINO's model.
    request: Any
    program: Program
    lines: list[str]  # The Python that makes the model.
    names: tuple[list[str], list[str]]  # In it, of parameters and results.


class OpenVino(Worker):
    name = "openvino"
    validates = True
    compiling_is_dear = True
    takes_modules = True
    writes_scripts = True

    def __init__(self, options: dict[str, str]) -> None:
        precision = assay_worker.take(options, "precision", "f32", ("f32", "f16", "bf16", "chosen"))
        threads = int(assay_worker.take(options, "threads", "1"))
        mode = assay_worker.take(options, "mode", "accuracy", ("accuracy", "performance"))
        takes_any = assay_worker.take(options, "types", "computed", ("computed", "any")) == "any"
        super().__init__(options)
        import openvino
        from openvino import opset13

        self.openvino = openvino
        self.opset = opset13
        self.types = {**TYPES, **(NARROWED if takes_any else {})}
        self.core = openvino.Core()
        self.settings = {"INFERENCE_NUM_THREADS": threads, "EXECUTION_MODE_HINT": mode.upper()}
        if precision != "chosen":
            self.settings["INFERENCE_PRECISION_HINT"] = precision
        self.version = openvino.__version__.partition("-")[0]
        self.hardware = f"{assay_worker.processor()}, inference precision {precision}, for {mode}"

    def compile(self, program: Program) -> Handle:
        kinds = [*program.operands, *program.results]
        strange = {kind.storage.element for kind in kinds} - set(self.types)
        if strange:
            raise Unsupported(f"the CPU plugin computes nothing in {', '.join(sorted(strange))}")
        graph = Graph(self.openvino, self.opset)
        operands = [graph.parameter(kind) for kind in program.operands]
        if not operands:
            raise Unsupported("a model of constants alone")
        try:
            if module_program.is_module(program):
                results = self._make_module(graph, program, operands)
            else:
                results = self._make(graph, program, operands)
            self._check(results, program)
            compiled = self.core.compile_model(graph.model(results), "CPU", self.settings)
        except (RuntimeError, TypeError) as error:  # Nodes and kernels that OpenVINO does not have.
            raise Unsupported(str(error)) from error
        names = [value.name for value in operands], [value.name for value in results]
        handle = Handle(compiled, compiled.create_infer_request(), program, graph.lines, names)
        try:  # Some kernels tell only when they run what they do not do.
            self.execute(handle, byteir_program.example_operands(program))
        except RuntimeError as error:
            raise Unsupported(str(error)) from error
        return handle

    def _make(self, graph: Graph, program: Program, operands: list[Value]) -> list[Value]:
        if program.op not in MAKERS:
            raise Unsupported(f"no {program.op} here")
        return MAKERS[program.op](graph, program, operands)

    def _make_module(self, graph: Graph, program: Program, operands: list[Value]) -> list[Value]:
        module = Module.parse(program)
        values = {f"a{i}": value for i, value in enumerate(operands)}
        for name, (kind, array) in module.constants.items():
            if kind.storage.element not in self.types:
                raise Unsupported(f"{name} is {kind.element}")
            values[name] = graph.constant(array)
        for step in module.steps:
            try:
                made = self._make(graph, step.program, [values[name] for name in step.operands])
            except Unsupported as error:
                raise step.refuse(error) from error
            values.update(zip(step.results, made))
        return [values[name] for name in module.returns]

    def _check(self, results: list[Value], program: Program) -> None:
        """OpenVINO's own word of the results: what it infers otherwise is no such program."""
        for value, kind in zip(results, program.results):
            output = value.node if hasattr(value.node, "get_node") else value.node.output(0)
            wanted = getattr(self.openvino.Type, self.types[kind.storage.element])
            if tuple(output.get_shape()) != kind.shape or output.get_element_type() != wanted:
                found = f"{output.get_element_type()}{list(output.get_shape())}"
                raise TypeError(f"OpenVINO infers {found}, not {kind.element}{list(kind.shape)}")

    def _tensor(self, array: np.ndarray, kind: Type) -> Any:
        if kind.element == "bf16":  # Which numpy has not.
            return self.openvino.Tensor(array.view(np.uint16), list(array.shape), self.openvino.Type.bf16)
        return self.openvino.Tensor(array)

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        program, request = handle.program, handle.request
        if program.op == "stablehlo.remainder" and program.operands[0].element[0] in "iu" and not operands[1].all():
            raise Unsupported("no integers divided by zero")
        if program.op == "byteir.resize":
            byteir_program.resize(program).check_target(program.operands[0].shape, operands[1])
        for i, (array, kind) in enumerate(zip(operands, program.operands)):
            request.set_input_tensor(i, self._tensor(array, kind))
        request.infer()
        return [
            np.array(request.get_output_tensor(i).data).reshape(-1).view(kind.dtype).reshape(kind.shape)
            for i, kind in enumerate(program.results)
        ]

    def script(self, handle: Handle, program: Program, operands: list[np.ndarray]) -> str:
        given = [f"openvino.Tensor(operand{i}.view(numpy.uint16), list(operand{i}.shape), openvino.Type.bf16)"
                 if kind.element == "bf16" else f"openvino.Tensor(operand{i}.copy())"
                 for i, kind in enumerate(program.operands)]  # fmt: skip
        views = [f".reshape(-1).view(ml_dtypes.bfloat16).reshape({kind.shape})" if kind.element == "bf16" else ""
                 for kind in program.results]  # fmt: skip
        taken = [f"numpy.array(request.get_output_tensor({i}).data){view}" for i, view in enumerate(views)]
        parameters, results = (", ".join(names) for names in handle.names)
        return standalone_script.make(program, operands, HEAD, BODY.format(
            lines="\n".join(handle.lines), parameters=parameters, settings=self.settings,
            results=results, given="\n".join(f"request.set_input_tensor({i}, {one})" for i, one in enumerate(given)),
            taken=", ".join(taken)))  # fmt: skip


# Of script().
HEAD = """# Runs a model made of OpenVINO's opset on the CPU: pip install openvino
import openvino
from openvino import opset13 as ops
"""
BODY = """
{lines}
model = openvino.Model([{results}], [{parameters}], "program")
request = openvino.Core().compile_model(model, "CPU", {settings}).create_infer_request()
{given}
request.infer()
results = [{taken}]
"""

if __name__ == "__main__":
    assay_worker.main(OpenVino)

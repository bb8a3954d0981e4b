# SPDX-License-Identifier: Apache-2.0
"""TensorFlow Lite (LiteRT), on the CPU, on models of one program each.

    assay run --executor tflite --contract @harness/exec/workers/tflite.contract
    assay run --executor 'tflite?kernels=reference,threads=2'

Option kernels says which kernels compute: `xnnpack` (the interpreter's default: XNNPACK's where its
delegate takes the op, TensorFlow Lite's optimized ones elsewhere), `builtin` (these alone), or
`reference`.  A size that is unknown when a program is compiled is one in the model's shape signature, of which the
interpreter is told before each call.  The models are in tflite_ops.py and tflite_products.py; a script has
them as they are, in base64.
"""
from __future__ import annotations

import base64
import math
import textwrap
from dataclasses import dataclass
from typing import Any, Sequence

import numpy as np

import assay_worker
from assay_worker import Program, Type, Unsupported, Worker
from shared_programs import dynamic_program, standalone_script, window_program
from tflite_backend import tflite_ops
from tflite_backend.tflite_graph import Graph, quantized

KERNELS = {
    "xnnpack": "BUILTIN", "builtin": "BUILTIN_WITHOUT_DEFAULT_DELEGATES", "reference": "BUILTIN_REF",
}  # fmt: skip


@dataclass
class Handle:
    program: Program
    channels: list[Program]  # Programs of one scale that it is taken apart into, or itself.
    interpreters: list[Any]  # Of these, for the weights that follow.
    weights: bytes


class TensorFlowLite(Worker):
    name = "tflite"
    validates = True
    takes_dynamic = True
    writes_scripts = True

    def __init__(self, options: dict[str, str]) -> None:
        kernels = assay_worker.take(options, "kernels", "xnnpack", tuple(KERNELS))
        self.threads = int(assay_worker.take(options, "threads", "1"))
        super().__init__(options)
        from importlib.metadata import version

        from ai_edge_litert import interpreter

        self.interpreter = interpreter
        self.resolver_name = KERNELS[kernels]
        self.resolver = getattr(interpreter.OpResolverType, self.resolver_name)
        self.version = version("ai-edge-litert")
        self.hardware = f"{kernels} kernels, {assay_worker.processor()}"

    def promises(self, program: Program) -> bool | None:
        return None  # What compiles: finding out means to make a model.

    def compile(self, program: Program) -> Handle:
        dynamic_program.require_op(program)
        handle = Handle(program, apart(program), [], b"")
        known = dynamic_program.with_example(program)
        example = [np.zeros(kind.shape, kind.dtype) for kind in known.operands]
        try:
            self._execute(handle, example, known.results[0])
        except RuntimeError as error:  # Some kernels tell only when they run what they do not do.
            raise Unsupported(str(error)) from error
        return handle

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        return self._execute(handle, operands, handle.program.results[0])

    def execute_sized(self, handle: Handle, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        if any(array.size == 0 for array in operands):
            raise Unsupported("tensors of something")
        return self._execute(handle, operands, results[0])

    def _execute(self, handle: Handle, operands: list[np.ndarray], result: Type) -> list[np.ndarray]:
        axis = split_axis(handle.program)
        if axis == -1:
            return [self._run(handle, 0, operands).reshape(result.shape)]
        parts = [
            self._run(handle, channel, [np.take(operands[0], [channel], axis)])
            for channel in range(len(handle.channels))
        ]
        return [np.concatenate(parts, axis).reshape(result.shape)]

    def _run(self, handle: Handle, channel: int, operands: Sequence[np.ndarray]) -> np.ndarray:
        program = handle.channels[channel]
        graph = Graph(program.operands, operands)
        output = tflite_ops.make(graph, program)
        weights = b"".join(operands[index].tobytes() for index in sorted(graph.baked))
        if handle.weights != weights:
            handle.interpreters, handle.weights = [], weights
        if channel == len(handle.interpreters):
            handle.interpreters.append(self._load(graph.model([output])))
        interpreter = handle.interpreters[channel]
        inputs = list(zip(interpreter.get_input_details(), sorted(graph.given)))
        if program.is_dynamic:
            for details, index in inputs:
                interpreter.resize_tensor_input(details["index"], operands[index].shape, strict=True)
            interpreter.allocate_tensors()
        for details, index in inputs:
            interpreter.set_tensor(details["index"], operands[index])
        interpreter.invoke()
        return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy()

    def _load(self, model: bytes) -> Any:
        try:
            interpreter = self.interpreter.Interpreter(
                model_content=model, num_threads=self.threads,
                experimental_op_resolver_type=self.resolver,
            )  # fmt: skip
            interpreter.allocate_tensors()
            return interpreter
        except (RuntimeError, ValueError) as error:
            raise Unsupported(str(error)) from error

    def script(self, handle: Handle, program: Program, operands: list[np.ndarray]) -> str:
        axis = split_axis(handle.program)
        models, runs = [], []
        for channel, part in enumerate(handle.channels):
            taken = operands if axis == -1 else [np.take(operands[0], [channel], axis)]
            graph = Graph(part.operands, taken)
            model = graph.model([tflite_ops.make(graph, part)])
            models.append(f'model{channel} = base64.b64decode("""\n{_folded(model)}\n""")')
            given = [f"operand{index}" if axis == -1 else f"numpy.take(operand{index}, [{channel}], {axis})"
                     for index in sorted(graph.given)]  # fmt: skip
            runs.append(f"run({', '.join([f'model{channel}', *given])})")
        return standalone_script.make(program, operands, HEAD, BODY.format(
            models="\n".join(models), threads=self.threads, resolver=self.resolver_name,
            parts=", ".join(runs), axis=max(axis, 0), shape=handle.program.results[0].shape))  # fmt: skip


def _folded(model: bytes) -> str:
    return textwrap.fill(base64.b64encode(model).decode(), 120)


# Of script().
HEAD = """# Runs TensorFlow Lite models, made with the classes of TensorFlow Lite's own schema: pip install ai-edge-litert
import base64

from ai_edge_litert.interpreter import Interpreter, OpResolverType
"""
BODY = """
{models}


def run(model, *inputs):
    interpreter = Interpreter(
        model_content=model, num_threads={threads}, experimental_op_resolver_type=OpResolverType.{resolver}
    )
    interpreter.allocate_tensors()
    for details, array in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(details["index"], array)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]).copy()


parts = [{parts}]
results = [(numpy.concatenate(parts, {axis}) if len(parts) > 1 else parts[0]).reshape({shape})]
"""


def split_axis(program: Program) -> int:
    """The dimension by whose indices a requantization is taken apart, for QUANTIZE has one scale of
    operands that are quantized; or -1."""
    if program.op != "stablehlo.uniform_quantize" or len(program.operands) != 1:
        return -1
    found = [kind.quantization for kind in window_program.same_shape(program)]
    if found[0] is None or found[1] is None:
        return -1
    axes = {stored.axis for stored in found if stored is not None} - {-1}
    if len(axes) > 1:
        raise Unsupported("scales along one dimension")
    return axes.pop() if axes else -1


def apart(program: Program) -> list[Program]:
    """One program for each channel, of one scale."""
    axis = split_axis(program)
    if axis == -1:
        return [program]
    if math.prod(program.operands[0].shape) == 0:
        raise Unsupported("channels of nothing")
    return [
        Program(program.line, program.op, program.attributes,
                [_channel(kind, axis, i) for kind in program.operands],
                [_channel(kind, axis, i) for kind in program.results], program.mlir)
        for i in range(program.operands[0].shape[axis])
    ]  # fmt: skip


def _channel(kind: Type, axis: int, index: int) -> Type:
    stored = kind.quantization
    assert stored is not None
    shape = [1 if dim == axis else size for dim, size in enumerate(kind.shape)]
    place = index if stored.axis == axis else 0
    one = assay_worker.Quantization(
        stored.storage, stored.minimum, stored.maximum, stored.expressed, -1,
        stored.scales[place : place + 1], stored.zero_points[place : place + 1],
    )  # fmt: skip
    return quantized(one, shape)


if __name__ == "__main__":
    assay_worker.main(TensorFlowLite)

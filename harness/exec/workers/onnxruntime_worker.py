"""ONNX Runtime, on the CPU.

    assay run --executor onnxruntime
    assay run --executor 'onnxruntime?optimize=all,threads=1'

A reduction is ONNX's over all its dimensions, then combined once with the initial value; a product
is Transpose, Reshape and MatMul, then Reshape.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

import assay_worker
from assay_worker import Program, Type, Unsupported, Worker

OPSET = 21
REDUCTIONS = {
    "add": ("ReduceSum", "Add"),
    "multiply": ("ReduceProd", "Mul"),
    "maximum": ("ReduceMax", "Max"),
    "minimum": ("ReduceMin", "Min"),
}
TYPES = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64")
LEVELS = {"none": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "all": "ORT_ENABLE_ALL"}


@dataclass
class Handle:
    session: Any


class Graph:
    """Nodes that follow one another; each takes names and gives one."""

    def __init__(self, helper: Any) -> None:
        self.helper = helper
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def integers(self, values: list[int]) -> str:
        name = f"constant{len(self.constants)}"
        tensor = self.helper.make_tensor(name, 7, [len(values)], values)  # 7 is INT64.
        self.constants.append(tensor)
        return name

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        name = f"value{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(op, inputs, [name], **attributes))
        return name


class OnnxRuntime(Worker):
    name = "onnxruntime"

    def __init__(self, options: dict[str, str]) -> None:
        level = assay_worker.take(options, "optimize", "all", tuple(LEVELS))
        threads = assay_worker.take(options, "threads", "1")
        super().__init__(options)
        import onnx
        import onnxruntime

        self.onnx = onnx
        self.runtime = onnxruntime
        self.version = onnxruntime.__version__
        self.hardware = assay_worker.processor()
        self.options = onnxruntime.SessionOptions()
        self.options.graph_optimization_level = getattr(
            onnxruntime.GraphOptimizationLevel, LEVELS[level]
        )
        self.options.intra_op_num_threads = int(threads)
        self.options.log_severity_level = 4

    def compile(self, program: Program) -> Handle:
        strange = {kind.element for kind in program.operands} - set(TYPES)
        if strange:
            raise Unsupported(f"computes nothing in {', '.join(strange)}")
        graph = Graph(self.onnx.helper)
        if program.op == "stablehlo.reduce":
            last = self._reduce(graph, program)
        elif program.op == "stablehlo.dot_general":
            last = self._dot_general(graph, program)
        else:
            raise Unsupported(f"no {program.op} here")
        model = self._model(graph, program, last)
        try:
            return Handle(self.runtime.InferenceSession(model, self.options))
        except Exception as error:
            if "NOT_IMPLEMENTED" in str(error) or "is invalid" in str(error):
                raise Unsupported(str(error)) from error
            raise

    def _model(self, graph: Graph, program: Program, last: str) -> bytes:
        helper = self.onnx.helper

        def value(name: str, kind: Type) -> Any:
            code = helper.np_dtype_to_tensor_dtype(kind.dtype)
            return helper.make_tensor_value_info(name, code, kind.shape)

        inputs = [value(f"operand{i}", kind) for i, kind in enumerate(program.operands)]
        whole = helper.make_graph(
            graph.nodes, "program", inputs, [value(last, program.results[0])], graph.constants
        )
        opset = [helper.make_opsetid("", OPSET)]
        return helper.make_model(whole, opset_imports=opset, ir_version=10).SerializeToString()

    def _reduce(self, graph: Graph, program: Program) -> str:
        body = program.attributes["body"]
        dims = assay_worker.plain_reduction(program)
        if body not in REDUCTIONS:
            raise Unsupported(f"no reduction by {body}")
        fold, combine = REDUCTIONS[body]
        folded = graph.add(fold, ["operand0", graph.integers(dims)], keepdims=0)
        return graph.add(combine, [folded, "operand1"])

    def _dot_general(self, graph: Graph, program: Program) -> str:
        batch, contract = assay_worker.plain_product(program)
        if any(0 in kind.shape for kind in program.operands):
            raise Unsupported("products of nothing")
        sides = []
        for side, kind in enumerate(program.operands):
            fixed = [*batch[side], *contract[side]]
            free = [dim for dim in range(len(kind.shape)) if dim not in fixed]
            groups = [batch[side], free, contract[side]]
            if side == 1:
                groups = [batch[side], contract[side], free]
            order = [dim for group in groups for dim in group]
            moved = f"operand{side}"
            if order != sorted(order):
                moved = graph.add("Transpose", [moved], perm=order)
            sizes = [math.prod(kind.shape[dim] for dim in group) for group in groups]
            sides.append(graph.add("Reshape", [moved, graph.integers(sizes)]))
        product = graph.add("MatMul", sides)
        return graph.add("Reshape", [product, graph.integers(list(program.results[0].shape))])

    def execute(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        feed = {f"operand{i}": operand for i, operand in enumerate(operands)}
        return [np.asarray(result) for result in handle.session.run(None, feed)]


if __name__ == "__main__":
    assay_worker.main(OnnxRuntime)

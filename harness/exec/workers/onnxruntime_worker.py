# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime, on the CPU.

    assay run --executor onnxruntime
    assay run --executor 'onnxruntime?optimize=all,threads=1'

opset=21 writes programs of several steps in that version of ONNX's ops, in place of 20.

With types=exact quantized types whose parameters make ONNX, or ONNX Runtime's kernels, round
otherwise than StableHLO are refused (default types=any: onnxruntime.contract permits what they do).

A reduction is ONNX's over all its dimensions, then combined once with the initial value; a product
is Transpose, Reshape and MatMul, then Reshape.  Convolutions, windows, conversions and
quantized products are in onnxruntime_stablehlo.py, what works element by element or moves
elements in onnxruntime_elementwise.py, the batch norm in onnxruntime_batch_norm.py, the graphs of
the ByteIR ops in onnxruntime_byteir.py and onnxruntime_data_dependent.py, and programs of several
steps in onnxruntime_module.py.  A size that is unknown is a name in the graph, the same name where it is
the same size; what a graph reshapes to is computed of the shapes that it gets.
"""
from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Sequence

import numpy as np

import assay_worker
from assay_worker import Program, Type, Unsupported, Worker
from onnxruntime_backend import (
    onnxruntime_batch_norm,
    onnxruntime_byteir,
    onnxruntime_data_dependent,
    onnxruntime_elementwise,
    onnxruntime_module,
    onnxruntime_pointwise,
    onnxruntime_stablehlo,
)
from shared_programs import (
    accumulation_program,
    batch_norm_program,
    byteir_program,
    data_dependent_program,
    dynamic_program,
    module_program,
    standalone_script,
)
from shared_programs.accumulation_program import Chain

OPSET = 21
# Of modules: with 21 the optimizer of 1.31.1 gives a QuantizeLinear of i8 a zero point of ui8, and then refuses its own
# graph; with opset=21 that is to be seen.
MODULE_OPSET = 20
REDUCTIONS = {
    "add": ("ReduceSum", "Add"),
    "multiply": ("ReduceProd", "Mul"),
    "maximum": ("ReduceMax", "Max"),
    "minimum": ("ReduceMin", "Min"),
}
TYPES = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64", "f16", "f32", "f64")
NOT_NUMPYS = ("bf16", "f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ")
# Padding of a whole window is refused by a check without a name of its own.
REFUSALS = "NOT_IMPLEMENTED|is invalid|ShapeInferenceError|pool_attributes"
# Ops some of whose kernels tell only when they run what they do not do.
TRIED = (
    *onnxruntime_stablehlo.MAKERS,
    *onnxruntime_elementwise.MAKERS,
    *onnxruntime_pointwise.MAKERS,
)
OTHERS = {**onnxruntime_byteir.MAKERS, **onnxruntime_data_dependent.MAKERS}
LEVELS = {"none": "ORT_DISABLE_ALL", "basic": "ORT_ENABLE_BASIC", "all": "ORT_ENABLE_ALL"}


@dataclass
class Handle:
    session: Any
    program: Program
    model: bytes = b""  # What the session was made of.


class Graph:
    """Nodes that follow one another; each takes names and gives one, or as many as it is asked."""

    leaves_matrices = False  # Products of matrices have no batch of 1 around them.

    def __init__(self, helper: Any, takes_any: bool) -> None:
        self.helper = helper
        self.takes_any = takes_any  # Types that ONNX or its kernels round otherwise.
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def code(self, dtype: np.dtype) -> int:
        return self.helper.np_dtype_to_tensor_dtype(dtype)

    def constant(self, array: np.ndarray) -> str:
        name = f"constant{len(self.constants)}"
        tensor = self.helper.make_tensor(
            name, self.code(array.dtype), array.shape, array.tobytes(), raw=True
        )
        self.constants.append(tensor)
        return name

    def integers(self, values: list[int]) -> str:
        return self.constant(np.array(values, np.int64))

    def sizes(self, groups: list[list[tuple[str, int, int]]]) -> str:
        """A list of sizes, each a product of dimensions: of that name, that dimension, which has that size or -1."""
        if all(size >= 0 for group in groups for _, _, size in group):
            return self.integers([math.prod(size for _, _, size in group) for group in groups])
        parts = [self._size(group) for group in groups]
        return parts[0] if len(parts) == 1 else self.add("Concat", parts, axis=0)

    def _size(self, group: list[tuple[str, int, int]]) -> str:
        size = self.integers([math.prod(size for _, _, size in group if size >= 0)])
        for name, dim, known in group:
            if known < 0:
                one = self.add("Shape", [name], start=dim, end=dim + 1)
                size = self.add("Mul", [size, one])
        return size

    def filled(self, like: str, value: float, kind: Type) -> str:
        """As large as the tensor of that name."""
        array = np.array([value], np.float64).astype(kind.dtype)
        tensor = self.helper.make_tensor("value", self.code(kind.dtype), [1], array.tobytes(), raw=True)
        return self.add("ConstantOfShape", [self.add("Shape", [like])], value=tensor)

    def number(self, value: float, kind: Type) -> str:
        return self.constant(np.array(value, np.float64).astype(kind.dtype))

    def add_many(self, op: str, inputs: list[str], count: int, **attributes: Any) -> list[str]:
        names = [f"value{len(self.nodes)}_{i}" for i in range(count)]
        self.nodes.append(self.helper.make_node(op, inputs, names, **attributes))
        return names

    def add(self, op: str, inputs: list[str], **attributes: Any) -> str:
        return self.add_many(op, inputs, 1, **attributes)[0]

    def cast(self, name: str, kind: Type) -> str:
        return self.add("Cast", [name], to=self.code(kind.dtype))

    def cast_index(self, name: str, kind: Type) -> str:
        """An index of ONNX's, which is i64, as `kind`."""
        return name if kind.element == "i64" else self.cast(name, kind)


class OnnxRuntime(Worker):
    name = "onnxruntime"
    validates = True
    takes_modules = True
    writes_scripts = True
    takes_dynamic = True

    def __init__(self, options: dict[str, str]) -> None:
        level = assay_worker.take(options, "optimize", "all", tuple(LEVELS))
        threads = assay_worker.take(options, "threads", "1")
        types = assay_worker.take(options, "types", "any", ("any", "exact"))
        self.module_opset = int(assay_worker.take(options, "opset", str(MODULE_OPSET), ("20", "21")))
        super().__init__(options)
        import onnx
        import onnxruntime

        self.takes_any = types == "any"
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

    def compile(self, program: Program) -> Handle | Chain:
        dynamic_program.require_op(program)
        if accumulation_program.is_accumulated(program):
            return Chain.compile(self, program)
        kinds = [*program.operands, *program.results]
        strange = {kind.storage.element for kind in kinds} - set(TYPES)
        strange -= set(onnxruntime_stablehlo.types(program))
        strange -= set(onnxruntime_elementwise.types(program))
        strange -= set(onnxruntime_pointwise.types(program))
        strange -= set(onnxruntime_data_dependent.types(program))
        if module_program.is_module(program):  # What its steps do with its operands says theirs.
            strange = onnxruntime_module.types(program) - set(TYPES)
        if byteir_program.is_byteir(program):
            strange -= {"bf16"}  # ONNX Runtime tells for which of these ops.
        if strange:
            raise Unsupported(f"computes nothing in {', '.join(strange)}")
        graph = Graph(self.onnx.helper, self.takes_any)
        if module_program.is_module(program):
            results = onnxruntime_module.make(graph, program, self._make)
        else:
            results = self._make(graph, program)
        model = self._model(graph, program, results)
        try:
            handle = Handle(self.runtime.InferenceSession(model, self.options), program, model)
        except Exception as error:
            if re.search(REFUSALS, str(error)):
                raise Unsupported(str(error)) from error
            raise
        if program.op in data_dependent_program.OPS:
            return handle
        known = dynamic_program.with_example(program)
        if byteir_program.is_byteir(program) or batch_norm_program.is_batch_norm(program):
            self._try(Handle(handle.session, known), byteir_program.example_operands(known))
        elif program.op in TRIED or program.is_quantized or module_program.is_module(program):
            operands = [np.zeros(kind.shape, kind.dtype) for kind in known.operands]
            self._try(Handle(handle.session, known), operands)
        return handle

    def _make(self, graph: Any, program: Program) -> list[str]:
        """The results' names of a program of one op."""
        if program.op == "stablehlo.reduce":
            return [self._reduce(graph, program)]
        if program.op == "stablehlo.dot_general":
            return [self._dot_general(graph, program)]
        if program.op in onnxruntime_stablehlo.MAKERS:
            return [onnxruntime_stablehlo.MAKERS[program.op](graph, program)]
        if program.op in onnxruntime_elementwise.MAKERS:
            return [onnxruntime_elementwise.MAKERS[program.op](graph, program)]
        if program.op in onnxruntime_pointwise.MAKERS:
            return [onnxruntime_pointwise.MAKERS[program.op](graph, program)]
        if batch_norm_program.is_batch_norm(program):
            return onnxruntime_batch_norm.make(graph, program)
        if program.op in OTHERS:
            return OTHERS[program.op](graph, program)
        raise Unsupported(f"no {program.op} here")

    def _try(self, handle: Handle, operands: list[np.ndarray]) -> None:
        """Some kernels tell only when they run what they do not do."""
        try:
            self.execute(handle, operands)
        except Exception as error:
            raise Unsupported(str(error)) from error

    def _model(self, graph: Graph, program: Program, results: list[str]) -> bytes:
        helper = self.onnx.helper

        names: tuple[list[list[str]], list[list[str]]] = ([], [])
        if program.is_dynamic:
            names = dynamic_program.names(program)

        def value(name: str, kind: Type, dims: list[str]) -> Any:
            sizes = [dims[dim] if size < 0 else size for dim, size in enumerate(kind.shape)]
            return helper.make_tensor_value_info(name, graph.code(kind.dtype), sizes)

        inputs = [
            value(f"operand{i}", kind, dims)
            for i, (kind, dims) in enumerate(zip_longest(program.operands, names[0], fillvalue=[]))
        ]
        outputs = [
            value(name, kind, dims)
            for name, kind, dims in zip_longest(results, program.results, names[1], fillvalue=[])
        ]
        whole = helper.make_graph(graph.nodes, "program", inputs, outputs, graph.constants)
        version = self.module_opset if module_program.is_module(program) else OPSET
        opset = [helper.make_opsetid("", version)]
        return helper.make_model(whole, opset_imports=opset, ir_version=10).SerializeToString()

    def _reduce(self, graph: Graph, program: Program) -> str:
        body = program.attributes["body"]
        dims = assay_worker.plain_reduction(program, takes_quantized=True)
        if program.is_quantized:
            return onnxruntime_stablehlo.quantized_sum(graph, program, dims)
        if body not in REDUCTIONS:
            raise Unsupported(f"no reduction by {body}")
        fold, combine = REDUCTIONS[body]
        folded = graph.add(fold, ["operand0", graph.integers(dims)], keepdims=0)
        return graph.add(combine, [folded, "operand1"])

    def _dot_general(self, graph: Graph, program: Program) -> str:
        batch, contract = assay_worker.plain_product(program, takes_quantized=True)
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
            sizes = [[(f"operand{side}", dim, kind.shape[dim]) for dim in group] for group in groups]
            if graph.leaves_matrices and len(order) == 2 and not batch[side]:
                sides.append(moved)  # No node between those that the optimizer fuses.
            else:
                sides.append(graph.add("Reshape", [moved, graph.sizes(sizes)]))
        if program.is_quantized:
            product = onnxruntime_stablehlo.quantized_dot_general(graph, program, sides)
        else:
            product = graph.add("MatMul", sides)
        are_matrices = all(len(kind.shape) == 2 for kind in [*program.operands, *program.results])
        if graph.leaves_matrices and are_matrices and not batch[0]:
            return product
        kept = [(0, dim) for dim in batch[0]]
        for side, kind in enumerate(program.operands):
            fixed = [*batch[side], *contract[side]]
            kept += [(side, dim) for dim in range(len(kind.shape)) if dim not in fixed]
        sizes = [[(f"operand{side}", dim, program.operands[side].shape[dim])] for side, dim in kept]
        return graph.add("Reshape", [product, graph.sizes(sizes)])

    def execute(self, handle: Handle | Chain, operands: list[np.ndarray]) -> list[np.ndarray]:
        if isinstance(handle, Chain):
            return handle.execute(self, operands)
        program = handle.program
        kinds = [*program.operands, *program.results]
        if any(kind.storage.element in NOT_NUMPYS for kind in kinds):
            return self._execute_bound(handle, operands)
        feed = {f"operand{i}": operand for i, operand in enumerate(operands)}
        try:
            return [np.asarray(result) for result in handle.session.run(None, feed)]
        except Exception as error:
            if "ScalesValidation" in str(error):  # Which scales it takes is told by the data.
                raise Unsupported(str(error)) from error
            raise

    def execute_sized(self, handle: Handle, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        dynamic_program.require_something(handle.program, operands)
        program = dynamic_program.at_sizes(handle.program, operands, results)
        return self.execute(Handle(handle.session, program), operands)

    def _execute_bound(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        """The same by addresses: run() knows no array of a type that numpy itself has not."""
        results = [np.empty(kind.shape, kind.dtype) for kind in handle.program.results]
        binding = handle.session.io_binding()
        code = self.onnx.helper.np_dtype_to_tensor_dtype
        for i, array in enumerate(operands):
            place = (array.shape, array.ctypes.data)
            binding.bind_input(f"operand{i}", "cpu", 0, code(array.dtype), *place)
        for output, array in zip(handle.session.get_outputs(), results):
            place = (array.shape, array.ctypes.data)
            binding.bind_output(output.name, "cpu", 0, code(array.dtype), *place)
        handle.session.run_with_iobinding(binding)
        return results

    def script(self, handle: Any, program: Program, operands: list[np.ndarray]) -> str:
        if not isinstance(handle, Handle):
            raise Unsupported("scripts run one model")
        model = self.onnx.load_from_string(handle.model)
        for node in model.graph.node:
            node.ClearField("name")  # The text has none, and gives all a domain.
            node.domain = node.domain
        text, raw = self.onnx.printer.to_text(model), model.SerializeToString()
        level = str(self.options.graph_optimization_level).rpartition(".")[2]
        try:  # As text if that says all: numbers of constants are decimal there.
            is_whole = self.onnx.parser.parse_model(text).SerializeToString() == raw
        except Exception:
            is_whole = False
        source = f"onnx.parser.parse_model(r'''\n{text}\n''')" if is_whole else (
            f'onnx.load_from_string(bytes.fromhex("{raw.hex()}"))\n# ' + "\n# ".join(text.splitlines()))
        kinds = [*program.operands, *program.results]
        is_bound = any(kind.storage.element in NOT_NUMPYS for kind in kinds)
        run = self._bound_run(program) if is_bound else RUN.format(
            feed=", ".join(f'"operand{i}": operand{i}' for i in range(len(operands))))
        return standalone_script.make(program, operands, HEAD, BODY.format(
            model=source, level=level, threads=self.options.intra_op_num_threads) + run)  # fmt: skip

    def _bound_run(self, program: Program) -> str:
        """What _execute_bound() does, in a script."""
        kinds = [f"onnx.TensorProto.{self.onnx.TensorProto.DataType.Name(self.onnx.helper.np_dtype_to_tensor_dtype(kind.dtype))}"
                 for kind in [*program.operands, *program.results]]  # fmt: skip
        count = len(program.operands)
        given = ", ".join(f"(operand{i}, {kind})" for i, kind in enumerate(kinds[:count]))
        empty = ", ".join(f"numpy.empty({kind.shape}, {standalone_script.dtype_name(kind.dtype)})" for kind in program.results)
        return BOUND_RUN.format(given=given, empty=empty, kinds=", ".join(kinds[count:]))


# Of script().
HEAD = """# Runs an ONNX model on ONNX Runtime: pip install onnx onnxruntime
import onnx
import onnx.parser
import onnxruntime
"""
BODY = """
model = {model}
options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.{level}
options.intra_op_num_threads = {threads}
session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
"""
RUN = """results = [numpy.asarray(result) for result in session.run(None, {{{feed}}})]
"""
BOUND_RUN = """# run() knows no array of a type that numpy itself has not: operands and results are told by their addresses.
results = [{empty}]
binding = session.io_binding()
for i, (array, kind) in enumerate([{given}]):
    binding.bind_input(f"operand{{i}}", "cpu", 0, kind, array.shape, array.ctypes.data)
for output, array, kind in zip(session.get_outputs(), results, [{kinds}]):
    binding.bind_output(output.name, "cpu", 0, kind, array.shape, array.ctypes.data)
session.run_with_iobinding(binding)
"""

if __name__ == "__main__":
    assay_worker.main(OnnxRuntime)

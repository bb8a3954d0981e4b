# SPDX-License-Identifier: Apache-2.0
"""PyTorch, eager, on the CPU or a GPU.

    assay run --executor torch
    assay run --executor 'torch?device=cuda,threads=1'

A reduction is torch's over all its dimensions, then combined once with the initial value; a product
is torch.einsum, which permutes and reshapes into one batched matrix product, and a precision_config
of products and convolutions is torch's setting of that name (torch_stablehlo.py).  Convolutions,
windows and conversions are in torch_stablehlo.py, quantized tensors, with what the options types=exact
and engine=fbgemm mean, in torch_quantized.py, what works element by element or moves
elements in torch_elementwise.py, the batch norms in torch_batch_norm.py, the ByteIR ops in
torch_byteir.py, with what the options resize_to_1=run, top_k=topk and zero_point=before mean, and
those whose operands say where elements go in torch_data_dependent.py; all_reduce and reduce_scatter
are gloo's (torch_collective.py).  Modules of several steps, with what the option modules=compile means, are in
torch_module.py.  functions=FILE names functions
of your own by the ops that they do: python_functions.py.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

import assay_worker
from assay_worker import Invalid, Program, Type, Unsupported, Worker
from shared_programs import (
    accumulation_program,
    batch_norm_program,
    byteir_program,
    collective_program,
    data_dependent_program,
    dynamic_program,
    module_program,
    pointwise_program,
    product_program,
    standalone_script,
)
from shared_programs.accumulation_program import Chain
from shared_programs.elementwise_program import ELEMENTWISE, MOVEMENTS
from shared_programs.python_functions import PythonFunctions
from torch_backend import torch_module
from torch_backend.torch_batch_norm import TorchBatchNorm
from torch_backend.torch_byteir import Options, TorchByteir
from torch_backend.torch_collective import TorchCollective
from torch_backend.torch_data_dependent import TorchDataDependent
from torch_backend.torch_elementwise import TorchElementwise
from torch_backend.torch_pointwise import TorchPointwise
from torch_backend.torch_quantized import TorchQuantized
from torch_backend.torch_stablehlo import TorchStablehlo

F8_TYPES = ("f8E4M3FN", "f8E4M3FNUZ", "f8E5M2", "f8E5M2FNUZ", "f8E8M0FNU")


@dataclass
class Handle:
    run: Callable[..., list[Any]]
    program: Program


class Torch(Worker):
    name = "torch"
    validates = True
    takes_modules = True
    writes_scripts = True
    takes_dynamic = True  # Eager: what is found for a program is a function of tensors of any size.

    def __init__(self, options: dict[str, str]) -> None:
        self.device = assay_worker.take(options, "device", "cpu", ("cpu", "cuda"))
        threads = assay_worker.take(options, "threads", "0")
        resize_to_1 = assay_worker.take(options, "resize_to_1", "refused", ("refused", "run"))
        top_k = assay_worker.take(options, "top_k", "sort", ("sort", "topk"))
        zero_point = assay_worker.take(options, "zero_point", "after", ("after", "before"))
        precision = assay_worker.take(options, "precision", "refused", ("refused", "set"))
        types = assay_worker.take(options, "types", "any", ("any", "exact"))
        engine = assay_worker.take(options, "engine", "")
        modules = assay_worker.take(options, "modules", torch_module.WAYS[0], torch_module.WAYS)
        self.functions = PythonFunctions(assay_worker.take(options, "functions", ""))
        self.validates = not self.functions  # The user's need not check programs.
        super().__init__(options)
        import torch

        if int(threads) > 0:
            torch.set_num_threads(int(threads))
        self.torch = torch
        engines = torch.backends.quantized.supported_engines
        if engine and engine not in engines:
            raise Invalid(f"engine is one of {', '.join(engines)}, not {engine}")
        self.version = torch.__version__ + self.functions.version
        capability = torch.backends.cpu.get_cpu_capability()
        gpu = torch.cuda.get_device_name() if self.device == "cuda" else None
        self.hardware = gpu or f"{capability}, {assay_worker.processor()}"
        self.types = {
            "i1": torch.bool, "i8": torch.int8, "i16": torch.int16, "i32": torch.int32,
            "i64": torch.int64, "ui8": torch.uint8, "f16": torch.float16, "bf16": torch.bfloat16,
            "f32": torch.float32, "f64": torch.float64, "complex<f32>": torch.complex64,
            "complex<f64>": torch.complex128,
        }  # fmt: skip
        self.batch_norms = TorchBatchNorm(torch, self.device, self.types)
        # Types that numpy has not: what is passed as integers of their size.
        self.foreign: dict[str, tuple[Any, Any]] = {"bf16": (torch.bfloat16, torch.int16)} | {
            name: (getattr(torch, f"float8_{name[2:].lower()}"), torch.int8) for name in F8_TYPES
        }
        self.conversions = self.types | {name: kind for name, (kind, _) in self.foreign.items()}
        self.conversions |= {
            "ui16": torch.uint16, "ui32": torch.uint32, "ui64": torch.uint64,
        }  # fmt: skip
        choices = Options(resize_to_1 == "run", top_k == "topk", zero_point == "before")
        self.byteir = TorchByteir(torch, self.device, self._tensor, choices)
        self.stablehlo = TorchStablehlo(torch, sets_precision=precision == "set")
        self.quantized = TorchQuantized(torch, self.device, types == "any", engine)
        self.compiling_is_dear = modules == "compile"
        self.compiled = TorchQuantized(
            torch, self.device, types == "any", engine, is_traced=True
        )
        self.modules = torch_module.TorchModule(torch, modules, self._tensor)
        self.elementwise = TorchElementwise(torch)
        self.pointwise = TorchPointwise(torch)
        self.data_dependent = TorchDataDependent(torch)
        self.collectives = TorchCollective(torch, self.device)

    def promises(self, program: Program) -> bool | None:
        if program.op in self.functions or accumulation_program.is_accumulated(program):
            return None  # What compiles.
        tried = (byteir_program.is_byteir, batch_norm_program.is_batch_norm, module_program.is_module)
        if any(is_tried(program) for is_tried in tried):
            return None  # What compiles: finding out means to run it.
        try:
            self._find(program)
        except (Unsupported, Invalid):
            return False
        return True

    def compile(self, program: Program) -> Handle | Chain:
        if program.op not in self.functions:
            dynamic_program.require_op(program)
        if accumulation_program.is_accumulated(program) and program.op not in self.functions:
            return Chain.compile(self, program)
        if module_program.is_module(program):
            return Handle(self.modules.find(program, self._find_step), program)
        return Handle(self._find(program), program)

    def _find(self, program: Program) -> Callable[..., list[Any]]:
        if program.op in self.functions:
            self._require_types(program, self.conversions)
            return self._try_function(program)
        if program.is_quantized and program.op not in MOVEMENTS:
            return self.quantized.find(program)
        is_dependent = program.op in data_dependent_program.OPS
        slices = program.op in ("stablehlo.slice", "stablehlo.reverse")
        moves = program.op in ("stablehlo.convert", "stablehlo.slice") or program.op in MOVEMENTS
        self._require_types(program, self.conversions if moves else self.types)
        if program.op == "stablehlo.reduce":
            return self._reduce(program)
        if program.op == "stablehlo.dot_general":
            return self._dot_general(program)
        if is_dependent:
            return self.data_dependent.find(program)
        if byteir_program.is_byteir(program):
            return self.byteir.find(program)
        if program.op in (*ELEMENTWISE, *MOVEMENTS) or slices:
            return self.elementwise.find(program)
        if program.op in pointwise_program.OPS:
            return self.pointwise.find(program)
        if self.stablehlo.knows(program.op):
            return self.stablehlo.find(program, self.conversions)
        if batch_norm_program.is_batch_norm(program):
            return self.batch_norms.find(program)
        if collective_program.is_collective(program):
            return self.collectives.find(program)
        raise Unsupported(f"no {program.op} here")

    def _find_step(self, program: Program) -> Callable[..., list[Any]]:
        """Of a module: what can be compiled with others where that is asked for."""
        if accumulation_program.is_accumulated(program):
            raise Unsupported("a type of accumulation, which only RFC 000 knows")
        is_traced = self.modules.way == "compile" and program.is_quantized
        if is_traced and program.op not in MOVEMENTS:
            return self.compiled.find(program)
        return self._find(program)

    def _try_function(self, program: Program) -> Callable[..., list[Any]]:
        """A function of the user's, which refuses when it runs."""
        run = self.functions.find(program)
        try:
            kinds = dynamic_program.example(program.operands)
            run(*(self._tensor(np.ones(kind.shape, kind.dtype)) for kind in kinds))
        except Unsupported:
            raise
        except Exception:  # These are no case's numbers: they need not be places, for one.
            pass
        return run

    def _require_types(self, program: Program, types: dict[str, Any]) -> None:
        for kind in [*program.operands, *program.results]:
            if kind.storage.element not in types:
                raise Unsupported(f"torch computes nothing in {kind.element}")

    def _reduce(self, program: Program) -> Callable[..., list[Any]]:
        torch, body = self.torch, program.attributes["body"]
        dims = assay_worker.plain_reduction(program)
        element = program.operands[0].element
        folds: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
            "add": (lambda x: torch.sum(x, dims, dtype=x.dtype), torch.add),
            "maximum": (lambda x: torch.amax(x, dims), torch.maximum),
            "minimum": (lambda x: torch.amin(x, dims), torch.minimum),
        }
        if len(dims) == 1:
            folds["multiply"] = (lambda x: torch.prod(x, dims[0], dtype=x.dtype), torch.multiply)
        if element == "i1":
            folds = {
                "and": (lambda x: torch.all(x, dims), torch.logical_and),
                "or": (lambda x: torch.any(x, dims), torch.logical_or),
            }
        if body not in folds or (element.startswith("complex") and body[0] == "m"):
            raise Unsupported(f"no reduction of {element} over {len(dims)} dimensions by {body}")
        fold, combine = folds[body]
        return lambda x, init: [combine(fold(x), init)]

    def _dot_general(self, program: Program) -> Callable[..., list[Any]]:
        batch, contract = assay_worker.plain_product(program, takes_precision=True)
        if program.results[0].element == "i1":
            raise Unsupported("no products of booleans")
        if self.device == "cuda" and program.results[0].element[0] in "iu":
            raise Unsupported("products of integers on a CPU alone")
        equation = product_program.einsum_equation(program, batch, contract)
        precise = self.stablehlo.with_precision(program)
        return precise(lambda left, right: [self.torch.einsum(equation, left, right)])

    def _tensor(self, operand: np.ndarray) -> Any:
        torch = self.torch
        for name, (kind, bits) in self.foreign.items():
            if operand.dtype == assay_worker.DTYPES[name]:
                raw = operand.view(np.dtype(str(bits).removeprefix("torch.")))
                return torch.from_numpy(raw).view(kind).to(self.device)
        return torch.from_numpy(operand).to(self.device)

    def _array(self, tensor: Any) -> np.ndarray:
        tensor = tensor.cpu().contiguous().resolve_conj()
        for name, (kind, bits) in self.foreign.items():
            if tensor.dtype == kind:
                return tensor.view(bits).numpy().view(assay_worker.DTYPES[name])
        return tensor.numpy()

    def execute(self, handle: Handle | Chain, operands: list[np.ndarray]) -> list[np.ndarray]:
        if isinstance(handle, Chain):
            return handle.execute(self, operands)
        return [self._array(result) for result in handle.run(*map(self._tensor, operands))]

    def execute_sized(self, handle: Handle, operands: list[np.ndarray],
                      results: Sequence[Type]) -> list[np.ndarray]:  # fmt: skip
        if handle.program.op not in self.functions:
            dynamic_program.require_something(handle.program, operands)
        return self.execute(handle, operands)

    def script(self, handle: Any, program: Program, operands: list[np.ndarray]) -> str:
        """The calls of ATen that the program comes to, found by tracing it; compiled, where the worker does that."""
        from torch.fx.experimental.proxy_tensor import make_fx
        from torch_backend import torch_recorder

        kinds = [kind.storage.element for kind in [*program.operands, *program.results]]
        if not isinstance(handle, Handle):
            raise Unsupported("scripts make eager calls")
        is_compiled = self.modules.way == "compile" and module_program.is_module(program)
        run = self.modules.eager(program, self._find_step) if is_compiled else handle.run
        tensors = [*map(self._tensor, operands)]
        try:
            code, constants = self._traced(make_fx(run)(*tensors))
        except RuntimeError:  # Of quantized tensors, and of programs that look at data.
            code, found = torch_recorder.record(run, tensors)
            constants = [self._constant(f"constant{i}", tensor) for i, tensor in enumerate(found)]
        given = [self._given(f"operand{i}", kind) for i, kind in enumerate(kinds[: len(operands)])]
        taken = [self._taken(f"outputs[{i}]", kind) for i, kind in enumerate(kinds[len(operands) :])]
        head = HEAD + (QUANTIZED if "quantized_decomposed" in code else "")
        return standalone_script.make(program, operands, head, BODY.format(
            threads=self.torch.get_num_threads(), code="\n".join([*constants, "", "", code]).strip(), name=COMPILED if is_compiled else "program",
            given=", ".join(given), taken=", ".join(taken)))  # fmt: skip

    def _traced(self, traced: Any) -> tuple[str, list[str]]:
        """Code of a function `program`, and lines that make the constants that it has."""
        code = traced.code.strip().replace("forward(self, ", "program(").replace("forward(self)", "program()")
        code = re.sub(r"\) -> [^:\n]*:", "):", code, count=1)  # Types that need imports of their own.
        numbers = sorted(set(map(int, re.findall(r"self\._tensor_constant(\d+)", code))))
        constants = [self._constant(f"constant{i}", getattr(traced, f"_tensor_constant{i}")) for i in numbers]
        code = code.replace("self._tensor_constant", "constant")
        if "self." in code:
            raise Unsupported("the program has parts of its own")
        return code, constants

    def _given(self, name: str, element: str) -> str:
        """A tensor of an array; one of a type that numpy itself has not comes by its bits."""
        if element not in self.foreign:
            return f'torch.from_numpy({name}.copy()).to("{self.device}")'
        kind, bits = self.foreign[element]
        raw = str(bits).removeprefix("torch.")
        return f'torch.from_numpy({name}.view(numpy.{raw}).copy()).view({kind}).to("{self.device}")'

    def _taken(self, name: str, element: str) -> str:
        """An array of a tensor, likewise."""
        if element not in self.foreign:
            return f"{name}.cpu().contiguous().resolve_conj().numpy()"
        dtype = standalone_script.dtype_name(assay_worker.DTYPES[element])
        return f"{name}.cpu().contiguous().view({self.foreign[element][1]}).numpy().view({dtype})"

    def _constant(self, name: str, tensor: Any) -> str:
        """A line of a script, which makes the tensor."""
        kind = next((kind for kind, _ in self.foreign.values() if kind == tensor.dtype), None)
        bits = next((bits for kind, bits in self.foreign.values() if kind == tensor.dtype), None)
        array = (tensor if bits is None else tensor.view(bits)).cpu().contiguous().numpy()
        made = f'numpy.frombuffer(bytes.fromhex("{array.tobytes().hex()}"), "{array.dtype.name}").reshape({array.shape})'
        return f'{name} = torch.from_numpy({made}.copy()){f".view({kind})" if kind else ""}.to("{self.device}")'


# Of script().
HEAD = """# Makes calls of PyTorch: pip install torch numpy
from math import inf, nan

import torch
from torch import device
"""
QUANTIZED = "import torch.ao.quantization.fx._decomposed  # Brings torch.ops.quantized_decomposed.\n"
COMPILED = "torch.compile(program, fullgraph=True, dynamic=False)"
BODY = """
torch.set_num_threads({threads})


{code}


outputs = {name}({given})
results = [{taken}]
"""

if __name__ == "__main__":
    assay_worker.main(Torch)

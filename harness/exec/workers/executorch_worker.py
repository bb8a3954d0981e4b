# SPDX-License-Identifier: Apache-2.0
"""ExecuTorch, on the CPU: what the torch worker calls eagerly, exported, lowered and run by ExecuTorch's runtime.

    assay run --executor executorch --contract @harness/exec/workers/executorch.contract
    assay run --executor 'executorch?delegate=none'
    assay run --executor 'executorch?weights=constant' --op stablehlo.convolution --op stablehlo.dot_general

Option delegate says who computes: `xnnpack` (default), XNNPACK what its partitioner takes and ExecuTorch's own kernels the
rest, or `none`, these alone.  Option weights says what the right operand of a product or convolution of floats is:
`given` (default) at each call, or `constant`, part of the program as weights of models are.  XNNPACK takes convolutions and
linear layers with constant weights alone; each data set is a program of its own then.  The name of the implementation tells
who computed: `xnnpack(add)`, or the kernels in the order in which they run.

Options resize_to_1, top_k and zero_point are those of the torch worker; top_k is topk by default, as there is no kernel that
sorts.  What torch.export, the lowering or the runtime refuse is refused, with what they say.
"""
from __future__ import annotations

import copy
import logging
import re
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import numpy as np

import assay_worker
from assay_worker import Invalid, Program, Unsupported
from shared_programs import (
    byteir_program,
    collective_program,
    data_dependent_program,
    module_program,
    standalone_script,
)
from shared_programs.accumulation_program import Chain
from torch_worker import Torch

TAKEN = ("resize_to_1", "top_k", "zero_point")  # Of the torch worker's options.
MOVES = (
    "permute_copy", "unsqueeze_copy", "squeeze_copy", "view_copy", "expand_copy", "alias_copy", "clone", "_clone_dim_order",
    "xnnpack(permute_copy)", "xnnpack(view_copy)",
)  # fmt: skip
PRODUCTS = ("stablehlo.dot_general", "stablehlo.convolution")
CONSTANT_MAX = 64  # Elements of a constant that a script shows.


@dataclass
class Lowered:
    """A program that the runtime has loaded."""

    exported: Any  # Of torch.export.
    loaded: Any  # Which owns the method.
    method: Any
    implementation: str


@dataclass
class Handle:
    run: Callable[..., list[Any]]
    program: Program
    constants: tuple[int, ...]  # Operands that are part of what is lowered.
    weights: bytes = b""  # Of these, that `lowered` has.
    lowered: Lowered | None = None

    @property
    def implementation(self) -> str | None:
        return None if self.lowered is None else self.lowered.implementation


class ExecuTorch(Torch):
    name = "executorch"
    takes_dynamic = False
    promises = None  # What compiles: finding out means to lower it.

    def __init__(self, options: dict[str, str]) -> None:
        delegate = assay_worker.take(options, "delegate", "xnnpack", ("xnnpack", "none"))
        weights = assay_worker.take(options, "weights", "given", ("given", "constant"))
        strange = [key for key in options if key not in TAKEN]
        if strange:
            raise Invalid(f"takes no option {strange[0]}: delegate, weights, {', '.join(TAKEN)}")
        super().__init__({"top_k": "topk", **options})
        warnings.simplefilter("ignore")
        logging.disable(logging.WARNING)
        from executorch import exir
        from executorch.backends.xnnpack.partition import xnnpack_partitioner
        from executorch.kernels import quantized as _quantized  # Which registers kernels.
        from executorch.runtime import Runtime
        from executorch.version import __version__

        self.exir, self.runtime = exir, Runtime.get()
        # Ops outside the core of ATen have kernels, too: whether they do is asked of the runtime.
        self.config = exir.EdgeCompileConfig(_check_ir_validity=False)
        self.kernels = self.runtime.operator_registry.operator_names
        self.partitioner = xnnpack_partitioner.XnnpackPartitioner if delegate == "xnnpack" else None
        self.bakes = weights == "constant"
        self.compiling_is_dear = not self.bakes  # Else each data set is compiled, and many are no cheaper.
        self.version = f"{__version__.partition('+')[0]}, torch {self.torch.__version__}"
        self.hardware = f"delegate {delegate}, weights {weights}, {assay_worker.processor()}"
        self.quantized = self.compiled  # By ops that can be exported.
        # Kernels by channel end their process over scales of another type.
        self.quantized.traced_scales = self.torch.float64
        for part in (self.elementwise, self.pointwise, self.byteir):
            part.asks_data = False  # Nothing can while it is exported: _check_data does.
        self._warm_up()

    def _warm_up(self) -> None:
        """Lowers something: the first time takes longer than a call may."""
        one = self.torch.ones(1)
        self._lower(lambda x: [x + x], {}, [one])

    def compile(self, program: Program) -> Handle | Chain:
        if collective_program.is_collective(program):
            raise Unsupported("no processes")
        if program.op.startswith("byteir.rng_"):
            raise Unsupported("no random numbers by a seed that is an operand")
        found = super().compile(program)
        if isinstance(found, Chain):
            return found
        constants = self._constants(program)
        run = (self._linear(program) if constants else None) or found.run
        handle = Handle(run, program, constants)
        if module_program.is_module(program):
            example = module_program.example_operands(program)
        else:
            example = byteir_program.example_operands(program)
        try:
            results = self._call(handle, example)
        except RuntimeError as error:  # Some kernels tell only when they run what they do not do.
            raise Unsupported(_first_line(error)) from error
        for result, kind in zip(results, program.results):
            has_shape = program.op in data_dependent_program.OPS or result.shape == kind.shape
            if result.dtype != kind.dtype or not has_shape:
                raise Unsupported(f"ExecuTorch gives {result.dtype}{list(result.shape)} here")
        return handle

    def _constants(self, program: Program) -> tuple[int, ...]:
        is_product = self.bakes and program.op in PRODUCTS and not program.is_quantized
        return (1,) if is_product and len(program.operands) == 2 else ()

    def _linear(self, program: Program) -> Callable[..., list[Any]] | None:
        """A product by one matrix, as a linear layer, which XNNPACK has kernels of."""
        if program.op != "stablehlo.dot_general" or len(program.operands[1].shape) != 2:
            return None
        (lhs_batch, _), (lhs, rhs) = program.dims("batch"), program.dims("contract")
        if lhs_batch or len(lhs) != 1:
            return None
        linear = self.torch.nn.functional.linear
        return lambda left, right: [linear(left.movedim(lhs[0], -1), right.permute(1 - rhs[0], rhs[0]))]

    def _call(self, handle: Handle, operands: list[np.ndarray]) -> list[np.ndarray]:
        tensors = [self._tensor(operand) for operand in operands]
        weights = b"".join(operands[index].tobytes() for index in handle.constants)
        if handle.lowered is None or handle.weights != weights:
            baked = {index: tensors[index].clone() for index in handle.constants}
            handle.lowered = self._lower(handle.run, baked, tensors)
            handle.weights = weights
        given = [tensor for index, tensor in enumerate(tensors) if index not in handle.constants]
        return [self._array(result) for result in handle.lowered.method.execute(given)]

    def _lower(self, run: Callable[..., list[Any]], baked: dict[int, Any], tensors: list[Any]) -> Lowered:
        from executorch.exir.passes.constant_prop_pass import constant_prop_pass

        torch = self.torch

        class Lowerable(torch.nn.Module):  # type: ignore[name-defined,misc]
            def __init__(self) -> None:
                super().__init__()
                for index, tensor in baked.items():
                    self.register_buffer(f"weights{index}", tensor)

            def forward(self, *given: Any) -> tuple[Any, ...]:
                rest = iter(given)
                count = len(given) + len(baked)
                operands = [getattr(self, f"weights{i}") if i in baked else next(rest) for i in range(count)]
                return tuple(run(*operands))

        given = tuple(tensor for index, tensor in enumerate(tensors) if index not in baked)
        try:
            exported = torch.export.export(Lowerable(), given, strict=False)
        except Unsupported:
            raise
        except Exception as error:
            raise Unsupported(f"torch.export: {_first_line(error)}") from error
        try:
            folded = constant_prop_pass(copy.deepcopy(exported)) if baked else exported  # Else weights are no constants.
            partitioner = None if self.partitioner is None else [self.partitioner()]
            edge = self.exir.to_edge_transform_and_lower(folded, partitioner=partitioner, compile_config=self.config)
            lowered = edge.to_executorch()
        except Exception as error:
            raise Unsupported(f"lowering: {_first_line(error)}") from error
        implementation = self._require_kernels(lowered.exported_program())
        loaded = self.runtime.load_program(lowered.buffer)
        return Lowered(exported, loaded, loaded.load_method("forward"), implementation)

    def _require_kernels(self, lowered: Any) -> str:
        """What computes, in the order in which it runs; refuses what the runtime has no kernel of, which it
        would tell without the name."""
        used: list[str] = []

        def add(name: str) -> None:
            if not used or used[-1] != name:
                used.append(name)

        def computing(names: list[str]) -> list[str]:  # The name is short: who moves elements is left out.
            return [name for name in names if name not in MOVES] or names

        for node in lowered.graph.nodes:
            target = node.target
            if node.op == "get_attr" and hasattr(getattr(lowered.graph_module, target), "original_module"):
                taken = getattr(lowered.graph_module, target).original_module.graph.nodes
                calls = [one.target._op for one in taken if hasattr(one.target, "_op")]
                names = [call._schema.name.partition("::")[2] for call in calls]
                add(f"xnnpack({'+'.join(computing(names))})")
            elif node.op == "call_function" and isinstance(target, self.torch._ops.OpOverload):
                kernel = f"{target._schema.name}.{target._schema.overload_name}".rstrip(".")
                if kernel not in self.kernels:
                    raise Unsupported(f"the runtime has no kernel {kernel}")
                add(target._schema.name.partition("::")[2])
        return ",".join(computing(used))

    def execute(self, handle: Handle | Chain, operands: list[np.ndarray]) -> list[np.ndarray]:
        if isinstance(handle, Chain):
            return handle.execute(self, operands)
        _check_data(handle.program, operands)
        return self._call(handle, operands)

    def script(self, handle: Any, program: Program, operands: list[np.ndarray]) -> str:
        """The program as torch.export has it, which the script exports once more."""
        kinds = [kind.storage.element for kind in [*program.operands, *program.results]]
        if not isinstance(handle, Handle) or any(kind in self.foreign for kind in kinds if kind != "bf16"):
            raise Unsupported("scripts make calls on types that torch has")
        self.execute(handle, operands)
        assert handle.lowered is not None
        exported = handle.lowered.exported
        specs = [spec for spec in exported.graph_signature.input_specs if spec.target is not None]
        code = exported.graph_module.code.strip().replace("forward(self, ", "program(").replace("forward(self)", "program()")
        code = re.sub(r"\) -> [^:\n]*:", "):", code, count=1)
        tensors = []
        for spec in specs:
            index = spec.target.removeprefix("weights")
            if index.isdigit():
                tensors.append(to_tensor(int(index), kinds[int(index)]))
                continue
            values = exported.constants[spec.target]
            if values.dtype == self.torch.bfloat16 or values.numel() > CONSTANT_MAX:
                raise Unsupported("constants that a script can show")
            tensors.append(f"torch.tensor({values.tolist()}, dtype={values.dtype})")
        given = [to_tensor(i, kind) for i, kind in enumerate(kinds[: len(operands)]) if i not in handle.constants]
        taken = [f"outputs[{i}]{BACK if kind == 'bf16' else '.numpy()'}"
                 for i, kind in enumerate(kinds[len(operands) :])]  # fmt: skip
        return standalone_script.make(program, operands, HEAD, BODY.format(
            code=code, folds="constant_prop_pass" if handle.constants else "", constants=", ".join(tensors),
            given=_tuple(given), taken=", ".join(taken),
            partitioner="None" if self.partitioner is None else "[XnnpackPartitioner()]"))  # fmt: skip


def to_tensor(index: int, kind: str) -> str:
    """The Python that makes a tensor of an operand of a script."""
    if kind == "bf16":
        return f"torch.from_numpy(operand{index}.view(numpy.int16).copy()).view(torch.bfloat16)"
    return f"torch.from_numpy(operand{index}.copy())"


def _tuple(words: Sequence[str]) -> str:
    return "(" + "".join(f"{word}, " for word in words).rstrip() + ")"


def _first_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


def _check_data(program: Program, operands: Sequence[np.ndarray]) -> None:
    """What a function of the torch worker asks of the data of a call."""
    if program.op in ("stablehlo.divide", "stablehlo.remainder") and operands[1].dtype.kind in "iu":
        left, right = operands
        if not right.all():
            raise Unsupported("no integers divided by zero")
        if left.dtype.kind == "i" and ((left == np.iinfo(left.dtype).min) & (right == -1)).any():
            raise Unsupported("no quotient beyond the range")
    if program.op == "stablehlo.shift_right_arithmetic":
        amounts = operands[1]
        if ((amounts < 0) | (amounts >= 8 * amounts.itemsize)).any():
            raise Unsupported("documents shifts by less than 0 or by all bits as undefined")
    if program.op == "byteir.resize":
        byteir_program.resize(program).check_target(program.operands[0].shape, operands[1])


# Of script().
BACK = ".view(torch.int16).numpy().view(ml_dtypes.bfloat16)"
HEAD = """# Exports, lowers and runs a program: pip install executorch, and the torch of its release
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import EdgeCompileConfig, to_edge_transform_and_lower
from executorch.exir.passes.constant_prop_pass import constant_prop_pass
from executorch.kernels import quantized  # Which registers kernels.
from executorch.runtime import Runtime
from torch import device, inf, nan
"""
BODY = """
{code}


class Module(torch.nn.Module):
    def __init__(self):
        super().__init__()
        for index, tensor in enumerate([{constants}]):
            self.register_buffer(f"constant{{index}}", tensor)

    def forward(self, *given):
        return program(*self.buffers(), *given)


given = {given}
exported = {folds}(torch.export.export(Module(), given))
lowered = to_edge_transform_and_lower(
    exported, partitioner={partitioner}, compile_config=EdgeCompileConfig(_check_ir_validity=False)
).to_executorch()
outputs = Runtime.get().load_program(lowered.buffer).load_method("forward").execute(given)
results = [{taken}]
"""

if __name__ == "__main__":
    assay_worker.main(ExecuTorch)

# SPDX-License-Identifier: Apache-2.0
"""Writes a program of torch.export (a .pt2 file) as a StableHLO module, for `assay quant import`.

    PYTHON harness/exec/workers/mlir_import/torch_export.py MODEL.pt2 > model.mlir

PyTorch has no way to StableHLO of its own.  This reads the ATen graph that torch.export makes, op by op; what the
program computes of constants alone is computed here.  Fake-quant ops stay what they are: custom calls of
PyTorch's own names, which the reader of modules makes constraints of; so become the pairs of quantize and dequantize
of the namespace quantized_decomposed, which convert_pt2e leaves.

Images are NCHW in PyTorch, and kernels of the tables are NHWC: a tensor of rank 4 that a convolution gives is written
channels last, and so are inputs, behind a transpose; others are where outputs and ops want it otherwise. Weights are
transposed here, and the axes of their fake-quant ops with them.  Ends with status 1 and one line on standard error,
"NODE: message", for what is not read.
"""
from __future__ import annotations

import sys
from typing import Any

import torch
import torch.ao.quantization.fx._decomposed  # Which registers pt2e's ops.

from torch_ops import OPS
from torch_writer import ELEMENTS, LAST, Unread, Value, Weight, Writer


def module(program: Any) -> str:
    signature, writer = program.graph_signature, Writer(OPS)
    held = dict(signature.inputs_to_parameters) | dict(signature.inputs_to_buffers)
    held |= dict(signature.inputs_to_lifted_tensor_constants)
    parameters, results = [], []
    for node in program.graph.nodes:
        try:
            if node.op == "placeholder" and node.name in held:
                found = program.state_dict.get(held[node.name])
                found = program.constants[held[node.name]] if found is None else found
                writer.known[node] = Weight(found, node.name)
            elif node.op == "placeholder":
                parameters.append(argument(writer, node))
            elif node.op == "call_function":
                writer.read(node)
            elif node.op == "output":
                results = [writer.plain(one) for one in node.args[0]]
        except Unread as error:
            raise Unread(f"{node.name}: {error}") from error
    types = ", ".join(f"%{value.name}: {value.type}" for value in parameters)
    made = ", ".join(value.type for value in results)
    names = ", ".join(f"%{value.name}" for value in results)
    body = "\n".join(writer.lines)
    return f"module {{\n  func.func @main({types}) -> ({made}) {{\n{body}\n    return {names} : {made}\n  }}\n}}\n"


def argument(writer: Writer, node: Any) -> Value:
    tensor = node.meta["val"]
    if not isinstance(tensor, torch.Tensor) or tensor.dtype not in ELEMENTS:
        raise Unread("an input that is no tensor of floats")
    if not all(isinstance(size, int) for size in tensor.shape):
        raise Unread("dynamic sizes")
    made = Value(writer.fresh(node.name), tuple(tensor.shape), ELEMENTS[tensor.dtype])
    writer.known[node] = writer.transpose(made, LAST, True) if tensor.dim() == 4 else made
    return made


def main() -> int:
    try:
        with torch.no_grad():
            sys.stdout.write(module(torch.export.load(sys.argv[1])))
    except Unread as error:
        print(error, file=sys.stderr)
        return 1
    except Exception as error:  # Not such a file, a version of PyTorch that cannot read it.
        print(f"no program of torch.export: {' '.join(str(error).split())}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

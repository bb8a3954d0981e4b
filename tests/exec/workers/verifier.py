# SPDX-License-Identifier: Apache-2.0
"""Says of StableHLO modules whether jaxlib's MLIR parses and verifies them.

    PYTHON tests/exec/workers/verifier.py

Speaks first: one line, the versions of jaxlib and of its StableHLO.  Then it reads batches, each a
line with the number of modules and, of each module, a line with its size in bytes and its text; it
answers a batch when it has read all of it, with one line for each module:

    accepted
    verifier MESSAGE      some op of the module is not as its dialect wants it
    parser MESSAGE        the text, or a type or an attribute in it, cannot be read

A message is the first diagnostic, on one line.  At the end of its input it ends.
"""
from __future__ import annotations

import re
import sys
from typing import Any, BinaryIO

import jaxlib
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import mhlo, stablehlo

# Only its dependencies bring the dialect `quant` into a context: jaxlib has no function for it.
LOADS_QUANT = "builtin.module(vhlo-legalize-to-stablehlo)"
# A context keeps every type and attribute that it has seen.
CONTEXT_MODULES = 10000
PLACE = re.compile(r"(\d+):(\d+)\)$")


def make_context() -> ir.Context:
    registry = ir.DialectRegistry()
    _jax_mlir_ext.register_dialects(registry)
    context = ir.Context()
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    stablehlo.register_dialect(context)
    mhlo.register_mhlo_dialect(context)
    with context, ir.Location.unknown():
        empty = ir.Module.parse("module {}").operation
        passmanager.PassManager.parse(LOADS_QUANT).run(empty)
    return context


def source(text: str, diagnostic: Any) -> str:
    """Who speaks: diagnostics of the verifier are about an op and stand where its name begins."""
    place = PLACE.search(str(diagnostic.location))
    if place is None:
        return "parser"
    line, column = (int(number) - 1 for number in place.groups())
    rest = text.split("\n")[line][column:]
    return "verifier" if rest.startswith(('"', "return", "func.func")) else "parser"


def opinion(text: str) -> str:
    try:
        ir.Module.parse(text)
        return "accepted"
    except ir.MLIRError as error:
        first = error.error_diagnostics[0]
        message = " ".join(first.message.split())
        return f"{source(text, first)} {message}"


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    answers.write(
        f"jaxlib {jaxlib.__version__}, StableHLO {stablehlo.get_current_version()}\n".encode()
    )
    answers.flush()
    stablehlo.register_stablehlo_passes()
    context, seen = make_context(), 0
    while header := requests.readline():
        count = int(header)
        texts = [requests.read(int(requests.readline())).decode() for _ in range(count)]
        if seen + count > CONTEXT_MODULES:
            context, seen = make_context(), 0
        seen += count
        with context, ir.Location.unknown():
            lines = [opinion(text) for text in texts]
        answers.write("".join(f"{line}\n" for line in lines).encode())
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

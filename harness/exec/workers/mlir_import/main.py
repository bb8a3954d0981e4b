# SPDX-License-Identifier: Apache-2.0
"""Turns MLIR modules into graphs (harness/quant/graph/graph.md), for `assay quant`, and modules and ops alone
into programs (harness/model/case_line.md), for `assay show` and `assay replay`.

    PYTHON harness/exec/workers/mlir_import/main.py

Speaks first: one line, the versions of jaxlib and of its StableHLO.  Then it answers requests, each a line
"WORDS BYTES" and the module's text, where WORDS is `signed` or `unsigned` (the storage of fake-quant ops
that name none), or `program` and any number of NAME=VALUE (what a text has by name or leaves out, see sketches.py), with one of

    graph NOTES BYTES     the graph's text follows; before it NOTES lines, "LINE:COLUMN: what is not exactly so"
    program 0 BYTES       a program line follows, and for each operand a line of its digits, "*" if it is no constant
    error LINE COLUMN MESSAGE

Each line of the graph ends with a comment, "# LINE:COLUMN", of where in the module it comes from.  At the end
of its input it ends.
"""
from __future__ import annotations

import sys
from typing import BinaryIO

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from graph_text import Printer
from module import Reader, make_context, versions
from programs import read_program
from restoring import restore
from sketches import explained
from source_text import ImportFailure
from translation import translate

# A context keeps every type and attribute that it has seen.
CONTEXT_MODULES = 10000


def answer(data: bytes, words: list[str], context: ir.Context) -> bytes:
    notes: list[str] = []
    is_signed = words == ["signed"]
    try:
        if words[0] == "program":
            lines = read_program(data, dict(word.split("=", 1) for word in words[1:]), context).encode()
            return f"program 0 {len(lines)}\n".encode() + lines
        reader = Reader(data, context)
        with context, ir.Location.unknown():
            function, scope = translate(reader, is_signed, notes)
            scope = restore(function, scope)
        text = Printer(reader.source.place).graph(scope).encode()
    except ImportFailure as failure:
        if words[0] != "program":
            failure = explained(failure, data.decode("latin-1"))
        message = " ".join(failure.message.split())
        return f"error {failure.place.line} {failure.place.column} {message}\n".encode("ascii", "replace")
    listed = "".join(f"{note}\n" for note in notes).encode("ascii", "replace")
    return f"graph {len(notes)} {len(text)}\n".encode() + listed + text


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    answers.write(f"{versions()}\n".encode())
    answers.flush()
    stablehlo.register_stablehlo_passes()
    context, seen = make_context(), 0
    while header := requests.readline():
        *words, size = header.decode("ascii", "replace").split()
        data = requests.read(int(size))
        if seen == CONTEXT_MODULES:
            context, seen = make_context(), 0
        seen += 1
        answers.write(answer(data, words, context))
        answers.flush()


if __name__ == "__main__":
    serve(sys.stdin.buffer, sys.stdout.buffer)

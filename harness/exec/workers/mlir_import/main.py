# SPDX-License-Identifier: Apache-2.0
"""Turns MLIR modules into graphs (harness/quant/graph/graph.md), for `assay quant`, and modules and ops alone
into programs (harness/model/case_line.md), for `assay show` and `assay replay`, and lists whole modules, for
`assay module`.

    PYTHON harness/exec/workers/mlir_import/main.py

Speaks first: one line, the versions of jaxlib and of its StableHLO.  Then it answers requests, each a line
"WORDS BYTES" and the module's text, where WORDS is `signed` or `unsigned` (the storage of fake-quant ops
that name none), or `program` and any number of NAME=VALUE (what a text has by name or leaves out, sketches.py), or `module`, or
`isolate SEED` and any number of files of arguments, or `step NUMBER` with a list of digits in place of a module, those
of the operands of a step of the last module that was isolated, or `alone NUMBER` with nothing, about the same step; with one of

    graph NOTES BYTES     the graph's text follows; before it NOTES lines, "LINE:COLUMN: what is not exactly so"
    program NOTES BYTES   likewise, a program line follows, for each operand a line of its digits, "*" if it is no constant, and
                          for each result a line of those that checks expect, "*" if none does
    module NOTES BYTES    likewise, a JSON document follows: listing.py
    steps 0 BYTES         likewise: isolation.py
    results 0 BYTES       likewise, {"results": [DIGITS, ...]} or {"error": TEXT}
    alone 0 BYTES         likewise: Isolation.alone(), or {"error": TEXT}
    error LINE COLUMN MESSAGE

Each line of the graph ends with a comment, "# LINE:COLUMN", of where in the module it comes from.  At the end
of its input it ends.
"""
from __future__ import annotations

import json
import sys
from typing import BinaryIO
from urllib.parse import unquote

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import mhlo, stablehlo

import elements
from graph_text import Printer
from isolation import Isolation
from listing import read_module
from module import Reader, make_context, versions
from programs import read_program
from restoring import restore
from sketches import explained
from source_text import ImportFailure
from translation import translate

# A context keeps every type and attribute that it has seen.
CONTEXT_MODULES = 10000
ISOLATED: list[Isolation] = []  # The last one.


def isolate(data: bytes, words: list[str]) -> bytes:
    """`isolate SEED PATH...`, and `step NUMBER` and `alone NUMBER`, which are about the module of the last `isolate`."""
    if words[0] == "isolate":
        ISOLATED[:] = [Isolation(data, make_context())]
        paths = [unquote(word) for word in words[2:]]
        return _answer("steps", ISOLATED[0].document(int(words[1]), paths))
    if words[0] == "alone":
        return _answer("alone", ISOLATED[0].alone(int(words[1])))
    return _answer("results", ISOLATED[0].run(int(words[1]), json.loads(data)))


def _answer(word: str, text: str) -> bytes:
    noted = "".join(f"{note}\n" for note in elements.ROUNDED)
    return f"{word} {len(elements.ROUNDED)} {len(text.encode())}\n{noted}{text}".encode()


def answer(data: bytes, words: list[str], context: ir.Context) -> bytes:
    notes: list[str] = []
    elements.ROUNDED.clear()
    is_signed = words == ["signed"]
    try:
        if words[0] == "program":
            return _answer("program", read_program(data, dict(word.split("=", 1) for word in words[1:]), context))
        if words[0] == "module":
            return _answer("module", read_module(data, context))
        if words[0] in ("isolate", "step", "alone"):
            return isolate(data, words)
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
    notes += [f"1:1: {note}" for note in elements.ROUNDED]
    noted = "".join(f"{note}\n" for note in notes).encode("ascii", "replace")
    return f"graph {len(notes)} {len(text)}\n".encode() + noted + text


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    answers.write(f"{versions()}\n".encode())
    answers.flush()
    stablehlo.register_stablehlo_passes()
    mhlo.register_mhlo_passes()
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

# SPDX-License-Identifier: Apache-2.0
"""Programs with a type of accumulation (RFC 000: `accumulation=f32`), for backends that reduce in the
type of their operands: three programs, which run one after the other.  Operands are converted
(stablehlo.convert, or stablehlo.uniform_quantize between quantized types), the op runs in the type
of accumulation, results are converted.  The RFC defines its implicit conversions by these ops."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay_worker import Program, Type, Unsupported, Worker


def is_accumulated(program: Program) -> bool:
    return "accumulation" in program.attributes


def _names(text: str) -> list[str]:
    """f32 or [f64,!quant.uniform<i32:f32,0x1p-1>]."""
    inner = text[1:-1] if text.startswith("[") else text
    return re.findall(r"!quant[^>]*(?:<[^>]*>[^>]*)?>|complex<[^>]*>|[^,]+", inner)


def _line(op: str, attributes: dict[str, str], operands: list[Type], results: list[Type]) -> str:
    def words(kinds: list[Type]) -> list[str]:
        return [f"{kind.element}[{','.join(map(str, kind.shape))}]" for kind in kinds]

    pairs = [f"{key}={value}" for key, value in attributes.items()]
    return " ".join([op, *pairs, *words(operands), "->", *words(results)])


def _conversion(source: Type, wanted: Type) -> Program | None:
    if source == wanted:
        return None
    quantized = [kind.quantization is not None for kind in (source, wanted)]
    if quantized[0] != quantized[1]:
        raise Unsupported("a type of accumulation that is quantized where the operands are not")
    op = "stablehlo.uniform_quantize" if quantized[0] else "stablehlo.convert"
    return Program.parse(_line(op, {}, [source], [wanted]), "")


@dataclass
class Parts:
    before: list[Program | None]  # One for each operand; None where nothing is to be converted.
    own: Program
    after: list[Program | None]


def split(program: Program, converts_operands: bool) -> Parts:
    """Without converts_operands the op itself takes the operands as they are, into the wider type, as
    StableHLO's promotions do."""
    names = _names(program.attributes["accumulation"])

    def wanted(kinds: list[Type]) -> list[Type]:
        return [Type(names[i % len(names)], kind.shape) for i, kind in enumerate(kinds)]

    operands = wanted(program.operands) if converts_operands else program.operands
    results = wanted(program.results)
    attributes = {key: value for key, value in program.attributes.items() if key != "accumulation"}
    own = Program.parse(_line(program.op, attributes, operands, results), "")
    return Parts(
        [_conversion(a, b) for a, b in zip(program.operands, operands)],
        own,
        [_conversion(a, b) for a, b in zip(results, program.results)],
    )


def require_comparable(program: Program) -> None:
    """Ops that also compare operands as they are: converting must keep all numbers apart."""
    names = _names(program.attributes["accumulation"])
    source, wanted = program.operands[0].element, names[0]
    ranks = {"f16": 1, "bf16": 1, "f32": 2, "f64": 3, "i8": 1, "i16": 2, "i32": 3, "i64": 4}
    is_kept = source == wanted or (
        source in ranks
        and wanted in ranks
        and (source[0] == "i") == (wanted[0] == "i")
        and ranks[source] < ranks[wanted]
    )
    if not is_kept:
        raise Unsupported(f"selects in {source} and adds in {wanted}")


@dataclass
class Chain:
    """What a worker compiled of the parts."""

    before: list[Any | None]
    own: Any
    after: list[Any | None]

    @staticmethod
    def compile(worker: Worker, program: Program) -> Chain:
        if program.op == "stablehlo.select_and_scatter":
            require_comparable(program)
        parts = split(program, converts_operands=not program.is_quantized)

        def compiled(conversions: list[Program | None]) -> list[Any | None]:
            return [None if part is None else worker.compile(part) for part in conversions]

        return Chain(compiled(parts.before), worker.compile(parts.own), compiled(parts.after))

    def execute(self, worker: Worker, operands: list[np.ndarray]) -> list[np.ndarray]:
        def converted(handles: list[Any | None], tensors: list[np.ndarray]) -> list[np.ndarray]:
            return [
                tensor if handle is None else worker.execute(handle, [tensor])[0]
                for handle, tensor in zip(handles, tensors)
            ]

        inner = worker.execute(self.own, converted(self.before, operands))
        return converted(self.after, list(inner))

# SPDX-License-Identifier: Apache-2.0
"""Collectives in PyTorch: torch.distributed's process groups of the backend gloo, of which each rank
is a thread of this process.

What processes share is a torch.distributed.HashStore, and each thread has a ProcessGroupGloo of its
own, connected to those of the others; the public functions work on the one default group that a
process has. Groups of a program run one after the other, their members being the ranks in the order
of the group. Connecting all pairs of ranks takes a hundredth of a second for 2, one half for 16, and
six for 64, once for each size of groups: so there are at most RANKS.

reduce_scatter is gloo's, of the parts that torch.Tensor.chunk makes.  Complex numbers are added as
torch.distributed.all_reduce adds them, as pairs.  Sums of booleans are refused: they are sums of bytes,
and two of True are a torch.bool of 2.
"""
from __future__ import annotations

import atexit
import datetime
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

from assay_worker import Program, Unsupported
from shared_programs.collective_program import Collective, plain_collective

RANKS = 16
TIMEOUT_S = 8
NUMBERS = ("f16", "bf16", "f32", "f64", "i8", "ui8", "i32", "i64")  # gloo's; and booleans as bytes.
INTEGERS = ("i1", "i8", "ui8", "i32", "i64")
BODIES = {
    "add": "SUM", "multiply": "PRODUCT", "maximum": "MAX", "minimum": "MIN",
    "and": "BAND", "or": "BOR", "xor": "BXOR",
}  # fmt: skip


class TorchCollective:
    def __init__(self, torch: Any, device: str) -> None:
        self.torch = torch
        self.device = device
        self.pool: ThreadPoolExecutor | None = None
        self.groups: dict[int, list[Any]] = {}  # By size: what each rank has.

    def find(self, program: Program) -> Callable[..., list[Any]]:
        collective = plain_collective(program)
        body, element = program.attributes["body"], program.operands[0].element
        if self.device != "cpu" or not self.torch.distributed.is_gloo_available():
            raise Unsupported("gloo reduces tensors of a processor")
        if body not in BODIES or (body in ("and", "or", "xor") and element not in INTEGERS):
            raise Unsupported(f"torch.distributed has no reduction of {element} by {body}")
        is_complex = element.startswith("complex")
        if (element not in (*NUMBERS, "i1") and not is_complex) or (is_complex and body != "add"):
            raise Unsupported(f"gloo has no {body} of {element}")
        if element == "i1" and body == "add":
            raise Unsupported("gloo adds booleans as bytes: True and True are 2")
        largest = max(map(len, collective.groups), default=0)
        if largest > RANKS:
            raise Unsupported(f"groups of at most {RANKS} processes, not {largest}")
        operation = getattr(self.torch.distributed.ReduceOp, BODIES[body])
        scatters = program.op == "stablehlo.reduce_scatter"
        dimension = program.numbers("scatter_dimension") if scatters else None
        return lambda *operands: [
            self._reduce(collective, operand, operation, dimension) for operand in operands
        ]

    def _reduce(
        self, collective: Collective, operand: Any, operation: Any, dimension: int | None
    ) -> Any:
        is_complex = operand.is_complex()
        if is_complex:
            operand = self.torch.view_as_real(operand)
        results: list[Any] = [None] * collective.processes
        for group in collective.groups:
            ranks = self._ranks(len(group))
            pool = self._threads()
            waiting = [
                pool.submit(self._run, rank, operand[process], operation, dimension, len(group))
                for rank, process in zip(ranks, group)
            ]
            for process, future in zip(group, waiting):
                results[process] = future.result()
        joined = self.torch.stack(results)
        return self.torch.view_as_complex(joined) if is_complex else joined

    def _run(
        self, rank: Any, operand: Any, operation: Any, dimension: int | None, count: int
    ) -> Any:
        """What one rank does, on its thread."""
        distributed, mine = self.torch.distributed, operand.clone()
        if dimension is None:
            options = distributed.AllreduceOptions()
            options.reduceOp = operation
            rank.allreduce([mine], options).wait()
            return mine
        parts = [part.contiguous() for part in mine.chunk(count, dimension)]
        result = self.torch.empty_like(parts[0])
        options = distributed.ReduceScatterOptions()
        options.reduceOp = operation
        rank.reduce_scatter([result], [parts], options).wait()
        return result

    def _threads(self) -> ThreadPoolExecutor:
        if self.pool is None:
            self.pool = ThreadPoolExecutor(RANKS)
            atexit.register(self._disconnect)
        return self.pool

    def _disconnect(self) -> None:
        """Ranks that are left to the end of the interpreter abort it."""
        self.groups.clear()
        if self.pool is not None:
            self.pool.shutdown()

    def _ranks(self, count: int) -> list[Any]:
        """One for each member of a group of so many, connected when the first such group comes."""
        if count not in self.groups:
            distributed = self.torch.distributed
            store, limit = distributed.HashStore(), datetime.timedelta(seconds=TIMEOUT_S)
            waiting = [
                self._threads().submit(distributed.ProcessGroupGloo, store, rank, count, limit)
                for rank in range(count)
            ]
            self.groups[count] = [future.result() for future in waiting]
        return self.groups[count]

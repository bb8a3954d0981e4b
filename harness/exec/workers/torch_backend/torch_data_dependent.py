# SPDX-License-Identifier: Apache-2.0
"""The ops whose operands say where elements go, in PyTorch: repeat_interleave, nonzero, masks by
label, index assignment list by list (index_copy_ leaves open which of equal indices wins within
one list, so that such a list is assigned row by row), and where."""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program
from shared_programs import data_dependent_program as dependent

Run = Callable[..., list[Any]]


class TorchDataDependent:
    def __init__(self, torch: Any) -> None:
        self.torch = torch
        self.makers: dict[str, Callable[[Program], Run]] = {
            "byteir.repeat": self._repeat,
            "byteir.non_zero": self._non_zero,
            "tf.DynamicPartition": self._partition,
            "tf.DynamicStitch": self._stitch,
            "tf.Select": self._select,
        }

    def find(self, program: Program) -> Run:
        return self.makers[program.op](program)

    def _repeat(self, program: Program) -> Run:
        dependent.repeat(program)
        return lambda data, times: [self.torch.repeat_interleave(data, times, dim=0)]

    def _non_zero(self, program: Program) -> Run:
        dependent.non_zero(program)
        kind = {"i32": self.torch.int32, "i64": self.torch.int64}[program.results[0].element]
        return lambda data: [self.torch.nonzero(data).to(kind)]

    def _partition(self, program: Program) -> Run:
        count = dependent.partition(program)
        return lambda data, labels: [data[labels == label] for label in range(count)]

    def _stitch(self, program: Program) -> Run:
        lists = dependent.stitch(program)
        shape = list(program.results[0].shape)

        def run(*operands: Any) -> list[Any]:
            result = operands[lists].new_zeros(shape)
            for indices, data in zip(operands[:lists], operands[lists:]):
                if indices.unique().numel() == indices.numel():
                    result.index_copy_(0, indices.to(self.torch.int64), data)
                    continue
                for place, row in zip(indices.tolist(), data):
                    result[place] = row
            return [result]

        return run

    def _select(self, program: Program) -> Run:
        shape = dependent.select(program)
        return lambda is_first, one, other: [
            self.torch.where(is_first.reshape(shape), one, other)
        ]

# SPDX-License-Identifier: Apache-2.0
"""stablehlo.all_reduce and reduce_scatter, as backends with several processes run them.

A case has all processes: dimension 0 of every operand and result counts them, process
(replica r, partition p) as r * num_partitions + p.  The module of the program is what each of them
runs, on tensors without that dimension.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Sequence

import numpy as np

from assay_worker import Invalid, Program, Type, Unsupported
from shared_programs.process_groups import process_groups

COLLECTIVES = ("stablehlo.all_reduce", "stablehlo.reduce_scatter")


def is_collective(program: Program) -> bool:
    return program.op in COLLECTIVES


@dataclass(frozen=True)
class Collective:
    """A program of `replicas` times `partitions` processes, of which each runs `own`."""

    replicas: int
    partitions: int
    groups: list[list[int]]  # Of processes, in the specification's order.
    own: Program

    @property
    def processes(self) -> int:
        return self.replicas * self.partitions

    @staticmethod
    def parse(program: Program) -> Collective:
        """Raises what no module can tell: rules on the number of processes."""
        kinds = [*program.operands, *program.results]
        if any(not kind.shape or kind.shape[0] != kinds[0].shape[0] for kind in kinds):
            raise Invalid("the first dimension of each operand and result is that of the processes")
        processes = kinds[0].shape[0]
        partitions = int(program.attributes.get("num_partitions", "1"))
        if partitions < 1 or processes % partitions:
            raise Invalid(f"{processes} processes are no multiple of {partitions} partitions")
        if processes == 0:
            raise Unsupported("there is no process that could run anything")
        replicas = processes // partitions
        own = replace(
            program,
            operands=[_without_processes(kind) for kind in program.operands],
            results=[_without_processes(kind) for kind in program.results],
        )
        try:
            groups = process_groups(program.attributes, replicas, partitions)
        except ValueError as error:
            raise Invalid(str(error)) from error
        return Collective(replicas, partitions, groups, own)

    def require_parts(self) -> None:
        """Refuses a reduce_scatter into parts of size 0, which the dialect's verifier does not take,
        the specification notwithstanding."""
        dimension = self.own.attributes.get("scatter_dimension")
        shape = self.own.results[0].shape
        if dimension is not None and shape[int(dimension) : int(dimension) + 1] == (0,):
            raise Unsupported("the dialect has no parts of size 0")

    def split(self, operands: Sequence[np.ndarray]) -> list[list[np.ndarray]]:
        """For each operand what each process has."""
        return [list(operand.reshape(self.processes, *operand.shape[1:])) for operand in operands]

    @staticmethod
    def join(results: Sequence[Sequence[np.ndarray]]) -> list[np.ndarray]:
        """The inverse: each result of what the processes have."""
        return [np.stack([np.asarray(part) for part in parts]) for parts in results]


def _without_processes(kind: Type) -> Type:
    return replace(kind, shape=kind.shape[1:])


ATTRIBUTES = (
    "replica_groups", "channel_id", "use_global_device_ids", "num_partitions", "scatter_dimension",
    "body",
)  # fmt: skip


def plain_collective(program: Program) -> Collective:
    """The collective of a program that reduces in the type of its operands, checked for those backends
    that would not notice that it breaks a rule: what is left of it is the body.  Its groups have one
    size in a reduce_scatter, of which process number i of a group gets part i."""
    program.check_attributes(*ATTRIBUTES)
    if program.is_quantized:
        raise Unsupported("reduces no quantized tensors")
    collective = Collective.parse(program)
    operands, results = collective.own.operands, collective.own.results
    scatters = program.op == "stablehlo.reduce_scatter"
    if len(operands) != len(results) or not operands or (scatters and len(operands) > 1):
        raise Invalid("as many results as operands, and one of each in a reduce_scatter")
    for operand, result in zip(operands, results):
        if scatters:
            _require_scatter(collective, operand, result)
        elif operand.shape != result.shape:
            raise Invalid("an all_reduce gives a tensor of the shape of its operand")
    if any(kind.element != operands[0].element for kind in [*operands, *results]):
        raise Unsupported("reduces in the type of its operand, and gives that")
    return collective


def _require_scatter(collective: Collective, operand: Type, result: Type) -> None:
    dimension = collective.own.numbers("scatter_dimension")
    if not 0 <= dimension < len(operand.shape):
        raise Invalid("scatter_dimension is one of the dimensions of a process's operand")
    sizes = {len(group) for group in collective.groups if group}
    if len(sizes) != 1:
        raise Invalid("the groups of a reduce_scatter have one size")
    parts = list(result.shape)
    if dimension < len(parts):
        parts[dimension] *= sizes.pop()
    if tuple(parts) != operand.shape:
        raise Invalid("the results of a group are the parts of the operand")

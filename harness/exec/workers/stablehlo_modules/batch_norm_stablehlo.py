# SPDX-License-Identifier: Apache-2.0
"""The batch norms as StableHLO modules, for backends that do not know them: the specification's own
decompositions, in which every step is an op of the operand's type."""
from __future__ import annotations

from typing import Sequence

from assay_worker import Program, Type
from shared_programs import batch_norm_program
from shared_programs.batch_norm_program import BatchNorm
from stablehlo_modules.stablehlo_text import Block, Value, module


class _Steps:
    """The steps that both have, in a block."""

    def __init__(self, norm: BatchNorm, block: Block) -> None:
        self.norm = norm
        self.block = block
        self.scalars = Type(norm.kind.element, (norm.channels,))

    def spread(self, value: Value) -> Value:
        """One number of each channel, for all its elements."""
        return self.block.spread(value, self.norm.kind.shape, [self.norm.feature])

    def sum(self, value: Value) -> Value:
        start = self.block.constant(0.0, Type(self.norm.kind.element, ()))
        (total,) = self.block.reduces(
            [value], [start], self.norm.others,
            lambda block, pair: [block.op("add", pair[0], pair[1])],
        )  # fmt: skip
        return total

    def mean(self, value: Value) -> Value:
        count = self.block.constant(float(self.norm.terms), self.scalars)
        return self.block.op("divide", self.sum(value), count)

    def square(self, variance: Value) -> Value:
        """variance + epsilon, of all elements."""
        epsilon = self.block.constant(self.norm.epsilon, self.norm.kind)
        return self.block.op("add", self.spread(variance), epsilon)


def _training(norm: BatchNorm, b: Block, operands: list[Value]) -> Sequence[Value]:
    x, scale, offset = operands
    steps = _Steps(norm, b)
    mean = steps.mean(x)
    deviations = b.op("subtract", x, steps.spread(mean))
    variance = steps.mean(b.op("multiply", deviations, deviations))
    normal = b.op("divide", deviations, b.op("sqrt", steps.square(variance)))
    scaled = b.op("multiply", steps.spread(scale), normal)
    return [b.op("add", scaled, steps.spread(offset)), mean, variance]


def _grad(norm: BatchNorm, b: Block, operands: list[Value]) -> Sequence[Value]:
    x, scale, mean, variance, gradients = operands
    steps = _Steps(norm, b)
    deviations = b.op("subtract", x, steps.spread(mean))
    square = steps.square(variance)
    root = b.op("sqrt", square)
    normal = b.op("divide", deviations, root)
    count = b.like(float(norm.terms), x)
    total = steps.sum(gradients)
    covariant = steps.spread(steps.sum(b.op("multiply", gradients, deviations)))
    quotient = b.op("divide", b.op("multiply", covariant, deviations), square)
    scaled = b.op("subtract", b.op("multiply", gradients, count), steps.spread(total))
    factor = b.op("divide", b.op("divide", steps.spread(scale), root), count)
    of_operand = b.op("multiply", factor, b.op("subtract", scaled, quotient))
    return [of_operand, steps.sum(b.op("multiply", gradients, normal)), total]


def decompose(program: Program) -> Program:
    """The program with such a module; raises what take_apart() raises."""
    norm = batch_norm_program.take_apart(program)
    steps = _grad if norm.is_grad else _training
    return module(program, lambda block, operands: steps(norm, block, operands))

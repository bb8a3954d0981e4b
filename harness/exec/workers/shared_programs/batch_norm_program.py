# SPDX-License-Identifier: Apache-2.0
"""Programs of stablehlo.batch_norm_training and stablehlo.batch_norm_grad, checked and taken apart.

Libraries are never told what a case line says of results, and take what the specification does not
allow: its constraints are held here.
"""
from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from assay_worker import Invalid, Program, Type, Unsupported

TRAINING, GRAD = "stablehlo.batch_norm_training", "stablehlo.batch_norm_grad"
OPS = (TRAINING, GRAD)
FLOATS = ("f16", "bf16", "f32", "f64")


@dataclass(frozen=True)
class BatchNorm:
    is_grad: bool
    epsilon: float  # A number of f32.
    feature: int  # The dimension of the channels.
    kind: Type  # Of the operand.

    @property
    def others(self) -> list[int]:
        """The dimensions along which terms lie."""
        return [dim for dim in range(len(self.kind.shape)) if dim != self.feature]

    @property
    def channels(self) -> int:
        return self.kind.shape[self.feature]

    @property
    def terms(self) -> int:
        """How many elements a channel has."""
        count = 1
        for dim in self.others:
            count *= self.kind.shape[dim]
        return count


def is_batch_norm(program: Program) -> bool:
    return program.op in OPS


def take_apart(program: Program) -> BatchNorm:
    """Raises Invalid for what breaks a constraint, Unsupported for floats that nobody computes with."""
    program.check_attributes("epsilon", "feature_index")
    kinds = [*program.operands, *program.results]
    is_grad = program.op == GRAD
    if len(program.operands) != (5 if is_grad else 3) or len(program.results) != 3:
        raise Invalid("as many operands and results")
    if any(kind.element not in FLOATS for kind in kinds):
        raise Unsupported(f"no batch norm of {', '.join(sorted({k.element for k in kinds}))}")
    feature, whole = int(program.attributes["feature_index"]), program.operands[0]
    if not 0 <= feature < len(whole.shape):
        raise Invalid("feature_index is a dimension")
    channel = Type(whole.element, (whole.shape[feature],))
    inner = [channel] * 3 + [whole] if is_grad else [channel] * 2
    if kinds != [whole, *inner, whole, channel, channel]:
        raise Invalid("operands and results have one element type and the operand's channels")
    epsilon = float.fromhex(program.attributes["epsilon"])
    with np.errstate(over="ignore"):
        if not math.isnan(epsilon) and float(np.float32(epsilon)) != epsilon:
            raise Invalid("epsilon is a number of f32")
    return BatchNorm(is_grad, epsilon, feature, whole)

# SPDX-License-Identifier: Apache-2.0
"""batch_norm_training as an ONNX graph: BatchNormalization with training_mode, between Transposes that
bring the channels to dimension 1.  With momentum 0 its running statistics are those of the batch: they
are added to 0 times what was there, which is 0.  What was there is 0 and 1: of equal numbers, which
ONNX Runtime 1.30 and before make one tensor, it puts the variance of f16 in the place of the mean
(corpus/found/batch_norm.cases).  ONNX has no op for batch_norm_grad.
"""
from __future__ import annotations

from typing import Any

import numpy as np

from assay_worker import Program, Unsupported
from shared_programs import batch_norm_program


def make(graph: Any, program: Program) -> list[str]:
    norm = batch_norm_program.take_apart(program)
    if norm.is_grad:
        raise Unsupported("ONNX has no gradient of a batch norm")
    x, rank = "operand0", len(norm.kind.shape)
    order = [norm.feature, *norm.others]
    order[:2] = order[1::-1]
    if rank == 1:
        x = graph.add("Unsqueeze", [x, graph.integers([0])])
    elif order != sorted(order):
        x = graph.add("Transpose", [x], perm=order)
    if norm.channels < 0:
        before = [graph.filled("operand1", value, norm.kind) for value in (0, 1)]
    else:
        before = [graph.constant(fill(norm.channels, norm.kind.dtype)) for fill in (np.zeros, np.ones)]
    output, mean, variance = graph.add_many(
        "BatchNormalization", [x, "operand1", "operand2", *before], 3,
        epsilon=norm.epsilon, momentum=0.0, training_mode=1,
    )  # fmt: skip
    if rank == 1:
        output = graph.add("Squeeze", [output, graph.integers([0])])
    elif order != sorted(order):
        output = graph.add("Transpose", [output], perm=np.argsort(order).tolist())
    return [output, mean, variance]

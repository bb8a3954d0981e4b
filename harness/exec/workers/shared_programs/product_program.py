# SPDX-License-Identifier: Apache-2.0
"""Products of two tensors as libraries name them that take an equation of their dimensions."""
from __future__ import annotations

from assay_worker import Program

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def einsum_equation(program: Program, batch: list[list[int]], contract: list[list[int]]) -> str:
    """Like "abc,abd->acd": the result has the batching dimensions, then those that are
    left of the left operand, then of the right one."""
    fresh = iter(LETTERS)
    shared = [next(fresh) for _ in [*batch[0], *contract[0]]]
    names: list[list[str]] = []
    for side, kind in enumerate(program.operands):
        fixed = dict(zip([*batch[side], *contract[side]], shared))
        names.append([fixed.get(dim) or next(fresh) for dim in range(len(kind.shape))])
    kept = [name for side in names for name in side if name not in shared]
    target = "".join([*shared[: len(batch[0])], *kept])
    return f"{''.join(names[0])},{''.join(names[1])}->{target}"

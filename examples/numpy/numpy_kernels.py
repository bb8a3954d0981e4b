# SPDX-License-Identifier: Apache-2.0
"""Two kernels in NumPy.  With FAULTY=1 in the environment as they are written now and then: softmax forgets the maximum, and
the sum its last block, where that is not a whole one."""

import os

import numpy as np

FAULTY = os.environ.get("FAULTY") == "1"
BLOCK = 64


def softmax(x):
    """Along the last axis."""
    shift = np.float32(0) if FAULTY else x.max(-1, keepdims=True, initial=-np.inf)
    with np.errstate(all="ignore"):
        e = np.exp(x - shift)
        return e / e.sum(-1, keepdims=True)


def row_sums(x, start):
    """Of each row, block by block, added to a number."""
    size = x.shape[-1]
    end = size // BLOCK * BLOCK if FAULTY and size > BLOCK else size
    total = np.full(x.shape[:-1], start, x.dtype)
    with np.errstate(all="ignore"):
        for begin in range(0, end, BLOCK):
            total = total + x[..., begin : min(begin + BLOCK, end)].sum(-1, initial=np.float32(-0.0))
    return total

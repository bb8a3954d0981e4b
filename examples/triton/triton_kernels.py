# SPDX-License-Identifier: Apache-2.0
"""A product and a softmax in Triton; TRITON_INTERPRET=1 runs them without a GPU.  With FAULTY=1 in the environment as they are
written now and then: the product is accumulated in f16, and what is behind the end of a row is loaded as 0, not as -inf."""

import os

import torch
import triton
import triton.language as tl

FAULTY = os.environ.get("FAULTY") == "1"
DEVICE = "cpu" if os.environ.get("TRITON_INTERPRET") == "1" else "cuda"
BLOCK = 32


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BLOCK: tl.constexpr, ACCUMULATOR: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)[:, None]
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)[None, :]
    accumulator = tl.zeros((BLOCK, BLOCK), dtype=ACCUMULATOR)
    for k in range(0, K, BLOCK):
        right = k + tl.arange(0, BLOCK)[None, :]
        down = k + tl.arange(0, BLOCK)[:, None]
        left_block = tl.load(a + rows * K + right, mask=(rows < M) & (right < K), other=0.0)
        right_block = tl.load(b + down * N + columns, mask=(down < K) & (columns < N), other=0.0)
        accumulator += tl.dot(left_block, right_block).to(ACCUMULATOR)
    tl.store(c + rows * N + columns, accumulator.to(tl.float16), mask=(rows < M) & (columns < N))


def matmul(a, b):
    """[M, K] by [K, N], of f16 into f16."""
    (M, K), N = a.shape, b.shape[1]
    c = torch.empty((M, N), dtype=torch.float16, device=DEVICE)
    grid = (triton.cdiv(M, BLOCK), triton.cdiv(N, BLOCK))
    accumulator = tl.float16 if FAULTY else tl.float32
    matmul_kernel[grid](a, b, c, M, N, K, BLOCK=BLOCK, ACCUMULATOR=accumulator)
    return c


@triton.jit
def softmax_kernel(x, y, size, BLOCK: tl.constexpr, OTHER: tl.constexpr):
    place = tl.arange(0, BLOCK)
    row = tl.program_id(0) * size
    numbers = tl.load(x + row + place, mask=place < size, other=OTHER)
    exponentials = tl.exp(numbers - tl.max(numbers, axis=0))
    tl.store(y + row + place, exponentials / tl.sum(exponentials, axis=0), mask=place < size)


def softmax(x):
    """Of each row, f32."""
    rows, size = x.shape
    y = torch.empty_like(x)
    other = 0.0 if FAULTY else float("-inf")
    softmax_kernel[(rows,)](x, y, size, BLOCK=triton.next_power_of_2(size), OTHER=other)
    return y

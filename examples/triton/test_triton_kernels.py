# SPDX-License-Identifier: Apache-2.0
"""Kernels in Triton by a tolerance, by what conforms on the same data, and for drawn cases:

    TRITON_INTERPRET=1 pytest examples/triton
"""

import numpy as np
import pytest
import torch
from triton_kernels import DEVICE, matmul, softmax

import assay

# Of the interpreter, on NaN and infinities.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

GENERATOR = torch.Generator().manual_seed(1)
A = torch.rand((48, 128), generator=GENERATOR).half().to(DEVICE)
B = torch.rand((128, 40), generator=GENERATOR).half().to(DEVICE)
X = torch.randn((16, 1000), generator=GENERATOR).to(DEVICE)


def test_matmul_is_close():
    expected = A.double() @ B.double()
    np.testing.assert_allclose(matmul(A, B).cpu(), expected.cpu(), rtol=1e-2, atol=1e-2)


def test_matmul_conforms():
    assay.assert_conforms("dot_general", [A, B], matmul(A, B))


@assay.cases("dot_general", types="f16,f16->f16", n=10)
def test_matmul_conforms_on_drawn_cases(case):
    if min(case.operands[0].shape + case.operands[1].shape) == 0:
        raise assay.Refused("nothing to do")
    case.check(matmul(*[operand.to(DEVICE) for operand in case.torch()]))


def test_softmax_is_close():
    expected = torch.softmax(X.double(), -1)
    np.testing.assert_allclose(softmax(X).cpu(), expected.cpu(), rtol=1e-2, atol=1e-2)


def test_softmax_conforms():
    assay.assert_conforms("softmax", [X], softmax(X))


@assay.cases("softmax", types="f32", n=20)
def test_softmax_conforms_on_drawn_cases(case):
    if len(case.operands[0].shape) != 2 or min(case.operands[0].shape) == 0:
        raise assay.Refused("rows of a matrix")
    case.check(softmax(case.torch()[0].to(DEVICE)))

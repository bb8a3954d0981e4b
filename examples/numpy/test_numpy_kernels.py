# SPDX-License-Identifier: Apache-2.0
"""Kernels in NumPy by a tolerance, and by what conforms, for drawn cases: pytest examples/numpy"""

import numpy as np
from numpy_kernels import row_sums, softmax

import assay

X = np.random.default_rng(1).standard_normal((8, 256), np.float32)


def test_softmax_is_close():
    e = np.exp(X.astype(np.float64))
    np.testing.assert_allclose(softmax(X), e / e.sum(-1, keepdims=True), rtol=1e-4, atol=1e-4)


@assay.cases("softmax", types="f32", n=100)
def test_softmax_conforms(case):
    case.check(softmax(*case.operands))


def test_row_sums_are_close():
    np.testing.assert_allclose(row_sums(X, np.float32(0)), X.sum(-1, dtype=np.float64), rtol=1e-4, atol=1e-4)


@assay.cases("reduce", types="f32,f32->f32", n=150, strata="tiles=1", usual=False)
def test_row_sums_conform(case):
    rank = case.operands[0].ndim
    if case.attributes["body"] != "add" or case.attribute("dims") != [rank - 1]:
        raise assay.Refused("sums along the last axis")
    case.check(row_sums(case.operands[0], case.operands[1][()]))

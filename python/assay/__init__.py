# SPDX-License-Identifier: Apache-2.0
"""Assay: are the results of a tensor operation right?  A verdict is a theorem, not a tolerance.

    import assay

    assay.assert_conforms("dot_general", [a, b], c)                      # a @ b, types from the tensors
    assay.assert_conforms("softmax", [x], y, axis=-1, contract="backend,ftz=both")
    verdict = assay.check("layer_norm", [x, w, b], [y], axis=[-1], epsilon=1e-5)
    low, high = assay.accept("reduce", [x, 0.0], body="add", dims=[0])   # the set itself

    @assay.cases("dot_general", types="bf16,bf16->f32", n=500)           # a test that draws, shrinks and reports
    def test_my_kernel(case):
        case.check(my_matmul(*case.operands))

    assay.vet(my_matmul, op="dot_general", types=["f32"], db="night.db") # a callable as an executor

Tensors are anything with __dlpack__ or __array__: numpy, torch, JAX, CuPy.  The default contract is "wide": floats of 16 and 8 bits
are computed with in f32 and rounded once, sums are added in any order."""

from ._assertions import NoEvidence, NonConforming, assert_conforms
from ._cases import Case, Refused, case, draw
from ._library import (
    AssayError,
    Cancelled,
    Defect,
    EnvironmentFailure,
    InvalidArgument,
    Undecided,
    Unsupported,
    __version__,
    ops,
)
from ._runs import cases
from ._tensors import Tensor, TensorType, typed
from ._verdicts import AcceptSet, Element, Power, Value, Verdict, accept, accept_sets, check, power, simulate
from ._vet import VetReport, vet

__all__ = [
    "AcceptSet",
    "AssayError",
    "Cancelled",
    "Case",
    "Defect",
    "Element",
    "EnvironmentFailure",
    "InvalidArgument",
    "NoEvidence",
    "NonConforming",
    "Power",
    "Refused",
    "Tensor",
    "TensorType",
    "Undecided",
    "Unsupported",
    "Value",
    "Verdict",
    "VetReport",
    "__version__",
    "accept",
    "accept_sets",
    "assert_conforms",
    "case",
    "cases",
    "check",
    "draw",
    "ops",
    "power",
    "simulate",
    "typed",
    "vet",
]

# SPDX-License-Identifier: Apache-2.0
"""Strategies for Hypothesis: cases of an op, and data for a program.

@hypothesis.given(assay.strategies.cases("softmax", types="f32"))
def test_softmax(case):
    assert case.check(my_softmax(*case.operands))
"""

from __future__ import annotations

from typing import Any, Optional

import numpy
from hypothesis import strategies as st

from ._cases import Case, draw, draw_operands
from ._programs import program_from_line


def cases(
    op: str, *, types: Optional[str] = None, strata: Optional[str] = None, contract: str = "wide"
) -> "st.SearchStrategy[Case]":
    """Cases as `assay run` draws them.  Hypothesis shrinks the seed they are drawn from; assay.cases makes programs small."""
    return st.integers(0, 2**32 - 1).map(
        lambda seed: draw(op, types=types, strata=strata, seed=seed, contract=contract)
    )


def operands(line: str, *, stratum: str = "corner", contract: str = "wide") -> "st.SearchStrategy[Case]":
    """Cases of one program, by its line, with data as a stratum has them: "corner", "deployment", "extremes", ..."""
    program_from_line(line)  # Complains at once.
    return st.integers(0, 2**32 - 1).map(
        lambda seed: draw_operands(line, stratum=stratum, seed=seed, contract=contract)
    )


def arrays(line: str, index: int = 0, *, stratum: str = "corner") -> "st.SearchStrategy[numpy.ndarray[Any, Any]]":
    """One operand of such cases, for tests that make the others themselves."""
    return operands(line, stratum=stratum).map(lambda case: case.operands[index])

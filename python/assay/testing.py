# SPDX-License-Identifier: Apache-2.0
"""Assertions with the signature of torch.testing and numpy.testing: what was got first."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from ._assertions import assert_conforms
from ._verdicts import Verdict


def assert_close_to_spec(
    actual: Any,
    op: str,
    inputs: Sequence[Any],
    *,
    contract: str = "wide",
    budget: Optional[float] = None,
    threads: int = 1,
    seed: int = 0,
    vacuous: str = "fail",
    **attributes: Any,
) -> Verdict:
    """As torch.testing.assert_close(actual, expected), where `op` of `inputs` is what is expected, and no tolerance is chosen."""
    __tracebackhide__ = True
    return assert_conforms(
        op, inputs, actual, contract=contract, budget=budget, threads=threads, seed=seed, vacuous=vacuous, **attributes
    )

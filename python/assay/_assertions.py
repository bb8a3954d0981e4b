# SPDX-License-Identifier: Apache-2.0
"""assert_conforms(): check() as an assertion of a test."""

from __future__ import annotations

from typing import Any, Optional, Sequence

from . import _completion, _messages
from ._library import op_name, split_contract
from ._programs import program_of
from ._tensors import Tensor, as_tensor, type_of
from ._verdicts import Verdict, check_program, split_call


class NonConforming(AssertionError):
    """Results that no conforming implementation may return.  `verdict` has all of it; `literal` is Python source that judges the
    worst element alone again, or the small case, which the text shows where it is short; "" where that is not to be had."""

    def __init__(self, text: str, verdict: Verdict, literal: str = ""):
        super().__init__(text)
        self.verdict, self.literal = verdict, literal


class NoEvidence(AssertionError):
    """Nothing was tested: zeros, NaN or twice the value everywhere would have conformed too, or nobody knows what is right."""

    def __init__(self, text: str, verdict: Verdict):
        super().__init__(text)
        self.verdict = verdict


def completed(
    op: str, operands: Sequence[Tensor], results: Sequence[Tensor], attributes: dict[str, Any]
) -> dict[str, Any]:
    """All attributes of a call, those that were left out too."""
    call = _completion.complete(
        op_name(op), [type_of(one) for one in operands], [type_of(one) for one in results], dict(attributes)
    )
    return call.attributes


def failure_text(
    op: str,
    verdict: Verdict,
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    attributes: dict[str, Any],
    cut: bool = True,
) -> tuple[str, str]:
    """What is printed of a divergence, and the small case as a literal."""
    whole = completed(op, operands, results, attributes)
    lines = _messages.describe(verdict)
    small = (
        _messages.smallest(verdict)
        if cut
        else _messages.Small(verdict.program.line, list(operands), list(results))
    )
    return _messages.finish(lines, verdict, op, small, whole)


def judge(
    op: str,
    verdict: Verdict,
    operands: Sequence[Tensor],
    results: Sequence[Tensor],
    attributes: dict[str, Any],
    vacuous: str,
    cut: bool = True,
) -> Verdict:
    """Raises what a verdict asks for."""
    __tracebackhide__ = True
    if verdict.outcome == "diverges":
        text, literal = failure_text(op, verdict, operands, results, attributes, cut)
        raise NonConforming(text, verdict, literal)
    if verdict.outcome == "no-oracle" or verdict.outcome == "vacuous" and vacuous == "fail":
        why = verdict.reason or "zeros, NaN or twice the value everywhere would have conformed"
        raise NoEvidence(f"{verdict.program.line}: nothing was tested: {why}", verdict)
    return verdict


def assert_conforms(
    op: str,
    inputs: Sequence[Any],
    results: Any,
    *,
    contract: str = "wide",
    budget: Optional[float] = None,
    threads: int = 1,
    seed: int = 0,
    vacuous: str = "fail",
    **attributes: Any,
) -> Verdict:
    """check(), and NonConforming where results are wrong.

        assay.assert_conforms("dot_general", [a, b], c)          # a @ b

    `vacuous`: "fail" raises NoEvidence where data are such that nothing could have failed; "pass" lets them pass."""
    __tracebackhide__ = True
    if vacuous not in ("fail", "pass"):
        raise _completion.InvalidArgument(f'vacuous={vacuous!r}: "fail" or "pass" is expected')
    contract, attributes = split_contract(op, contract, attributes)
    operands, appended = split_call(op, inputs, attributes)
    several = results if isinstance(results, (list, tuple)) and not isinstance(results, Tensor) else [results]
    given = [as_tensor(result, operands[0] if operands else None) for result in several]
    program = program_of(op, [type_of(one) for one in operands], [type_of(one) for one in given], attributes)
    verdict = check_program(
        program,
        [one.array for one in operands],
        [one.array for one in given],
        contract=contract,
        budget=budget,
        threads=threads,
        seed=seed,
        appended=appended,
    )
    if verdict.outcome == "conforms":
        return verdict
    return judge(op, verdict, operands, given, attributes, vacuous)


def lines_of(verdict: Verdict) -> list[str]:
    return _messages.describe(verdict)


def case_literal(line: str, operands: Sequence[Tensor], contract: str) -> str:
    """Python source of a case whose attributes are in its line."""
    literals = ", ".join(_messages.array_literal(*one) for one in operands)
    return f'assay.case("{line}", [{literals}]' + ("" if contract == "wide" else f", {contract!r}") + ")"


def with_literal(lines: list[str], verdict: Verdict, operands: Sequence[Tensor], case: Any) -> tuple[str, str]:
    """The text of a drawn case, and the case as a literal."""
    literal = "case = " + case_literal(case.program.line, operands, verdict.contract)
    lines += _messages.literal_lines(literal, "the case by itself")
    if verdict.replay and len(verdict.replay) < _messages.SHORT:
        lines += ["  replay:", "    " + verdict.replay]
    return "\n".join(lines), literal

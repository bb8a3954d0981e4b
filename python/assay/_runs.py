# SPDX-License-Identifier: Apache-2.0
"""Functions under test, run on drawn cases: @assay.cases, what it counts, and the smallest case on which a kernel is wrong."""

from __future__ import annotations

import contextvars
import functools
import inspect
import math
from dataclasses import dataclass, field
from typing import Any, Callable, Optional, Sequence

import numpy

from . import _assertions
from ._cases import Case, Refused, _case_of, _is_alike, _is_usual, _Stop, draw, draw_usual
from ._library import InvalidArgument, context, ffi, lib, new_error, op_name, question_of, text_of
from ._messages import SHORT
from ._programs import program_from_line
from ._tensors import dtype_of
from ._verdicts import Power, Verdict, power_of


@dataclass
class Record:
    """What a test saw, for reports."""

    op: str = ""
    cases: int = 0
    refused: int = 0
    vacuous: int = 0
    known: int = 0
    wrong: int = 0
    without_oracle: int = 0
    powers: list[Power] = field(default_factory=list)

    def summary(self) -> str:
        parts = [f"{self.cases} cases of {self.op}"]
        parts += [
            f"{count} {word}"
            for count, word in (
                (self.refused, "refused"),
                (self.wrong, "wrong"),
                (self.vacuous, "vacuous"),
                (self.known, "known"),
                (self.without_oracle, "without an oracle"),
            )
            if count
        ]
        ulps = sorted(power.ulps_median for power in self.powers if power.elements)
        if ulps:
            parts.append(f"half of the elements measured would have shown {_error_words(ulps[len(ulps) // 2])}")
        return "; ".join(parts)


def _error_words(ulps: float) -> str:
    """As the program says it: below half a unit only the nearest number is accepted."""
    return "any error" if ulps < 0.5 else "no error at all" if math.isinf(ulps) else f"an error above {ulps:.3g} ulp"


@dataclass
class Settings:
    """What pytest's options say for all tests: None where they say nothing."""

    cases: Optional[int] = None
    seed: Optional[int] = None
    contract: Optional[str] = None
    db: Optional[str] = None
    known: Sequence[tuple[str, str, str]] = ()  # (op or "*", class or "*", what the explanation has)


settings: contextvars.ContextVar[Settings] = contextvars.ContextVar("assay_settings", default=Settings())


record: contextvars.ContextVar[Optional[Record]] = contextvars.ContextVar("assay_record", default=None)


def _view(struct: Any, element: str) -> numpy.ndarray:
    """The memory of a dense tensor as an array."""
    shape = tuple(struct.dims[d] for d in range(struct.rank))
    dtype = dtype_of(element)
    size = math.prod(shape) * dtype.itemsize
    if size == 0:
        return numpy.zeros(shape, dtype)
    return numpy.frombuffer(ffi.buffer(struct.data, size), numpy.uint8).view(dtype).reshape(shape)


def _shrink(case: Case, run: Callable[[Case], None], usual: bool) -> Case:
    """The smallest case on which what `run` checks diverges in the same class; the given one if it cannot be made smaller."""

    @ffi.callback("int32_t(void *, const assay_question_t *)")
    def kernel(_user: Any, question: Any) -> int:
        try:
            smaller = program_from_line(text_of(lib.assay_program_line(question.program)))
            if usual and not _is_alike(smaller, case.program):
                return 1
            arrays = [_view(question.operands[i], type_.element) for i, type_ in enumerate(smaller.operands)]
            trial = Case(smaller, arrays, case.contract)
            trial._sink = [_view(question.results[i], type_.element) for i, type_ in enumerate(smaller.results)]
            run(trial)
        except _Stop:
            return 0
        except BaseException:
            return 1
        return 1

    structs, kept = case.program.structs(case.given)
    question = question_of(case.program.handle, structs, len(case.given), ffi.NULL, 0, case.contract)
    tested = ffi.new("assay_tested_kernel_t *")
    tested.struct_size, tested.run = ffi.sizeof("assay_tested_kernel_t"), kernel
    out, error = ffi.new("assay_case_t **"), new_error()
    status = lib.assay_shrink(context(), question, tested, out, ffi.NULL, error)
    del kept
    return _case_of(out[0], case.contract) if status == 0 else case


def _failure(case: Case, run: Callable[[Case], None], drawn: int, seed: int, usual: bool) -> _assertions.NonConforming:
    """The text of a divergence, of the smallest case."""
    small = _shrink(case, run, usual and _is_usual(case.program))
    if small is not case:
        try:
            run(small)
        except (_Stop, Exception):  # The verdict says what we want to know; what a test asserts of it may raise.
            pass
        if small.verdict is None or small.verdict.outcome != "diverges":
            small = case
    verdict = small.verdict
    assert verdict is not None
    lines = _assertions.lines_of(verdict)
    lines.append(f"  case {drawn} of seed {seed}" + ("" if small is case else f", made small from {case.program.line}"))
    lines.append(f"  the case: {small.line}" if len(small.line) < 2000 else f"  the program: {small.program.line}")
    text, literal = _assertions.with_literal(lines, verdict, small.tensors(), small)
    return _assertions.NonConforming(text, verdict, literal)


def _say_which(error: Exception, case: Case, drawn: int, seed: int) -> None:
    """On what a kernel raised its exception."""
    if not hasattr(error, "add_note"):  # Python 3.10.
        return
    literal = _assertions.case_literal(case.program.line, case.tensors(), case.contract)
    error.add_note(f"case {drawn} of seed {seed}: " + (literal if len(literal) < SHORT else case.program.line))


def _is_known(verdict: Verdict, op: str, known: Sequence[tuple[str, str, str]]) -> bool:
    return any(
        (which in ("*", op)) and class_ in ("*", verdict.class_name) and text in verdict.explanation
        for which, class_, text in known
    )


def run_cases(
    op: str,
    run: Callable[[Case], None],
    *,
    types: Optional[str],
    n: int,
    strata: Optional[str],
    seed: int,
    contract: str,
    known: Sequence[tuple[str, str, str]] = (),
    usual: bool = True,
    lines: Optional[list[str]] = None,
) -> Record:
    """Draws until n cases were judged, at most four times as many; raises at the first divergence that is not known, or, where
    `lines` are asked for, which get the cases, behind the last one."""
    __tracebackhide__ = True
    whole = op_name(op)
    told = record.get() or Record()
    told.op = whole
    failure: Optional[_assertions.NonConforming] = None
    for drawn in range(4 * n):
        if told.cases == n:
            break
        draws = draw_usual if usual else draw
        case = draws(op, types=types, strata=strata, seed=seed * 1_000_003 + drawn, contract=contract)
        try:
            run(case)
        except (Refused, NotImplementedError):
            told.refused += 1
            continue
        except Exception as error:
            if case.verdict is None or case.verdict.outcome != "diverges":  # Else it is what a test asserts of that.
                _say_which(error, case, drawn, seed)
                raise
        finally:
            if lines is not None:
                lines.append(case.line)
        if case.verdict is None:
            raise InvalidArgument("the test did not call case.check() with the kernel's results")
        told.cases += 1
        outcome = case.verdict.outcome
        if outcome == "diverges":
            if not _is_known(case.verdict, whole, known):
                failure = failure or _failure(case, run, drawn, seed, usual)
                if lines is None:
                    raise failure
                told.wrong += 1
                continue
            told.known += 1
        told.vacuous += outcome == "vacuous"
        told.without_oracle += outcome == "no-oracle"
        if outcome == "conforms" and told.cases % 16 == 1 and len(told.powers) < 16:
            told.powers.append(power_of(case.program, case.given, contract, 2, drawn))
    if failure is not None:
        raise failure
    tested = told.cases - told.vacuous - told.without_oracle
    if tested == 0:
        raise AssertionError(f"nothing was tested: {told.summary()}")
    return told


def cases(
    op: str,
    *,
    types: Optional[str] = None,
    n: int = 200,
    strata: Optional[str] = None,
    seed: int = 1,
    contract: str = "wide",
    known: Sequence[tuple[str, str, str]] = (),
    usual: bool = True,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Makes a test of a function of a case:

        @assay.cases("dot_general", types="bf16,bf16->f32", n=500)
        def test_my_kernel(case):
            case.check(my_matmul(*case.operands))

    Programs have the attributes that a call may leave out, where the op has such (a product is one of two matrices, a softmax is
    along the last axis), so that the operands are all that a kernel has to know; `usual=False` draws any, which case.attribute()
    tells.  `known`: (op or "*", class or "*", part of the explanation) of divergences that are known.  Fixtures of pytest may follow
    the case.  pytest's --assay-cases, --assay-seed and --assay-contract go before what stands here."""
    if n < 1:
        raise InvalidArgument(f"n={n}: at least one case")

    def decorate(function: Callable[..., None]) -> Callable[..., None]:
        parameters = list(inspect.signature(function).parameters.values())
        place = 1 if parameters and parameters[0].name == "self" else 0  # A method of a class of tests.
        if len(parameters) <= place:
            raise InvalidArgument(f"{function.__name__}() has to take a case")
        first = parameters.pop(place).name

        @functools.wraps(function)
        def test(*args: Any, **kwargs: Any) -> None:
            __tracebackhide__ = True
            wanted = settings.get()

            def run(case: Case) -> None:
                function(*args, **{first: case}, **kwargs)

            from . import _vet

            arguments: dict[str, Any] = {
                "types": types,
                "n": wanted.cases or n,
                "strata": strata,
                "seed": seed if wanted.seed is None else wanted.seed,
                "contract": wanted.contract or contract,
                "known": [*known, *wanted.known],
                "usual": usual,
            }
            if not wanted.db:
                run_cases(op, run, **arguments)
                return
            lines: list[str] = []
            try:
                run_cases(op, run, lines=lines, **arguments)
            finally:
                _vet.keep(op, run, lines, wanted.db, function.__name__, arguments["contract"], usual)

        del test.__wrapped__  # pytest must not see the parameter `case`.
        test.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
        return test

    return decorate

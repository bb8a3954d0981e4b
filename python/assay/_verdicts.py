# SPDX-License-Identifier: Apache-2.0
"""check(), accept() and simulate(): results held against operands, the sets of what conforms, and models."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, NamedTuple, Optional, Sequence

import numpy

from . import _completion
from ._library import context, ffi, lib, new_error, op_name, question_of, raise_if, split_contract, text_of
from ._programs import Program, program_of, result_types
from ._tensors import Tensor, as_tensor, type_of

OUTCOMES = ("conforms", "diverges", "vacuous", "no-oracle")


class Value(NamedTuple):
    """A number of a component, with its exact spellings."""

    number: float
    decimal: str
    hex: str

    def __str__(self) -> str:
        return self.decimal or repr(self.number)


@dataclass(frozen=True)
class Element:
    """The worst element of a divergence."""

    result: int
    index: tuple[int, ...]
    part: str  # "real" or "imaginary" of complex elements, else "".
    got: Value
    exact: Value
    low: Optional[Value]  # The least and the greatest value that conform around the exact one.
    high: Optional[Value]
    permitted: str  # All that is permitted, in words.


class Verdict:
    """What a check found.  `outcome` is "conforms", "diverges", "vacuous" (conforms, as zeros, NaN or twice the value everywhere
    would: no evidence) or "no-oracle"; a verdict is true if nothing wrong was found."""

    def __init__(self, handle: Any, program: Program, inferred: Sequence[str], contract: str):
        self._handle = ffi.gc(handle, lib.assay_verdict_free)
        self.program, self.inferred, self.contract = program, tuple(inferred), contract
        self._info: Any = None

    @property
    def _told(self) -> Any:
        if self._info is None:
            info, error = ffi.new("assay_verdict_info_t *"), new_error()
            info.struct_size = ffi.sizeof("assay_verdict_info_t")
            raise_if(lib.assay_verdict_info(self._handle, info, error), error)
            self._info = info
        return self._info

    def __bool__(self) -> bool:
        return self.outcome != "diverges"

    @property
    def outcome(self) -> str:
        return OUTCOMES[self._told.outcome]

    @property
    def class_name(self) -> str:
        """Of a divergence: "value", "flush", "nan", ..."""
        return text_of(self._told.class_name)

    @property
    def explanation(self) -> str:
        return text_of(self._told.explanation)

    @property
    def reason(self) -> str:
        return text_of(self._told.reason)

    @property
    def cause(self) -> str:
        return text_of(self._told.cause_text) or text_of(self._told.cause)

    @property
    def pattern(self) -> str:
        return text_of(self._told.pattern)

    @property
    def algorithms(self) -> tuple[str, ...]:
        """Dot algorithms that could have given these results."""
        return tuple(name for name in text_of(self._told.algorithms).split("|") if name)

    @property
    def observed(self) -> str:
        return text_of(self._told.observed)

    @property
    def formula(self) -> str:
        return text_of(self._told.formula)

    @property
    def reading(self) -> str:
        """What kernels are known to take otherwise than the op's definition, where that explains all that was judged:
        "eps_outside_sqrt=true", "norm_epsilon=larger, or epsilon=1e-5"."""
        return text_of(self._told.reading)

    @property
    def smallest(self) -> str:
        """The case of the worst element alone, a tab, and its results, as `assay judge` reads them; or ""."""
        return text_of(lib.assay_verdict_smallest(self._handle))

    @property
    def judged_count(self) -> int:
        return self._told.component_count

    @property
    def wrong_count(self) -> int:
        return self._told.wrong_count

    @property
    def untested_count(self) -> int:
        """Judged, but nothing could have failed there."""
        return self._told.untested_count

    @property
    def left_out_count(self) -> int:
        """Not in the sample that was judged."""
        return self._told.left_out_count

    @property
    def missed_one_in(self) -> int:
        """With a sample: a fault in one of so many elements is missed with a probability of at most 1e-6."""
        return self._told.missed_one_in

    @property
    def ulp_error_max(self) -> float:
        return self._told.ulp_error_max

    @property
    def replay(self) -> str:
        """A shell command that judges the same data again."""
        return text_of(lib.assay_verdict_replay(self._handle))

    @property
    def worst(self) -> Optional[Element]:
        info = self._told
        if info.wrong_count == 0:
            return None
        got, exact, low, high = (
            Value(value.number, text_of(value.decimal), text_of(value.hex))
            for value in (info.got, info.exact, info.permitted_low, info.permitted_high)
        )
        is_complex = self.program.results[info.worst_result].element.startswith("complex")
        return Element(
            info.worst_result,
            tuple(info.worst_index[d] for d in range(info.worst_rank)),
            ("real", "imaginary")[info.worst_part] if is_complex else "",
            got,
            exact,
            low if info.has_interval else None,
            high if info.has_interval else None,
            text_of(info.permitted),
        )

    def wrong(self, result: int = 0) -> numpy.ndarray:
        """Which elements are wrong: booleans in the shape of the result."""
        out, count, error = ffi.new("uint8_t **"), ffi.new("size_t *"), new_error()
        raise_if(lib.assay_verdict_wrong(self._handle, result, ffi.cast("const uint8_t **", out), count, error), error)
        type_ = self.program.results[result]
        if out[0] == ffi.NULL or count[0] == 0:
            return numpy.zeros(type_.shape, bool)
        flags = numpy.frombuffer(ffi.buffer(out[0], count[0]), numpy.uint8).astype(bool)
        parts = 2 if type_.element.startswith("complex") else 1
        return numpy.asarray(flags.reshape(*type_.shape, parts).any(axis=-1))

    def __repr__(self) -> str:
        return f"<assay.Verdict {self.outcome}: {self.explanation or self.reason or self.program.line}>"


def threads_of(threads: int) -> int:
    """What `threads=` means: 0 is one for each processor that this process may use."""
    if threads < 0:
        raise _completion.InvalidArgument(f"threads={threads}: a number of threads is expected, or 0 for all processors")
    return threads or len(os.sched_getaffinity(0))


def split_call(op: str, inputs: Sequence[Any], attributes: dict[str, Any]) -> tuple[list[Tensor], list[str]]:
    """Operands as tensors, those that were left out filled in, and which these are."""
    whole = op_name(op)
    if isinstance(inputs, Tensor) or hasattr(inputs, "shape"):
        raise _completion.InvalidArgument(f"{op}: a list of operands is expected, as in [x]; one tensor was given")
    first = None
    operands: list[Any] = []
    for value in inputs:
        operands.append(None if value is None else as_tensor(value, first))
        first = first or operands[0]
    told = _completion.complete_operands(whole, operands, attributes)
    return operands, told


def check(
    op: str,
    inputs: Sequence[Any],
    results: Any,
    *,
    contract: str = "wide",
    budget: Optional[float] = None,
    threads: int = 1,
    seed: int = 0,
    all_elements: bool = False,
    find_cause: bool = True,
    **attributes: Any,
) -> Verdict:
    """Holds results of `op` against its inputs.

    `inputs`, `results`: anything with __dlpack__ or __array__ (numpy, torch, JAX, CuPy); types are theirs.  `results` may
    be one tensor or a list.  `budget`: seconds; of what would take longer a sample is judged.  `threads`: that judge a large
    case, with the same verdict however many there are; 0: one for each processor.  Attributes have the names of StableHLO or ByteIR;
    those with a usual value may be left out.  A permission of contracts is a keyword as well: norm_epsilon="larger"."""
    contract, attributes = split_contract(op, contract, attributes)
    operands, appended = split_call(op, inputs, attributes)
    several = results if isinstance(results, (list, tuple)) and not isinstance(results, Tensor) else [results]
    given = [as_tensor(result, operands[0] if operands else None) for result in several]
    program = program_of(op, [type_of(one) for one in operands], [type_of(one) for one in given], attributes)
    return check_program(
        program,
        [one.array for one in operands],
        [one.array for one in given],
        contract=contract,
        budget=budget,
        threads=threads,
        seed=seed,
        all_elements=all_elements,
        find_cause=find_cause,
        appended=appended,
    )


def check_program(
    program: Program,
    operands: Sequence[numpy.ndarray],
    results: Sequence[numpy.ndarray],
    *,
    contract: str,
    budget: Optional[float] = None,
    threads: int = 1,
    seed: int = 0,
    all_elements: bool = False,
    find_cause: bool = True,
    appended: Sequence[str] = (),
) -> Verdict:
    structs, kept = program.structs(operands)
    returned, also_kept = program.structs(results, of_results=True)
    flags = (lib.ASSAY_ALL_ELEMENTS if all_elements else 0) | (0 if find_cause else lib.ASSAY_NO_CAUSE)
    question = question_of(
        program.handle,
        structs,
        len(operands),
        returned,
        len(results),
        contract,
        seed,
        flags,
        budget,
        threads_of(threads),
    )
    out, error = ffi.new("assay_verdict_t **"), new_error()
    status = lib.assay_check(context(), question, out, error)
    del kept, also_kept
    if status != 0:
        raise_if(status, error, program.op)
    return Verdict(out[0], program, [*program.inferred, *appended], contract)


class AcceptSet(NamedTuple):
    """What conforms, element by element (NaN in `low` and `high` where no finite value does)."""

    low: numpy.ndarray
    high: numpy.ndarray
    exact: numpy.ndarray
    nan: numpy.ndarray
    positive_infinity: numpy.ndarray
    negative_infinity: numpy.ndarray
    negative_zero: numpy.ndarray
    positive_zero: numpy.ndarray
    unknown: numpy.ndarray


def _shaped(pointer: Any, count: int, dtype: Any, shape: tuple[int, ...]) -> numpy.ndarray:
    if count == 0:
        return numpy.zeros(shape, dtype)
    return numpy.frombuffer(ffi.buffer(pointer, count * numpy.dtype(dtype).itemsize), dtype).reshape(shape).copy()


def accept_sets(
    op: str, inputs: Sequence[Any], *, result: Any = None, contract: str = "wide", seed: int = 0, **attributes: Any
) -> list[AcceptSet]:
    """The set of each result.  `result`: types where they do not follow from the operands, as in result="bf16"."""
    contract, attributes = split_contract(op, contract, attributes)
    operands, _ = split_call(op, inputs, attributes)
    program = program_of(op, [type_of(one) for one in operands], result_types(result, operands), attributes)
    structs, kept = program.structs([one.array for one in operands])
    out, error = ffi.new("assay_accept_set_t **"), new_error()
    question = question_of(program.handle, structs, len(operands), ffi.NULL, 0, contract, seed)
    raise_if(lib.assay_accept(context(), question, out, error), error, program.op)
    del kept
    handle = ffi.gc(out[0], lib.assay_accept_set_free)
    sets = []
    for index, type_ in enumerate(program.results):
        info = ffi.new("assay_accept_info_t *")
        info.struct_size = ffi.sizeof("assay_accept_info_t")
        raise_if(lib.assay_accept_info(handle, index, info, error), error)
        parts = info.components_per_element
        shape = (*type_.shape, parts) if parts > 1 else type_.shape
        low, high, exact = (
            _shaped(pointer, info.count, numpy.float64, shape) for pointer in (info.low, info.high, info.exact)
        )
        specials = _shaped(info.specials, info.count, numpy.uint8, shape)
        nan, positive_infinity, negative_infinity, negative_zero, positive_zero = (
            (specials & bit) != 0 for bit in (1, 2, 4, 8, 16)
        )
        unknown = _shaped(info.unknown, info.count, numpy.uint8, shape) != 0
        sets.append(
            AcceptSet(
                low, high, exact, nan, positive_infinity, negative_infinity, negative_zero, positive_zero, unknown
            )
        )
    return sets


def accept(
    op: str, inputs: Sequence[Any], *, result: Any = None, contract: str = "wide", seed: int = 0, **attributes: Any
) -> tuple[numpy.ndarray, numpy.ndarray]:
    """The smallest and the largest value of the (first) result that conform, in binary64 (of 64-bit integers the nearest).

        low, high = assay.accept("reduce", [x, 0.0], body="add", dims=[0])

    accept_sets() has all of it: other results, NaN and infinities, signs of zero."""
    found = accept_sets(op, inputs, result=result, contract=contract, seed=seed, **attributes)[0]
    return found.low, found.high


def simulate(
    op: str, inputs: Sequence[Any], *, model: str = "sequential", result: Any = None, **attributes: Any
) -> Any:
    """What a model of implementations returns, such as "pairwise+fma", "lanes8+acc=f64", or one that is wrong on purpose,
    "canary:drop_last_term": an array, or a list of them."""
    operands, _ = split_call(op, inputs, attributes)
    program = program_of(op, [type_of(one) for one in operands], result_types(result, operands), attributes)
    returned = simulate_program(program, [one.array for one in operands], model)
    return returned[0] if len(returned) == 1 else returned


def simulate_program(program: Program, operands: Sequence[numpy.ndarray], model: str) -> list[numpy.ndarray]:
    results = program.empty_results()
    structs, kept = program.structs(operands)
    returned, also_kept = program.structs(results, of_results=True)
    error = new_error()
    question = question_of(program.handle, structs, len(operands), returned, len(results), None)
    raise_if(lib.assay_simulate(context(), question, model.encode(), error), error, f"{program.op} by {model}")
    del kept, also_kept
    return results


class Power(NamedTuple):
    """How wrong results could be without being noticed."""

    text: str
    elements: int
    vacuous: int
    ulps_median: float
    ulps_max: float
    relative_max: float


def power_of(
    program: Program, operands: Sequence[numpy.ndarray], contract: str, elements: int = 4, seed: int = 0
) -> Power:
    structs, kept = program.structs(operands)
    info, error = ffi.new("assay_power_info_t *"), new_error()
    info.struct_size = ffi.sizeof("assay_power_info_t")
    question = question_of(program.handle, structs, len(operands), ffi.NULL, 0, contract, seed)
    raise_if(lib.assay_power(context(), question, elements, info, error), error, program.op)
    del kept
    return Power(
        text_of(info.text), info.element_count, info.vacuous_count, info.ulps_median, info.ulps_max, info.relative_max
    )


def power(
    op: str,
    inputs: Sequence[Any],
    *,
    result: Any = None,
    contract: str = "wide",
    elements: int = 16,
    seed: int = 0,
    **attributes: Any,
) -> Power:
    """The tolerance of elements at random places: errors above `ulps_median` would have been seen in half of them."""
    contract, attributes = split_contract(op, contract, attributes)
    operands, _ = split_call(op, inputs, attributes)
    program = program_of(op, [type_of(one) for one in operands], result_types(result, operands), attributes)
    return power_of(program, [one.array for one in operands], contract, elements, seed)

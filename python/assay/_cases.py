# SPDX-License-Identifier: Apache-2.0
"""Cases: a program with operands and what a kernel is told of them; drawn ones, also of what a call may leave out."""

from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy

from . import _completion
from ._library import AssayError, InvalidArgument, context, ffi, lib, new_error, op_name, raise_if, text_of
from ._programs import Program, program_from_line, program_of
from ._tensors import Tensor, TensorType, as_tensor, dtype_of, type_of
from ._verdicts import Verdict, check_program


class Refused(Exception):
    """Raised by a kernel that cannot do a program: that is counted, and no failure."""


class _Stop(BaseException):
    """Ends a test function whose results are known.  No `except Exception` of the test's own catches it."""


class Case:
    """A program with operands.  `operands` are numpy arrays (bf16 and the like of ml_dtypes), copies, which a kernel may overwrite."""

    def __init__(self, program: Program, operands: Sequence[numpy.ndarray], contract: str, line: str = ""):
        self.program, self.given, self.contract = program, list(operands), contract
        self.operands = [numpy.array(operand) for operand in operands]
        self.line = line or program.line
        self.verdict: Optional[Verdict] = None
        self._sink: Optional[list[numpy.ndarray]] = None

    @property
    def op(self) -> str:
        return self.program.op

    def tensors(self) -> list[Tensor]:
        """The operands with their types, as they were given."""
        return [Tensor(array, type_.element) for array, type_ in zip(self.given, self.program.operands)]

    def attribute(self, name: str) -> Any:
        """An attribute: its integers as a list where it has any, else its text."""
        out, count, error = ffi.new("int64_t[]", 64), ffi.new("size_t *"), new_error()
        if lib.assay_program_integers(self.program.handle, name.encode(), out, 64, count, error) == 0 and count[0]:
            return [out[i] for i in range(min(count[0], 64))]
        return self.attributes.get(name)

    @property
    def attributes(self) -> dict[str, str]:
        """All attributes as the case line spells them."""
        found: dict[str, str] = {}
        key, value, error = ffi.new("char **"), ffi.new("char **"), new_error()
        while (
            lib.assay_program_attribute(
                self.program.handle, len(found), ffi.cast("const char **", key), ffi.cast("const char **", value), error
            )
            == 0
        ):
            found[text_of(key[0])] = text_of(value[0])
        return found

    def torch(self) -> list[Any]:
        """The operands as PyTorch tensors that own their memory."""
        import torch

        tensors = []
        for operand in self.operands:
            name = operand.dtype.name
            if name in ("bfloat16",) or name.startswith("float8"):
                bits = numpy.ascontiguousarray(operand).view(
                    numpy.int16 if operand.dtype.itemsize == 2 else numpy.uint8
                )
                tensors.append(torch.from_numpy(bits.copy()).view(getattr(torch, name)))
            else:
                tensors.append(torch.from_numpy(operand.copy()))
        return tensors

    def check(self, *results: Any) -> Verdict:
        """Judges what the kernel returned: the results one by one, or as one list."""
        several = (
            results[0]
            if len(results) == 1 and isinstance(results[0], (list, tuple)) and not isinstance(results[0], Tensor)
            else results
        )
        given = [as_tensor(result) for result in several]
        expected = self.program.results
        if len(given) != len(expected):
            raise InvalidArgument(f"{len(given)} results were checked, and {self.program.line} has {len(expected)}")
        for index, (one, type_) in enumerate(zip(given, expected)):
            if one.array.shape != type_.shape or one.array.dtype != dtype_of(type_.element):
                raise InvalidArgument(f"result {index} is {type_of(one)}, and {self.program.line} has {type_}")
        arrays = [one.array for one in given]
        if self._sink is not None:
            for place, array in zip(self._sink, arrays):
                place[...] = array
            raise _Stop
        self.results = arrays
        self.verdict = check_program(self.program, self.given, arrays, contract=self.contract)
        return self.verdict

    def __repr__(self) -> str:
        return f"<assay.Case {self.program.line}>"


def _case_of(handle: Any, contract: str) -> Case:
    """A case of the library's, its operands copied."""
    case = ffi.gc(handle, lib.assay_case_free)
    line = text_of(lib.assay_case_line(case))
    program = program_from_line(line.split(" : ", 1)[0])
    operands = []
    for index, type_ in enumerate(program.operands):
        out, error = ffi.new("assay_tensor_t *"), new_error()
        out.struct_size = ffi.sizeof("assay_tensor_t")
        raise_if(lib.assay_case_operand(case, index, out, error), error)
        dtype = dtype_of(type_.element)
        size = math.prod(type_.shape) * dtype.itemsize
        data = bytes(ffi.buffer(out.data, size)) if size else b""
        operands.append(numpy.frombuffer(bytearray(data), dtype).reshape(type_.shape))
    return Case(program, operands, contract, line)


def _draw(contract: str, **members: Any) -> Case:
    """What assay_draw_t says; texts are bytes."""
    wanted, out, error = ffi.new("assay_draw_t *"), ffi.new("assay_case_t **"), new_error()
    wanted.struct_size = ffi.sizeof("assay_draw_t")
    kept = []
    for name, value in members.items():
        if isinstance(value, bytes):
            value = ffi.new("char[]", value)
            kept.append(value)
        if value is not None:
            setattr(wanted, name, value)
    status = lib.assay_case_draw(context(), wanted, out, error)
    del kept
    raise_if(status, error)
    return _case_of(out[0], contract)


def draw(
    op: str, *, types: Optional[str] = None, strata: Optional[str] = None, seed: int = 1, contract: str = "wide"
) -> Case:
    """One case: `types` such as "f32" or "bf16,bf16->f32"; `strata` such as "tiles=30,long=5"."""
    return _draw(
        contract,
        op=op_name(op).encode(),
        types=types.encode() if types else None,
        strata=strata.encode() if strata else None,
        seed=seed,
    )


def _usual_program(program: Program, keep_types: bool = True) -> Optional[Program]:
    """The program of the same op on such operands whose attributes are those that a call may leave out, so that a kernel that
    gets the operands alone can do it: the given one itself if it is that; None if there is none.  Of an op without usual
    attributes any is, since the kernel has to read them.  `keep_types`: of the results, though they may not follow either."""
    types = [type_.element for type_ in program.results]
    for operands in (list(program.operands), _completion.usual_operands(program.op, program.operands)):
        try:
            results = _completion.complete(program.op, operands, None, {}).results
        except _completion.Missing:
            return program
        except InvalidArgument:
            continue
        if keep_types and len(results) == len(types):
            results = [TensorType(element, type_.shape) for element, type_ in zip(types, results)]
        try:
            usual = program_of(program.op, operands, results, {})
        except AssayError:
            continue
        return program if usual.line == program.line else usual
    return None


def has_usual_attributes(program: Program) -> bool:
    """Whether a call of the op may leave out all attributes."""
    try:
        _completion.complete(program.op, list(program.operands), None, {})
    except _completion.Missing:
        return False
    except InvalidArgument:
        pass
    return True


def _is_usual(program: Program) -> bool:
    return _usual_program(program) is program


def _is_alike(smaller: Program, program: Program) -> bool:
    """Whether a kernel that is not told attributes can do the smaller program as well."""
    ranks = [[len(type_.shape) for type_ in one.operands] for one in (smaller, program)]
    return ranks[0] == ranks[1] and _is_usual(smaller)


def _as_matrices(case: Case, seed: int) -> Case:
    """A product of two matrices with as many rows, terms and columns as the case has."""
    lhs, rhs = case.program.operands[:2]
    batch, contract = _pairs(case, "batch"), _pairs(case, "contract")
    terms = math.prod(lhs.shape[d] for d in contract[0])
    rows = math.prod(size for d, size in enumerate(lhs.shape) if d not in batch[0] + contract[0])
    columns = math.prod(size for d, size in enumerate(rhs.shape) if d not in batch[1] + contract[1])
    result = case.program.results[0].element
    line = (
        f"stablehlo.dot_general batch=[]x[] contract=[1]x[0] {lhs.element}[{rows},{terms}] {rhs.element}[{terms},{columns}] "
        f"-> {result}[{rows},{columns}]"
    )
    return _redraw(line, seed, case.contract)


def _redraw(line: str, seed: int, contract: str) -> Case:
    return draw_operands(line, stratum="deployment" if seed % 5 == 0 else "corner", seed=seed, contract=contract)


def _pairs(case: Case, key: str) -> list[list[int]]:
    return [[int(d) for d in part.strip("[]").split(",") if d] for part in case.attributes[key].split("x")]


def draw_operands(line: str, *, stratum: str = "corner", seed: int = 1, contract: str = "wide") -> Case:
    """A case of one program, by its line, with data as a stratum has them: "corner", "deployment", "extremes", ..."""
    return _draw(contract, program=program_from_line(line).handle, strata=f"{stratum}=1".encode(), seed=seed)


def _as_usual(case: Case, seed: int, keep_types: bool) -> Optional[Case]:
    """The case, or one of such operands, that a kernel can do which gets the operands alone."""
    quantized = any(type_.element.startswith("!quant") for type_ in case.program.operands)
    try:
        if case.op == "stablehlo.dot_general" and not quantized:
            return _as_matrices(case, seed)
        program = _usual_program(case.program, keep_types)
        return case if program is case.program else _redraw(program.line, seed, case.contract) if program else None
    except AssayError:
        return None  # Such a program has no meaning.


def draw_usual(op: str, *, types: Optional[str], strata: Optional[str], seed: int, contract: str) -> Case:
    """A case whose attributes a kernel need not be told, where an op has such; else any."""
    for attempt in range(50):
        case = draw(op, types=types, strata=strata, seed=seed + (attempt << 32), contract=contract)
        usual = _as_usual(case, seed, keep_types="->" in (types or ""))
        if usual is not None:
            return usual
    raise InvalidArgument(
        f"{op}: no program was drawn that has the attributes which a call may leave out; usual=False draws any, and "
        "case.attribute() tells the kernel which"
    )


def case(line: str, operands: Sequence[Any], contract: str = "wide") -> Case:
    """A case by its program's line, as failures print it:

    case = assay.case("stablehlo.add f32[2] f32[2] -> f32[2]", [x, y])
    assert case.check(my_add(*case.operands))
    """
    program = program_from_line(line)
    arrays = []
    for index, (operand, type_) in enumerate(zip(operands, program.operands)):
        array = as_tensor(operand).array
        if array.shape != type_.shape or array.dtype != dtype_of(type_.element):
            raise InvalidArgument(f"operand {index} is {array.dtype}{list(array.shape)}, and the program has {type_}")
        arrays.append(array)
    if len(operands) != len(program.operands):
        raise InvalidArgument(f"{len(operands)} operands, and the program has {len(program.operands)}")
    return Case(program, arrays, contract)

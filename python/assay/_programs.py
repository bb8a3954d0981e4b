# SPDX-License-Identifier: Apache-2.0
"""Programs: one op with attributes and types, built once for each way in which it is called."""

from __future__ import annotations

import functools
import re
import threading
from collections import OrderedDict
from typing import Any, Mapping, Optional, Sequence

import numpy

from . import _completion
from ._library import InvalidArgument, ffi, lib, new_error, op_name, raise_if, text_of
from ._tensors import Tensor, TensorType, dtype_of, element_of

_KEPT = 1024
_TENSORS, _TENSOR_SIZE, _ADDRESS = ffi.typeof("assay_tensor_t[]"), ffi.sizeof("assay_tensor_t"), ffi.typeof("void *")


class Program:
    """A finished program.  Many threads may use it."""

    def __init__(self, handle: Any, inferred: Sequence[str] = ()):
        self.handle = ffi.gc(handle, lib.assay_program_free)
        self.inferred = tuple(inferred)
        self.line = text_of(lib.assay_program_line(handle))
        self.op = text_of(lib.assay_program_op(handle))
        self.operands = self._types(lib.assay_program_operand_count(handle), lib.assay_program_operand_type)
        self.results = self._types(lib.assay_program_result_count(handle), lib.assay_program_result_type)
        self._kept: list[Any] = []
        self._operand_template = self._template(self.operands)
        self._result_template = self._template(self.results)

    def _types(self, count: int, ask: Any) -> tuple[TensorType, ...]:
        types = []
        for index in range(count):
            out, error = ffi.new("assay_tensor_t *"), new_error()
            out.struct_size = ffi.sizeof("assay_tensor_t")
            raise_if(ask(self.handle, index, out, error), error)
            types.append(TensorType(text_of(out.element), tuple(out.dims[d] for d in range(out.rank))))
        return tuple(types)

    def _template(self, types: Sequence[TensorType]) -> Any:
        structs = ffi.new("assay_tensor_t[]", max(len(types), 1))
        for struct, type_ in zip(structs, types):
            element = ffi.new("char[]", type_.element.encode())
            dims = ffi.new("int64_t[]", type_.shape or (0,))
            self._kept += [element, dims]
            struct.struct_size = ffi.sizeof("assay_tensor_t")
            struct.rank = len(type_.shape)
            struct.element, struct.dims = element, dims
        return structs

    def structs(self, arrays: Sequence[numpy.ndarray], of_results: bool = False) -> tuple[Any, list[Any]]:
        """assay_tensor_t of arrays that have the program's types, and what has to be kept as long as they are used."""
        template = self._result_template if of_results else self._operand_template
        structs = ffi.new(_TENSORS, max(len(arrays), 1))
        ffi.memmove(structs, template, len(arrays) * _TENSOR_SIZE)
        kept: list[Any] = []
        for struct, array in zip(structs, arrays):
            struct.data = ffi.cast(_ADDRESS, array.__array_interface__["data"][0])
            if not array.flags.c_contiguous:
                strides = ffi.new("int64_t[]", array.strides or (0,))
                struct.strides = strides
                kept.append(strides)
        return structs, kept

    def empty_results(self) -> list[numpy.ndarray]:
        return [numpy.zeros(type_.shape, dtype_of(type_.element)) for type_ in self.results]

    def mlir(self) -> str:
        """The program as a StableHLO module, in generic form."""
        return text_of(lib.assay_program_mlir(self.handle))

    def __repr__(self) -> str:
        return self.line


def _set_sequence(handle: Any, key: bytes, values: Sequence[Any], error: Any) -> int:
    if values and all(isinstance(value, (list, tuple)) for value in values):
        rows = [list(row) for row in values]
        if len({len(row) for row in rows}) > 1:
            text = "[" + ",".join("[" + ",".join(map(str, row)) + "]" for row in rows) + "]"
            return lib.assay_program_set_text(handle, key, text.encode(), error)
        return lib.assay_program_set_integer_rows(
            handle, key, [v for row in rows for v in row], len(rows), len(rows[0]), error
        )
    if values and all(isinstance(value, (bool, numpy.bool_)) for value in values):
        return lib.assay_program_set_booleans(handle, key, [int(value) for value in values], len(values), error)
    if any(isinstance(value, str) for value in values):
        spelt = [value if isinstance(value, str) else str(value).lower() for value in values]
        texts = [ffi.new("char[]", text.encode()) for text in spelt]
        return lib.assay_program_set_texts(handle, key, texts, len(texts), error)
    return lib.assay_program_set_integers(handle, key, [int(value) for value in values], len(values), error)


def _set(handle: Any, key: str, value: Any) -> None:
    """An attribute, by the type of its value."""
    try:
        _set_by_type(handle, key, value)
    except (OverflowError, TypeError, ValueError) as error:
        if isinstance(error, InvalidArgument):
            raise
        raise InvalidArgument(f"attribute {key}={value!r}: {error}") from error


def _set_by_type(handle: Any, key: str, value: Any) -> None:
    name, error = key.encode(), new_error()
    if isinstance(value, (bool, numpy.bool_)):
        status = lib.assay_program_set_boolean(handle, name, int(value), error)
    elif isinstance(value, (int, numpy.integer)):
        status = lib.assay_program_set_integer(handle, name, int(value), error)
    elif isinstance(value, (float, numpy.floating)):
        status = lib.assay_program_set_number(handle, name, float(value), error)
    elif isinstance(value, str):
        status = lib.assay_program_set_text(handle, name, value.encode(), error)
    elif isinstance(value, _completion.Pair):
        if len(value.left) != len(value.right):
            raise InvalidArgument(
                f"{key}: {len(value.left)} dimensions of the left operand and {len(value.right)} of the right one"
            )
        status = lib.assay_program_set_dimension_pair(handle, name, value.left, value.right, len(value.left), error)
    elif isinstance(value, (list, tuple, numpy.ndarray)):
        status = _set_sequence(handle, name, list(value), error)
    else:
        raise InvalidArgument(f"attribute {key}={value!r}: a number, a word, a truth value or a list is expected")
    raise_if(status, error, f"attribute {key}={value!r}")


def _set_all(op: str, handle: Any, attributes: Mapping[str, Any]) -> None:
    try:
        for key, value in attributes.items():
            _set(handle, key, value)
    except InvalidArgument as error:
        said, listed, names = str(error).partition("; it has ")
        words = ", ".join(_completion.keyword_of(op, name) for name in names.split(", "))
        raise InvalidArgument(said + listed + words if listed else said) from error


def _check_names(op: str, attributes: Mapping[str, Any]) -> None:
    """Complains of the first attribute that the op has not, or that has no such values, before what it means is looked at."""
    out, error = ffi.new("assay_program_handle_t **"), new_error()
    raise_if(lib.assay_program_new(op.encode(), out, error), error)
    try:
        _set_all(op, out[0], attributes)
    finally:
        lib.assay_program_free(out[0])


def _complete(
    op: str, operands: list[TensorType], results: Optional[list[TensorType]], attributes: dict[str, Any]
) -> _completion.Call:
    try:
        return _completion.complete(op, operands, results, dict(attributes))
    except _completion.Unfit:
        _check_names(op, attributes)
        raise


def _build(
    op: str,
    operands: Sequence[TensorType],
    results: Sequence[TensorType],
    attributes: Mapping[str, Any],
    inferred: Sequence[str],
) -> Program:
    out, error = ffi.new("assay_program_handle_t **"), new_error()
    raise_if(lib.assay_program_new(op.encode(), out, error), error)
    try:
        _set_all(op, out[0], attributes)
        for types, add in ((operands, lib.assay_program_add_operand), (results, lib.assay_program_add_result)):
            for type_ in types:
                raise_if(
                    add(out[0], type_.element.encode(), len(type_.shape), list(type_.shape), error), error, str(type_)
                )
        signature = f"({', '.join(map(str, operands))}) -> ({', '.join(map(str, results))})"
        raise_if(lib.assay_program_finish(out[0], error), error, f"{op} {signature}")
    except BaseException:
        lib.assay_program_free(out[0])
        raise
    return Program(out[0], inferred)


_programs: "OrderedDict[Any, Program]" = OrderedDict()
_lock = threading.Lock()


def program_of(
    op: str, operands: Sequence[TensorType], results: Optional[Sequence[TensorType]], attributes: Mapping[str, Any]
) -> Program:
    """The program that a call means, what it leaves out completed.  `results`: None where they follow from the rest."""
    if attributes:  # numpy leaves out the middle of what it prints.
        attributes = {key: one.tolist() if isinstance(one, numpy.ndarray) else one for key, one in attributes.items()}
    key = (op, tuple(operands), None if results is None else tuple(results), repr(attributes) if attributes else "")
    found = _programs.get(key)
    if found is not None:
        return found
    whole = op_name(op)
    call = _complete(whole, list(operands), None if results is None else list(results), dict(attributes))
    program = _build(whole, operands, call.results, call.attributes, call.inferred)
    with _lock:
        _programs[key] = program
        while len(_programs) > _KEPT:
            _programs.popitem(last=False)
    return program


@functools.lru_cache(maxsize=_KEPT)
def program_from_line(line: str) -> Program:
    """A program by its line, as `assay gen` prints it: "stablehlo.add f32[2] f32[2] -> f32[2]"."""
    out, error = ffi.new("assay_program_handle_t **"), new_error()
    raise_if(lib.assay_program_parse(line.encode(), out, error), error, "program")
    return Program(out[0])


_TYPE = re.compile(r"(.+?)\[([\d,\s]*)\]")


def result_types(result: Any, like: Sequence[Tensor]) -> Optional[list[TensorType]]:
    """Types that a caller names: "bf16", "f32[2,3]", a dtype, or a list of these; the first operand's shape where none is said."""
    if result is None:
        return None
    types = []
    for one in result if isinstance(result, (list, tuple)) and not isinstance(result, TensorType) else [result]:
        if isinstance(one, TensorType):
            types.append(one)
            continue
        match = _TYPE.fullmatch(one.strip()) if isinstance(one, str) else None
        shape = tuple(int(size) for size in match[2].split(",") if size.strip()) if match else tuple(like[0].shape)
        types.append(TensorType(element_of(match[1] if match else one), shape))
    return types

# SPDX-License-Identifier: Apache-2.0
"""The shared library: where it is, a context for each thread, and its errors as exceptions."""

from __future__ import annotations

import functools
import os
import threading
from typing import Any, Optional

from ._binding import ffi

_NAMES = ("libassay.so", "libassay.so.0")


class AssayError(Exception):
    """What Assay cannot do, and what to do about it."""


class InvalidArgument(AssayError, ValueError):
    """An argument breaks a rule: its text says which, where, and what would do."""


class Unsupported(AssayError):
    """Well formed, but Assay has no meaning for it."""


class Undecided(AssayError):
    """More precision, time or memory might decide it."""


class EnvironmentFailure(AssayError, OSError):
    """The machine failed."""


class Cancelled(AssayError):
    """A progress function asked for the end."""


class Defect(AssayError):
    """Assay found itself wrong: no verdict may be trusted.  Please report it."""


_EXCEPTIONS = {1: InvalidArgument, 2: Unsupported, 3: Undecided, 4: EnvironmentFailure, 5: Cancelled, 6: Defect}


def library_path() -> str:
    """The library beside this package, or that of $ASSAY_LIBRARY."""
    named = os.environ.get("ASSAY_LIBRARY")
    if named:
        return named
    here = os.path.dirname(os.path.abspath(__file__))
    for name in _NAMES:
        path = os.path.join(here, "lib", name)
        if os.path.exists(path):
            return path
    return _NAMES[1]  # Wherever the loader finds it.


def _load() -> Any:
    path = library_path()
    try:
        return ffi.dlopen(path)
    except OSError as error:
        raise EnvironmentFailure(
            f"{error}; reinstall the package, or set ASSAY_LIBRARY to the path of libassay.so"
        ) from error


lib = _load()
if lib.assay_api_version() < 1:
    raise EnvironmentFailure(f"{library_path()} is older than this package")

__version__: str = ffi.string(lib.assay_version()).decode()

_threads = threading.local()


def context() -> Any:
    """This thread's context: memory and random numbers of its calls."""
    found = getattr(_threads, "context", None)
    if found is None:
        out, error = ffi.new("assay_context_t **"), new_error()
        raise_if(lib.assay_context_new(out, error), error)
        found = _threads.context = ffi.gc(out[0], lib.assay_context_free)
    return found


def new_error() -> Any:
    error = ffi.new(_ERROR)
    error.struct_size = _ERROR_SIZE
    return error


def raise_if(status: int, error: Any, what: str = "") -> None:
    """Raises what a call returned, unless that is ASSAY_OK."""
    if status != 0:
        text = text_of(error.text)
        raise _EXCEPTIONS.get(status, AssayError)(f"{what}: {text}" if what else text)


def text_of(pointer: Any) -> str:
    return "" if pointer == ffi.NULL else ffi.string(pointer).decode("utf-8", "replace")


def _check_contract(text: Any) -> None:
    if not isinstance(text, str):
        raise InvalidArgument(
            f"contract={text!r}: a contract is a text such as 'wide,ftz=both'; the dimensions that a product sums over are "
            "contracting=([1], [0])"
        )


@functools.lru_cache(maxsize=256)
def _contract_of_text(text: str) -> Any:
    out, error = ffi.new("assay_contract_t **"), new_error()
    raise_if(lib.assay_contract_new(text.encode(), out, error), error, f"contract {text!r}")
    return ffi.gc(out[0], lib.assay_contract_free)


def contract_of(text: str) -> Any:
    """A contract by its text, kept: many threads may read it."""
    _check_contract(text)
    return _contract_of_text(text)


@functools.lru_cache(maxsize=None)
def _permissions() -> frozenset[str]:
    """Those that are keywords of calls: not what ops have as an attribute."""
    names: list[str] = []
    while (pointer := lib.assay_permission_name(len(names))) != ffi.NULL:
        names.append(text_of(pointer))
    return frozenset(names) - {"epsilon"}


def is_permission(op: str, key: str) -> bool:
    """Whether that keyword of a call says what is permitted: `depth` of one_hot is how many classes there are."""
    return key in _permissions() and not (key == "depth" and op_name(op) == "byteir.one_hot")


def split_contract(op: str, contract: str, attributes: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """A contract with the permissions that stand among the attributes of a call, and the others."""
    _check_contract(contract)
    if not attributes:
        return contract, attributes
    said = [key for key in attributes if is_permission(op, key)]
    settings = "".join(f",{key}={attributes[key]}" for key in said)
    return contract + settings, {key: value for key, value in attributes.items() if key not in said}


_QUESTION, _QUESTION_SIZE = ffi.typeof("assay_question_t *"), ffi.sizeof("assay_question_t")
_ERROR, _ERROR_SIZE = ffi.typeof("assay_error_t *"), ffi.sizeof("assay_error_t")


def question_of(
    program: Any,
    operands: Any,
    operand_count: int,
    results: Any,
    result_count: int,
    contract: Optional[str],
    seed: int = 0,
    flags: int = 0,
    budget: Optional[float] = None,
    threads: int = 1,
) -> Any:
    """assay_question_t of a finished program's handle and arrays of assay_tensor_t, which the caller keeps."""
    question = ffi.new(_QUESTION)
    question.struct_size = _QUESTION_SIZE
    question.flags = flags
    question.program = program
    question.operands, question.operand_count = operands, operand_count
    question.results, question.result_count = results, result_count
    question.contract = contract_of(contract or "wide")
    try:
        question.seed, question.budget_seconds, question.threads = seed, budget or 0.0, threads
    except (OverflowError, TypeError) as error:
        raise InvalidArgument(
            f"seed={seed!r}, budget={budget!r}, threads={threads!r}: a seed is 0 to 2^64 - 1, a budget seconds, threads 0 to 1024"
        ) from error
    return question


_loaded: list[str] = []


@functools.lru_cache(maxsize=None)
def _known() -> frozenset[str]:
    """The ops that no file has to declare: asked before any file is loaded."""
    return frozenset(op_names())


def ops(*paths: str | os.PathLike[str]) -> tuple[str, ...]:
    """The names of all ops, after those of files or folders were added (harness/docs/ops/op-files.md): assay.ops("mine.op").

    An added op is there for all threads until the process ends; a file that is there already is passed over."""
    _known()
    for path in map(os.fspath, paths):
        error = new_error()
        raise_if(lib.assay_ops_load(path.encode(), error), error)
        _loaded.append(os.path.abspath(path))
        op_names.cache_clear()
        op_name.cache_clear()
    return op_names()


def loaded_ops() -> str:
    """What ASSAY_OPS has to be for the program to know the ops that were added here."""
    return ":".join(filter(None, [os.environ.get("ASSAY_OPS", ""), *dict.fromkeys(_loaded)]))


@functools.lru_cache(maxsize=None)
def op_names() -> tuple[str, ...]:
    names: list[str] = []
    while (pointer := lib.assay_op_name(len(names))) != ffi.NULL:
        names.append(text_of(pointer))
    return tuple(names)


# What other libraries call what StableHLO and ByteIR have under another name.
_ELSEWHERE = {
    **dict.fromkeys(("matmul", "mm", "bmm", "dot", "gemm", "linear", "einsum", "inner"), "dot_general"),
    **dict.fromkeys(("conv", "conv1d", "conv2d", "conv3d"), "convolution"),
    **dict.fromkeys(("sum", "prod", "amax", "amin", "max", "min", "any", "all"), "reduce"),
    **dict.fromkeys(("max_pool", "max_pool2d", "avg_pool", "cumsum", "cumprod", "cummax"), "reduce_window"),
    "exp": "exponential", "expm1": "exponential_minus_one", "log1p": "log_plus_one", "sigmoid": "logistic", "expit": "logistic",
    "sin": "sine", "cos": "cosine", "mul": "multiply", "sub": "subtract", "div": "divide", "neg": "negate", "fmod": "remainder",
    "rint": "round_nearest_even", "round": "round_nearest_even", "absolute": "abs", "invert": "not", "where": "select",
    "clip": "clamp", "cast": "convert", "astype": "convert", "flip": "reverse", "permute": "transpose", "arange": "iota",
    "argmax": "arg_max", "argmin": "arg_min", "topk": "top_k", "take": "gather", "cat": "concatenate", "normalize": "l2_norm",
    "index_select": "gather", "embedding": "gather", "batch_norm": "batch_norm_training", "nll_loss": "nll_loss_forward", "interpolate": "resize",
}  # fmt: skip


# And what is in files alone (corpus/ops, share/assay/ops), or nowhere.
_IN_FILES = {
    **dict.fromkeys(("rms_norm", "rmsnorm", "RMSNorm"), "rms_norm"), **dict.fromkeys(("silu", "swish"), "silu"),
    **dict.fromkeys(("attention", "sdpa", "scaled_dot_product_attention", "flash_attention"), "attention"),
    "relu6": "relu6", "leaky_relu": "leaky_relu", "hardswish": "hard_swish", "hard_swish": "hard_swish", "rotary": "rotary",
}  # fmt: skip
_DECLARABLE = frozenset(("mean", "var", "std", "scatter", "relu"))
_NOWHERE = frozenset(("sort", "argsort", "pow", "power", "cbrt", "tan", "atan2", "popcnt", "while"))


def _suggestion(name: str) -> str:
    import difflib

    if name in _ELSEWHERE:
        return f"; is it {_ELSEWHERE[name]!r}?"
    if name in _IN_FILES:
        whole = f"nn.{_IN_FILES[name]}"
        if whole in op_names():
            return f"; is it {whole!r}?"
        return f'; {whole!r} is one that a file declares: assay.ops("corpus/ops") in a checkout, or share/assay/ops where it is installed'
    if name in _DECLARABLE:
        return "; a file can declare it (harness/docs/ops/op-files.md), and assay.ops() lists those that there are"
    if name in _NOWHERE:
        return ", and no file can declare it; assay.ops() lists those that there are"
    shorts = {whole.split(".", 1)[-1]: whole for whole in op_names()}
    near = difflib.get_close_matches(name, [*shorts, *op_names()], 1)
    return f"; is it {near[0]!r}?" if near else "; assay.ops() lists them"


@functools.lru_cache(maxsize=None)
def op_name(name: str) -> str:
    """The whole name of an op: "softmax" is "byteir.softmax"."""
    if name in op_names():
        return name
    found = [whole for whole in op_names() if whole.split(".", 1)[-1] == name]
    found = [whole for whole in found if whole in _known()] or found  # Files change no name that is there.
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidArgument(f"op {name!r} is one of {', '.join(found)}: write which")
    raise InvalidArgument(f"there is no op {name!r}{_suggestion(name)}")

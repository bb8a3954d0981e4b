# SPDX-License-Identifier: Apache-2.0
"""A backend under Assay as a process: the protocol of worker.md, in one file to import or copy.

    import assay_worker

    class Mine(assay_worker.Worker):
        name, version = "mine", "1.0"

        def compile(self, program):
            if program.op != "stablehlo.reduce":
                raise assay_worker.Unsupported("only reductions")
            return program

        def execute(self, handle, operands):
            return [...]                      # numpy arrays of the result types

    assay_worker.main(Mine)

    assay run --executor 'proc:python3 mine.py fast=1,threads=2'

Needs numpy and ml_dtypes.  Whatever is printed goes to stderr; exceptions become answers.

It is one file, and longer than the others, because it is copied: `cp harness/exec/workers/assay_worker.py .` is all that a
worker elsewhere takes.  What our workers share beside it is in shared_programs.
"""
from __future__ import annotations

import functools
import json
import os
import platform
import re
import sys
from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Callable, Sequence

import ml_dtypes
import numpy as np

PROTOCOL = 1


class Unsupported(Exception):
    """The backend cannot do exactly this program.  Never compute something else instead."""


class Invalid(Exception):
    """The program breaks a rule of its specification, or an option is wrong."""


def _extension(name: str) -> Any:
    """A type that this ml_dtypes may not have yet."""
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else None


# MLIR's spelling -> numpy type.  Types of less than 8 bits take one byte an element.
DTYPES: dict[str, Any] = {
    "i1": np.dtype(np.bool_),
    "i2": _extension("int2"), "i4": _extension("int4"),
    "i8": np.dtype(np.int8), "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32), "i64": np.dtype(np.int64),
    "ui2": _extension("uint2"), "ui4": _extension("uint4"),
    "ui8": np.dtype(np.uint8), "ui16": np.dtype(np.uint16),
    "ui32": np.dtype(np.uint32), "ui64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16), "bf16": _extension("bfloat16"),
    "f32": np.dtype(np.float32), "f64": np.dtype(np.float64),
    "f4E2M1FN": _extension("float4_e2m1fn"),
    "f6E2M3FN": _extension("float6_e2m3fn"), "f6E3M2FN": _extension("float6_e3m2fn"),
    "f8E3M4": _extension("float8_e3m4"), "f8E4M3": _extension("float8_e4m3"),
    "f8E4M3FN": _extension("float8_e4m3fn"), "f8E4M3FNUZ": _extension("float8_e4m3fnuz"),
    "f8E4M3B11FNUZ": _extension("float8_e4m3b11fnuz"), "f8E5M2": _extension("float8_e5m2"),
    "f8E5M2FNUZ": _extension("float8_e5m2fnuz"), "f8E8M0FNU": _extension("float8_e8m0fnu"),
    "complex<f32>": np.dtype(np.complex64), "complex<f64>": np.dtype(np.complex128),
}  # fmt: skip

# Bits in use of types that leave some of their byte unused.
BITS = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}


@dataclass(frozen=True)
class Quantization:
    """What stored integers mean: "!quant.uniform<i8<-127:127>:f32:1,{0x1p-1:3,0x1p+0}>".
    Without an axis (-1) there is one scale and one zero point."""

    storage: str
    minimum: int
    maximum: int
    expressed: str
    axis: int
    scales: tuple[float, ...]
    zero_points: tuple[int, ...]

    @property
    def has_full_range(self) -> bool:
        return (self.minimum, self.maximum) == _integer_range(self.storage)

    # Kept, as a type of thousands of channels is asked for its quantization once for each of them.
    @staticmethod
    @functools.lru_cache(maxsize=64)
    def parse(element: str) -> Quantization:
        found = re.fullmatch(
            r"!quant\.uniform<(u?i\d+)(?:<(-?\d+):(-?\d+)>)?:(\w+)(?::(\d+))?,\{?([^}]*)\}?>",
            element,
        )
        if found is None:
            raise Unsupported(f"knows no type {element}")
        storage, minimum, maximum, expressed, axis, scales = found.groups()
        pairs = [text.partition(":") for text in scales.split(",") if text]
        low, high = _integer_range(storage)
        return Quantization(
            storage,
            low if minimum is None else int(minimum),
            high if maximum is None else int(maximum),
            expressed,
            -1 if axis is None else int(axis),
            tuple(float.fromhex(scale) for scale, _, _ in pairs),
            tuple(int(zero_point or 0) for _, _, zero_point in pairs),
        )


def _integer_range(element: str) -> tuple[int, int]:
    bits = int(element.lstrip("ui"))
    return (0, (1 << bits) - 1) if element[0] == "u" else (-1 << bits - 1, (1 << bits - 1) - 1)


@dataclass(frozen=True)
class Type:
    """A tensor type: "f32[2,3]".  A size that is not known when a program is compiled, "?", is -1."""

    element: str
    shape: tuple[int, ...]

    @property
    def quantization(self) -> Quantization | None:
        return Quantization.parse(self.element) if self.element.startswith("!quant") else None

    @property
    def storage(self) -> Type:
        """The type of what is stored; itself, if it is not quantized."""
        quantization = self.quantization
        return self if quantization is None else Type(quantization.storage, self.shape)

    @property
    def dtype(self) -> np.dtype:
        dtype = DTYPES.get(self.storage.element)
        if dtype is None:
            raise Unsupported(f"no type {self.element} in numpy and ml_dtypes here")
        return dtype

    @staticmethod
    def parse(text: str) -> Type:
        element, _, sizes = text.rpartition("[")
        shape = tuple(-1 if size == "?" else int(size) for size in sizes.rstrip("]").split(",") if size)
        return Type(element, shape)


# The dot algorithms that have a name, as in oracles/ops/dot_general/op/algorithms.def.
ALGORITHMS = (
    "ANY_F8_ANY_F8_F32", "ANY_F8_ANY_F8_F32_FAST_ACCUM", "F16_F16_F16", "F16_F16_F32",
    "BF16_BF16_BF16", "BF16_BF16_F32", "BF16_BF16_F32_X3", "BF16_BF16_F32_X6", "BF16_BF16_F32_X9",
    "TF32_TF32_F32", "TF32_TF32_F32_X3", "F32_F32_F32", "F64_F64_F64",
)  # fmt: skip

# Primitive operations of an algorithm -> the components that each operand is split into.
COMPONENTS = {1: 1, 3: 2, 6: 3, 9: 3}


@dataclass(frozen=True)
class Algorithm:
    """The algorithm attribute of a dot_general: [bf16,bf16,f32,1,1,6,false]."""

    text: str
    lhs: str
    rhs: str
    accumulation: str
    lhs_components: int
    rhs_components: int
    primitives: int
    is_imprecise: bool

    @staticmethod
    def parse(text: str) -> Algorithm:
        lhs, rhs, accumulation, *counts, imprecise = text.strip("[]").split(",")
        left, right, primitives = map(int, counts)
        return Algorithm(text, lhs, rhs, accumulation, left, right, primitives, imprecise == "true")

    @property
    def name(self) -> str:
        """BF16_BF16_F32_X6, whether its components are counted as the dialect's verifier wants it,
        1 and 1, or truly, 3 and 3.  An algorithm without a name is spelled as the attribute."""
        true_count = COMPONENTS.get(self.primitives)
        counts = (self.lhs_components, self.rhs_components)
        is_f8 = all(kind.startswith("f8") for kind in (self.lhs, self.rhs))
        types = ["any_f8"] * 2 if is_f8 else [self.lhs, self.rhs]
        suffix = f"_X{self.primitives}" if self.primitives > 1 else ""
        suffix += "_FAST_ACCUM" if self.is_imprecise else ""
        name = "_".join([*types, self.accumulation]).upper() + suffix
        is_known = name in ALGORITHMS and self.primitives >= 1 and "f8E8M0FNU" not in (self.lhs, self.rhs)
        return name if is_known and counts in ((1, 1), (true_count, true_count)) else self.text


@dataclass(frozen=True)
class Program:
    """One op: `op{ key=value}{ operand type} -> result type{ result type}`, and its MLIR."""

    line: str
    op: str
    attributes: dict[str, str]
    operands: list[Type]
    results: list[Type]
    mlir: str

    @staticmethod
    def parse(line: str, mlir: str) -> Program:
        op, steps, line_of_types = line.partition(" ")[0], None, line
        if op == "module":  # Its steps have types and arrows of their own: module_program.py.
            steps, line_of_types = _take_braces(line)
        left, _, right = line_of_types.partition(" -> ")
        op, *words = left.split(" ")
        pairs = [word.partition("=") for word in words if "=" in word]
        operands = [Type.parse(word) for word in words if "=" not in word]
        results = [Type.parse(word) for word in right.split(" ")]
        attributes = {key: value for key, _, value in pairs}
        if steps is not None:
            attributes["steps"] = steps
        return Program(line, op, attributes, operands, results, mlir)

    @property
    def is_quantized(self) -> bool:
        return any(kind.quantization for kind in [*self.operands, *self.results])

    @property
    def is_dynamic(self) -> bool:
        """Whether a size is not known yet."""
        return any(-1 in kind.shape for kind in [*self.operands, *self.results])

    @property
    def is_declared(self) -> bool:
        """Whether a file declares the op, so that its module is one of known ops: worker.md."""
        is_known = self.op.startswith(("stablehlo.", "byteir.", "tf.")) or self.op == "module"
        return not is_known and bool(self.mlir)

    def require_known(self) -> None:
        """For backends that run modules of StableHLO's ops: refuses a call of another by its name, as
        invalid if that is what does not fit the file that declares the op."""
        if "stablehlo.custom_call" not in self.mlir:
            return
        if self.is_declared:
            raise Invalid("the program does not fit the file that declares the op")
        raise Unsupported(f"no {self.op} here")

    @property
    def algorithm(self) -> Algorithm | None:
        text = self.attributes.get("algorithm")
        return None if text is None else Algorithm.parse(text)

    def require_specified(self) -> None:
        """Refuses an attribute that no version of StableHLO has, which its parser passes over: RFC 000
        considers it, and contracts with reduce_types=rfc have it."""
        if self.op == "stablehlo.reduce" and "precision" in self.attributes:
            raise Unsupported(f"{self.op} has no precision in StableHLO")

    def check_attributes(self, *keys: str) -> None:
        """Refuses attributes that a later version of Assay may have: each may change the meaning."""
        strange = [key for key in self.attributes if key not in keys]
        if strange:
            raise Unsupported(f"knows no attribute {strange[0]}")

    def dims(self, key: str) -> list[list[int]]:
        """The lists of an attribute: dims=[0,2] is [[0, 2]], contract=[1]x[0] is [[1], [0]]."""
        lists = re.findall(r"\[([^\]]*)\]", self.attributes[key])
        return [[int(word) for word in items.split(",") if word] for items in lists]

    def numbers(self, key: str) -> Any:
        """An attribute that is a number, or a list, of lists perhaps, of numbers or truth values:
        padding=[[0,1],[-1,2]], window_reversal=[false,true]."""
        return json.loads(self.attributes[key])


def _take_braces(line: str) -> tuple[str, str]:
    """The steps of a module, with their braces, and the line without them."""
    begin, depth = line.index("{"), 0
    for end in range(begin, len(line)):
        depth += {"{": 1, "}": -1}.get(line[end], 0)
        if depth == 0:
            break
    return line[begin : end + 1], "module" + line[end + 1 :]


class Worker:
    """A backend.  Its constructor gets the options, a dict of text; raising Invalid ends it."""

    name = "?"
    version = "?"
    hardware = ""
    # Whether compile() checks programs, and raises Invalid (or Unsupported) for whatever breaks a
    # constraint of its specification.  False: every program that it gets is valid, unless Assay is
    # called with --invalid.
    validates = False
    # Whether compile() costs far more than execute() does on small data, because it generates code, say.  Each program
    # gets 16 times as many data then.
    compiling_is_dear = False
    # Whether compile() takes programs of several steps (op "module"): module_program.py takes them apart.
    takes_modules = False
    # Whether compile() takes programs with sizes that are not known by then (Program.is_dynamic): what it returns is
    # then run at several sizes, by execute_sized().
    takes_dynamic = False
    # Whether, of an op that a file declares, execute_module() is called in place of execute_sized(), with a module of
    # the sizes of the call: there is none of unknown sizes, and compile() gets that of some sizes.
    takes_sized_modules = False
    # Whether script() writes scripts for bug reports.
    writes_scripts = False
    # Whether the program lies in the target; None: if it compiles.
    promises: Callable[[Program], bool | None] | None = None
    # The only dot algorithms in the target, by name; None: no such limit.  main() sets it.
    algorithms: tuple[str, ...] | None = None

    def __init__(self, options: dict[str, str]) -> None:
        if options:
            raise Invalid(f"takes no options: {', '.join(options)}")

    def compile(self, program: Program) -> Any:
        """A handle that execute() takes many times; its attribute or key `implementation`, if it
        is a text, names what was chosen."""
        raise NotImplementedError

    def execute(self, handle: Any, operands: list[np.ndarray]) -> Sequence[np.ndarray]:
        raise NotImplementedError


    def execute_sized(self, handle: Any, operands: list[np.ndarray],
                      results: Sequence[Type]) -> Sequence[np.ndarray]:  # fmt: skip
        """execute() of a program with sizes that compile() did not know: the operands have those of this call,
        and so do the types of the results."""
        return self.execute(handle, operands)

    def execute_module(self, handle: Any, program: Program, operands: list[np.ndarray]) -> Sequence[np.ndarray]:
        """execute_sized() of an op that a file declares: the program has the sizes and the module of this call."""
        raise NotImplementedError

    def script(self, handle: Any, program: Program, operands: list[np.ndarray]) -> str:
        """A script in Python that runs the case without Assay, and ends with a line "results: HEX : HEX"
        (shared_programs/standalone_script.py).  Only asked of workers that say writes_scripts."""
        raise Unsupported("writes no scripts")


def take(options: dict[str, str], key: str, default: str, choices: Sequence[str] = ()) -> str:
    """Takes an option out of `options`."""
    value = options.pop(key, default)
    if choices and value not in choices:
        raise Invalid(f"{key} is one of {', '.join(choices)}, not {value}")
    return value


def plain_reduction(program: Program, takes_quantized: bool = False) -> list[int]:
    """The dimensions of a reduction of one input into its own type, checked for those backends that
    would not notice that it breaks a rule: what is left of it is the body.  Or of quantized types,
    that of the result left to the caller."""
    program.check_attributes("body", "dims")
    if len(program.operands) != 2 * len(program.results):
        raise Invalid("as many initial values as inputs and results")
    is_quantized = takes_quantized and program.is_quantized
    if len(program.results) != 1 or program.is_quantized != is_quantized:
        raise Unsupported("reduces one tensor of numbers at a time")
    (dims,), (operand, init), result = program.dims("dims"), program.operands, program.results[0]
    kept = [size for dim, size in enumerate(operand.shape) if dim not in dims]
    if init.element != operand.element or init.shape or list(result.shape) != kept:
        raise Invalid("the initial value is one of its inputs, the result what is not reduced")
    if len(set(dims)) != len(dims) or not all(0 <= dim < len(operand.shape) for dim in dims):
        raise Invalid("reduces distinct dimensions of its input")
    if result.element != operand.element and not is_quantized:
        raise Unsupported("reduces in the type of its input")
    if not dims or 0 in operand.shape:
        raise Unsupported("a reduction of nothing means something else here")
    return dims


# What a library does that computes in the type of its operands.
PLAIN_ALGORITHMS = (("f32", "F32_F32_F32"), ("f64", "F64_F64_F64"))


def plain_precision(program: Program) -> str:
    """The word of a precision_config, for libraries that have one setting for both operands: DEFAULT,
    HIGH or HIGHEST; empty where the program has none."""
    words = {word for word in program.attributes.get("precision", "").strip("[]").split(",") if word}
    if len(words) > 1:
        raise Unsupported("takes one precision for both operands")
    return words.pop() if words else ""


def plain_product(
    program: Program, takes_quantized: bool = False, takes_precision: bool = False
) -> tuple[list[list[int]], list[list[int]]]:
    """Batching and contracting dimensions of a product of two tensors of one type into that type,
    checked likewise; by no algorithm but the one of f32 or f64 throughout.  Or of quantized types,
    the rules of which are left to the caller; or with a precision_config, likewise."""
    program.check_attributes("batch", "contract", "precision", "algorithm")
    if len(program.operands) != 2 or len(program.results) != 1:
        raise Invalid("two operands, one result")
    precision = program.attributes.get("precision")
    if precision is not None and precision.count(",") != 1:
        raise Invalid("C11: precision_config has two entries")
    if precision is not None and not takes_precision:
        raise Unsupported("takes no precision")
    is_quantized = takes_quantized and program.is_quantized
    kinds = {kind.element for kind in [*program.operands, *program.results]}
    if len(kinds) != 1 and not is_quantized:
        raise Unsupported("multiplies tensors of one type of numbers, with a result of that")
    element, algorithm = program.results[0].element, program.algorithm
    if algorithm and (element, algorithm.name) not in PLAIN_ALGORITHMS:
        raise Unsupported(f"multiplies {element}, and not by algorithm {algorithm.name}")
    batch, contract = program.dims("batch"), program.dims("contract")
    shapes = [kind.shape for kind in program.operands]
    fixed = [[*batch[side], *contract[side]] for side in (0, 1)]
    for dims, operand in zip(fixed, shapes):
        if len(set(dims)) != len(dims) or not all(0 <= dim < len(operand) for dim in dims):
            raise Invalid("distinct dimensions of its operands")
    sizes = [[shapes[side][dim] for dim in fixed[side]] for side in (0, 1)]
    kept = [
        size for side in (0, 1) for dim, size in enumerate(shapes[side]) if dim not in fixed[side]
    ]
    shape = [*sizes[0][: len(batch[0])], *kept]
    if sizes[0] != sizes[1] or shape != list(program.results[0].shape):
        raise Invalid("sizes that belong together differ")
    return batch, contract


def processor() -> str:
    """The model of the processor, for `hardware`."""
    try:
        with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
            models = [line for line in file if line.startswith("model name")]
        return models[0].partition(":")[2].strip()
    except (OSError, IndexError):
        return platform.machine()


def _parse_options(arguments: Sequence[str]) -> dict[str, str]:
    words = [word for text in arguments for word in text.split(",") if word]
    pairs = [word.partition("=") for word in words]
    return {key: value for key, _, value in pairs}


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    if not isinstance(error, (Unsupported, Invalid)):
        text = f"{type(error).__name__}: {text}"
    return text.encode("ascii", "replace").decode()[:1000]


def _refusal(error: Exception) -> str:
    word = {Unsupported: "unsupported", Invalid: "invalid"}.get(type(error), "failed")
    return f"{word} {_one_line(error)}"


def _read_exactly(source: BinaryIO, size: int) -> bytes:
    data = source.read(size)
    if len(data) != size:
        sys.exit(0)  # Assay is gone.
    return data


def _read_operands(source: BinaryIO, types: Sequence[Type]) -> list[np.ndarray]:
    operands = []
    for kind in types:
        array = np.empty(kind.shape, kind.dtype)
        view = memoryview(array.reshape(-1).view(np.uint8))
        if source.readinto(view) != len(view):  # type: ignore[attr-defined]
            sys.exit(0)
        operands.append(array)
    return operands


def _at_sizes(types: Sequence[Type], shapes: str) -> list[Type]:
    """The types at the sizes of one call: "[4,64] []"."""
    return [Type(kind.element, Type.parse(shape).shape) for kind, shape in zip(types, shapes.split(" "))]


def _result_bytes(result: Any, kind: Type, index: int) -> memoryview:
    array = np.ascontiguousarray(result)
    if array.dtype != kind.dtype or np.shape(result) != kind.shape:
        raise TypeError(
            f"result {index} is {array.dtype}{list(np.shape(result))}, "
            f"not {kind.dtype}{list(kind.shape)}"
        )
    view = array.reshape(-1).view(np.uint8)
    bits = BITS.get(kind.storage.element)
    if bits is not None:  # Some libraries keep a sign in the unused bits.
        view = view & np.uint8((1 << bits) - 1)
    return memoryview(view)


def _results(returned: Any) -> list[Any]:
    """The results as a list: an array in its place would be taken for one of its rows."""
    if returned is None or hasattr(returned, "__array__"):
        kind = "None" if returned is None else f"one {type(returned).__name__}"
        raise TypeError(f"execute() returned {kind}, not a list of results")
    return list(returned)


class _Server:
    def __init__(self, worker: Worker, source: BinaryIO, sink: BinaryIO) -> None:
        self.worker = worker
        self.source = source
        self.sink = sink
        self.programs: dict[str, tuple[Program, Any]] = {}
        self.compiled_last: tuple[str, bool] = ("", False)  # A program's line, and whether it did.

    def say(self, line: str, blocks: Sequence[memoryview] = ()) -> None:
        self.sink.write(line.encode() + b"\n" + b"".join(blocks))
        self.sink.flush()

    def greet(self) -> None:
        worker = self.worker
        lines = [f"assay-worker {PROTOCOL}", f"name {worker.name}", f"version {worker.version}"]
        if worker.hardware:
            lines.append(f"hardware {worker.hardware}")
        if worker.promises is not None or worker.algorithms is not None:
            lines.append("promises yes")
        if worker.validates:
            lines.append("validates yes")
        if worker.compiling_is_dear:
            lines.append("compiling dear")
        if worker.takes_modules:
            lines.append("modules yes")
        if worker.takes_dynamic:
            lines.append("dynamic modules" if worker.takes_sized_modules else "dynamic yes")
        if worker.writes_scripts:
            lines.append("scripts yes")
        self.say("\n".join([*lines, "ready"]))

    def promises(self, mlir_bytes: str, line: str) -> None:
        program = Program.parse(line, _read_exactly(self.source, int(mlir_bytes)).decode())
        try:
            promised = self._is_in_target(program)
        except (Unsupported, Invalid):
            promised = False
        self.say("yes" if promised else "no")

    def _is_in_target(self, program: Program) -> bool:
        worker, asked = self.worker, program.algorithm
        if worker.algorithms is not None and asked and asked.name not in worker.algorithms:
            return False
        is_told = worker.promises is not None and not program.is_dynamic
        promised = worker.promises(program) if is_told else None  # type: ignore[misc]
        return self._compiles(program) if promised is None else promised

    def _compiles(self, program: Program) -> bool:
        line, compiled = self.compiled_last  # Mostly it has just been asked to.
        return compiled if line == program.line else not isinstance(self._try(program), Exception)

    def _try(self, program: Program) -> Any:
        """The handle, or why there is none."""
        try:
            for kind in [*program.operands, *program.results]:
                kind.dtype  # Refuses a type that we could not even receive.
            return self.worker.compile(program)
        except Exception as error:
            return error

    def compile(self, number: str, rest: str) -> None:
        mlir_bytes, _, line = rest.partition(" ")
        program = Program.parse(line, _read_exactly(self.source, int(mlir_bytes)).decode())
        handle = self._try(program)
        self.compiled_last = (line, not isinstance(handle, Exception))
        if isinstance(handle, Exception):
            self.say(_refusal(handle))
            return
        self.programs[number] = (program, handle)
        implementation = getattr(handle, "implementation", None)
        self.say(f"ok {implementation}" if isinstance(implementation, str) else "ok")

    def execute(self, number: str, rest: str) -> None:
        program, handle = self.programs[number]
        _, _, shapes = rest.partition(" : ")
        shapes, _, mlir_bytes = shapes.partition(" : ")
        left, _, right = shapes.partition(" -> ")
        operand_types = _at_sizes(program.operands, left) if shapes else program.operands
        result_types = _at_sizes(program.results, right) if shapes else program.results
        operands = _read_operands(self.source, operand_types)
        mlir = _read_exactly(self.source, int(mlir_bytes)).decode() if mlir_bytes else ""
        try:
            if mlir:
                sized = replace(program, operands=operand_types, results=result_types, mlir=mlir)
                results = _results(self.worker.execute_module(handle, sized, operands))
            elif shapes:
                results = _results(self.worker.execute_sized(handle, operands, result_types))
            else:
                results = _results(self.worker.execute(handle, operands))
            if len(results) != len(program.results):
                raise TypeError(f"{len(results)} results, not {len(program.results)}")
            blocks = [
                _result_bytes(result, kind, index)
                for index, (result, kind) in enumerate(zip(results, result_types))
            ]
        except Exception as error:
            self.say(_refusal(error))
            return
        self.say(f"ok {sum(len(block) for block in blocks)}", blocks)

    def script(self, number: str, rest: str) -> None:
        program, handle = self.programs[number]
        operands = _read_operands(self.source, program.operands)
        try:
            text = self.worker.script(handle, program, operands).encode()
        except Exception as error:
            self.say(_refusal(error))
            return
        self.say(f"ok {len(text)}", [memoryview(text)])

    def release(self, number: str) -> None:
        self.programs.pop(number, None)

    def serve(self) -> None:
        verbs = {
            "promises": self.promises,
            "compile": self.compile,
            "execute": self.execute,
            "script": self.script,
            "release": self.release,
        }
        for line in iter(self.source.readline, b""):
            verb, *words = line.decode().rstrip("\n").split(" ", 2)
            verbs[verb](*words)


def _take_algorithms(options: dict[str, str]) -> tuple[str, ...] | None:
    if "algorithms" not in options:
        return None
    names = tuple(name for name in options.pop("algorithms").split("+") if name != "none")
    strange = [name for name in names if name not in ALGORITHMS]
    if strange:
        raise Invalid(f"no algorithm {strange[0]}: write none, or {', '.join(ALGORITHMS)}")
    return names


def main(make_worker: Callable[[dict[str, str]], Worker]) -> None:
    """Serves Assay until it hangs up.  `make_worker` is a class derived from Worker.  Every worker
    takes the option algorithms=NAME+NAME: the only dot algorithms in its target, or none."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # Chatter of libraries must not look like answers.
    source = os.fdopen(0, "rb", buffering=1 << 16)
    try:
        options = _parse_options(sys.argv[1:])
        algorithms = _take_algorithms(options)
        worker = make_worker(options)
        worker.algorithms = algorithms
    except Exception as error:
        sink.write(f"assay-worker {PROTOCOL}\nfailed {_one_line(error)}\n".encode())
        sink.flush()
        sys.exit(1)
    server = _Server(worker, source, sink)
    server.greet()
    server.serve()

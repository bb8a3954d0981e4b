# SPDX-License-Identifier: Apache-2.0
"""A module op by op, for `assay module --isolate-ops`: its steps in order, arguments for it, what StableHLO's
reference interpreter makes of one step, and a step as a module of its own.

Functions are inlined.  A `while`, a `case` or an `if` is a step with the steps of its regions in it, so that whoever
walks a module can go through these; the interpreter runs it as a whole.  All other regions are part of their op.  A
value's data are the digits of case lines, in whatever process they were computed.
"""
from __future__ import annotations

import hashlib
import json
import os
import re
from typing import Any

import numpy as np
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import func, stablehlo

import checks
import elements
import programs
import words
from module import Block, Node, Reader, Value
from source_text import ImportFailure

READ = ("i1", "i8", "i16", "i32", "i64", "f32", "f64")  # Results that Python is given bit for bit.
CHLO = "builtin.module(func.func(chlo-legalize-to-stablehlo))"
INTEGERS_BELOW = 8  # Of arguments: they may be indices.
CONTROL = ("stablehlo.while", "stablehlo.case", "stablehlo.if")


class NotRun(Exception):
    pass


# ---- Data ---------------------------------------------------------------------------------------


def _attribute(digits: str, kind: ir.Type) -> ir.Attribute:
    element, shape = checks.storage(kind), tuple(ir.ShapedType(kind).shape)
    if digits == "-" or 0 in shape:
        return ir.Attribute.parse(f"dense<> : {kind}")
    if element == "i1":
        bits = np.array([digit == "1" for digit in digits]).reshape(shape)
        return ir.Attribute.parse(f"dense<{json.dumps(bits.tolist())}> : {kind}")
    base = element[8:-1] if element.startswith("complex<") else element
    width = (elements.bits_of(base) + 3) // 4
    size = (elements.bits_of(base) + 7) // 8
    if width == 2 * size:
        raw = np.frombuffer(bytes.fromhex(digits), np.uint8).reshape(-1, size)[:, ::-1].tobytes()
    else:
        raw = bytes(int(digits[i : i + width], 16) for i in range(0, len(digits), width))
    return ir.Attribute.parse(f'dense<"0x{raw.hex()}"> : {kind}')


def _digits(array: np.ndarray[Any, Any], element: str) -> str:
    return elements.array_digits(array, element) or "-"


# ---- Arguments ----------------------------------------------------------------------------------


def _storage_range(quantized: str, storage: str) -> tuple[int, int]:
    """That of `!quant.uniform<i8<-127:127>:f32, 0.5>`, or of the type if none is said."""
    said = re.match(r"!quant\.\w+<\w+<(-?\d+):(-?\d+)>", quantized)
    if said is not None:
        return int(said[1]), int(said[2])
    bits = elements.bits_of(storage)
    return (0, 2**bits - 1) if storage.startswith("u") else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)


def _drawn(kind: ir.Type, rng: np.random.Generator) -> str:
    element, shape = checks.storage(kind), tuple(ir.ShapedType(kind).shape)
    if "!quant." in str(kind) and element in elements.WHOLE:
        low, high = _storage_range(str(ir.ShapedType(kind).element_type), element)
        return _digits(rng.integers(low, high + 1, shape).astype(elements.WHOLE[element]), element)
    if element in elements.FLOATS and elements.bits_of(element) % 8 == 0:
        return _digits(rng.standard_normal(shape).astype(elements.FLOATS[element]), element)
    if element in elements.WHOLE:
        most = 2 if element == "i1" else INTEGERS_BELOW
        return _digits(rng.integers(0, most, shape).astype(elements.WHOLE[element]), element)
    raise NotRun(f"no data are drawn for an argument of type {kind}")


def _read(path: str, kind: ir.Type) -> str:
    element, shape = checks.storage(kind), tuple(ir.ShapedType(kind).shape)
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise NotRun(f"{path}: {error}") from None
    wanted = elements.FLOATS.get(element) or elements.WHOLE.get(element)
    if wanted is not None and array.dtype.kind == "V" and array.dtype.itemsize == np.dtype(wanted).itemsize:
        array = array.view(wanted)  # numpy knows bf16 and the like as bytes alone.
    if wanted is None or array.dtype != np.dtype(wanted) or array.shape != shape:
        raise NotRun(f"{path} holds {array.dtype} of shape {list(array.shape)}, and the argument is {kind}")
    return _digits(np.ascontiguousarray(array), element)


# ---- One step -----------------------------------------------------------------------------------


def _captured(operation: Any) -> list[Any]:
    """Values from around that regions of the op use."""
    inside: set[Any] = set()
    used: list[Any] = []

    def walk(region: Any) -> None:
        for block in region:
            inside.update(block.arguments)
            for op in block.operations:
                for value in op.operation.operands:
                    if value not in inside and value not in used:
                        used.append(value)
                inside.update(op.operation.results)
                for inner in op.operation.regions:
                    walk(inner)

    for region in operation.regions:
        walk(region)
    return used


def _used(node: Node) -> list[Any]:
    """Its operands, as MLIR has them, and then the values from around that its regions use."""
    return [*node.op.operation.operands, *_captured(node.op.operation)]


def _replace(operation: Any, by: dict[Any, Any]) -> None:
    for index, value in enumerate(operation.operands):
        if value in by:
            operation.operands[index] = by[value]
    for region in operation.regions:
        for block in region:
            for op in block.operations:
                _replace(op.operation, by)


def _readable(value: Any) -> Any:
    element = checks.storage(value.type)
    if element in READ:
        return value
    if element not in elements.FLOATS or elements.bits_of(element) % 8 != 0:
        raise NotRun(f"a result of type {value.type} cannot be read")
    integer = ir.IntegerType.get_signless(elements.bits_of(element))
    kind = ir.RankedTensorType.get(ir.ShapedType(value.type).shape, integer)
    return stablehlo.BitcastConvertOp(kind, value).result


def _module(operation: Any, values: list[Any], functions: dict[str, Any], is_read: bool) -> ir.Module:
    """A function of the values that the op uses, which gives its results; and those that its regions may call.
    `is_read`: by Python, which is given bits of what it cannot read."""
    module = ir.Module.create()
    called = functions.items() if len(operation.regions) > 0 or operation.name == "stablehlo.composite" else ()
    with ir.InsertionPoint(module.body):
        for name, called_function in called:
            if name != "main":
                called_function.operation.clone()
    with ir.InsertionPoint(module.body):
        function = func.FuncOp("main", ([value.type for value in values], []))
    entry = function.add_entry_block()
    with ir.InsertionPoint(entry):
        copied = operation.clone()
        _replace(copied, dict(zip(values, entry.arguments)))
        returned = [_readable(value) if is_read else value for value in copied.results]
        func.ReturnOp(returned)
    kind = ir.FunctionType.get([value.type for value in values], [value.type for value in returned])
    function.operation.attributes["function_type"] = ir.TypeAttr.get(kind)
    passmanager.PassManager.parse(CHLO).run(module.operation)
    return module


def _interpreted(node: Node, functions: dict[str, Any], values: list[Any], data: list[str]) -> list[str]:
    operation = node.op.operation
    module = _module(operation, values, functions, is_read=True)
    given = [_attribute(digits, value.type) for digits, value in zip(data, values)]
    results = stablehlo.eval_module(module, given)
    found = []
    for attribute, value in zip(results, operation.results):
        element = checks.storage(value.type)
        array = np.array(attribute)
        found.append(_digits(array, element if element in READ else f"i{elements.bits_of(element)}"))
    return found


def _in_child(node: Node, functions: dict[str, Any], values: list[Any], data: list[str]) -> list[str]:
    """What the interpreter does not know ends its process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # The answers' channel is not its own.
        try:
            answer: dict[str, Any] = {"results": _interpreted(node, functions, values, data)}
        except Exception as error:  # Whatever it is, it is told.
            answer = {"error": " ".join(str(error).split())[:300] or type(error).__name__}
        with os.fdopen(writing, "w") as out:
            json.dump(answer, out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as channel:
        text = channel.read()
    os.waitpid(child, 0)
    if not text:
        raise NotRun("StableHLO's interpreter ended its process, as it does with what it does not know")
    answer = json.loads(text)
    if "error" in answer:
        raise NotRun(answer["error"])
    return answer["results"]


# ---- All of them --------------------------------------------------------------------------------


class Isolation:
    def __init__(self, data: bytes, context: ir.Context) -> None:
        context.enable_multithreading(False)  # Of a child of fork() no other thread is left.
        self.context = context
        self.reader = Reader(data, context, holds_functions=False)
        with context, ir.Location.unknown():
            self.function = self.reader.main()
        self.nodes: list[Node] = []  # By the number of a step.
        self.indices: dict[Node, int] = {}
        self.numbers: dict[Value, int] = {}
        self._number(self.function.block)

    def _number(self, block: Block) -> None:
        """Gives its values and steps their numbers, and those of bodies in it."""
        for argument in block.arguments:
            self.numbers[argument] = len(self.numbers)
        for node in self._steps(block):
            self.indices[node] = len(self.nodes)
            self.nodes.append(node)
            for result in node.results:
                self.numbers[result] = len(self.numbers)
            for inner in self._bodies(node):
                self._number(inner)

    @staticmethod
    def _steps(block: Block) -> list[Node]:
        return [node for node in block.nodes if node.name not in programs.ENDS]

    @staticmethod
    def _bodies(node: Node) -> list[Block]:
        """Regions whose ops are steps."""
        return node.blocks if node.name in CONTROL else []

    def _arguments(self, seed: int, paths: list[str]) -> list[str]:
        arguments = self.function.block.arguments
        rng = np.random.default_rng(seed)
        if paths and len(paths) != len(arguments):
            raise NotRun(f"@{self.function.name} has {len(arguments)} arguments, and {len(paths)} files are given")
        if paths:
            return [_read(path, argument.type) for path, argument in zip(paths, arguments)]
        return [_drawn(argument.type, rng) for argument in arguments]

    def _region(self, block: Block) -> dict[str, Any]:
        return {
            "arguments": [self.numbers[value] for value in block.arguments],
            "steps": [self._step(node) for node in self._steps(block)],
            "results": [self.numbers[value] for value in block.nodes[-1].operands],
        }

    def _step(self, node: Node) -> dict[str, Any]:
        place = self.reader.source.place(node.offset)
        step: dict[str, Any] = {
            "index": self.indices[node],
            "op": node.name, "place": f"{place.line}:{place.column}", "line": None, "why": "", "data": None,
            "operands": [self.numbers[node.known[value]] for value in _used(node)],
            "results": [self.numbers[value] for value in node.results],
            "regions": [self._region(block) for block in self._bodies(node)],
        }  # fmt: skip
        if node.name in checks.CONSTANTS:
            step["data"] = checks.data(node.results[0])
            return step
        try:
            step["line"] = programs.program_line(node)
        except (words.Unknown, elements.UnknownType) as error:
            step["why"] = str(error)
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            step["why"] = f"it is not as it is known here ({type(error).__name__}: {error})"
        return step

    def document(self, seed: int, paths: list[str]) -> str:
        with self.context, ir.Location.unknown():
            try:
                arguments = self._arguments(seed, paths)
            except (NotRun, elements.UnknownType, ValueError) as error:
                raise ImportFailure(self.reader.source.place(self.function.offset), str(error)) from None
            steps = [self._step(node) for node in self._steps(self.function.block)]
            return json.dumps({"arguments": arguments, "steps": steps})

    def run(self, index: int, data: list[str]) -> str:
        """The results of a step, by the interpreter, of its operands' data."""
        node = self.nodes[index]
        with self.context, ir.Location.unknown():
            try:
                by_value = dict(zip(_used(node), data))
                results = _in_child(node, self.reader.functions, list(by_value), list(by_value.values()))
                return json.dumps({"results": results})
            except NotRun as error:
                return json.dumps({"error": str(error)})

    def alone(self, index: int) -> str:
        """A step as a program that executors which run StableHLO can be given, though cases know no such op: the
        numbers of its operands, each once; a module; a name that no other module has; and types."""
        node = self.nodes[index]
        with self.context, ir.Location.unknown():
            values = list(dict.fromkeys(_used(node)))
            try:
                operands = "".join(f" {programs.line_type(value.type)}" for value in values)
                results = " ".join(programs.line_type(value.type) for value in node.results)
                module = _module(node.op.operation, values, self.reader.functions, is_read=False)
            except (words.Unknown, elements.UnknownType, ir.MLIRError, ValueError) as error:
                return json.dumps({"error": " ".join(str(error).split())[:300]})
            text = module.operation.get_asm(large_elements_limit=None)
            name = f"{node.name}#{hashlib.sha256(text.encode()).hexdigest()[:16]}"
            numbers = [self.numbers[node.known[value]] for value in values]
            return json.dumps({"name": name, "line": f"{name}{operands} -> {results}", "module": text,
                               "operands": numbers})  # fmt: skip

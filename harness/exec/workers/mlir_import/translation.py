# SPDX-License-Identifier: Apache-2.0
"""From the nodes of a function to a graph: annotations become specs, patterns one op, regions regions."""
from __future__ import annotations

import re
from typing import Any

import numpy as np
from jaxlib.mlir import ir

import constraints
import elements
import patterns
import words
from graph_text import Body, Call, Op, Port, Region, Scope, Tensor
from module import Block, Function, Node, Reader, Value
from source_text import ImportFailure

FINER = ("any", "calibrated", "uniform")
CONSTANTS = ("stablehlo.constant", "arith.constant", "tf.Const")


def spec_of(attribute: Any) -> str | None:
    """A spec of a list or dictionary: a type, or `unit` where nothing is said."""
    if isinstance(attribute, ir.UnitAttr):
        return None
    if isinstance(attribute, ir.StringAttr):  # A calibrated range of one number.
        return attribute.value
    if not isinstance(attribute, ir.TypeAttr):
        raise words.Unknown(f"a spec is a type or unit, not {attribute}")
    text = str(attribute.value)
    return None if text == "none" else text


def with_expressed(spec: str | None, kind: elements.Kind) -> str | None:
    """!quant.any<i8> and the like, which may leave out what they stand for."""
    if spec is None or not spec.startswith("!quant.any") or elements.expressed(spec):
        return spec
    return f"{spec[:-1]}:{kind.element}>"


def kind_of_spec(spec: str | None) -> int:
    found = re.match(r"!quant\.(\w+)", spec or "")
    return FINER.index(found.group(1)) if found and found.group(1) in FINER else -1


def without_spec(kind: elements.Kind) -> elements.Kind:
    return elements.Kind(kind.element, kind.shape)


class Translation:
    """Of one block: of a function, or (`ports` given) of a region, whose inputs they are."""

    def __init__(self, reader: Reader, is_signed: bool, notes: list[str]) -> None:
        self.reader = reader
        self.is_signed = is_signed
        self.notes = notes
        self.callees: dict[str, Scope] = {}

    # ---- What is needed ----------------------------------------------------------------------

    def _plan(self, nodes: list[Node]) -> None:
        """Which nodes count, what each of them takes, and who takes a value."""
        self.matches: dict[Node, patterns.Match | None] = {}
        self.needed: set[Node] = set()
        self.users: dict[Value, list[Node]] = {}
        for node in reversed(nodes):
            is_root = (node.name in ("assay.region", "func.call") or not node.results
                       or (node.name in CONSTANTS and not node.results[0].uses))  # fmt: skip
            if not is_root and not any(result in self.users for result in node.results):
                continue
            self.needed.add(node)
            for operand in self._guard(node, self._effective, node):
                self.users.setdefault(operand, []).append(node)

    def _effective(self, node: Node) -> list[Value]:
        if node.name == "assay.region":
            return node.operands
        if constraints.annotation(node, self.is_signed) is not None:
            return [constraints.annotated(node)]
        self.matches[node] = patterns.match(node)
        found = self.matches[node]
        return node.operands if found is None else found.operands

    def _guard(self, node: Node, act: Any, *arguments: Any) -> Any:
        """Errors about a node name its place."""
        try:
            return act(*arguments)
        except (words.Unknown, elements.UnknownType) as error:
            name = node.name.replace("assay.", "quant.", 1)
            if name in ("stablehlo.custom_call", "stablehlo.composite"):
                name += f" {constraints.name_and_attributes(node)[0]}"
            raise self.reader.fail(node.offset, f"{name}: {error}") from None
        except ImportFailure:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            # What no rule here foresaw of a module that MLIR takes: nothing is lost but the words.
            what = f"{type(error).__name__}: {error}"
            raise self.reader.fail(node.offset, f"{node.name} is not as it is known here ({what})") from None

    # ---- Tensors -----------------------------------------------------------------------------

    def _hint(self, value: Value, fallback: str) -> str:
        name = value.name or fallback
        if name.startswith("v."):
            return name[2:].replace("$", "/")
        if name.startswith("i.") and "$$" in name:
            return name.split("$$", 1)[1]
        call = value.node.call if value.node is not None else ""
        return f"{call}.{name}" if call else name

    def _tensor(self, value: Value, fallback: str, offset: int) -> Tensor:
        kind = elements.kind_of(value.type)
        spec = with_expressed(kind.spec, kind)
        return Tensor(self._hint(value, fallback), without_spec(kind), offset, spec)

    def _constant(self, node: Node) -> Tensor:
        kind = elements.kind_of(node.results[0].type)
        tensor = self._tensor(node.results[0], "constant", node.offset)
        tensor.data = self._stored(node, kind) if kind.spec else elements.constant(node)[1]
        if "quant.spec" in node.attributes:
            tensor.spec = spec_of(node.attributes["quant.spec"])
        return tensor

    def _stored(self, node: Node, kind: elements.Kind) -> str:
        """The numbers that the integers of a quantized constant stand for."""
        found = re.fullmatch(r"!quant\.uniform<(u?)i?(\d+)(?:<[^>]*>)?:(\w+)(?::(\d+))?,\s*(.*)>", kind.spec or "")
        value = node.attributes.get("value")
        if found is None or value is None:
            raise words.Unknown(f"its integers are of {kind.spec}, which says not what they stand for")
        entries = [entry.strip().split(":") for entry in found.group(5).strip("{}").split(",")]
        scales = np.array([float(entry[0]) for entry in entries])
        zeros = np.array([int(entry[1]) if len(entry) > 1 else 0 for entry in entries])
        shape = [1] * len(kind.shape)
        if found.group(4) is not None:
            shape[int(found.group(4))] = len(entries)
        integers = np.array(value).astype(np.int64).reshape(kind.shape)
        numbers = (integers - zeros.reshape(shape)) * scales.reshape(shape)
        return elements.array_digits(numbers.astype(elements.FLOATS[kind.element]).view(), kind.element)

    # ---- Blocks ------------------------------------------------------------------------------

    def _translate(self, nodes: list[Node], tensors: dict[Value, Tensor], body: Body, is_region: bool) -> None:
        saved = self.__dict__.copy()
        self._plan(nodes)
        self.tensors, self.body, self.is_region = tensors, body, is_region
        for node in nodes:
            if node in self.needed and node.results:
                self._guard(node, self._node, node)
        for key in ("matches", "needed", "users", "tensors", "body", "is_region"):
            if key in saved:
                setattr(self, key, saved[key])

    def _node(self, node: Node) -> None:
        if node.name in CONSTANTS:
            tensor = self._constant(node)
            self.body.constants.append(tensor)
            self.tensors[node.results[0]] = tensor
            return
        if node.name == "assay.region":
            self._region(node)
            return
        if node.name == "func.call":
            self._call(node)
            return
        stated = constraints.annotation(node, self.is_signed)
        if stated is not None:
            self._annotate(node, stated)
            return
        found = self.matches.get(node)
        if found is None:
            self._op(node)
        elif not found.steps:
            self._add(node, found.op, found.words, [self._of(one) for one in found.operands])
        else:
            self._steps(node, found)

    def _of(self, value: Value) -> Tensor:
        if value not in self.tensors and self.is_region and value.node is not None and value.node.name in CONSTANTS:
            tensor = self._constant(value.node)  # From around the region: a copy.
            self.body.constants.append(tensor)
            self.tensors[value] = tensor
        if value not in self.tensors:
            raise words.Unknown(f"it uses %{value.name or '?'}, which is no operand of the region")
        return self.tensors[value]

    def _add(self, node: Node, op: str, said: str, operands: list[Tensor]) -> None:
        results = [self._tensor(result, f"result.{result.index}", node.offset) for result in node.results]
        self.tensors.update(zip(node.results, results))
        self.body.items.append(Op(op, said, operands, results, node.offset))

    def _op(self, node: Node) -> None:
        operands = [self._of(operand) for operand in node.operands]
        short = node.name.removeprefix("stablehlo.")
        if node.name == f"stablehlo.{short}" and short in words.STABLEHLO:
            self._add(node, node.name, words.STABLEHLO[short](node), operands)
            return
        name, given = constraints.name_and_attributes(node)
        if node.name == "stablehlo.custom_call":
            self._add(node, name, words.custom(name, self._custom_attributes(node), node.results), operands)
            return
        if node.name == "stablehlo.composite" and name == "aten.gelu.default":
            word = given["approximate"].value if "approximate" in given else "none"
            self._add(node, "byteir.gelu", f"approximate={word}", operands)
            return
        if node.name == "stablehlo.composite" and name in words.CUSTOM_KEYS:
            self._add(node, name, words.custom(name, given, node.results), operands)
            return
        if node.name == f"stablehlo.{short}" and not node.attributes and not node.blocks:
            self._add(node, node.name, "", operands)  # The graph's parser says whether it has it.
            return
        raise words.Unknown("graphs know no such op; `assay ops` lists those they know")

    def _custom_attributes(self, node: Node) -> dict[str, Any]:
        listed = node.attributes.get("byteir_attrs") or node.attributes.get("mhlo.backend_config")
        return {item.name: item.attr for item in listed} if isinstance(listed, ir.DictAttr) else {}

    def _steps(self, node: Node, found: patterns.Match) -> None:
        made: list[Tensor] = []
        name = self._hint(node.results[0], "value")
        like = without_spec(elements.kind_of(node.results[0].type))
        for index, step in enumerate(found.steps):
            operands = []
            for operand in step.operands:
                if isinstance(operand, patterns.Splat):
                    operands.append(self._spread_number(operand.number, like, name, node.offset))
                else:
                    operands.append(made[operand] if isinstance(operand, int) else self._of(operand))
            if index + 1 == len(found.steps):
                self._add(node, step.op, step.words, operands)
            else:
                tensor = Tensor(f"{name}.{index}", like, node.offset)
                made.append(tensor)
                self.body.items.append(Op(step.op, step.words, operands, [tensor], node.offset))
        if found.note is not None:
            place = self.reader.source.place(node.offset)
            self.notes.append(f"{place.line}:{place.column}: {found.note}")

    def _spread_number(self, number: float, like: elements.Kind, name: str, offset: int) -> Tensor:
        kind = elements.Kind(like.element, ())
        data = elements.array_digits(np.array(number).astype(elements.FLOATS[like.element]), like.element)
        tensor = Tensor(f"{name}.number", kind, offset, None, data)
        self.body.constants.append(tensor)
        if not like.shape:
            return tensor
        spread = Tensor(f"{name}.numbers", like, offset)
        words_said = "broadcast_dimensions=[]"
        self.body.items.append(Op("stablehlo.broadcast_in_dim", words_said, [tensor], [spread], offset))
        return spread

    # ---- Annotations -------------------------------------------------------------------------

    def _annotate(self, node: Node, stated: constraints.Annotation) -> None:
        result = node.results[0]
        tensor = self._of(constraints.annotated(node))
        kind = elements.kind_of(result.type)
        if stated.spec is not None and not self._leaves_quanta(node):
            tensor = self._constrained(node, tensor, with_expressed(stated.spec, kind))
        self.tensors[result] = tensor

    def _leaves_quanta(self, node: Node) -> bool:
        """Integers that stand for numbers are no high-precision value: something must turn them back."""
        result = node.results[0]
        if elements.kind_of(result.type).element in elements.FLOATS:
            return False
        for user in self.users.get(result, []):
            if constraints.annotation(user, self.is_signed) != constraints.Annotation(None):
                raise words.Unknown(
                    f"its integers are used by {user.name}; graphs hold high-precision values, so a "
                    "dequantization has to stand behind each quantization"
                )
        return False

    def _agrees(self, user: Node, spec: str) -> bool:
        stated = constraints.annotation(user, self.is_signed)
        return stated is not None and stated.spec == spec

    def _constrained(self, node: Node, tensor: Tensor, spec: str | None) -> Tensor:
        """The tensor with that spec: itself if nobody else needs it without, else another one."""
        assert spec is not None
        if tensor.spec == spec:
            return tensor
        users = self.users[constraints.annotated(node)]
        is_alone = all(user is node or self._agrees(user, spec) for user in users)
        refines = kind_of_spec(tensor.spec) < kind_of_spec(spec)
        if is_alone and refines:
            tensor.spec = spec
            return tensor
        name = self._hint(node.results[0], f"{tensor.hint}.annotated")
        other = Tensor(name, tensor.kind, node.offset, spec, tensor.data)
        if tensor.data is not None:
            self.body.constants.append(other)
        elif self.is_region:
            raise words.Unknown("inside of a region a tensor has one constraint, and no use beside it")
        else:
            ports = [Port(tensor, None, None)], [Port(other, None, None)]
            self.body.items.append(Region(f"{name}.rescale", "rescale", *ports, Body(), node.offset))
        return other

    # ---- Regions -----------------------------------------------------------------------------

    def _region(self, node: Node) -> None:
        attributes = node.attributes
        kernel = attributes.get("logical_kernel", attributes.get("kernel"))
        if not isinstance(kernel, ir.StringAttr):
            raise words.Unknown('it does not say its kernel: write kernel = "NAME"')
        if len(node.blocks) != 1 or not node.blocks[0].nodes or node.blocks[0].nodes[-1].name != "assay.return":
            raise words.Unknown("it has one block, which ends with quant.return")
        block = node.blocks[0]
        operands = [self._of(operand) for operand in node.operands]
        results = [self._tensor(result, f"result.{result.index}", node.offset) for result in node.results]
        body = Body()
        inners = self._inputs(node, block)
        tensors = dict(zip(block.arguments or node.operands, inners))
        is_rescale = kernel.value == "rescale"
        if not is_rescale:
            self._translate(block.nodes, tensors, body, True)
        returned = block.nodes[-1].operands
        if len(returned) != len(results):
            raise words.Unknown(f"it has {len(results)} results and returns {len(returned)} values")
        input_specs = self._specs(node, "input_specs", operands)
        output_specs = self._specs(node, "output_specs", results)
        inputs = [Port(value, None if is_rescale else inner, spec or (None if is_rescale else inner.spec))
                  for value, inner, spec in zip(operands, inners, input_specs)]  # fmt: skip
        outputs = [Port(value, None if is_rescale else self._returned(tensors, body, one), spec)
                   for value, one, spec in zip(results, returned, output_specs)]  # fmt: skip
        self.tensors.update(zip(node.results, results))
        name = self._region_name(block, node)
        self.body.items.append(Region(name, kernel.value, inputs, outputs, body, node.offset))

    def _returned(self, tensors: dict[Value, Tensor], body: Body, value: Value) -> Tensor:
        if value not in tensors and value.node is not None and value.node.name in CONSTANTS:
            tensors[value] = self._constant(value.node)
            body.constants.append(tensors[value])
        if value not in tensors:
            raise words.Unknown(f"it returns %{value.name or '?'}, which is not made in it")
        return tensors[value]

    def _inputs(self, node: Node, block: Block) -> list[Tensor]:
        if block.arguments and len(block.arguments) != len(node.operands):
            raise words.Unknown(f"its block has {len(block.arguments)} arguments for {len(node.operands)} operands")
        inners = [self._tensor(value, f"input.{i}", node.offset)
                  for i, value in enumerate(block.arguments or node.operands)]  # fmt: skip
        for inner, operand in zip(inners, node.operands):
            if str(inner.kind) != str(without_spec(elements.kind_of(operand.type))):
                raise words.Unknown(f"its block takes {inner.kind} for an operand of {operand.type}")
            inner.spec = None
        return inners

    def _specs(self, node: Node, key: str, tensors: list[Tensor]) -> list[str | None]:
        listed = node.attributes.get(key)
        if listed is None:
            return [None] * len(tensors)
        if not isinstance(listed, ir.ArrayAttr) or len(listed) != len(tensors):
            raise words.Unknown(f"{key} is a list of one spec for each of {len(tensors)}")
        return [with_expressed(spec_of(one), tensor.kind) for one, tensor in zip(listed, tensors)]

    def _region_name(self, block: Block, node: Node) -> str:
        for value in [*block.arguments, *block.nodes[-1].operands]:
            if value.name and value.name.startswith("i.") and "$$" in value.name:
                return value.name[2:].split("$$", 1)[0].replace("$", "/")
        return self._hint(node.results[0], "region") if node.results else "region"

    # ---- Calls and functions -----------------------------------------------------------------

    def _call(self, node: Node) -> None:
        name = ir.FlatSymbolRefAttr(node.attributes["callee"]).value
        if name not in self.callees:
            if name not in self.reader.functions:
                raise words.Unknown(f"the module has no function @{name}")
            self.callees[name] = self.function(self.reader.function(name))
        arguments = [self._of(operand) for operand in node.operands]
        results = [self._tensor(result, f"result.{result.index}", node.offset) for result in node.results]
        self.tensors.update(zip(node.results, results))
        hint = self._hint(node.results[0], name) if node.results else name
        self.body.items.append(Call(hint, self.callees[name], arguments, results, node.offset))

    def _argument_spec(self, function: Function, index: int) -> str | None:
        listed = function.op.operation.attributes
        if "arg_attrs" not in listed:
            return None
        given = {item.name: item.attr for item in listed["arg_attrs"][index]}
        return spec_of(given["quant.spec"]) if "quant.spec" in given else None

    def function(self, function: Function) -> Scope:
        scope = Scope(function.name, function.offset)
        tensors: dict[Value, Tensor] = {}
        for index, argument in enumerate(function.block.arguments):
            try:
                tensor = self._tensor(argument, f"arg{index}", function.offset)
                tensor.spec = self._argument_spec(function, index) or tensor.spec
            except (words.Unknown, elements.UnknownType) as error:
                raise self.reader.fail(function.offset, f"argument {index} of @{function.name}: {error}") from None
            tensors[argument] = tensor
            scope.inputs.append(tensor)
        if not function.block.nodes or function.block.nodes[-1].name not in ("func.return", "stablehlo.return"):
            raise self.reader.fail(function.offset, f"@{function.name} ends with no return")
        self._translate(function.block.nodes, tensors, scope.body, False)
        returned = function.block.nodes[-1]
        self._outputs(returned, tensors, scope)
        return scope

    def _outputs(self, returned: Node, tensors: dict[Value, Tensor], scope: Scope) -> None:
        for operand in returned.operands:
            tensor = tensors[operand]
            if tensor in scope.inputs or tensor.data is not None or tensor in scope.outputs:
                raise self.reader.fail(
                    returned.offset,
                    f"%{operand.name or '?'} is returned as it came, or twice; outputs of graphs are made by ops, each once",
                )
            scope.outputs.append(tensor)


def translate(reader: Reader, is_signed: bool, notes: list[str]) -> tuple[Function, Scope]:
    """The graph of the module, called as its function is; where that is @main, as the module is."""
    function = reader.main()
    scope = Translation(reader, is_signed, notes).function(function)
    attributes = reader.module.operation.attributes
    if function.name == "main" and "sym_name" in attributes:
        scope.name = attributes["sym_name"].value
    scope.name = re.sub(r"[^A-Za-z0-9_.\-]", ".", scope.name)[:256] or "graph"
    return function, scope

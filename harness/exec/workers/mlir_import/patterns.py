# SPDX-License-Identifier: Apache-2.0
"""What exporters write out in StableHLO and graphs have as one op: softmax, layer_norm, gelu, clamp,
divisions by a constant,
and broadcasts of broadcasts.

A match is exact: the ops stand there, over the same axes, with the constants of the definition in
the tensor's type.  Broadcasts and reshapes between them may be any, since what counts is which
element of the one comes to stand where in the other: Spread.index tells.
"""
from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from jaxlib.mlir import ir

import elements
from module import Node, Value
from words import hex_float

MOVES = ("stablehlo.broadcast_in_dim", "stablehlo.reshape")


@dataclass
class Match:
    """One op in the place of many, or (`steps`) a few in the place of one: each takes operands, or by
    a number the result of a step before."""

    op: str
    words: str
    operands: list[Value]
    steps: list[Step] = field(default_factory=list)
    note: str | None = None  # What is not exactly so.


@dataclass(frozen=True)
class Step:
    op: str
    words: str
    operands: tuple[Value | int | Splat, ...]


@dataclass(frozen=True)
class Splat:
    """A new constant: one number in all elements of a type."""

    number: float


def shape_of(value: Value) -> tuple[int, ...]:
    return elements.kind_of(value.type).shape


def is_op(value: Value, name: str) -> bool:
    return value.node is not None and value.node.name == f"stablehlo.{name}"


def splat(value: Value) -> float | None:
    """The number that all elements of a constant, however spread, have."""
    while value.node is not None and value.node.name in MOVES:
        value = value.node.operands[0]
    if not is_op(value, "constant"):
        return None
    try:
        array = elements.decode(value.node)
    except elements.UnknownType:
        return None
    if array is None or array.size == 0 or not (array == array.flat[0]).all():
        return None
    return float(array.flat[0])


def rounded(number: float, like: Value) -> float:
    kind = elements.FLOATS.get(elements.kind_of(like.type).element)
    return float(np.array(number).astype(kind)) if kind is not None else number


# ---- Broadcasts ---------------------------------------------------------------------------------


@dataclass
class Spread:
    """`value`, seen through broadcasts, reshapes and ops with one number on the way: element i of
    what was looked at is made of element index[i] of the origin, by the ops in order."""

    origin: Value
    index: np.ndarray
    ops: list[tuple[str, float]]


def _moved(node: Node, index: np.ndarray) -> np.ndarray:
    """Where elements of the result come from, if those of the operand come from `index`."""
    shape = shape_of(node.results[0])
    if node.name == "stablehlo.reshape":
        return index.reshape(shape)
    dims = [int(dim) for dim in node.attributes["broadcast_dimensions"]]
    placed = [1] * len(shape)
    for operand_dim, dim in enumerate(dims):
        placed[dim] = index.shape[operand_dim]
    order = np.argsort(dims)
    return np.broadcast_to(np.transpose(index, order).reshape(placed), shape)


def _with_number(node: Node) -> tuple[str, float, Value] | None:
    """Of an op of a tensor and one number: which, the number, the tensor."""
    name = node.name.removeprefix("stablehlo.")
    if name == "rsqrt":
        return name, 0.0, node.operands[0]
    if name not in ("add", "multiply", "divide"):
        return None
    left, right = (splat(operand) for operand in node.operands)
    if right is not None:
        return name, right, node.operands[0]
    if left is not None and name != "divide":
        return name, left, node.operands[1]
    return None


def spread(value: Value) -> Spread:
    path: list[Node] = []
    ops: list[tuple[str, float]] = []
    while value.node is not None:
        if value.node.name in MOVES:
            path.append(value.node)
            value = value.node.operands[0]
            continue
        found = _with_number(value.node)
        if found is None:
            break
        ops.append(found[:2])
        value = found[2]
    shape = shape_of(value)
    index = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
    for node in reversed(path):
        index = _moved(node, index)
    return Spread(value, index, ops[::-1])


def is_row_wise(found: Spread, shape: tuple[int, ...], dims: list[int]) -> bool:
    """Whether all elements of a row, along the dims, come from the one that the row was reduced to."""
    kept = [1 if dim in dims else size for dim, size in enumerate(shape)]
    expected = np.arange(int(np.prod(kept, dtype=np.int64))).reshape(kept)
    return found.index.shape == tuple(shape) and bool((found.index == np.broadcast_to(expected, shape)).all())


def is_along(found: Spread, shape: tuple[int, ...], dims: list[int]) -> bool:
    """Whether element i along the dims comes from element i, in all rows."""
    placed = [size if dim in dims else 1 for dim, size in enumerate(shape)]
    expected = np.arange(int(np.prod(placed, dtype=np.int64))).reshape(placed)
    return (not found.ops and len(shape_of(found.origin)) == len(dims) and found.index.shape == tuple(shape)
            and bool((found.index == np.broadcast_to(expected, shape)).all()))  # fmt: skip


# ---- Reductions ---------------------------------------------------------------------------------


def reduction(value: Value, body: str, initial: float) -> tuple[Value, list[int]] | None:
    """What is reduced by that op from that number, and along which dimensions."""
    node = value.node
    if node is None or node.name != "stablehlo.reduce" or len(node.operands) != 2:
        return None
    inner = node.blocks[0].nodes
    arguments = node.blocks[0].arguments
    is_body = (len(inner) == 2 and inner[0].name == f"stablehlo.{body}"
               and set(map(id, inner[0].operands)) == set(map(id, arguments)))  # fmt: skip
    if not is_body or splat(node.operands[1]) != initial:
        return None
    return node.operands[0], sorted(int(dim) for dim in node.attributes["dimensions"])


def _maximum(value: Value, of: Value) -> list[int] | None:
    """Dimensions of the maximum that stands in all elements of its row; JAX takes that with -inf."""
    found = spread(value)
    origin = found.origin
    if is_op(origin, "maximum"):
        others = [one for one in origin.node.operands if splat(one) != -math.inf]
        if len(others) != 1:
            return None
        origin = others[0]
    top = reduction(origin, "maximum", -math.inf)
    if top is None or top[0] is not of or found.ops or not is_row_wise(found, shape_of(of), top[1]):
        return None
    return top[1]


def _exponentials(value: Value) -> tuple[Value, list[int] | None] | None:
    """exponential(x - max) or exponential(x): x, and the dimensions of the maximum or None."""
    return _shifted(value.node.operands[0]) if is_op(value, "exponential") else None


def _shifted(value: Value) -> tuple[Value, list[int] | None]:
    if is_op(value, "subtract"):
        x, maximum = value.node.operands
        dims = _maximum(maximum, x)
        if dims is not None:
            return x, dims
    return value, None


def _total(value: Value, shape: tuple[int, ...]) -> tuple[Value, list[int]] | None:
    """The sum that stands in all elements of its row."""
    found = spread(value)
    total = reduction(found.origin, "add", 0)
    if total is None or found.ops or not is_row_wise(found, shape, total[1]):
        return None
    return total


def softmax(node: Node) -> Match | None:
    """exp(x - max) / sum(exp(x - max)); the maximum may be left out."""
    if node.name != "stablehlo.divide":
        return None
    found = _exponentials(node.operands[0])
    total = _total(node.operands[1], shape_of(node.operands[0]))
    if found is None or total is None or total[0] is not node.operands[0] or len(total[1]) != 1:
        return None
    if found[1] not in (None, total[1]):
        return None
    return Match("byteir.softmax", f"axis={total[1][0]}", [found[0]])


def log_softmax(node: Node) -> Match | None:
    """(x - max) - log(sum(exp(x - max)))."""
    if node.name != "stablehlo.subtract":
        return None
    x, dims = _shifted(node.operands[0])
    found = spread(node.operands[1])
    if not is_op(found.origin, "log") or found.ops:
        return None
    inner = spread(found.origin.node.operands[0])
    total = reduction(inner.origin, "add", 0)
    if total is None or inner.ops or len(total[1]) != 1 or dims not in (None, total[1]):
        return None
    summed = _exponentials(total[0])
    flat = inner.index.flatten()[found.index]
    whole = Spread(inner.origin, flat, [])
    if summed is None or not is_row_wise(whole, shape_of(x), total[1]):
        return None
    if summed[0] is not x or summed[1] != dims:
        return None
    return Match("byteir.log_softmax", f"axis={total[1][0]}", [x])


# ---- Norms --------------------------------------------------------------------------------------


def _is_mean(ops: list[tuple[str, float]], count: int, like: Value) -> bool:
    """A sum of `count` numbers becomes a mean by one division, or one multiplication."""
    if len(ops) != 1:
        return False
    op, number = ops[0]
    return (op == "divide" and number == count) or (op == "multiply" and number == rounded(1 / count, like))


def _mean(value: Value, of: Value) -> list[int] | None:
    found = spread(value)
    total = reduction(found.origin, "add", 0)
    if total is None or total[0] is not of or not is_row_wise(found, shape_of(of), total[1]):
        return None
    count = int(np.prod([shape_of(of)[dim] for dim in total[1]], dtype=np.int64))
    return total[1] if _is_mean(found.ops, count, of) else None


def _deviations(value: Value) -> tuple[Value, list[int]] | None:
    """x - mean(x): x, and along which dimensions."""
    if not is_op(value, "subtract"):
        return None
    x, mean = value.node.operands
    dims = _mean(mean, x)
    return None if dims is None else (x, dims)


def _inverse_deviation(value: Value, x: Value, dims: list[int]) -> float | None:
    """The epsilon of rsqrt(mean((x - mean(x))^2) + epsilon)."""
    found = spread(value)
    total = reduction(found.origin, "add", 0)
    if total is None or total[1] != dims or not is_row_wise(found, shape_of(x), dims):
        return None
    square = total[0]
    if not is_op(square, "multiply") or square.node.operands[0] is not square.node.operands[1]:
        return None
    count = int(np.prod([shape_of(x)[dim] for dim in dims], dtype=np.int64))
    names = [op for op, _ in found.ops]
    if _deviations(square.node.operands[0]) != (x, dims) or names[1:] != ["add", "rsqrt"]:
        return None
    return found.ops[1][1] if _is_mean(found.ops[:1], count, x) else None


def factors(value: Value) -> tuple[float, list[Value]]:
    """A product's constant numbers, multiplied, and its other factors."""
    number = splat(value)
    if number is not None:
        return number, []
    if not is_op(value, "multiply"):
        return 1.0, [value]
    left, right = (factors(operand) for operand in value.node.operands)
    return left[0] * right[0], left[1] + right[1]


def layer_norm(node: Node) -> Match | None:
    """(x - mean) * rsqrt(var + epsilon) * weight + bias."""
    if node.name != "stablehlo.add":
        return None
    for product, bias in (node.operands, node.operands[::-1]):
        number, parts = factors(product)
        if number != 1 or len(parts) != 3:
            continue
        centred = [part for part in parts if _deviations(part) is not None]
        if len(centred) != 1:
            continue
        x, dims = _deviations(centred[0])
        others = [part for part in parts if part is not centred[0]]
        for deviation, weight in (others, others[::-1]):
            epsilon = _inverse_deviation(deviation, x, dims)
            ends = [spread(weight), spread(bias)]
            if epsilon is not None and all(is_along(end, shape_of(x), dims) for end in ends):
                axes = f"[{','.join(map(str, dims))}]"
                return Match("byteir.layer_norm", f"epsilon={hex_float(epsilon)} axis={axes}",
                             [x, ends[0].origin, ends[1].origin])  # fmt: skip
    return None


# ---- Activations --------------------------------------------------------------------------------


def erf_operand(value: Value) -> Value | None:
    node = value.node
    if node is None:
        return None
    is_call = node.name == "stablehlo.custom_call" and node.attributes["call_target_name"].value == "mhlo.erf"
    return node.operands[0] if is_call or node.name == "chlo.erf" else None


def erf(node: Node) -> Match | None:
    operand = erf_operand(node.results[0]) if node.results else None
    return None if operand is None else Match("byteir.erf", "", [operand])


def _cubic(value: Value, x: Value) -> bool:
    """x + 0.044715 x^3."""
    if not is_op(value, "add"):
        return False
    for left, right in (value.node.operands, value.node.operands[::-1]):
        number, parts = factors(right)
        if left is x and len(parts) == 3 and all(part is x for part in parts):
            return number == rounded(0.044715, x)
    return False


def _bend(value: Value, x: Value) -> str | None:
    """Of gelu: "tanh" for tanh(sqrt(2 / pi) (x + 0.044715 x^3)), "erf" for erf(x / sqrt(2))."""
    if is_op(value, "tanh"):
        number, parts = factors(value.node.operands[0])
        good = number == rounded(math.sqrt(2 / math.pi), x) and len(parts) == 1
        return "tanh" if good and _cubic(parts[0], x) else None
    inner = erf_operand(value)
    if inner is None:
        return None
    if is_op(inner, "divide") and inner.node.operands[0] is x:
        return "erf" if splat(inner.node.operands[1]) == rounded(math.sqrt(2), x) else None
    number, parts = factors(inner)
    return "erf" if parts == [x] and number == rounded(math.sqrt(0.5), x) else None


def gelu(node: Node) -> Match | None:
    """0.5 x (1 + bend(x))."""
    if node.name != "stablehlo.multiply":
        return None
    number, parts = factors(node.results[0])
    if number != 0.5 or len(parts) != 2:
        return None
    for x, bent in (parts, parts[::-1]):
        if not is_op(bent, "add"):
            continue
        for one, bend in (bent.node.operands, bent.node.operands[::-1]):
            word = _bend(bend, x) if splat(one) == 1 else None
            if word is not None:
                return Match("byteir.gelu", f"approximate={word}", [x])
    return None


# ---- One op as a few ----------------------------------------------------------------------------


def clamp(node: Node) -> Match | None:
    """minimum(maximum(x, low), high), as the specification defines it."""
    if node.name != "stablehlo.clamp":
        return None
    low, x, high = node.operands
    steps: list[Step] = []
    ends: list[Value | int] = []
    for end in (low, high):
        ends.append(end)
        if shape_of(end) != shape_of(x):
            ends[-1] = len(steps)
            steps.append(Step("stablehlo.broadcast_in_dim", "broadcast_dimensions=[]", (end,)))
    steps.append(Step("stablehlo.maximum", "", (x, ends[0])))
    steps.append(Step("stablehlo.minimum", "", (len(steps) - 1, ends[1])))
    return Match("", "", [low, x, high], steps)


def division(node: Node) -> Match | None:
    """By a number: a multiplication by its reciprocal, which is exact for powers of two."""
    if node.name != "stablehlo.divide":
        return None
    number = splat(node.operands[1])
    if number is None or number == 0 or not math.isfinite(number):
        return None
    reciprocal = rounded(1 / number, node.operands[0])
    if reciprocal == 0 or not math.isfinite(reciprocal):
        return None
    note = None
    if abs(math.frexp(number)[0]) != 0.5:
        note = (f"division by {number:g} became multiplication by {reciprocal:.9g}, the nearest "
                f"{elements.kind_of(node.operands[0].type).element} to its reciprocal")  # fmt: skip
    step = Step("stablehlo.multiply", "", (node.operands[0], Splat(reciprocal)))
    return Match("", "", [node.operands[0]], [step], note)


def _kept_dims(node: Node) -> list[int] | None:
    """Where each dimension of the operand goes, of a broadcast or of a reshape that adds dimensions of
    size 1 alone."""
    if node.name == "stablehlo.broadcast_in_dim":
        return [int(dim) for dim in node.attributes["broadcast_dimensions"]]
    before, after = shape_of(node.operands[0]), shape_of(node.results[0])
    dims: list[int] = []
    for dim, size in enumerate(after):
        if len(dims) < len(before) and size == before[len(dims)] and size != 1:
            dims.append(dim)
        elif size != 1:
            return None
    return dims if len(dims) == len(before) else None


def broadcast(node: Node) -> Match | None:
    """Of a broadcast, or of what only got dimensions of size 1: one broadcast."""
    if node.name != "stablehlo.broadcast_in_dim":
        return None
    dims = _kept_dims(node)
    operand = node.operands[0]
    while operand.node is not None and operand.node.name in MOVES:
        inner = _kept_dims(operand.node)
        if inner is None or dims is None:
            break
        dims, operand = [dims[dim] for dim in inner], operand.node.operands[0]
    if operand is node.operands[0]:
        return None
    listed = ",".join(map(str, dims or []))
    return Match("stablehlo.broadcast_in_dim", f"broadcast_dimensions=[{listed}]", [operand])


PATTERNS = (softmax, log_softmax, layer_norm, gelu, erf, clamp, division, broadcast)


def match(node: Node) -> Match | None:
    if len(node.results) != 1 or not isinstance(node.results[0].type, ir.RankedTensorType):
        return None
    for pattern in PATTERNS:
        found = pattern(node)
        if found is not None:
            return found
    return None

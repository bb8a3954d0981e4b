# SPDX-License-Identifier: Apache-2.0
"""What a call may leave out, op by op: attributes with a usual value, operands that are ones or zeros, and the types of results.

Names are StableHLO's and ByteIR's; axes may be negative, and an int stands for a list of one, as in numpy."""

from __future__ import annotations

import math
import operator
from typing import Any, Callable, NamedTuple, Optional, Sequence

import numpy

from ._library import InvalidArgument
from ._tensors import Tensor, TensorType, dtype_of


class Pair(NamedTuple):
    """Dimensions of the left and of the right operand: [1]x[0]."""

    left: list[int]
    right: list[int]


class Missing(InvalidArgument):
    """What a call has to say, as it has no usual value."""


class Unfit(InvalidArgument):
    """Operands and attributes of which it is not known what they mean together."""


# Attributes whose keyword has another name, as `contract` says what is permitted.
_KEYWORDS = {("stablehlo.dot_general", "contract"): "contracting"}


def keyword_of(op: str, attribute: str) -> str:
    """What a call has to say for an attribute."""
    return _KEYWORDS.get((op, attribute), attribute)


class Call:
    """A call that is being completed, and what was."""

    def __init__(
        self, op: str, operands: list[TensorType], results: Optional[list[TensorType]], attributes: dict[str, Any]
    ):
        self.op, self.operands, self.attributes = op, operands, attributes
        self.given = results
        self.results: list[TensorType] = results or []
        self.inferred: list[str] = []

    def default(self, key: str, value: Any) -> Any:
        if key not in self.attributes:
            self.attributes[key] = value
            shown = f"{value.left}x{value.right}" if isinstance(value, Pair) else value
            self.inferred.append(f"{keyword_of(self.op, key)}={shown}".replace(" ", ""))
        return self.attributes[key]

    def need(self, key: str) -> Any:
        if key not in self.attributes:
            raise Missing(f"{self.op} needs {key}=")
        return self.attributes[key]

    def axis(self, key: str, rank: int, value: Any = None) -> int:
        """One dimension, which may count from the end."""
        given = self.default(key, value) if value is not None else self.need(key)
        self.attributes[key] = _axis(f"{self.op}: {key}", given, rank)
        return self.attributes[key]

    def axes(self, key: str, rank: int, value: Any = None) -> list[int]:
        given = self.default(key, value) if value is not None else self.need(key)
        several = list(given) if isinstance(given, (list, tuple, range, numpy.ndarray)) else [given]
        self.attributes[key] = sorted(_axis(f"{self.op}: {key}", one, rank) for one in several)
        return self.attributes[key]

    def returns(self, *types: TensorType) -> None:
        if self.given is None:
            self.results = list(types)


def _axis(where: str, axis: Any, rank: int) -> int:
    try:
        axis = operator.index(axis)
    except TypeError as error:
        raise InvalidArgument(f"{where}={axis!r}: a dimension is an integer") from error
    if not -rank <= axis < rank:
        raise InvalidArgument(f"{where}: dimension {axis} of a tensor of rank {rank}")
    return axis % rank


def _same(call: Call) -> None:
    call.returns(call.operands[0])


def _softmax(call: Call) -> None:
    call.axis("axis", len(call.operands[0].shape), -1)
    _same(call)


def _gelu(call: Call) -> None:
    call.default("approximate", "none")
    _same(call)


def _norm(call: Call) -> None:
    call.axes("axis", len(call.operands[0].shape), -1)
    if call.op == "byteir.layer_norm":
        call.default("epsilon", 1e-5)
    call.attributes["epsilon"] = float(call.need("epsilon"))
    _same(call)


def _batch_norm(call: Call) -> None:
    data, scale = call.operands[0], call.operands[1]
    call.attributes["epsilon"] = float(numpy.float32(call.default("epsilon", 1e-5)))
    call.axis("feature_index", len(data.shape), 1 if len(data.shape) > 1 else 0)
    call.returns(data, scale, scale)


def _reduced(shape: Sequence[int], dims: Sequence[int]) -> tuple[int, ...]:
    return tuple(size for d, size in enumerate(shape) if d not in dims)


def _reduce(call: Call) -> None:
    inputs = call.operands[: len(call.operands) // 2]
    call.default("body", "add")
    dims = call.axes("dims", len(inputs[0].shape), list(range(len(inputs[0].shape))))
    call.returns(*(TensorType(one.element, _reduced(one.shape, dims)) for one in inputs))


def _windows(
    call: Call,
    base: Sequence[int],
    window: Sequence[int],
    strides: Sequence[int],
    padding: Sequence[Sequence[int]],
    base_dilations: Sequence[int],
    window_dilations: Sequence[int],
) -> list[int]:
    """How many windows there are along each dimension."""
    counts = []
    for size, width, stride, (low, high), spread, step in zip(
        base, window, strides, padding, base_dilations, window_dilations
    ):
        padded = low + (0 if size == 0 else (size - 1) * spread + 1) + high
        reach = 0 if width == 0 else (width - 1) * step + 1
        counts.append(0 if padded == 0 or reach > padded else (padded - reach) // stride + 1)
    return counts


def _reduce_window(call: Call) -> None:
    inputs = call.operands[: len(call.operands) // 2]
    rank = len(inputs[0].shape)
    window = list(call.need("window_dimensions"))
    call.default("body", "add")
    ones, none = [1] * rank, [[0, 0]] * rank
    counts = _windows(
        call,
        inputs[0].shape,
        window,
        call.default("window_strides", ones),
        call.default("padding", none),
        call.default("base_dilations", ones),
        call.default("window_dilations", ones),
    )
    call.returns(*(TensorType(one.element, tuple(counts)) for one in inputs))


def _select_and_scatter(call: Call) -> None:
    rank = len(call.operands[0].shape)
    call.default("select", "ge")
    call.default("scatter", "add")
    call.need("window_dimensions")
    call.default("window_strides", [1] * rank)
    call.default("padding", [[0, 0]] * rank)
    _same(call)


def _read_pair(call: Call, key: str, given: Any) -> Pair:
    """([1], [0]), (1, 0), or as messages print it, "[1]x[0]"."""
    try:
        left, right = _labels(given) if isinstance(given, str) else given
        sides = ([side] if isinstance(side, (int, numpy.integer)) else list(side) for side in (left, right))
        return Pair(*([operator.index(int(d) if isinstance(d, str) else d) for d in side if d != ""] for side in sides))
    except (TypeError, ValueError) as error:
        word = keyword_of(call.op, key)
        raise InvalidArgument(
            f"{call.op}: {word}={given!r}: dimensions of the left operand and of the right one are expected, as in {word}=([1], [0])"
        ) from error


def _pair(call: Call, key: str, usual: Pair) -> Pair:
    given = call.default(key, usual)
    if not isinstance(given, Pair):
        given = _read_pair(call, key, given)
    ranks = [len(operand.shape) for operand in call.operands[:2]]
    call.attributes[key] = Pair(
        [_axis(f"{call.op}: {key}", d, ranks[0]) for d in given.left],
        [_axis(f"{call.op}: {key}", d, ranks[1]) for d in given.right],
    )
    return call.attributes[key]


def _dot_general(call: Call) -> None:
    """As numpy.matmul where nothing is said: leading dimensions are batches.  The attribute `contract` is called
    `contracting` here, as `contract` says what is permitted."""
    if "contracting" in call.attributes:
        call.attributes["contract"] = call.attributes.pop("contracting")
    for key, word in (("batch", "batching"), ("contract", "contracting")):
        names = [f"{side}_{word}_dimensions" for side in ("lhs", "rhs")]  # StableHLO's.
        if any(name in call.attributes for name in names):
            call.attributes[key] = Pair(*(list(call.attributes.pop(name, [])) for name in names))
    lhs, rhs = call.operands[0].shape, call.operands[1].shape
    said = "contract" in call.attributes or "batch" in call.attributes
    if not said and len(lhs) > 1 and len(rhs) > 2 and len(lhs) != len(rhs):
        raise InvalidArgument(
            f"{call.op} of tensors of rank {len(lhs)} and {len(rhs)}: numpy.matmul repeats the smaller one for each batch, which "
            "this op does not: name the dimensions, as in batch=([], []), contracting=([1], [1])"
        )
    leading = 0 if said else min(len(lhs), len(rhs)) - 2
    batch = _pair(call, "batch", Pair(list(range(max(leading, 0))), list(range(max(leading, 0)))))
    contract = _pair(call, "contract", Pair([max(len(lhs) - 1, 0)], [max(len(rhs) - 2, 0)]))
    if isinstance(call.attributes.get("algorithm"), (list, tuple)):
        call.attributes["algorithm"] = (
            "["
            + ",".join(
                str(part).lower() if isinstance(part, bool) else str(part) for part in call.attributes["algorithm"]
            )
            + "]"
        )
    shape = [lhs[d] for d in batch.left]
    shape += [size for d, size in enumerate(lhs) if d not in batch.left + contract.left]
    shape += [size for d, size in enumerate(rhs) if d not in batch.right + contract.right]
    call.returns(TensorType(call.operands[0].element, tuple(shape)))


def _labels(text: str) -> list[list[str]]:
    return [part.strip("[]").split(",") for part in text.replace("->", "x").split("x")]


def _convolution(call: Call) -> None:
    """As PyTorch and jax.lax.conv have it where nothing is said: batch, feature, space; output, input, space."""
    lhs, rhs = call.operands[0].shape, call.operands[1].shape
    space = [str(d) for d in range(len(lhs) - 2)]
    data, kernel = ",".join(["b", "f", *space]), ",".join(["o", "i", *space])
    numbers = _labels(call.default("dimension_numbers", f"[{data}]x[{kernel}]->[{data}]"))
    ones = [1] * len(space)
    groups = call.default("batch_group_count", 1)
    sizes = [{label: size for label, size in zip(labels, shape)} for labels, shape in zip(numbers, (lhs, rhs))]
    counts = _windows(
        call,
        [sizes[0][d] for d in space],
        [sizes[1][d] for d in space],
        call.default("window_strides", ones),
        call.default("padding", [[0, 0]] * len(space)),
        call.default("lhs_dilation", ones),
        call.default("rhs_dilation", ones),
    )
    call.default("window_reversal", [False] * len(space))
    call.default("feature_group_count", 1)
    result = {"b": sizes[0]["b"] // groups, "f": sizes[1]["o"], **dict(zip(space, counts))}
    call.returns(TensorType(call.operands[0].element, tuple(result[label] for label in numbers[2])))


def _arg_max(call: Call) -> None:
    data = call.operands[0]
    axis = call.axis("axis", len(data.shape), -1)
    keep = call.default("keep_dims", False)
    call.default("select_last_index", False)
    shape = (
        tuple(1 if d == axis else size for d, size in enumerate(data.shape)) if keep else _reduced(data.shape, [axis])
    )
    call.returns(TensorType("i64", shape))


def _top_k(call: Call) -> None:
    data, k = call.operands[0], call.need("k")
    axes = call.axes("axis", len(data.shape), -1)
    call.default("sorted", True)
    shape = tuple(k if d in axes else size for d, size in enumerate(data.shape))
    call.returns(TensorType(data.element, shape), TensorType("i64", shape))


def _pattern(value: Any, element: str) -> str:
    """The bits of a number, as in data of a case line."""
    if isinstance(value, str):
        return value
    bits = {"i1": 1, "i2": 2, "ui2": 2, "i4": 4, "ui4": 4, "f4E2M1FN": 4, "f6E2M3FN": 6, "f6E3M2FN": 6}.get(element)
    data = numpy.asarray(value, dtype_of(element)).tobytes()[::-1].hex()
    return data if bits is None else f"{int(data, 16) & ((1 << bits) - 1):0{math.ceil(bits / 4)}x}"


def _gather(call: Call) -> None:
    """What StableHLO leaves empty in most gathers, and sizes of the result."""
    data, indices = call.operands[:2]
    for key in ("offset_dims", "collapsed_slice_dims", "start_index_map", "slice_sizes"):
        call.attributes[key] = list(call.need(key))
    for key in ("operand_batching_dims", "start_indices_batching_dims"):
        call.default(key, [])
    vector = call.default("index_vector_dim", len(indices.shape))
    call.default("indices_are_sorted", False)
    gone = [*call.attributes["collapsed_slice_dims"], *call.attributes["operand_batching_dims"]]
    sizes = iter([size for d, size in enumerate(call.attributes["slice_sizes"]) if d not in gone])
    batches = iter([size for d, size in enumerate(indices.shape) if d != vector])
    offsets = call.attributes["offset_dims"]
    rank = len(offsets) + len(indices.shape) - (1 if vector < len(indices.shape) else 0)
    call.returns(TensorType(data.element, tuple([next(sizes if d in offsets else batches) for d in range(rank)])))


def _one_hot(call: Call) -> None:
    indices, depth = call.operands[0], call.need("depth")
    axis = call.axis("axis", len(indices.shape) + 1, -1)
    if call.given is None:
        call.returns(TensorType("f32", indices.shape[:axis] + (depth,) + indices.shape[axis:]))
    for key, value in (("on_value", 1), ("off_value", 0)):
        call.attributes[key] = _pattern(call.default(key, value), call.results[0].element)


def _quantize(call: Call) -> None:
    data, scale, zero = call.operands[:3]
    if scale.shape:
        call.axis("axis", len(data.shape), -1)
    call.returns(TensorType(zero.element if call.op == "byteir.quantize" else scale.element, data.shape))


def _transpose(call: Call) -> None:
    data = call.operands[0]
    order = call.default("permutation", list(reversed(range(len(data.shape)))))
    call.returns(TensorType(data.element, tuple(data.shape[_axis("permutation", d, len(data.shape))] for d in order)))


def _concatenate(call: Call) -> None:
    first = call.operands[0]
    along = call.axis("dimension", len(first.shape), 0)
    total = sum(operand.shape[along] for operand in call.operands)
    call.returns(TensorType(first.element, tuple(total if d == along else size for d, size in enumerate(first.shape))))


def _broadcast_in_dim(call: Call) -> None:
    if call.given:
        rank, inner = len(call.given[0].shape), len(call.operands[0].shape)
        call.default("broadcast_dimensions", list(range(rank - inner, rank)))


_OPS: dict[str, Callable[[Call], None]] = {
    "byteir.softmax": _softmax,
    "byteir.log_softmax": _softmax,
    "byteir.gelu": _gelu,
    "byteir.erf": _same,
    "byteir.layer_norm": _norm,
    "byteir.l2_norm": _norm,
    "byteir.arg_max": _arg_max,
    "byteir.arg_min": _arg_max,
    "byteir.top_k": _top_k,
    "byteir.one_hot": _one_hot,
    "byteir.quantize": _quantize,
    "byteir.dequantize": _quantize,
    "byteir.addn": _same,
    "stablehlo.batch_norm_training": _batch_norm,
    "stablehlo.batch_norm_grad": _batch_norm,
    "stablehlo.reduce": _reduce,
    "stablehlo.reduce_window": _reduce_window,
    "stablehlo.select_and_scatter": _select_and_scatter,
    "stablehlo.dot_general": _dot_general,
    "stablehlo.convolution": _convolution,
    "stablehlo.gather": _gather,
    "stablehlo.transpose": _transpose,
    "stablehlo.concatenate": _concatenate,
    "stablehlo.broadcast_in_dim": _broadcast_in_dim,
    **{
        f"stablehlo.{name}": _same
        for name in (
            "add", "subtract", "multiply", "maximum", "minimum", "negate", "shift_right_arithmetic", "divide", "remainder",
            "sqrt", "abs", "sign", "floor", "ceil", "round_nearest_even", "round_nearest_afz", "and", "or", "xor", "not",
            "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "tanh", "rsqrt", "sine", "cosine",
        )  # fmt: skip
    },
}


def complete(
    op: str, operands: list[TensorType], results: Optional[list[TensorType]], attributes: dict[str, Any]
) -> Call:
    """The whole call; InvalidArgument says what it needs."""
    call = Call(op, operands, results, attributes)
    if op in _OPS:
        if not operands:
            raise InvalidArgument(f"{op} needs operands")
        try:
            _OPS[op](call)
        except InvalidArgument:
            raise
        except (IndexError, KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError, StopIteration) as error:
            # It reads shapes and attributes before the library checks them.
            shown = ", ".join([*map(str, operands), *(f"{key}={value!r}" for key, value in call.attributes.items())])
            raise Unfit(f"{op} of {shown}: operands or attributes are missing or do not fit together") from error
    if not call.results:
        raise Missing(
            f'the types of the results of {op} do not follow from its operands: name them, as in result="f32[2,3]"'
        )
    return call


def _neutral(body: Any, element: str) -> Any:
    """What a reduction usually begins with."""
    dtype = dtype_of(element)
    if body in ("maximum", "minimum"):
        if dtype.kind in "iu" or dtype.kind == "b":
            low, high = (0, 1) if dtype.kind == "b" else (numpy.iinfo(dtype).min, numpy.iinfo(dtype).max)
            return low if body == "maximum" else high
        return -math.inf if body == "maximum" else math.inf
    return {"add": 0, "or": 0, "xor": 0, "multiply": 1}.get(body)


def _parameter_shape(op: str, shape: Sequence[int], attributes: dict[str, Any]) -> list[int]:
    """Of weight and bias of a norm of a tensor."""
    call = Call(op, [TensorType("f32", tuple(shape))], None, dict(attributes))
    if op == "byteir.layer_norm":
        return [shape[d] for d in call.axes("axis", len(shape), -1)]
    return [shape[call.axis("feature_index", len(shape), 1 if len(shape) > 1 else 0)]]


_NORMS = {"byteir.layer_norm": ("weight=ones", "bias=zeros"), "stablehlo.batch_norm_training": ("scale=ones", "offset=zeros")}


def usual_operands(op: str, operands: Sequence[TensorType]) -> list[TensorType]:
    """The types of such operands where attributes are those that a call may leave out."""
    if op not in _NORMS or not operands[0].shape:
        return list(operands)
    shape = tuple(_parameter_shape(op, operands[0].shape, {}))
    return [operands[0], *(TensorType(one.element, shape) for one in operands[1:])]


def complete_operands(op: str, operands: list[Optional[Tensor]], attributes: dict[str, Any]) -> list[str]:
    """Fills in operands that a call may leave out, at the end or as None, and says which."""
    told: list[str] = []
    first = operands[0] if operands else None
    if op in _NORMS and first is not None:
        names = _NORMS[op]
        operands += [None] * (1 + len(names) - len(operands))
        for place, name in enumerate(names, 1):
            if operands[place] is None:
                shape = _parameter_shape(op, first.shape, attributes)
                fill = numpy.ones if name.endswith("ones") else numpy.zeros
                operands[place] = Tensor(fill(shape, dtype_of(first.element)), first.element)
                told.append(name)
    elif op in ("stablehlo.reduce", "stablehlo.reduce_window") and first is not None:
        operands += [None] if len(operands) == 1 else []
        value = _neutral(attributes.get("body", "add"), first.element)
        if len(operands) == 2 and operands[1] is None and value is not None:
            operands[1] = Tensor(numpy.asarray(value, dtype_of(first.element)), first.element)
            told.append(f"initial value {value}")
    for place, one in enumerate(operands):
        if one is None:
            why = "it has no usual value" + (f" for body={attributes['body']!r}" if "body" in attributes else "")
            raise InvalidArgument(f"{op}: operand {place} is missing: {why}")
    return told

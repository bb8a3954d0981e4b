# SPDX-License-Identifier: Apache-2.0
"""Ops as graphs and case lines have them: the name, and the attributes in the op's order."""
from __future__ import annotations

import math
import re
from typing import Any, Callable, Sequence

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

import elements
from module import Block, Node, Value


class Unknown(Exception):
    """Why a graph has no such op."""


def numbers(values: Any) -> str:
    return f"[{','.join(str(int(value)) for value in values)}]"


def hex_float(value: float) -> str:
    """0x1.8p-3, 0x0p+0: without trailing zeros, and with a 1 in front of subnormals too."""
    if not math.isfinite(value):
        raise Unknown(f"a program has no attribute that is {value}")
    fraction, exponent = math.frexp(value)
    if value == 0:
        return "-0x0p+0" if math.copysign(1, value) < 0 else "0x0p+0"
    digits = (2 * fraction).hex().split("p")[0].rstrip("0").rstrip(".")
    return f"{digits}p{exponent - 1:+d}"


def pair(values: Any) -> str:
    array = np.array(values)
    return f"[{','.join(numbers(row) for row in array)}]"


# ---- Bodies of reductions -----------------------------------------------------------------------

BODY_OPS = ("add", "subtract", "multiply", "divide", "maximum", "minimum", "negate", "abs", "sqrt",
            "rsqrt", "exponential", "log", "tanh", "and", "or", "xor", "not", "compare", "select",
            "constant")  # fmt: skip
ARG_BODY = ("{{v0=compare_{0}(a0,b0);v1=compare_NE(a0,a0);v2=or(v0,v1);v3=compare_EQ(a0,b0);"
            "v4=compare_LT(a1,b1);v5=and(v3,v4);v6=or(v2,v5);v7=select(v2,a0,b0);"
            "v8=select(v6,a1,b1);return(v7,v8)}}")  # fmt: skip
NAMED_BODIES = {
    **{f"{{v0={name}(a0,b0);return(v0)}}": name
       for name in ("add", "multiply", "maximum", "minimum", "and", "or", "xor")},
    ARG_BODY.format("GT"): "argmax",
    ARG_BODY.format("LT"): "argmin",
    "{v0=add(a0,b0);v1=add(a1,b1);return(v0,v1)}": "sum_count",
}  # fmt: skip


def written_body(block: Block) -> str:
    count = len(block.arguments) // 2
    names: dict[Value, str] = {}
    for index, argument in enumerate(block.arguments):
        names[argument] = f"{'ab'[index // count]}{index % count}"
    steps = []

    def name_of(value: Value) -> str:
        if value not in names:
            raise Unknown("its body uses a value from around it")
        return names[value]

    for node in block.nodes:
        op = node.name.removeprefix("assay.").removeprefix("stablehlo.")
        listed = ",".join(name_of(operand) for operand in node.operands)
        if op == "return":
            return f"{{{''.join(step + ';' for step in steps)}return({listed})}}"
        if op not in BODY_OPS or len(node.results) != 1:
            raise Unknown(f"its body has {node.name}, which bodies of reductions know not")
        if op == "compare":
            direction = re.search(r"comparison_direction (\w+)", str(node.attributes["comparison_direction"]))
            op = f"compare_{direction.group(1)}" if direction else op
        if op == "constant":
            kind, digits = elements.constant(node)
            listed = f"{kind.element},{digits}"
        names[node.results[0]] = f"v{len(steps)}"
        steps.append(f"v{len(steps)}={op}({listed})")
    raise Unknown("its body has no return")


def body(node: Node) -> str:
    written = written_body(node.blocks[0])
    return NAMED_BODIES.get(written, written)


# ---- Attributes ---------------------------------------------------------------------------------


def _precision(node: Node) -> str:
    listed = node.attributes.get("precision_config")
    if listed is None or len(listed) == 0:
        return ""
    words = [re.search(r"precision (\w+)", str(word)).group(1) for word in listed]
    return f" precision=[{','.join(words)}]"


def _algorithm(node: Node) -> str:
    if "algorithm" not in node.attributes:
        return ""
    chosen = stablehlo.DotAlgorithm(node.attributes["algorithm"])
    parts = [chosen.lhs_precision_type, chosen.rhs_precision_type, chosen.accumulation_type,
             chosen.lhs_component_count, chosen.rhs_component_count,
             chosen.num_primitive_operations,
             str(chosen.allow_imprecise_accumulation).lower()]  # fmt: skip
    return f" algorithm=[{','.join(map(str, parts))}]"


def dot_general(node: Node) -> str:
    dims = stablehlo.DotDimensionNumbers(node.attributes["dot_dimension_numbers"])
    batch = f"{numbers(dims.lhs_batching_dimensions)}x{numbers(dims.rhs_batching_dimensions)}"
    contract = f"{numbers(dims.lhs_contracting_dimensions)}x{numbers(dims.rhs_contracting_dimensions)}"
    return f"batch={batch} contract={contract}{_precision(node)}{_algorithm(node)}"


def convolution(node: Node) -> str:
    attributes = node.attributes
    layout = re.search(r"<(.*)>$", str(attributes["dimension_numbers"])).group(1).replace(" ", "")
    spatial = len(ir.ShapedType(node.operands[0].type).shape) - 2
    def listed(name: str, default: int) -> str:
        return numbers(attributes[name] if name in attributes else [default] * spatial)
    reversal = attributes["window_reversal"] if "window_reversal" in attributes else [False] * spatial
    padding = pair(attributes["padding"]) if "padding" in attributes else pair([[0, 0]] * spatial)
    return (
        f"window_strides={listed('window_strides', 1)} padding={padding} "
        f"lhs_dilation={listed('lhs_dilation', 1)} rhs_dilation={listed('rhs_dilation', 1)} "
        f"window_reversal=[{','.join(str(bool(one)).lower() for one in reversal)}] "
        f"dimension_numbers={layout} feature_group_count={attributes['feature_group_count'].value} "
        f"batch_group_count={attributes['batch_group_count'].value}{_precision(node)}"
    )


def reduce(node: Node) -> str:
    return f"body={body(node)} dims={numbers(node.attributes['dimensions'])}"


def reduce_window(node: Node) -> str:
    attributes = node.attributes
    rank = len(attributes["window_dimensions"])
    def listed(name: str) -> str:
        return numbers(attributes[name] if name in attributes else [1] * rank)
    padding = pair(attributes["padding"]) if "padding" in attributes else pair([[0, 0]] * rank)
    return (
        f"body={body(node)} window_dimensions={numbers(attributes['window_dimensions'])} "
        f"window_strides={listed('window_strides')} base_dilations={listed('base_dilations')} "
        f"window_dilations={listed('window_dilations')} padding={padding}"
    )


def select_and_scatter(node: Node) -> str:
    attributes = node.attributes
    rank = len(ir.ShapedType(node.operands[0].type).shape)
    selected = written_body(node.blocks[0])
    select = re.fullmatch(r"\{v0=compare_(GE|GT|LE|LT)\(a0,b0\);return\(v0\)\}", selected)
    if select is None:
        raise Unknown("its selection is no comparison of its arguments by GE, GT, LE or LT")
    scatter = written_body(node.blocks[1])
    def listed(name: str) -> str:
        return numbers(attributes[name] if name in attributes else [1] * rank)
    padding = pair(attributes["padding"]) if "padding" in attributes else pair([[0, 0]] * rank)
    return (
        f"select={select.group(1).lower()} scatter={NAMED_BODIES.get(scatter, scatter)} "
        f"window_dimensions={listed('window_dimensions')} "
        f"window_strides={listed('window_strides')} padding={padding}"
    )


def batch_norm(node: Node) -> str:
    attributes = node.attributes
    return f"epsilon={hex_float(attributes['epsilon'].value)} feature_index={attributes['feature_index'].value}"


def plain(*names: str) -> Callable[[Node], str]:
    def words(node: Node) -> str:
        found = []
        for name in names:
            value = node.attributes[name]
            found.append(f"{name}={value.value if isinstance(value, ir.IntegerAttr) else numbers(value)}")
        return " ".join(found)

    return words


def compare(node: Node) -> str:
    found = []
    for key, kind in (("comparison_direction", "direction"), ("compare_type", "type")):
        word = re.search(rf"comparison_{kind} (\w+)", str(node.attributes.get(key, "")))
        if word is not None and word.group(1) != "NOTYPE":
            found.append(f"{key}={word.group(1)}")
    return " ".join(found)


def gather(node: Node) -> str:
    dims = stablehlo.GatherDimensionNumbers(node.attributes["dimension_numbers"])
    is_sorted = node.attributes.get("indices_are_sorted")
    lists = ("offset_dims", "collapsed_slice_dims", "operand_batching_dims", "start_indices_batching_dims",
             "start_index_map")  # fmt: skip
    listed = " ".join(f"{name}={numbers(getattr(dims, name))}" for name in lists)
    return (
        f"{listed} index_vector_dim={dims.index_vector_dim} slice_sizes={numbers(node.attributes['slice_sizes'])} "
        f"indices_are_sorted={str(is_sorted is not None and is_sorted.value).lower()}"
    )


STABLEHLO: dict[str, Callable[[Node], str]] = {
    **{name: plain() for name in ("add", "subtract", "multiply", "maximum", "minimum", "negate",
                                  "shift_right_arithmetic", "reshape", "convert", "divide",
                                  "remainder", "sqrt", "abs", "sign", "floor", "ceil",
                                  "round_nearest_even", "round_nearest_afz", "and", "or", "xor",
                                  "not", "select", "clamp", "exponential", "exponential_minus_one",
                                  "log", "log_plus_one", "logistic", "tanh", "rsqrt", "sine",
                                  "cosine", "dynamic_update_slice")},
    "slice": plain("start_indices", "limit_indices", "strides"),
    "pad": plain("edge_padding_low", "edge_padding_high", "interior_padding"),
    "reverse": plain("dimensions"),
    "iota": plain("iota_dimension"),
    "dynamic_slice": plain("slice_sizes"),
    "gather": gather,
    "compare": compare,
    "dot_general": dot_general,
    "convolution": convolution,
    "reduce": reduce,
    "reduce_window": reduce_window,
    "select_and_scatter": select_and_scatter,
    "batch_norm_training": batch_norm,
    "batch_norm_grad": batch_norm,
    "transpose": plain("permutation"),
    "broadcast_in_dim": plain("broadcast_dimensions"),
    "concatenate": plain("dimension"),
}  # fmt: skip

# ---- Custom calls -------------------------------------------------------------------------------

CUSTOM_KEYS = {
    "byteir.softmax": "axis",
    "byteir.log_softmax": "axis",
    "byteir.gelu": "approximate",
    "byteir.erf": "",
    "byteir.layer_norm": "epsilon axis eps_outside_sqrt",
    "byteir.l2_norm": "epsilon axis eps_outside_sqrt",
    "byteir.arg_max": "axis keep_dims select_last_index",
    "byteir.arg_min": "axis keep_dims select_last_index",
    "byteir.top_k": "k axis sorted",
    "byteir.one_hot": "depth axis on_value off_value",
    "byteir.quantize": "axis",
    "byteir.dequantize": "axis",
    "byteir.resize": "target_mode mode coordinate_transformation_mode",
    "byteir.rng_uniform": "",
    "byteir.rng_normal": "",
    "byteir.addn": "",
    "byteir.repeat": "",
    "byteir.non_zero": "",
    "byteir.nll_loss_forward": "ignore_index reduction",
    "byteir.nll_loss_backward": "ignore_index reduction",
    "tf.DynamicPartition": "num_partitions",
    "tf.DynamicStitch": "",
    "tf.Select": "",
}


def custom_value(value: Any) -> str:
    if isinstance(value, ir.BoolAttr):
        return str(value.value).lower()
    if isinstance(value, ir.StringAttr):
        return value.value
    if isinstance(value, ir.FloatAttr):
        return hex_float(value.value)
    if isinstance(value, ir.IntegerAttr):
        return str(value.value)
    if isinstance(value, ir.ArrayAttr):
        return numbers(one.value for one in value)
    if isinstance(value, (ir.DenseI64ArrayAttr, ir.DenseIntElementsAttr)):
        return numbers(np.array(value).flatten())
    raise Unknown(f"it has an attribute that reads {value}")


def pattern(value: Any) -> str:
    """The bits of a number of the attribute's own type."""
    kind = value.type
    if isinstance(value, ir.FloatAttr):
        text = f"dense<{value.value!r}> : tensor<{kind}>"
        text = re.sub(r"<(-?)inf>|<nan>", lambda match: f"<{str(value).split(' ')[0]}>", text)
        return elements.digits(text, str(kind), 1)
    number = str(value.value).lower()  # Booleans are "true" and "false".
    return elements.digits(f"dense<{number}> : tensor<{kind}>", str(kind), 1)


def custom(name: str, given: dict[str, Any], results: Sequence[Value]) -> str:
    if name not in CUSTOM_KEYS:
        raise Unknown("graphs know no such op")
    words, known = [], CUSTOM_KEYS[name].split()
    for key in known:
        if key not in given:
            continue
        value = pattern(given[key]) if key in ("on_value", "off_value") else custom_value(given[key])
        words.append(f"{key}={value}")
    for key in given:
        if key not in known:
            raise Unknown(f"it has an attribute {key}, of which nothing is known")
    return " ".join(words)

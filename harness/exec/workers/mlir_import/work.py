# SPDX-License-Identifier: Apache-2.0
"""How many arithmetic operations an op does, by its types and attributes: a product and an addition for each term of a
dot product or a convolution, the ops of its body for each element of a reduction, one for each element of what is
computed by element.  Moving data is none; and but for products, so are integers, which in models are indices."""
from __future__ import annotations

import math
from typing import Any, Sequence

from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo

from module import Node

MOVES = frozenset("""
    all_gather all_to_all after_all bitcast_convert broadcast broadcast_in_dim case collective_broadcast
    collective_permute concatenate constant create_token custom_call dynamic_broadcast_in_dim dynamic_gather
    dynamic_iota dynamic_pad dynamic_reshape dynamic_slice dynamic_update_slice gather get_dimension_size
    get_tuple_element if infeed iota optimization_barrier outfeed pad partition_id real_dynamic_slice recv
    replica_id reshape return reverse rng rng_bit_generator select send slice sort top_k transpose tuple while
""".split())


def shape(kind: ir.Type) -> list[int]:
    """Sizes that are not known count as 1."""
    try:
        shaped = ir.RankedTensorType(kind)
    except (ValueError, TypeError):
        return []
    return [1 if shaped.is_dynamic_dim(dim) else shaped.get_dim_size(dim) for dim in range(shaped.rank)]


def count(kind: ir.Type) -> int:
    return math.prod(shape(kind))


def stands_for_floats(kind: ir.Type) -> bool:
    """Of floats, or quantized: these stand for floats, and count as such, however a kernel computes them."""
    try:
        text = str(ir.ShapedType(kind).element_type)
    except (ValueError, TypeError):
        return False
    return text.startswith(("f", "bf", "complex", "!quant."))


def _dot(node: Node) -> int:
    left = shape(node.operands[0].type)
    if node.name.endswith(".dot_general"):
        dims = stablehlo.DotDimensionNumbers(node.attributes["dot_dimension_numbers"]).lhs_contracting_dimensions
    else:
        dims = [len(left) - 1]
    return 2 * count(node.results[0].type) * math.prod(left[dim] for dim in dims)


def _convolution(node: Node) -> int:
    numbers = stablehlo.ConvDimensionNumbers(node.attributes["dimension_numbers"])
    kernel = shape(node.operands[1].type)
    features = kernel.pop(numbers.kernel_output_feature_dimension)
    return 2 * count(node.results[0].type) * math.prod(kernel) if features else 0


def _steps(node: Node) -> int:
    """Ops of a body, but for the return."""
    return len(node.blocks[-1].nodes) - 1 if node.blocks else 1


def _window(node: Node) -> int:
    attributes: dict[str, Any] = node.attributes
    sizes: Sequence[int] = list(attributes["window_dimensions"]) if "window_dimensions" in attributes else []
    return math.prod(sizes)


def operations(node: Node) -> int:
    kinds = [value.type for value in (*node.results, *node.operands)]
    short = node.name.rpartition(".")[2]
    if not node.results:
        return 0
    if short in ("dot_general", "dot"):
        return _dot(node)
    if short in ("convolution", "dynamic_conv"):
        return _convolution(node)
    if not any(stands_for_floats(kind) for kind in kinds):
        return 0
    if short in ("reduce", "all_reduce", "reduce_scatter", "map"):
        return _steps(node) * count(node.operands[0].type)
    if short == "reduce_window":
        return _steps(node) * count(node.results[0].type) * _window(node)
    if short == "select_and_scatter":
        return (_window(node) + _steps(node)) * count(node.operands[1].type)
    if short == "scatter":
        return _steps(node) * count(node.operands[-1].type)
    if short == "triangular_solve":
        return count(node.results[0].type) * shape(node.operands[0].type)[-1]
    if short == "cholesky":
        return count(node.results[0].type) * shape(node.operands[0].type)[-1] // 3
    if short in ("custom_call", "composite"):  # Of any meaning: one for each element.
        return max(count(kind) for kind in kinds)
    return 0 if short in MOVES else count(node.results[0].type)

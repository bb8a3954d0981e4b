# SPDX-License-Identifier: Apache-2.0
"""Convolutions and largest numbers of windows."""
from __future__ import annotations

import numpy as np

from case_text import NotTaken, case


def _list(values) -> str:
    return "[" + ",".join(str(int(value)) for value in values) + "]"


def _pads(node, sizes, window, strides, dilations) -> list[tuple[int, int]]:
    """Of each spatial dimension, with what a result needs that is rounded up."""
    mode = node.get("auto_pad", "NOTSET")
    rank = len(sizes)
    extents = [d * (w - 1) + 1 for w, d in zip(window, dilations)]
    if mode in ("SAME_UPPER", "SAME_LOWER"):
        pads = []
        for size, extent, stride in zip(sizes, extents, strides):
            total = max((-(-size // stride) - 1) * stride + extent - size, 0)
            low = total // 2 if mode == "SAME_UPPER" else total - total // 2
            pads.append((low, total - low))
        return pads
    given = [0] * (2 * rank) if mode == "VALID" else node.get("pads", [0] * (2 * rank))
    return [(given[i], given[i + rank]) for i in range(rank)]


def conv(node) -> str:
    if node.input(2) is not None:
        raise NotTaken("a bias is added: two ops")
    operand, kernel = node.inputs[:2]
    rank = operand.ndim - 2
    strides = node.get("strides", [1] * rank)
    dilations = node.get("dilations", [1] * rank)
    pads = _pads(node, operand.shape[2:], kernel.shape[2:], strides, dilations)
    spatial = ",".join(str(i) for i in range(rank))
    attributes = " ".join([
        f"window_strides={_list(strides)}", "padding=[" + ",".join(f"[{a},{b}]" for a, b in pads) + "]",
        f"lhs_dilation={_list([1] * rank)}", f"rhs_dilation={_list(dilations)}",
        "window_reversal=[" + ",".join(["false"] * rank) + "]",
        f"dimension_numbers=[b,f,{spatial}]x[o,i,{spatial}]->[b,f,{spatial}]",
        f"feature_group_count={node.get('group', 1)}", "batch_group_count=1",
    ])
    return case("stablehlo.convolution", attributes, [operand, kernel], node.outputs)


def max_pool(node) -> str:
    if node.output(1) is not None:
        raise NotTaken("indices are a second result")
    operand, result = node.inputs[0], node.outputs[0]
    window = node.get("kernel_shape", [])
    rank = len(window)
    strides = node.get("strides", [1] * rank)
    dilations = node.get("dilations", [1] * rank)
    pads = _pads(node, operand.shape[2:], window, strides, dilations)
    for i, (low, high) in enumerate(pads):  # With ceil_mode the last window reaches farther.
        extent = dilations[i] * (window[i] - 1) + 1
        reach = (result.shape[2 + i] - 1) * strides[i] + extent
        pads[i] = (low, max(high, reach - operand.shape[2 + i] - low))
    kind = operand.dtype
    lowest = np.array(np.iinfo(kind).min if kind.kind in "iu" else -np.inf, kind)
    attributes = " ".join([
        "body=maximum", f"window_dimensions={_list([1, 1, *window])}", f"window_strides={_list([1, 1, *strides])}",
        f"base_dilations={_list([1] * (rank + 2))}", f"window_dilations={_list([1, 1, *dilations])}",
        "padding=[[0,0],[0,0]," + ",".join(f"[{a},{b}]" for a, b in pads) + "]",
    ])
    return case("stablehlo.reduce_window", attributes, [operand, lowest], [result])

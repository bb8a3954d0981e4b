# SPDX-License-Identifier: Apache-2.0
"""Reductions over processes: a module is what each of them runs, and a case has all of them, as dimension 0
of its operands and results."""
from __future__ import annotations

from typing import Any

import numpy as np
from jaxlib.mlir import ir

import words
from module import Node

NAMES = ("stablehlo.all_reduce", "stablehlo.reduce_scatter")


def _module_number(node: Node, name: str) -> int | None:
    """An attribute of the module that the op stands in."""
    top = node.op.operation
    while top.parent is not None:
        top = top.parent.operation
    return int(top.attributes[name].value) if name in top.attributes else None


def _groups(node: Node) -> list[list[int]]:
    """-1 fills the shorter ones up."""
    rows = np.array(node.attributes["replica_groups"])
    return [[int(one) for one in row if one >= 0] for row in rows]


def _channel(attributes: dict[str, Any]) -> int:
    """0: there is none."""
    handle = attributes.get("channel_handle")
    if handle is None:
        return 0
    text = str(handle)
    found = text.partition("handle = ")[2].partition(",")[0].partition(">")[0]
    return int(found) if found else 0


def processes(node: Node) -> int:
    replicas, partitions = (_module_number(node, f"mhlo.num_{what}") for what in ("replicas", "partitions"))
    if replicas is None:
        replicas = 1 + max((one for group in _groups(node) for one in group), default=0)
    return replicas * (partitions or 1)


def said(node: Node) -> str:
    """The attributes but for the types of a body."""
    attributes = node.attributes
    found = [f"replica_groups=[{','.join(words.numbers(group) for group in _groups(node))}]"]
    channel = _channel(attributes)
    if channel:
        found.append(f"channel_id={channel}")
    if "use_global_device_ids" in attributes:
        found.append("use_global_device_ids=true")
    partitions = _module_number(node, "mhlo.num_partitions")
    if partitions is not None and partitions > 1:
        found.append(f"num_partitions={partitions}")
    if "scatter_dimension" in attributes:
        found.append(f"scatter_dimension={ir.IntegerAttr(attributes['scatter_dimension']).value}")
    return " ".join([*found, f"body={words.body(node)}"])

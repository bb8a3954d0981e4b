# SPDX-License-Identifier: Apache-2.0
"""Which processes of a collective reduce together: StableHLO's cross_replica,
cross_replica_and_partition and flattened_ids.  Process (replica r, partition p) has the number
r * partitions + p.  Needs no package.
"""
from __future__ import annotations

import json
from typing import Mapping


def process_groups(
    attributes: Mapping[str, str], replicas: int, partitions: int
) -> list[list[int]]:
    """The groups that the attributes of a program choose, in the specification's order: who gets
    which part of a reduce_scatter depends on it.  A channel that is not positive is none.  Raises
    ValueError for groups that break a rule."""
    groups: list[list[int]] = json.loads(attributes["replica_groups"])
    has_channel = int(attributes.get("channel_id", "0")) > 0
    names_processes = attributes.get("use_global_device_ids") == "true"
    named = replicas * partitions if names_processes else replicas
    if sorted(number for group in groups for number in group) != list(range(named)):
        raise ValueError(f"replica_groups name each of 0 to {named - 1} once")
    if names_processes and not has_channel:
        raise ValueError("with use_global_device_ids, channel_id is positive")
    if names_processes:
        return groups
    if has_channel:
        return [
            [replica * partitions + number for number in range(partitions) for replica in group]
            for group in groups
        ]
    return [
        [replica * partitions + partition for replica in group]
        for group in groups
        for partition in range(partitions)
    ]


def threads_needed(groups: list[list[int]]) -> int:
    """How many threads a backend needs that starts processes in the order of their numbers, each on
    a thread of its own until its whole group was started."""
    group_of = {number: group for group in groups for number in group}
    waiting: set[int] = set()
    most = 0
    for number in sorted(group_of):
        waiting.add(number)
        most = max(most, len(waiting))
        if waiting.issuperset(group_of[number]):
            waiting.difference_update(group_of[number])
    return most

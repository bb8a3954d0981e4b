# SPDX-License-Identifier: Apache-2.0
"""Checks process_groups.py, whose folder is the first argument: the examples of StableHLO's
specification, what holds of all groups, and how many threads a pool needs, by simulation.  Prints
what is wrong; nothing if nothing is."""
import random
import sys

sys.path.insert(0, sys.argv[1])
from process_groups import process_groups, threads_needed  # noqa: E402

FLATTENED = {"channel_id": "1", "use_global_device_ids": "true"}
CHANNEL = {"channel_id": "1"}


def expect(found, wanted, what):
    if found != wanted:
        print(f"{what}: {found}, not {wanted}")


def groups_of(text, replicas, partitions, more):
    return process_groups({"replica_groups": text, **more}, replicas, partitions)


def refuses(text, replicas, partitions, more, word):
    try:
        print("takes", groups_of(text, replicas, partitions, more))
    except ValueError as error:
        if word not in str(error):
            print(error)


def check_examples():
    """Of the sections cross_replica, cross_replica_and_partition and flattened_ids."""
    pairs = "[[0,1],[2,3]]"
    expect(groups_of(pairs, 4, 2, {}), [[0, 2], [1, 3], [4, 6], [5, 7]], "cross_replica")
    expect(groups_of(pairs, 4, 2, {"channel_id": "-1"}), [[0, 2], [1, 3], [4, 6], [5, 7]], "none")
    expect(groups_of(pairs, 4, 2, CHANNEL), [[0, 2, 1, 3], [4, 6, 5, 7]], "and_partition")
    fours = "[[0,1,2,3],[4,5,6,7]]"
    expect(groups_of(fours, 4, 2, FLATTENED), [[0, 1, 2, 3], [4, 5, 6, 7]], "flattened_ids")


def check_refusals():
    refuses("[[0,1]]", 4, 1, {}, "0 to 3")
    refuses("[[0,1],[1]]", 2, 1, {}, "0 to 1")
    refuses("[[0,-1]]", 2, 1, {}, "0 to 1")
    refuses("[[0,1]]", 2, 2, FLATTENED, "0 to 3")
    refuses("[[0,1]]", 2, 1, {"use_global_device_ids": "true"}, "channel_id is positive")


def draw(rng, count):
    numbers = rng.sample(range(count), count)
    cuts = sorted(rng.sample(range(1, count), rng.randrange(count))) if count > 1 else []
    return [numbers[a:b] for a, b in zip([0, *cuts], [*cuts, count])]


def finishes(groups, threads):
    """Whether a pool of threads, which takes the processes in order, comes to its end."""
    group_of = {number: group for group in groups for number in group}
    queue, running, ended = sorted(group_of), set(), set()
    while queue:
        if len(running) == threads:
            return False
        running.add(queue.pop(0))
        done = {number for number in running if running.issuperset(group_of[number])}
        running -= done
        ended |= done
    return not running


def check_random(rng):
    replicas, partitions = rng.randint(1, 6), rng.randint(1, 4)
    processes = list(range(replicas * partitions))
    for more in ({}, CHANNEL, FLATTENED):
        groups = draw(rng, len(processes) if more == FLATTENED else replicas)
        found = groups_of(str(groups), replicas, partitions, more)
        expect(sorted(number for group in found for number in group), processes, f"{groups} {more}")
        if partitions == 1:
            expect(found, groups, f"{groups} of one partition {more}")
        needed = threads_needed(found)
        expect(finishes(found, needed), True, f"{found} with {needed} threads")
        if needed > 1:
            expect(finishes(found, needed - 1), False, f"{found} with {needed - 1} threads")


check_examples()
check_refusals()
for seed in range(500):
    check_random(random.Random(seed))

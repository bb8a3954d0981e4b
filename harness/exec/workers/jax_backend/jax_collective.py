# SPDX-License-Identifier: Apache-2.0
"""Collectives in JAX: jax.lax.psum, pmax, pmin and psum_scatter under jax.shard_map, on as many
devices of one process as a program has processes.

The devices form one axis, process (replica r, partition p) being number r * num_partitions + p, and
the groups of each of StableHLO's three groupings are axis_index_groups of it: JAX has no replicas
beside partitions, and chooses channel ids by itself.  On a processor they are devices of a client of
their own, as in xla_collective.py, and for the same reason.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from assay_worker import Program, Unsupported
from shared_programs.collective_program import plain_collective
from xla_backend.xla_collective import DEVICES


class JaxCollective:
    def __init__(self, jax: Any, platform: str) -> None:
        self.jax = jax
        self.is_cpu = platform == "cpu"
        self.devices: list[Any] = []
        lax = jax.lax
        self.bodies = {"add": lax.psum, "maximum": lax.pmax, "minimum": lax.pmin}

    def make(self, program: Program) -> Callable[..., Any]:
        collective = plain_collective(program)
        collective.require_parts()
        body, element = program.attributes["body"], program.operands[0].element
        scatters = program.op == "stablehlo.reduce_scatter"
        if body not in self.bodies or (scatters and body != "add"):
            raise Unsupported(f"jax.lax has no {program.op} by {body}")
        if element == "i1" or (element.startswith("complex") and body != "add"):
            raise Unsupported(f"jax.lax has no {body} of {element} over processes")
        mesh = self.jax.sharding.Mesh(np.array(self._devices(collective.processes)), ("process",))
        one_each = self.jax.sharding.PartitionSpec("process")
        groups = [group for group in collective.groups if group]

        def run(*operands: Any) -> Any:
            if scatters:
                dimension = 1 + program.numbers("scatter_dimension")
                return (
                    self.jax.lax.psum_scatter(
                        operands[0], "process", scatter_dimension=dimension,
                        axis_index_groups=groups, tiled=True,
                    ),
                )  # fmt: skip
            return self.bodies[body](operands, "process", axis_index_groups=groups)

        # Its own check of what is the same on all devices knows no groups.
        return self.jax.shard_map(
            run, mesh=mesh, in_specs=one_each, out_specs=one_each, check_vma=False
        )

    def _devices(self, count: int) -> list[Any]:
        if not self.devices and self.is_cpu:
            from jax._src.lib import xla_client

            self.devices = xla_client.make_cpu_client(num_devices=DEVICES).local_devices()
        elif not self.devices:
            self.devices = self.jax.local_devices()
        if count > len(self.devices):
            raise Unsupported(f"{count} processes, and {len(self.devices)} devices here")
        return self.devices[:count]

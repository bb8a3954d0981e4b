# SPDX-License-Identifier: Apache-2.0
"""Collectives on XLA: one module on as many devices of one process as a program has processes.

On a processor they are devices of a client of their own, made when the first collective comes: how
many devices a client has decides how it divides its threads, and with that the bits of other ops.
Replica r and partition p is device r * num_partitions + p.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay_worker import Program, Unsupported
from shared_programs.collective_program import Collective
from stablehlo_modules.stablehlo_text import mlir_type

DEVICES = 64  # Of a processor: the most processes that a case can have.

# A module of several partitions is a program for each of them, which XLA is not to divide further.
MANUAL = '{mhlo.sharding = "{manual}"}'
HEADER = re.compile(r"func\.func (?:public )?@main\(.*\) -> .* \{$", re.MULTILINE)


def with_manual_sharding(own: Program) -> str:
    """The module of what one process runs, its arguments and results marked as one partition's."""
    arguments = ", ".join(
        f"%arg{i}: {mlir_type(kind.element, kind.shape)} {MANUAL}"
        for i, kind in enumerate(own.operands)
    )
    results = ", ".join(f"{mlir_type(kind.element, kind.shape)} {MANUAL}" for kind in own.results)
    header = f"func.func @main({arguments}) -> ({results}) {{"
    module, count = HEADER.subn(lambda _: header, own.mlir)
    if count != 1:
        raise RuntimeError("the module has no main in the form that is known here")
    return module


def load(client: Any, module: str, devices: Any, options: Any) -> Any:
    """The module, compiled; jaxlib 0.6 and before takes no devices but those of the options."""
    if hasattr(client, "compile_and_load"):
        return client.compile_and_load(module, devices, options)
    return client.compile(module, options)


@dataclass
class CollectiveHandle:
    run: Any  # XLA's executable.
    collective: Collective
    sharding: Any  # Under which each device has an array of its own.
    devices: list[Any]
    operands: list[np.dtype]  # As the executable has them, of the bits that the program has.
    results: list[np.dtype]  # As the program has them.


class Processes:
    """`options`: those of XLA, as pairs."""

    def __init__(self, platform: str, options: list[tuple[str, Any]]) -> None:
        import jax
        from jax._src import compiler, xla_bridge
        from jax._src.lib import xla_client

        self.jax = jax
        self.compiler = compiler
        self.device_list = xla_client.DeviceList
        is_cpu = platform == "cpu"
        self.client = (
            xla_client.make_cpu_client(num_devices=DEVICES) if is_cpu else xla_bridge.get_backend()
        )
        self.devices = list(self.client.local_devices())
        self.options = options

    def compile(self, collective: Collective, wanted: list[np.dtype]) -> CollectiveHandle:
        """`wanted`: types of the results.  Raises errors of XLA's as they are."""
        count = collective.processes
        if count > len(self.devices):
            raise Unsupported(f"{count} processes, and {len(self.devices)} devices here")
        devices = self.devices[:count]
        grid = np.arange(count).reshape(collective.replicas, collective.partitions)
        options = self.compiler.get_compile_options(
            num_replicas=collective.replicas,
            num_partitions=collective.partitions,
            device_assignment=np.vectorize(lambda place: devices[place].id)(grid),
        )
        options.env_option_overrides = self.options
        own, module = collective.own, collective.own.mlir
        if any(kind.dtype != result.dtype for kind, result in zip(own.operands, own.results)):
            raise Unsupported("HLO's collectives have one type: the result would be the operand's")
        if collective.partitions > 1 and len(own.operands) > 1:
            raise Unsupported("XLA's partitioner knows no collective of several operands")
        if collective.partitions > 1:
            options.executable_build_options.use_spmd_partitioning = True
            options.executable_build_options.use_shardy_partitioner = False
            module = with_manual_sharding(own)
        run = load(self.client, module, self.device_list(tuple(devices)), options)
        mesh = self.jax.sharding.Mesh(np.array(devices), ("process",))
        sharding = self.jax.sharding.NamedSharding(mesh, self.jax.sharding.PartitionSpec())
        operands = [kind.dtype for kind in own.operands]
        return CollectiveHandle(run, collective, sharding, devices, operands, wanted)

    def execute(self, handle: CollectiveHandle, operands: list[np.ndarray]) -> list[np.ndarray]:
        arrays = []
        for parts, dtype in zip(handle.collective.split(operands), handle.operands):
            buffers = [
                self.jax.device_put(part.view(dtype), device)
                for part, device in zip(parts, handle.devices)
            ]
            # An array of one process's shape, of which each device has its own: nobody compares.
            array = self.jax.make_array_from_single_device_arrays(
                buffers[0].shape, handle.sharding, buffers
            )
            arrays.append(array)
        results = handle.run.execute_sharded(arrays).disassemble_into_single_device_arrays()
        joined = Collective.join(results)
        return [result.view(dtype) for result, dtype in zip(joined, handle.results)]

# SPDX-License-Identifier: Apache-2.0
"""Modules of several steps in JAX: one function of jax.numpy and jax.lax, compiled by one jax.jit.

Quantized numbers are what is stored.  JAX has no quantized types of its own; uniform_quantize and
uniform_dequantize are written as StableHLO's specification has them, in f32, and products of quantized numbers into
i32 as products of integers less their zero points.  Other ops of quantized types are refused, and so are those steps
that this worker does not know.
"""
from __future__ import annotations

from dataclasses import replace
from typing import Any, Callable

import numpy as np

import assay_worker
from assay_worker import Program, Quantization, Type, Unsupported
from shared_programs import byteir_program, elementwise_program, window_program
from shared_programs.elementwise_program import MOVEMENTS
from shared_programs.module_program import Module

Make = Callable[[Program], Callable[..., Any]]


class JaxModule:
    def __init__(self, jax: Any, known: dict[str, Make]) -> None:
        """known: makers of the ops that the worker has by themselves."""
        self.jax, self.lax, self.numpy = jax, jax.lax, jax.numpy
        self.known = known
        self.elementwise = {
            "stablehlo.add": self.lax.add,
            "stablehlo.subtract": self.lax.sub,
            "stablehlo.multiply": self.lax.mul,
            "stablehlo.maximum": self.lax.max,
            "stablehlo.minimum": self.lax.min,
            "stablehlo.negate": self.lax.neg,
            "stablehlo.shift_right_arithmetic": self.lax.shift_right_arithmetic,
        }

    def make(self, program: Program) -> Callable[..., Any]:
        module, steps = Module.parse(program), []
        for step in module.steps:
            try:
                steps.append((self._make_step(step.program), step.operands, step.results))
            except Unsupported as error:
                raise step.refuse(error) from error

        def run(*operands: Any) -> tuple[Any, ...]:
            values: dict[str, Any] = {f"a{i}": operand for i, operand in enumerate(operands)}
            for name, (_, data) in module.constants.items():
                values[name] = self.numpy.asarray(data)
            for function, taken, made in steps:
                results = function(*(values[name] for name in taken))
                values.update(zip(made, results))
            return tuple(values[name] for name in module.returns)

        return run

    def _make_step(self, program: Program) -> Callable[..., Any]:
        if "accumulation" in program.attributes:
            raise Unsupported("a type of accumulation, which only RFC 000 knows")
        if program.op in MOVEMENTS:
            return self._movement(program)
        if program.op == "stablehlo.uniform_quantize":
            return self._quantize(*window_program.same_shape(program))
        if program.op == "stablehlo.uniform_dequantize":
            operand, result = window_program.same_shape(program)
            dequantize = self._dequantizer(operand)
            return lambda x: (dequantize(x).astype(result.dtype),)
        if program.is_quantized:
            return self._product(program)
        if program.op == "stablehlo.convolution":
            return self._convolution(program)
        if program.op == "stablehlo.convert":
            _, result = window_program.same_shape(program)
            return lambda x: (self.lax.convert_element_type(x, result.dtype),)
        if program.op in self.elementwise:
            elementwise_program.plain_elementwise(program)
            function = self.elementwise[program.op]
            return lambda *operands: (function(*operands),)
        if program.op in self.known:
            return self.known[program.op](program)
        if byteir_program.is_byteir(program):
            return self.known["byteir."](program)
        raise Unsupported(f"no {program.op} here")

    # ---- Quantized types -------------------------------------------------------------------------

    def _aligned(self, kind: Type) -> tuple[np.ndarray, np.ndarray]:
        """Scales and zero points, along the axis of the type."""
        quantization = kind.quantization
        if quantization is None or quantization.expressed != "f32":
            raise Unsupported("quantized types that express f32")
        if not quantization.scales:
            raise Unsupported("a channel at least")
        sizes = [1] * len(kind.shape)
        if quantization.axis >= 0:
            sizes[quantization.axis] = len(quantization.scales)
        scales = np.array(quantization.scales, np.float32).reshape(sizes)
        return scales, np.array(quantization.zero_points, np.float32).reshape(sizes)

    def _dequantizer(self, kind: Type) -> Callable[[Any], Any]:
        scales, zero_points = self._aligned(kind)
        floats = self.numpy.float32
        return lambda x: (x.astype(floats) - zero_points) * scales

    def _quantize(self, operand: Type, result: Type) -> Callable[..., Any]:
        scales, zero_points = self._aligned(result)
        quantization = result.quantization
        assert isinstance(quantization, Quantization)
        low, high = quantization.minimum, quantization.maximum
        if operand.quantization is None and operand.element != "f32":
            raise Unsupported("quantizes f32")
        if quantization.storage == "i32" or quantization.storage not in ("i8", "ui8", "i16", "ui16"):
            raise Unsupported("quantizes to integers that f32 holds")
        expressed = (lambda x: x) if operand.quantization is None else self._dequantizer(operand)

        def run(x: Any) -> tuple[Any, ...]:
            shifted = expressed(x) / scales + zero_points
            clamped = self.numpy.clip(self.numpy.round(shifted), low, high)
            return (clamped.astype(result.dtype),)

        return run

    def _product(self, program: Program) -> Callable[..., Any]:
        """Sums of integers in i32: of what is stored, less the zero points."""
        lhs, rhs = program.operands[0], program.operands[1]
        if program.op == "stablehlo.dot_general":
            batch, contract = assay_worker.plain_product(program, takes_quantized=True)
            if batch[0] or len(rhs.shape) != 2 or len(contract[1]) != 1:
                raise Unsupported("products of two matrices")
            terms = lhs.shape[contract[0][0]]
            axes = (1 - contract[1][0], len(program.results[0].shape) - 1)
        elif program.op == "stablehlo.convolution":
            found = window_program.plain_convolution(program)
            terms = int(np.prod([rhs.shape[dim] for dim in found.rhs[1:]]))
            axes = (found.rhs[0], found.result[1])
        else:
            raise Unsupported("nothing of quantized types but conversions and products")
        product = window_program.quantized_product(program, *axes, terms)
        if not product.is_sum or terms > 1 << 15:
            raise Unsupported("sums in i32 by the product of scales")
        wide, zero = self.numpy.int32, product.lhs.zero_points[0]
        kinds = [[Type("i32", kind.shape) for kind in side] for side in (program.operands, program.results)]
        plain = replace(program, operands=kinds[0], results=kinds[1])
        function = self._convolution(plain) if "convolution" in program.op else self.known[program.op](plain)
        return lambda x, y: function(x.astype(wide) - zero, y.astype(wide))

    # ---- Others ----------------------------------------------------------------------------------

    def _convolution(self, program: Program) -> Callable[..., Any]:
        found = window_program.plain_convolution(program)
        precision = program.attributes.get("precision_config", program.attributes.get("precision", ""))
        if set(precision.strip("[]").split(",")) - {"DEFAULT", ""}:
            raise Unsupported("no precision of convolutions")
        windows = found.windows
        numbers = self.lax.ConvDimensionNumbers(
            tuple(found.lhs), tuple(found.rhs), tuple(found.result)
        )
        result = program.results[0]

        def run(lhs: Any, rhs: Any) -> tuple[Any, ...]:
            return (
                self.lax.conv_general_dilated(
                    lhs, rhs,
                    window_strides=[window.stride for window in windows],
                    padding=[(window.low, window.high) for window in windows],
                    rhs_dilation=[window.dilation for window in windows],
                    dimension_numbers=numbers,
                    feature_group_count=found.feature_groups,
                    preferred_element_type=result.dtype,
                ),
            )  # fmt: skip

        return run

    def _movement(self, program: Program) -> Callable[..., Any]:
        numpy, shape = self.numpy, program.results[0].shape
        if program.op == "stablehlo.reshape":
            sizes = elementwise_program.reshaped(program)
            return lambda x: (numpy.reshape(x, sizes),)
        if program.op == "stablehlo.transpose":
            permutation = elementwise_program.transposed(program)
            return lambda x: (numpy.transpose(x, permutation),)
        if program.op == "stablehlo.broadcast_in_dim":
            order, sizes = elementwise_program.broadcast(program)
            return lambda x: (
                numpy.broadcast_to(numpy.reshape(numpy.transpose(x, order), sizes), shape),
            )
        dimension = elementwise_program.concatenated(program)
        return lambda *operands: (numpy.concatenate(operands, dimension),)

# SPDX-License-Identifier: Apache-2.0
"""Quantized tensors in PyTorch: quantize_per_tensor, quantize_per_channel, dequantize, and the products of
torch.ops.quantized (linear, conv1d, conv2d, conv3d), by the engine that torch.backends.quantized names;
and sums into i32 of one scale, as torch.sum of int_repr less the zero point, as PyTorch has no sum of
quantized tensors.

PyTorch quantizes by multiplying by the inverse of a scale, which is what a result may be else than
StableHLO's: contract torch.contract permits that (quantize=reciprocal).  With types=exact only scales
that are powers of two, without zero points, are taken, by which both are the same, and no products.

Its products want activations of quint8 and weights of qint8, StableHLO one storage type.  An i8 stands for
the same number as the ui8 that is larger by 128, with a zero point that is: so are activations and
results given and taken.

Products into i32 are the integers' own: matmul and convolutions of i32, as PyTorch's reference models of integer
arithmetic have them.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

import assay_worker
from assay_worker import Program, Quantization, Type, Unsupported
from shared_programs import dynamic_program, window_program

Run = Callable[..., list[Any]]
SHIFT = 128  # From i8 to ui8.


class TorchQuantized:
    def __init__(
        self, torch: Any, device: str, takes_any: bool, engine: str, is_traced: bool = False
    ) -> None:
        """is_traced: by ops that torch.compile knows, which have no engine."""
        self.torch, self.device, self.takes_any, self.engine = torch, device, takes_any, engine
        self.is_traced = is_traced
        self.traced_scales = torch.float32  # The type of scales by channel, where it is traced.
        self.plain = {"i8": torch.int8, "ui8": torch.uint8, "i32": torch.int32}
        self.storages = {"i8": torch.qint8, "ui8": torch.quint8, "i32": torch.qint32}

    def find(self, program: Program) -> Run:
        if program.op == "stablehlo.uniform_quantize":
            return self._quantize(*window_program.same_shape(program))
        if program.op == "stablehlo.uniform_dequantize":
            return self._dequantize(*window_program.same_shape(program))
        if self.device != "cpu" and program.op in ("stablehlo.dot_general", "stablehlo.convolution"):
            raise Unsupported("products of integers on a CPU alone")
        if program.op == "stablehlo.dot_general":
            return self._linear(program)
        if program.op == "stablehlo.convolution":
            return self._convolution(program)
        if program.op == "stablehlo.reduce":
            return self._sum(program)
        raise Unsupported("nothing of quantized types but conversions, products and sums")

    def _sum(self, program: Program) -> Run:
        """Of so few terms that no partial sum leaves int32: the sum of all trees."""
        if program.attributes["body"] != "add":
            raise Unsupported("no reduction of quantized types but sums")
        dims = assay_worker.plain_reduction(program, takes_quantized=True)
        operand, summed = program.operands[0], program.results[0].quantization
        stored = operand.quantization
        if stored is None or summed is None:
            raise Unsupported("sums of quantized values into quantized ones")
        if stored.storage not in ("i8", "ui8") or not stored.has_full_range:
            raise Unsupported("sums of i8 and ui8")
        if summed.storage != "i32" or not summed.has_full_range or any(summed.zero_points):
            raise Unsupported("sums into i32 without zero point")
        are_one = (stored.scales, stored.expressed, summed.axis) == (summed.scales, "f32", -1)
        if not are_one or summed.expressed != "f32":
            raise Unsupported("sums with one scale, of f32")
        count = np.prod(dynamic_program.known([operand.shape[dim] for dim in dims], "a quantized sum"))
        if count >= 1 << 22:
            raise Unsupported("sums that are numbers of int32")
        zero_point, int32 = stored.zero_points[0], self.torch.int32

        def run(terms: Any, init: Any) -> list[Any]:
            distances = terms.to(int32) - zero_point
            total = self.torch.sum(distances, dims, dtype=int32)
            return [total + (init.to(int32) - zero_point)]

        return run

    def _storage(self, quantization: Quantization) -> Any:
        if quantization.storage not in self.storages or quantization.expressed != "f32":
            raise Unsupported("i8, ui8 or i32, of f32")
        if not quantization.scales:
            raise Unsupported("a channel at least")
        return self.storages[quantization.storage]

    def _quantize(self, operand: Type, result: Type) -> Run:
        quantization = result.quantization
        if quantization is None:
            raise Unsupported("quantizes")
        if not quantization.has_full_range:
            raise Unsupported("saturates at the ends of the type")
        exact = window_program.quantizes_exactly(quantization, divides=False)
        if not self.takes_any and not exact:
            raise Unsupported("no zero point before rounding; scales that are powers of two")
        self._storage(quantization)
        quantize = self._quantizer(quantization)
        if operand.quantization is None:
            if operand.element != "f32":
                raise Unsupported("quantizes f32")
            return lambda x: [quantize(x)]
        if not self.takes_any:
            raise Unsupported("requantizes with types=any")
        self._storage(operand.quantization)
        dequantize = self._dequantizer(operand.quantization)
        return lambda x: [quantize(dequantize(x))]

    def _quantizer(self, quantization: Quantization) -> Callable[[Any], Any]:
        torch, wanted = self.torch, self._storage(quantization)
        scales, zero_points = list(quantization.scales), list(quantization.zero_points)
        if self.is_traced:
            return self._decomposed("quantize", quantization)
        if quantization.axis == -1:
            return lambda x: torch.quantize_per_tensor(x, scales[0], zero_points[0], wanted).int_repr()
        parameters = (*self._parameters(quantization), quantization.axis, wanted)
        return lambda x: torch.quantize_per_channel(x, *parameters).int_repr()

    def _parameters(self, quantization: Quantization) -> tuple[Any, Any]:
        """Scales and zero points of channels, where the operands are."""
        tensor, device = self.torch.tensor, self.device
        scales = tensor(list(quantization.scales), device=device)
        return scales, tensor(list(quantization.zero_points), device=device)

    def _dequantize(self, operand: Type, result: Type) -> Run:
        if operand.quantization is None or result.element != "f32":
            raise Unsupported("dequantizes to f32")
        self._storage(operand.quantization)
        dequantize = self._dequantizer(operand.quantization)
        return lambda x: [dequantize(x)]

    def _dequantizer(self, quantization: Quantization) -> Callable[[Any], Any]:
        torch = self.torch
        scales, zero_points = list(quantization.scales), list(quantization.zero_points)
        if self.is_traced:
            return self._decomposed("dequantize", quantization)
        if quantization.axis == -1:
            make = torch._make_per_tensor_quantized_tensor
            return lambda x: make(x, scales[0], zero_points[0]).dequantize()
        make = torch._make_per_channel_quantized_tensor
        # The types that per-channel kernels take; scales are numbers of f32.
        parameters = (*self._parameters(quantization), quantization.axis)
        return lambda x: make(x, *parameters).dequantize()

    def _decomposed(self, op: str, quantization: Quantization) -> Callable[[Any], Any]:
        import torch.ao.quantization.fx._decomposed  # Which registers the ops.

        ops = self.torch.ops.quantized_decomposed
        low, high = quantization.minimum, quantization.maximum
        storage = self.plain[quantization.storage]
        scales, zero_points = quantization.scales, quantization.zero_points
        if quantization.axis == -1:
            per_tensor = getattr(ops, f"{op}_per_tensor")
            return lambda x: per_tensor(x, scales[0], zero_points[0], low, high, storage)
        per_channel, axis = getattr(ops, f"{op}_per_channel"), quantization.axis
        steps, zeros = self._parameters(quantization)
        steps = steps.to(self.traced_scales)
        return lambda x: per_channel(x, steps, zeros, axis, low, high, storage)

    # ---- Products -------------------------------------------------------------------------------

    def _checked(self, program: Program, rhs_axis: int, result_axis: int, terms: int,
                 ) -> window_program.Product:  # fmt: skip
        product = window_program.quantized_product(
            program, rhs_axis, result_axis, terms, takes_any=True
        )
        if not self.takes_any:
            raise Unsupported("products of quantized numbers with types=any")
        if product.lhs.storage != "i8" or product.result.storage != "i8":
            raise Unsupported("products of i8 into i8")
        if len(set(product.result.scales)) != 1:
            raise Unsupported("one scale of the result")
        if any(0 in kind.shape for kind in [*program.operands, *program.results]):
            raise Unsupported("products of nothing")
        return product

    def _activations(self, x: Any, stored: Quantization) -> Any:
        make = self.torch._make_per_tensor_quantized_tensor
        shifted = (x.to(self.torch.int16) + SHIFT).to(self.torch.uint8)
        return make(shifted.contiguous(), stored.scales[0], stored.zero_points[0] + SHIFT)

    def _weights(self, x: Any, stored: Quantization) -> Any:
        """Outputs first."""
        torch, x = self.torch, x.contiguous()
        if stored.axis == -1:
            return torch._make_per_tensor_quantized_tensor(x, stored.scales[0], 0)
        scales = torch.tensor(stored.scales, dtype=torch.float64)
        zeros = torch.zeros(len(stored.scales), dtype=torch.int64)
        return torch._make_per_channel_quantized_tensor(x, scales, zeros, 0)

    def _stored(self, result: Any) -> Any:
        return (result.int_repr().to(self.torch.int16) - SHIFT).to(self.torch.int8)

    def _by_engine(self, run: Run) -> Run:
        backend, engine = self.torch.backends.quantized, self.engine

        def run_by_engine(*operands: Any) -> list[Any]:
            before = backend.engine
            backend.engine = engine or before
            try:
                return run(*operands)
            finally:
                backend.engine = before

        return run_by_engine

    def _linear(self, program: Program) -> Run:
        batch, contract = assay_worker.plain_product(program, takes_quantized=True)
        (lhs, rhs), result = program.operands, program.results[0]
        if batch[0] or len(lhs.shape) != 2 or len(rhs.shape) != 2 or len(contract[0]) != 1:
            raise Unsupported("products of two matrices")
        if "algorithm" in program.attributes:
            raise Unsupported("no algorithm of quantized types")
        rows, columns = 1 - contract[0][0], 1 - contract[1][0]
        (terms,) = dynamic_program.known([lhs.shape[contract[0][0]]], "a quantized product")
        if result.storage.element == "i32":
            zero = self._integers(program, columns, 1, terms)
            return self._integer_matmul(rows, columns, zero)
        if self.is_traced:
            raise Unsupported("products of quantized numbers into i32 in what is compiled")
        product = self._checked(program, columns, 1, terms)
        scale, zero_point = product.result.scales[0], product.result.zero_points[0] + SHIFT
        quantized = self.torch.ops.quantized

        def run(left: Any, right: Any) -> list[Any]:
            weights = self._weights(right.permute(columns, 1 - columns), product.rhs)
            packed = quantized.linear_prepack(weights, None)
            activations = self._activations(left.permute(rows, 1 - rows), product.lhs)
            return [self._stored(quantized.linear(activations, packed, scale, zero_point))]

        return self._by_engine(run)

    def _integers(self, program: Program, rhs_axis: int, result_axis: int, terms: int) -> int:
        """The zero point of lhs, where results are sums of products of integers that i32 holds."""
        product = window_program.quantized_product(program, rhs_axis, result_axis, terms)
        if not product.is_sum or product.lhs.storage != "i8":
            raise Unsupported("sums in i32 of products of i8, by the product of scales")
        if terms > 1 << 15:  # Each product is at most 2^16 in magnitude.
            raise Unsupported("sums that i32 holds")
        return product.lhs.zero_points[0]

    def _integer_matmul(self, rows: int, columns: int, zero: int) -> Run:
        torch = self.torch

        def run(left: Any, right: Any) -> list[Any]:
            lhs = left.permute(rows, 1 - rows).to(torch.int32) - zero
            return [torch.matmul(lhs, right.permute(1 - columns, columns).to(torch.int32))]

        return run

    def _integer_convolution(self, found: window_program.Convolution, zero: int) -> Run:
        torch = self.torch
        convolve = getattr(torch.nn.functional, f"conv{len(found.windows)}d")
        stride = [window.stride for window in found.windows]
        padding = [window.low for window in found.windows]
        dilation = [window.dilation for window in found.windows]

        def run(lhs: Any, rhs: Any) -> list[Any]:
            moved = lhs.permute(found.lhs).to(torch.int32) - zero  # Zeros are padded behind that.
            weights = rhs.permute(found.rhs).to(torch.int32)
            result = convolve(moved, weights, None, stride, padding, dilation, found.feature_groups)
            return [result.permute(found.from_result)]

        return run

    def _convolution(self, program: Program) -> Run:
        found = window_program.plain_convolution(program)
        if any(window.low != window.high for window in found.windows):
            raise Unsupported("as much padding on both sides")
        terms = int(np.prod([program.operands[1].shape[dim] for dim in found.rhs[1:]]))
        if program.results[0].storage.element == "i32":
            zero = self._integers(program, found.rhs[0], found.result[1], terms)
            return self._integer_convolution(found, zero)
        if self.is_traced:
            raise Unsupported("products of quantized numbers into i32 in what is compiled")
        product = self._checked(program, found.rhs[0], found.result[1], terms)
        scale, zero_point = product.result.scales[0], product.result.zero_points[0] + SHIFT
        name = f"conv{len(found.windows)}d"
        prepack = getattr(self.torch.ops.quantized, f"{name}_prepack")
        convolve = getattr(self.torch.ops.quantized, name)
        stride = [window.stride for window in found.windows]
        padding = [window.low for window in found.windows]
        dilation = [window.dilation for window in found.windows]

        def run(lhs: Any, rhs: Any) -> list[Any]:
            weights = self._weights(rhs.permute(found.rhs), product.rhs)
            packed = prepack(weights, None, stride, padding, dilation, found.feature_groups)
            activations = self._activations(lhs.permute(found.lhs), product.lhs)
            result = self._stored(convolve(activations, packed, scale, zero_point))
            return [result.permute(found.from_result)]

        return self._by_engine(run)

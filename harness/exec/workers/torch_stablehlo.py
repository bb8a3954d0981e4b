# SPDX-License-Identifier: Apache-2.0
"""StableHLO's convolutions, windows and conversions in PyTorch.

conv1d, conv2d and conv3d of permuted tensors, with the padding that they take, as much on both
sides; max_pool1d, ..., then combined once with the initial value; Tensor.to; quantize_per_tensor,
quantize_per_channel and dequantize.  PyTorch quantizes by multiplying by the inverse of a scale,
and adds the zero point after rounding: done where that is the same, for powers of two and no zero
point.  Its quantized products want activations of quint8 and weights of qint8, StableHLO one
storage type: none.

With the option precision=set the words of a precision_config are those of
torch.set_float32_matmul_precision, and for convolutions of the settings beside it: HIGHEST is "highest"
(f32), HIGH "high" (tf32 or what is as good), DEFAULT "medium" (bf16).  Torch has one for both operands,
and computes as it does by itself without any.
"""
from __future__ import annotations

import math
from typing import Any, Callable

import assay_worker
import window_program
from assay_worker import Program, Quantization, Type, Unsupported

Run = Callable[..., list[Any]]
FLOATS = ("f16", "bf16", "f32", "f64")
# Of products, and of convolutions.
PRECISIONS = {
    "HIGHEST": ("highest", "ieee"), "HIGH": ("high", "tf32"), "DEFAULT": ("medium", "bf16"),
}  # fmt: skip


def _padding(windows: list[window_program.Window]) -> list[int]:
    if any(window.low != window.high for window in windows):
        raise Unsupported("as much padding on both sides")
    return [window.low for window in windows]


class TorchStablehlo:
    def __init__(self, torch: Any, sets_precision: bool) -> None:
        self.torch = torch
        self.sets_precision = sets_precision
        self.storages = {"i8": torch.qint8, "ui8": torch.quint8, "i32": torch.qint32}

    def knows(self, op: str) -> bool:
        return op in ("stablehlo.convolution", "stablehlo.reduce_window", "stablehlo.convert")

    def find(self, program: Program, types: dict[str, Any]) -> Run:
        if program.op == "stablehlo.convert":
            _, result = window_program.same_shape(program)
            wanted = types[result.element]
            return lambda operand: [operand.to(wanted)]
        if program.op == "stablehlo.convolution":
            return self._convolution(program)
        return self._reduce_window(program)

    def with_precision(self, program: Program) -> Callable[[Run], Run]:
        """What makes a function compute as the program's precision_config wants it."""
        word, torch = assay_worker.plain_precision(program), self.torch
        if not word:
            return lambda run: run
        if not self.sets_precision:
            raise Unsupported("takes no precision_config without the option precision=set")
        product, convolution = PRECISIONS[word]
        on_gpu = "ieee" if convolution == "ieee" else "tf32"  # cuDNN has no bf16 of f32.
        backends = ((torch.backends.mkldnn, convolution), (torch.backends.cudnn, on_gpu))
        settings = [(backend.conv, value) for backend, value in backends if hasattr(backend, "conv")]
        if program.op == "stablehlo.convolution" and not settings:
            raise Unsupported("this torch has no precision of convolutions")

        def wrap(run: Run) -> Run:
            def run_precisely(*operands: Any) -> list[Any]:
                before = torch.get_float32_matmul_precision()
                kept = [setting.fp32_precision for setting, _ in settings]
                try:
                    torch.set_float32_matmul_precision(product)
                    for setting, value in settings:
                        setting.fp32_precision = value
                    return run(*operands)
                finally:
                    torch.set_float32_matmul_precision(before)
                    for (setting, _), value in zip(settings, kept):
                        setting.fp32_precision = value

            return run_precisely

        return wrap

    def _convolution(self, program: Program) -> Run:
        found = window_program.plain_convolution(program)
        element = program.operands[0].element
        if len({kind.element for kind in [*program.operands, *program.results]}) != 1:
            raise Unsupported("convolves tensors of one type")
        if element not in FLOATS and not element.startswith("complex"):
            raise Unsupported(f"convolves floats, not {element}")
        padding = _padding(found.windows)
        functional = self.torch.nn.functional
        convolve = (functional.conv1d, functional.conv2d, functional.conv3d)[len(padding) - 1]
        stride = [window.stride for window in found.windows]
        dilation = [window.dilation for window in found.windows]

        def run(lhs: Any, rhs: Any) -> list[Any]:
            result = convolve(
                lhs.permute(found.lhs), rhs.permute(found.rhs), None,
                stride, padding, dilation, found.feature_groups,
            )  # fmt: skip
            return [result.permute(found.from_result)]

        return self.with_precision(program)(run)

    def _reduce_window(self, program: Program) -> Run:
        found = window_program.pooled_windows(program)
        kind, result = program.operands[0], program.results[0]
        if kind.element not in FLOATS:
            raise Unsupported(f"pools floats, not {kind.element}")
        padding = _padding(found.windows)
        size = [window.size for window in found.windows]
        if any(2 * side > length for side, length in zip(padding, size)):
            raise Unsupported("padding of at most half a window")
        functional = self.torch.nn.functional
        pools = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)
        pool = pools[len(padding) - 1]
        stride = [window.stride for window in found.windows]
        dilation = [window.dilation for window in found.windows]
        order = [*found.plain, *found.spatial]
        plain = math.prod(kind.shape[dim] for dim in found.plain)
        sizes = [kind.shape[dim] for dim in found.spatial]
        shape = [result.shape[dim] for dim in order]
        back = sorted(range(len(order)), key=lambda dim: order[dim])

        def run(operand: Any, init: Any) -> list[Any]:
            moved = operand.permute(order).reshape([1, plain, *sizes])
            pooled = pool(moved, size, stride, padding, dilation)
            return [self.torch.maximum(pooled.reshape(shape).permute(back), init)]

        return run

    def find_quantized(self, program: Program) -> Run:
        if program.op == "stablehlo.uniform_quantize":
            return self._quantize(*window_program.same_shape(program))
        if program.op == "stablehlo.uniform_dequantize":
            return self._dequantize(*window_program.same_shape(program))
        raise Unsupported("nothing of quantized types but uniform_quantize and uniform_dequantize")

    def _storage(self, quantization: Quantization) -> Any:
        if quantization.storage not in self.storages or quantization.expressed != "f32":
            raise Unsupported("i8, ui8 or i32, of f32")
        if not quantization.scales:
            raise Unsupported("a channel at least")
        return self.storages[quantization.storage]

    def _quantize(self, operand: Type, result: Type) -> Run:
        quantization, torch = result.quantization, self.torch
        if quantization is None or operand.element != "f32":
            raise Unsupported("quantizes f32")
        if not window_program.quantizes_exactly(quantization, divides=False):
            raise Unsupported("no zero point before rounding; scales that are powers of two")
        wanted, scales = self._storage(quantization), list(quantization.scales)
        if quantization.axis == -1:
            return lambda x: [torch.quantize_per_tensor(x, scales[0], 0, wanted).int_repr()]
        parameters = (torch.tensor(scales), torch.zeros(len(scales), dtype=torch.int64))

        def run(x: Any) -> list[Any]:
            stored = torch.quantize_per_channel(x, *parameters, quantization.axis, wanted)
            return [stored.int_repr()]

        return run

    def _dequantize(self, operand: Type, result: Type) -> Run:
        quantization, torch = operand.quantization, self.torch
        if quantization is None or result.element != "f32":
            raise Unsupported("dequantizes to f32")
        self._storage(quantization)
        scales, zero_points = list(quantization.scales), list(quantization.zero_points)
        if quantization.axis == -1:
            make = torch._make_per_tensor_quantized_tensor
            return lambda x: [make(x, scales[0], zero_points[0]).dequantize()]
        make = torch._make_per_channel_quantized_tensor
        # The types that per-channel kernels take; scales are numbers of f32.
        parameters = (torch.tensor(scales), torch.tensor(zero_points), quantization.axis)
        return lambda x: [make(x, *parameters).dequantize()]

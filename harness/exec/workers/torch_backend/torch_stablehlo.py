# SPDX-License-Identifier: Apache-2.0
"""StableHLO's convolutions, windows and conversions in PyTorch.

conv1d, conv2d and conv3d of permuted tensors, with the padding that they take, as much on both
sides; max_pool1d, ..., then combined once with the initial value; Tensor.to.  What is quantized is in
torch_quantized.py.

With the option precision=set the words of a precision_config are those of
torch.set_float32_matmul_precision, and for convolutions of the settings beside it: HIGHEST is "highest"
(f32), HIGH "high" (tf32 or what is as good), DEFAULT "medium" (bf16).  Torch has one for both operands,
and computes as it does by itself without any.
"""
from __future__ import annotations

import math
from typing import Any, Callable

import assay_worker
from assay_worker import Program, Unsupported
from shared_programs import window_program

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

    def knows(self, op: str) -> bool:
        return op in ("stablehlo.convolution", "stablehlo.reduce_window", "stablehlo.convert")

    def find(self, program: Program, types: dict[str, Any]) -> Run:
        if program.op == "stablehlo.convert":
            _, result = window_program.same_shape(program)
            wanted = types[result.element]
            if wanted is self.torch.bool:  # The imaginary part counts for nothing; to() looks at both.
                return lambda operand: [(operand.real if operand.is_complex() else operand).to(wanted)]
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

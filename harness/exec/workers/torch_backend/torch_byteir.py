# SPDX-License-Identifier: Apache-2.0
"""The ByteIR ops in PyTorch.

PyTorch's own op wherever it has one: softmax, log_softmax, gelu, erf, layer_norm (native_layer_norm
for three results), normalize, argmax and argmin, max and min, dequantize, interpolate, rand, and
nll_loss_forward and nll_loss_backward, of which ByteIR's are the custom calls.
Graphs of several of its ops, which then are what is tested, are

- layer_norm with eps_outside_sqrt (mean and std), and a layer_norm of axes that are not the last
  ones, which is one between two permutations;
- l2_norm with epsilon inside the root, of which normalize knows nothing; this and the layer_norm
  before compute in f32 what comes in 16 bits, so that what they round is not of our making;
- top_k: the first elements of a stable sort.  topk documents that it may take equal elements in any
  order; it is run with the option top_k=topk, and permission top_k_ties tells whether it may;
- quantize: quantize_per_tensor and quantize_per_channel to qint32 with the zero point 0, which is
  added to the integers.  PyTorch adds its own before it rounds, which it documents; that is run
  with the option zero_point=before;
- the last of several best indices: the first one of the flipped tensor.  That max and min give the
  first is documented, and argmax and argmin say that they are their second result;
- one_hot: torch.where on a comparison; PyTorch's own raises for an index out of range;
- rng_uniform and rng_normal: torch.rand and torch.randn, by a generator seeded from seed and offset, scaled
  and shifted.

interpolate knows the coordinates `asymmetric` for nearest, align_corners and half_pixel for linear.
pytorch_half_pixel has another rule for a size of 1 than PyTorch itself: refused, or run with the
option resize_to_1=run.  Its output size is the result's, whatever the mode of the target: scales
are ratios of sizes then, as ByteIR writes.
"""
from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Callable

import numpy as np

from assay_worker import Program, Unsupported
from shared_programs import byteir_program as byteir
from shared_programs import dynamic_program

Run = Callable[..., list[Any]]

LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}  # By the number of spatial dimensions.


@dataclass
class Options:
    """What is done by another rule than ByteIR's."""

    resizes_to_1: bool  # By interpolate's rule, where it is another than pytorch_half_pixel's.
    picks_by_topk: bool
    adds_zero_point_first: bool  # As quantize_per_tensor does by itself, before the rounding.


def _elements(program: Program) -> list[str]:
    return [kind.element for kind in [*program.operands, *program.results]]


class TorchByteir:
    """The functions from tensors to tensors that do ByteIR programs."""

    asks_data = True  # As of TorchElementwise.

    def __init__(self, torch: Any, device: str, tensor: Callable[[np.ndarray], Any],
                 options: Options) -> None:  # fmt: skip
        self.torch = torch
        self.functional = torch.nn.functional
        self.device = device
        self.tensor = tensor
        self.options = options
        self.makers: dict[str, Callable[[Program], Run]] = {
            "byteir.softmax": self._softmax,
            "byteir.log_softmax": self._softmax,
            "byteir.gelu": self._gelu,
            "byteir.erf": self._erf,
            "byteir.layer_norm": self._layer_norm,
            "byteir.l2_norm": self._l2_norm,
            "byteir.arg_max": self._pick,
            "byteir.arg_min": self._pick,
            "byteir.top_k": self._top_k,
            "byteir.one_hot": self._one_hot,
            "byteir.quantize": self._quantize,
            "byteir.dequantize": self._dequantize,
            "byteir.resize": self._resize,
            "byteir.rng_uniform": self._rng_uniform,
            "byteir.rng_normal": self._rng_normal,
            "byteir.addn": self._addn,
            "byteir.nll_loss_forward": self._nll_loss,
            "byteir.nll_loss_backward": self._nll_loss,
        }

    def find(self, program: Program) -> Run:
        if program.op not in self.makers:
            raise Unsupported(f"no {program.op} here")
        run = self.makers[program.op](program)
        self._try(program, run)
        return run

    def _try(self, program: Program, run: Run) -> None:
        """PyTorch tells only when it runs which types a kernel is not there for."""
        try:
            results = run(*map(self.tensor, byteir.example_operands(dynamic_program.with_example(program))))
        except RuntimeError as error:
            raise Unsupported(str(error)) from error
        for result, kind in zip(results, program.results):
            element = str(result.dtype).removeprefix("torch.")
            if element != kind.dtype.name:
                raise Unsupported(f"PyTorch gives {element} here")

    # ---- Numbers along an axis, and by themselves.

    def _softmax(self, program: Program) -> Run:
        axis = byteir.softmax(program, takes_f32=True)
        names = {"byteir.softmax": "softmax", "byteir.log_softmax": "log_softmax"}
        function = getattr(self.torch, names[program.op])
        if program.results[0].element == program.operands[0].element:
            return lambda x: [function(x, axis)]
        return lambda x: [function(x, axis, dtype=self.torch.float32)]

    def _gelu(self, program: Program) -> Run:
        approximate = {"erf": "none", "tanh": "tanh"}[byteir.gelu(program)]
        return lambda x: [self.functional.gelu(x, approximate=approximate)]

    def _erf(self, program: Program) -> Run:
        byteir.erf(program)
        return lambda x: [self.torch.erf(x)]

    def _layer_norm(self, program: Program) -> Run:
        norm = byteir.layer_norm(program, takes_f32=True)
        has_statistics = len(program.results) == 3
        if norm.is_outside and not all(one == program.operands[0].element for one in _elements(program)):
            raise Unsupported("with epsilon outside the root all has one type here")
        rank, epsilon = len(program.operands[0].shape), norm.epsilon
        if norm.is_outside:
            if has_statistics:
                raise Unsupported("no op gives an inverse deviation with epsilon outside the root")
            return self._layer_norm_outside(norm, program)
        order = [dim for dim in range(rank) if dim not in norm.axes] + norm.axes
        back = np.argsort(order).tolist()

        def run(x: Any, weight: Any, bias: Any) -> list[Any]:
            moved = x if norm.are_last(rank) else x.permute(order)
            shape = list(weight.shape)
            if has_statistics:
                results = self.torch.native_layer_norm(moved, shape, weight, bias, epsilon)
            else:
                results = [self.functional.layer_norm(moved, shape, weight, bias, epsilon)]
            return [y if norm.are_last(rank) else y.permute(back) for y in results]

        return run

    def _layer_norm_outside(self, norm: byteir.Norm, program: Program) -> Run:
        def run(x: Any, weight: Any, bias: Any) -> list[Any]:
            inner = [size if dim in norm.axes else 1 for dim, size in enumerate(x.shape)]
            x, weight, bias = map(self._widen, (x, weight, bias))
            mean = self.torch.mean(x, norm.axes, keepdim=True)
            deviation = self.torch.std(x, norm.axes, correction=0, keepdim=True)
            share = (x - mean) / (deviation + norm.epsilon)
            y = share * weight.reshape(inner) + bias.reshape(inner)
            return [y.to(self._dtype(program.results[0]))]

        return run

    def _l2_norm(self, program: Program) -> Run:
        norm = byteir.l2_norm(program)
        axes, epsilon = tuple(norm.axes), norm.epsilon
        if norm.is_outside:
            return lambda x: [self.functional.normalize(x, p=2.0, dim=axes, eps=epsilon)]

        def run(x: Any) -> list[Any]:
            x = self._widen(x)
            squares = self.torch.sum(x * x, axes, keepdim=True)
            y = x / self.torch.sqrt(self.torch.clamp_min(squares, epsilon))
            return [y.to(self._dtype(program.results[0]))]

        return run

    # ---- Choosing.

    def _pick(self, program: Program) -> Run:
        pick = byteir.pick(program)
        index_type = self._dtype(program.results[-1])
        torch, axis = self.torch, pick.axis
        best = torch.max if pick.is_max else torch.min
        best_index = torch.argmax if pick.is_max else torch.argmin

        def run(x: Any) -> list[Any]:
            source = x.flip(axis) if pick.takes_last else x
            if pick.has_values:
                values, indices = best(source, axis, keepdim=pick.keeps_dims)
            else:
                values, indices = None, best_index(source, axis, keepdim=pick.keeps_dims)
            if pick.takes_last:
                indices = pick.count - 1 - indices
            indices = indices.to(index_type)
            return [values, indices] if pick.has_values else [indices]

        return run

    def _top_k(self, program: Program) -> Run:
        wanted = byteir.top_k(program)
        index_type = self._dtype(program.results[1])

        def pick(x: Any) -> list[Any]:
            return self.torch.topk(x, wanted.k, wanted.axis, True, wanted.is_sorted)

        def sort(x: Any) -> list[Any]:
            both = self.torch.sort(x, stable=True, dim=wanted.axis, descending=True)
            return [part.narrow(wanted.axis, 0, wanted.k) for part in both]

        def run(x: Any) -> list[Any]:
            values, indices = pick(x) if self.options.picks_by_topk else sort(x)
            return [values, indices.to(index_type)]

        return run

    def _one_hot(self, program: Program) -> Run:
        wanted = byteir.one_hot(program)
        torch = self.torch
        on, off = self.tensor(wanted.on), self.tensor(wanted.off)
        shape = byteir.aligned(program.results[0].shape, wanted.axis)
        classes = torch.arange(wanted.depth, device=self.device).reshape(shape)

        def run(indices: Any) -> list[Any]:
            is_there = indices.unsqueeze(wanted.axis).to(torch.int64) == classes
            return [torch.where(is_there, on, off)]

        return run

    # ---- Sums and losses.

    def _addn(self, program: Program) -> Run:
        byteir.addn(program)
        return lambda *operands: [functools.reduce(self.torch.add, operands)]

    def _nll_loss(self, program: Program) -> Run:
        wanted = byteir.nll_loss(program)
        aten, how = self.torch.ops.aten, (wanted.reduction, wanted.ignore_index)
        if program.op == "byteir.nll_loss_forward":
            return lambda x, target: list(aten.nll_loss_forward(x, target, None, *how))
        return lambda gradient, x, target, weight: [
            aten.nll_loss_backward(gradient, x, target, None, *how, weight)
        ]

    # ---- Quantized numbers.

    def _quantize(self, program: Program) -> Run:
        axis = byteir.quantization(program)
        torch = self.torch
        kind = program.results[0]
        quantum = {"i8": torch.qint8, "ui8": torch.quint8}.get(kind.element)
        if quantum is None or program.operands[0].element != "f32":
            raise Unsupported("PyTorch quantizes f32 to i8 or ui8")
        shape = [1] * len(kind.shape)
        if axis is not None:
            shape[axis] = -1

        def quantize(x: Any, scale: Any, zero_point: Any, quantum: Any) -> Any:
            if axis is None:
                return torch.quantize_per_tensor(x, float(scale), int(zero_point), quantum)
            zeros = zero_point.to(torch.int64)
            return torch.quantize_per_channel(x, scale, zeros, axis, quantum)

        def run(x: Any, scale: Any, zero_point: Any) -> list[Any]:
            if self.options.adds_zero_point_first:
                return [quantize(x, scale, zero_point, quantum).int_repr()]
            zeros = torch.zeros_like(zero_point)
            whole = quantize(x, scale, zeros, torch.qint32).int_repr().to(torch.int64)
            moved = whole + zero_point.to(torch.int64).reshape(shape)
            limits = torch.iinfo(self._dtype(kind))
            return [moved.clamp(limits.min, limits.max).to(self._dtype(kind))]

        return run

    def _dequantize(self, program: Program) -> Run:
        axis = byteir.quantization(program)
        torch = self.torch
        if program.operands[0].element not in ("i8", "ui8") or program.results[0].element != "f32":
            raise Unsupported("PyTorch dequantizes i8 or ui8 to f32")

        def run(q: Any, scale: Any, zero_point: Any) -> list[Any]:
            if axis is None:
                x = torch._make_per_tensor_quantized_tensor(q, float(scale), int(zero_point))
            else:
                zeros = zero_point.to(torch.int64)
                x = torch._make_per_channel_quantized_tensor(q, scale, zeros, axis)
            return [x.dequantize()]

        return run

    # ---- Images, and random numbers.

    def _resize(self, program: Program) -> Run:
        wanted = byteir.resize(program)
        kind, coordinates = program.operands[0], wanted.coordinates
        if wanted.is_linear and kind.element not in byteir.FLOATS:
            raise Unsupported("interpolate has fixed-point weights for integers, or none")
        if wanted.is_linear == (coordinates == "asymmetric"):
            raise Unsupported("interpolate is nearest and asymmetric, or linear and not asymmetric")
        is_other_rule = coordinates == "pytorch_half_pixel" and wanted.shrinks_to_1
        if is_other_rule and not self.options.resizes_to_1:
            raise Unsupported("for a size of 1 interpolate takes the centre, not x_original = 0")
        rank = len(kind.shape)
        is_image = 3 <= rank <= 5 and not {0, 1} & set(wanted.scaled)
        spatial = list(range(2, rank)) if is_image else (wanted.scaled or [rank - 1])
        if not 0 <= min(spatial) or len(spatial) > 3:
            raise Unsupported("interpolate scales one to three dimensions")
        order = [dim for dim in range(rank) if dim not in spatial] + spatial
        outer = [kind.shape[dim] for dim in order[: rank - len(spatial)]]
        batch = outer if is_image else [1, math.prod(outer)]
        size = [wanted.sizes[dim] for dim in spatial]
        mode = {"mode": "nearest"}
        if wanted.is_linear:
            corners = coordinates == "align_corners"
            mode = {"mode": LINEAR[len(spatial)], "align_corners": corners}

        def run(x: Any, target: Any) -> list[Any]:
            if self.asks_data:
                wanted.check_target(kind.shape, target.cpu().numpy())
            image = x.permute(order).reshape([*batch, *[x.shape[dim] for dim in spatial]])
            resized = self.functional.interpolate(image, size=size, **mode)
            return [resized.reshape([*outer, *size]).permute(np.argsort(order).tolist())]

        return run

    def _rng_uniform(self, program: Program) -> Run:
        kind = byteir.rng(program)
        torch, element = self.torch, self._dtype(kind)

        def run(low: Any, high: Any, seed: Any, offset: Any, *_shape: Any) -> list[Any]:
            generator = self._generator(seed, offset)
            share = torch.rand(
                list(kind.shape), generator=generator, dtype=element, device=self.device
            )
            return [low + share * (high - low)]

        return run

    def _rng_normal(self, program: Program) -> Run:
        kind = byteir.rng(program)
        torch, element = self.torch, self._dtype(kind)

        def run(mean: Any, deviation: Any, seed: Any, offset: Any, *_shape: Any) -> list[Any]:
            generator = self._generator(seed, offset)
            normal = torch.randn(
                list(kind.shape), generator=generator, dtype=element, device=self.device
            )
            return [mean + normal * deviation]

        return run

    def _generator(self, seed: Any, offset: Any) -> Any:
        words = [int(word) % (1 << 64) for word in (seed, offset)]
        generator = self.torch.Generator(self.device)
        # An odd multiplier: offsets give different seeds, and so do seeds.
        generator.manual_seed((words[0] * 0x9E3779B97F4A7C15 + words[1]) % (1 << 64))
        return generator

    def _widen(self, x: Any) -> Any:
        return x if x.dtype == self.torch.float64 else x.to(self.torch.float32)

    def _dtype(self, kind: Any) -> Any:
        return getattr(self.torch, kind.dtype.name)

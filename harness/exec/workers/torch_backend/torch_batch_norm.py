# SPDX-License-Identifier: Apache-2.0
"""The batch norms in PyTorch, whose channels are dimension 1: others are moved there.

batch_norm_training: native_batch_norm without running statistics gives output and mean; what it saves
of the variance is the inverse deviation, so that the variance is torch.var's of the population.
batch_norm_grad: native_batch_norm_backward, which takes the inverse deviation instead of variance and
epsilon: rsqrt(variance + epsilon).  Statistics of 16-bit operands are f32 there.  Without channels it
divides an integer by their number, 0, which ends the process (torch 2.13.0): refused.
"""
from __future__ import annotations

from typing import Any, Callable

from assay_worker import Program, Type, Unsupported
from shared_programs import batch_norm_program, dynamic_program

Run = Callable[..., list[Any]]


class TorchBatchNorm:
    """The functions from tensors to tensors that do such programs."""

    def __init__(self, torch: Any, device: str, types: dict[str, Any]) -> None:
        self.torch = torch
        self.device = device
        self.types = types

    def find(self, program: Program) -> Run:
        norm = batch_norm_program.take_apart(program)
        run = self._grad(norm) if norm.is_grad else self._training(norm)
        self._try(program, run)
        return run

    def _try(self, program: Program, run: Run) -> None:
        """What PyTorch does not do it tells only when it is run."""
        examples = [self._ones(kind) for kind in dynamic_program.example(program.operands)]
        try:
            run(*examples)
        except (RuntimeError, ValueError, NotImplementedError) as error:
            raise Unsupported(str(error)) from error

    def _ones(self, kind: Type) -> Any:
        return self.torch.ones(kind.shape, dtype=self.types[kind.element], device=self.device)

    def _there(self, norm: batch_norm_program.BatchNorm, x: Any) -> Any:
        """With the channels as dimension 1."""
        return x.unsqueeze(0) if x.dim() == 1 else x.movedim(norm.feature, 1)

    def _back(self, norm: batch_norm_program.BatchNorm, x: Any) -> Any:
        return x.squeeze(0) if len(norm.kind.shape) == 1 else x.movedim(1, norm.feature)

    def _wide(self, x: Any) -> Any:
        return x.to(self.torch.float32) if x.dtype.itemsize == 2 else x

    def _training(self, norm: batch_norm_program.BatchNorm) -> Run:
        def run(x: Any, scale: Any, offset: Any) -> list[Any]:
            moved = self._there(norm, x)
            output, mean, _ = self.torch.native_batch_norm(
                moved, scale, offset, None, None, True, 0.0, norm.epsilon
            )
            dims = [dim for dim in range(moved.dim()) if dim != 1]
            variance = self.torch.var(moved, dims, correction=0)
            return [self._back(norm, output), mean.to(x.dtype), variance]

        return run

    def _grad(self, norm: batch_norm_program.BatchNorm) -> Run:
        if norm.channels == 0:
            raise Unsupported("a gradient of no channels ends PyTorch's process")

        def run(x: Any, scale: Any, mean: Any, variance: Any, gradients: Any) -> list[Any]:
            inverse = self.torch.rsqrt(self._wide(variance) + norm.epsilon)
            of_operand, of_scale, of_offset = self.torch.ops.aten.native_batch_norm_backward(
                self._there(norm, gradients), self._there(norm, x), scale, None, None,
                self._wide(mean), inverse, True, norm.epsilon, [True, True, True],
            )  # fmt: skip
            return [self._back(norm, of_operand), of_scale.to(x.dtype), of_offset.to(x.dtype)]

        return run

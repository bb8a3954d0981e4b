# SPDX-License-Identifier: Apache-2.0
"""The ByteIR ops in JAX, compiled by XLA.

JAX's own function wherever it has one: jax.nn.softmax, log_softmax, gelu, standardize (with
algorithm "stable", mean((x - mean)^2), or layer_norm=fast, mean(x^2) - mean^2), one_hot,
jax.lax.erf, argmax, argmin, top_k, jax.image.resize and jax.random.uniform.  Graphs of several
functions, which then are what is tested, are

- layer_norm with eps_outside_sqrt, and the mean and the inverse deviation that it gives as further
  results; l2_norm; these in f32 where the numbers are of 16 bits, so that what they lose is JAX's;
- the values of arg_max and arg_min (take_along_axis), and the last of several best indices: the
  first one of the flipped array;
- one_hot with other numbers than 1 and 0: jnp.where on a comparison;
- quantize and dequantize, in f32 where the numbers are of 16 bits.

jax.image.resize knows nearest only as floor((x_resized + 0.5) / scale), which ByteIR does not, and
linear only with half-pixel coordinates; it is told not to smooth where it shrinks
(antialias=False).  Sizes are the result's, whatever the mode of the target.  Its own generator
makes the random numbers, with a key of the seed into which the offset is folded.
"""
from __future__ import annotations

from typing import Any, Callable

import numpy as np

from assay_worker import Program, Type, Unsupported
from shared_programs import byteir_program as byteir

Run = Callable[..., tuple[Any, ...]]


def _wide(kind: Type) -> np.dtype:
    """The type in which graphs of our own compute with numbers of a type."""
    return np.dtype(np.float32) if kind.element in ("f16", "bf16") else kind.dtype


class JaxByteir:
    """The functions from arrays to arrays that do ByteIR programs, to be traced."""

    def __init__(self, jax: Any, variance: str) -> None:
        self.jax = jax
        self.jnp = jax.numpy
        self.lax = jax.lax
        self.variance = variance  # "stable" or "fast".
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
        }

    def make(self, program: Program) -> Run:
        if program.op not in self.makers:
            raise Unsupported(f"no {program.op} here")
        return self.makers[program.op](program)

    # ---- Numbers along an axis, and by themselves.

    def _softmax(self, program: Program) -> Run:
        axis = byteir.softmax(program)
        nn = self.jax.nn
        function = nn.softmax if program.op == "byteir.softmax" else nn.log_softmax
        return lambda x: (function(x, axis),)

    def _gelu(self, program: Program) -> Run:
        is_approximate = byteir.gelu(program) == "tanh"
        return lambda x: (self.jax.nn.gelu(x, approximate=is_approximate),)

    def _erf(self, program: Program) -> Run:
        byteir.erf(program)
        return lambda x: (self.lax.erf(x),)

    def _layer_norm(self, program: Program) -> Run:
        norm = byteir.layer_norm(program)
        has_statistics = len(program.results) == 3
        if self.variance == "fast" and (has_statistics or norm.is_outside):
            raise Unsupported("standardize gives one result, with epsilon inside the root")
        jnp, axes, epsilon = self.jnp, tuple(norm.axes), norm.epsilon
        kind = program.operands[0]
        def run(x: Any, weight: Any, bias: Any) -> tuple[Any, ...]:
            inner = [size if dim in axes else 1 for dim, size in enumerate(x.shape)]
            wide = x.astype(_wide(kind))
            mean = jnp.mean(wide, axes, keepdims=True)
            variance = jnp.mean(jnp.square(wide - mean), axes, keepdims=True)
            if norm.is_outside:
                inverse = 1 / (jnp.sqrt(variance) + epsilon)
                share = (wide - mean) * inverse
            else:
                inverse = self.lax.rsqrt(variance + epsilon)
                share = self.jax.nn.standardize(x, axes, epsilon=epsilon, algorithm=self.variance)
            y = share * weight.reshape(inner) + bias.reshape(inner)
            results = (y, mean, inverse) if has_statistics else (y,)
            return tuple(result.astype(kind.dtype) for result in results)

        return run

    def _l2_norm(self, program: Program) -> Run:
        norm = byteir.l2_norm(program)
        jnp, axes, epsilon = self.jnp, tuple(norm.axes), norm.epsilon
        kind = program.operands[0]

        def run(x: Any) -> tuple[Any, ...]:
            wide = x.astype(_wide(kind))
            squares = jnp.sum(jnp.square(wide), axes, keepdims=True)
            if norm.is_outside:
                length = jnp.maximum(jnp.sqrt(squares), epsilon)
            else:
                length = jnp.sqrt(jnp.maximum(squares, epsilon))
            return ((wide / length).astype(kind.dtype),)

        return run

    # ---- Choosing.

    def _pick(self, program: Program) -> Run:
        pick = byteir.pick(program)
        jnp, axis = self.jnp, pick.axis
        index_type = program.results[-1].dtype
        best = self.lax.argmax if pick.is_max else self.lax.argmin

        def run(x: Any) -> tuple[Any, ...]:
            indices = best(jnp.flip(x, axis) if pick.takes_last else x, axis, index_type)
            if pick.takes_last:
                indices = pick.count - 1 - indices
            wide = jnp.expand_dims(indices, axis)
            results = (jnp.take_along_axis(x, wide, axis), wide) if pick.has_values else (wide,)
            if pick.keeps_dims:
                return results
            return tuple(jnp.squeeze(result, axis) for result in results)

        return run

    def _top_k(self, program: Program) -> Run:
        wanted = byteir.top_k(program)
        index_type = program.results[1].dtype

        def run(x: Any) -> tuple[Any, ...]:
            values, indices = self.lax.top_k(x, wanted.k, axis=wanted.axis)
            return values, indices.astype(index_type)

        return run

    def _one_hot(self, program: Program) -> Run:
        wanted, kind = byteir.one_hot(program), program.results[0]
        jnp, axis = self.jnp, wanted.axis
        bits = (wanted.on.tobytes(), wanted.off.tobytes())
        if bits == (np.ones((), kind.dtype).tobytes(), np.zeros((), kind.dtype).tobytes()):
            return lambda indices: (
                self.jax.nn.one_hot(indices, wanted.depth, dtype=kind.dtype, axis=axis),
            )
        classes = np.arange(wanted.depth).reshape(byteir.aligned(kind.shape, axis))

        def run(indices: Any) -> tuple[Any, ...]:
            is_there = jnp.expand_dims(indices, axis).astype(np.int64) == classes
            return (jnp.where(is_there, wanted.on, wanted.off),)

        return run

    # ---- Quantized numbers.

    def _quantize(self, program: Program) -> Run:
        axis = byteir.quantization(program)
        jnp, kind, quantum = self.jnp, program.operands[0], program.results[0].dtype
        wide = _wide(kind)
        shape = byteir.aligned(kind.shape, axis)
        ends = np.iinfo(quantum)

        def run(x: Any, scale: Any, zero_point: Any) -> tuple[Any, ...]:
            steps = jnp.round(x.astype(wide) / scale.astype(wide).reshape(shape))
            moved = steps + zero_point.astype(wide).reshape(shape)
            return (jnp.clip(moved, ends.min, ends.max).astype(quantum),)

        return run

    def _dequantize(self, program: Program) -> Run:
        axis = byteir.quantization(program)
        result = program.results[0]
        wide = _wide(result)
        shape = byteir.aligned(result.shape, axis)

        def run(q: Any, scale: Any, zero_point: Any) -> tuple[Any, ...]:
            steps = q.astype(np.int32) - zero_point.astype(np.int32).reshape(shape)
            product = steps.astype(wide) * scale.astype(wide).reshape(shape)
            return (product.astype(result.dtype),)

        return run

    # ---- Images, and random numbers.

    def _resize(self, program: Program) -> Run:
        wanted = byteir.resize(program)
        if program.operands[0].element not in byteir.FLOATS:
            raise Unsupported("jax.image.resize gives floats")
        is_half_pixel = wanted.coordinates == "half_pixel" or (
            wanted.coordinates == "pytorch_half_pixel" and not wanted.shrinks_to_1
        )
        if not wanted.is_linear or not is_half_pixel:
            raise Unsupported("jax.image.resize is linear, with half-pixel coordinates")

        def run(x: Any, _target: Any) -> tuple[Any, ...]:
            return (self.jax.image.resize(x, wanted.sizes, "linear", antialias=False),)

        return run

    def _rng_uniform(self, program: Program) -> Run:
        kind = byteir.rng(program)
        random = self.jax.random

        def run(low: Any, high: Any, seed: Any, offset: Any, *_shape: Any) -> tuple[Any, ...]:
            key = self._key(seed, offset)
            return (random.uniform(key, kind.shape, kind.dtype, low, high),)

        return run

    def _rng_normal(self, program: Program) -> Run:
        kind = byteir.rng(program)
        random = self.jax.random

        def run(mean: Any, deviation: Any, seed: Any, offset: Any, *_: Any) -> tuple[Any, ...]:
            normal = random.normal(self._key(seed, offset), kind.shape, kind.dtype)
            return (mean + normal * deviation,)

        return run

    def _key(self, seed: Any, offset: Any) -> Any:
        key = self.jax.random.key(seed)
        for word in (offset >> 32, offset & 0xFFFFFFFF):
            key = self.jax.random.fold_in(key, word)
        return key

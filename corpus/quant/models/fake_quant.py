# SPDX-License-Identifier: Apache-2.0
"""Ranges of a JAX model's tensors, recorded, and fake-quant ops made of them: for the models beside it."""
from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import Any, Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

KINDS = ("litert", "tensorflow", "qdq")


@dataclass
class Range:
    low: np.ndarray  # Of each channel along the axis, or of all.
    high: np.ndarray
    axis: int | None


class Marks:
    """What was recorded, and functions `mark(name, value, axis)` that put fake-quant ops into a model."""

    def __init__(self) -> None:
        self.ranges: dict[str, Range] = {}

    def record(self, name: str, value: Any, axis: int | None) -> None:
        found = np.asarray(value)
        others = tuple(dim for dim in range(found.ndim) if dim != axis) if axis is not None else None
        low, high = np.minimum(found.min(others), 0), np.maximum(found.max(others), 0)
        if name in self.ranges:
            low, high = np.minimum(low, self.ranges[name].low), np.maximum(high, self.ranges[name].high)
        self.ranges[name] = Range(low, high, axis)

    def _affine(self, name: str) -> tuple[np.ndarray, np.ndarray, bool]:
        """Scales and zero points of i8; symmetric and narrow along an axis, as weights are."""
        found = self.ranges[name]
        if found.axis is not None:
            scale = (np.maximum(-found.low, found.high) / 127).astype(np.float32)
            return scale, np.zeros(scale.shape, np.int64), True
        scale = np.float32((found.high - found.low) / 255)
        return np.array([scale]), np.array([int(np.round(-128 - found.low / scale))]), False

    def _litert(self, name: str, value: jax.Array, axis: int | None) -> jax.Array:
        scale, zero_point, is_narrow = self._affine(name)

        def decomposition(x: jax.Array, **_: Any) -> jax.Array:
            shape = [1] * x.ndim
            shape[axis if axis is not None else 0] = len(scale)
            steps, zeros = scale.reshape(shape), zero_point.reshape(shape).astype(np.float32)
            quanta = jnp.clip(jnp.round(x / steps) + zeros, -127 if is_narrow else -128, 127)
            return (quanta - zeros) * steps

        attributes: dict[str, Any] = {"dtype": "i8", "narrow_range": is_narrow,
                                      "scale": tuple(map(float, scale)),
                                      "zero_point": tuple(map(int, zero_point))}  # fmt: skip
        if axis is not None:
            attributes["quantization_dimension"] = axis
        return jax.lax.composite(decomposition, name="quant.fake_quant")(value, **attributes)

    def _tensorflow(self, name: str, value: jax.Array, axis: int | None) -> jax.Array:
        found = self.ranges[name]
        bound = np.maximum(-found.low, found.high) if axis is not None else None
        low, high = (found.low, found.high) if bound is None else (-bound, bound)
        target = "tf.FakeQuantWithMinMaxVars" + ("" if axis is None else "PerChannel")
        call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(value.shape, value.dtype))
        return call(value, jnp.asarray(low, jnp.float32), jnp.asarray(high, jnp.float32),
                    num_bits=8, narrow_range=axis is not None)  # fmt: skip

    def _qdq(self, name: str, value: jax.Array, axis: int | None) -> jax.Array:
        """Marked by a custom call, which exported() puts the pair in the place of: JAX has no
        quantized types."""
        scale, zero_point, is_narrow = self._affine(name)
        entries = [f"{float(one)!r}:{zero}" for one, zero in zip(scale, zero_point)]
        listed = entries[0] if axis is None else f"{{{','.join(entries)}}}"
        at = "" if axis is None else f":{axis}"
        element = f"!quant.uniform<i8{'<-127:127>' if is_narrow else ''}:f32{at}, {listed}>"
        call = jax.ffi.ffi_call("qdq", jax.ShapeDtypeStruct(value.shape, value.dtype))
        return call(value, element=element)

    def mark(self, kind: str) -> Callable[[str, jax.Array, int | None], jax.Array]:
        return {"litert": self._litert, "tensorflow": self._tensorflow, "qdq": self._qdq}[kind]


def recorded(model: Callable[..., Any], inputs: np.ndarray) -> Marks:
    """The ranges that the model's marks saw, over all inputs."""
    marks, axes = Marks(), {}

    @jax.jit
    def seen(one: jax.Array) -> dict[str, jax.Array]:
        values = {}

        def keep(name: str, value: jax.Array, axis: int | None) -> jax.Array:
            values[name], axes[name] = value, axis
            return value

        model(one, keep)
        return values

    for one in inputs:
        for name, value in seen(one).items():
            marks.record(name, value, axes[name])
    return marks


PAIR = re.compile(r'(%\w+) = stablehlo\.custom_call @qdq\((%\w+)\) \{.*?element = "([^"]*)".*?\} : '
                  r"\(tensor<([\dx]*)f32>\) -> tensor<[\dx]*f32>")  # fmt: skip


def exported(model: Callable[..., Any], kind: str, *shapes: Any) -> str:
    """The StableHLO module, as text."""
    checks = [export.DisabledSafetyCheck.custom_call(name)
              for name in ("tf.FakeQuantWithMinMaxVars", "tf.FakeQuantWithMinMaxVarsPerChannel", "qdq")]  # fmt: skip
    module = export.export(jax.jit(model), disabled_checks=checks)(*shapes).mlir_module()

    def pair(match: re.Match[str]) -> str:
        result, operand, element, dims = match.groups()
        quantized = f"tensor<{dims}{element}>"
        name = f"%q{result[1:]}"
        return (f"{name} = stablehlo.uniform_quantize {operand} : (tensor<{dims}f32>) -> {quantized}\n"
                f"    {result} = stablehlo.uniform_dequantize {name} : ({quantized}) -> tensor<{dims}f32>")  # fmt: skip

    return PAIR.sub(pair, module)


def write(model: Callable[[str], Callable[..., Any]], *shapes: Any) -> None:
    """What `model` makes of a kind of fake-quant ops, as a module on standard output; with several kinds on
    the command line as a file NAME.KIND.mlir of each."""
    kinds = sys.argv[1:] or ["litert"]
    for kind in kinds:
        if kind not in KINDS:
            raise SystemExit(f"no fake quantization called {kind}; write some of {', '.join(KINDS)}")
    for kind in kinds:
        made = model(kind)
        text = exported(made, kind, *shapes)
        if len(kinds) == 1:
            print(text)
            continue
        with open(f"{made.__name__}.{kind}.mlir", "w", encoding="ascii") as file:
            file.write(text)

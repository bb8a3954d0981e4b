# SPDX-License-Identifier: Apache-2.0
"""An inverted residual, the block that MobileNets of the second generation are made of, exported by JAX.

    PYTHON corpus/quant/models/inverted_residual.py [FAKE_QUANT ...] > inverted_residual.mlir

Weights are random, of seed 1. Ranges are what 64 random images gave; they become fake-quant ops as
FAKE_QUANT says: `litert` (default), composites called quant.fake_quant as LiteRT's PyTorch front end
writes them; `tensorflow`, custom calls to tf.FakeQuantWithMinMaxVars and -PerChannel; `qdq`, pairs of
stablehlo.uniform_quantize and uniform_dequantize. With several, each goes into a file of its own,
inverted_residual.FAKE_QUANT.mlir. PYTHON is one with jax: that of `assay executors install jax`.
"""
from __future__ import annotations

from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

import fake_quant

CHANNELS, EXPANDED, SIZE = 4, 12, 8
LAYOUT = ("NHWC", "HWIO", "NHWC")


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)

    def draw(*shape: int) -> np.ndarray:
        scale = np.sqrt(2 / np.prod(shape[:3]))
        return rng.normal(0, scale, shape).astype(np.float32)

    return {
        "expand": draw(1, 1, CHANNELS, EXPANDED),
        "expand_bias": draw(EXPANDED),
        "depthwise": draw(3, 3, 1, EXPANDED),
        "depthwise_bias": draw(EXPANDED),
        "project": draw(1, 1, EXPANDED, CHANNELS),
        "project_bias": draw(CHANNELS),
    }


def block(image: jax.Array, parameters: dict[str, np.ndarray], mark: Callable[..., jax.Array]) -> jax.Array:
    """`mark(name, value, axis)` is where a fake-quant op stands; axis None: one scale."""

    def convolution(x: jax.Array, name: str, groups: int) -> jax.Array:
        kernel = mark(name, jnp.asarray(parameters[name]), 3)
        sums = jax.lax.conv_general_dilated(
            x, kernel, (1, 1), "SAME", dimension_numbers=LAYOUT, feature_group_count=groups
        )
        return sums + parameters[f"{name}_bias"]

    image = mark("image", image, None)
    expanded = mark("expanded", jax.nn.relu6(convolution(image, "expand", 1)), None)
    filtered = mark("filtered", jax.nn.relu6(convolution(expanded, "depthwise", EXPANDED)), None)
    projected = mark("projected", convolution(filtered, "project", 1), None)
    return mark("sum", image + projected, None)


def main() -> None:
    parameters = weights()
    images = np.random.default_rng(2).uniform(-1, 1, (64, 1, SIZE, SIZE, CHANNELS)).astype(np.float32)
    marks = fake_quant.recorded(lambda image, mark: block(image, parameters, mark), images)

    def model(kind: str) -> Callable[[jax.Array], jax.Array]:
        def inverted_residual(image: jax.Array) -> jax.Array:
            return block(image, parameters, marks.mark(kind))

        return inverted_residual

    fake_quant.write(model, jax.ShapeDtypeStruct((1, SIZE, SIZE, CHANNELS), jnp.float32))


if __name__ == "__main__":
    main()

# SPDX-License-Identifier: Apache-2.0
"""A MobileNet of the second generation, all 17 inverted residuals of it, exported by JAX.

    PYTHON corpus/models/mobilenet.py > mobilenet.mlir

A quarter of the usual channels, one image of 32 by 32, 10 classes; batch norms stand as they do at inference. Weights are
random, of seed 1. PYTHON is one with jax: that of `assay executors install jax`.
"""
from __future__ import annotations

import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

LAYOUT = ("NHWC", "HWIO", "NHWC")
SIZE, CLASSES, STEM, HEAD = 32, 10, 8, 320
# Of each stage: how often channels are multiplied inside, channels, blocks, stride of the first.
STAGES = ((1, 4, 1, 1), (6, 8, 2, 2), (6, 8, 3, 2), (6, 16, 4, 2), (6, 24, 3, 1), (6, 40, 3, 2), (6, 80, 1, 1))


class Weights:
    def __init__(self) -> None:
        self.rng = np.random.default_rng(1)

    def drawn(self, *shape: int) -> jax.Array:
        scale = np.sqrt(2 / np.prod(shape[:-1]))
        return jnp.asarray(self.rng.normal(0, scale, shape).astype(np.float32))

    def between(self, least: float, most: float, count: int) -> jax.Array:
        return jnp.asarray(self.rng.uniform(least, most, count).astype(np.float32))


def normed(weights: Weights, x: jax.Array) -> jax.Array:
    channels = x.shape[-1]
    mean, variance = weights.between(-0.2, 0.2, channels), weights.between(0.5, 1.5, channels)
    scale, bias = weights.between(0.5, 1.5, channels), weights.between(-0.2, 0.2, channels)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def convolved(weights: Weights, x: jax.Array, size: int, channels: int, stride: int = 1, groups: int = 1) -> jax.Array:
    kernel = weights.drawn(size, size, x.shape[-1] // groups, channels)
    made: Any = jax.lax.conv_general_dilated(
        x, kernel, (stride, stride), "SAME", dimension_numbers=LAYOUT, feature_group_count=groups
    )
    return normed(weights, made)


def block(weights: Weights, x: jax.Array, times: int, channels: int, stride: int) -> jax.Array:
    inside = x.shape[-1] * times
    made = x if times == 1 else jax.nn.relu6(convolved(weights, x, 1, inside))
    made = jax.nn.relu6(convolved(weights, made, 3, inside, stride, groups=inside))
    made = convolved(weights, made, 1, channels)
    return x + made if made.shape == x.shape else made


def mobilenet(image: jax.Array) -> jax.Array:
    weights = Weights()
    x = jax.nn.relu6(convolved(weights, image, 3, STEM, 2))
    for times, channels, blocks, stride in STAGES:
        for index in range(blocks):
            x = block(weights, x, times, channels, stride if index == 0 else 1)
    x = jax.nn.relu6(convolved(weights, x, 1, HEAD))
    return jax.nn.softmax(jnp.mean(x, axis=(1, 2)) @ weights.drawn(HEAD, CLASSES))


if __name__ == "__main__":
    sys.stdout.write(jax.jit(mobilenet).lower(jax.ShapeDtypeStruct((1, SIZE, SIZE, 3), jnp.float32)).as_text())

# SPDX-License-Identifier: Apache-2.0
"""A transformer block, self-attention and a feed-forward network with gelu, exported by JAX.

    PYTHON corpus/quant/models/transformer_block.py [FAKE_QUANT ...] > transformer_block.mlir

One sequence of 8 tokens, 16 numbers each, two heads; norms stand behind the residual additions. Weights are
random, of seed 3; ranges, FAKE_QUANT and PYTHON are as in inverted_residual.py.
"""
from __future__ import annotations

import math
from typing import Callable

import jax
import jax.numpy as jnp
import numpy as np

import fake_quant

TOKENS, WIDTH, HEADS, HIDDEN = 8, 16, 2, 32
Mark = Callable[..., jax.Array]


def weights() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(3)
    shapes = {"query": (WIDTH, WIDTH), "key": (WIDTH, WIDTH), "value": (WIDTH, WIDTH),
              "output": (WIDTH, WIDTH), "up": (WIDTH, HIDDEN), "down": (HIDDEN, WIDTH)}  # fmt: skip
    drawn = {name: rng.normal(0, 1 / math.sqrt(shape[0]), shape) for name, shape in shapes.items()}
    drawn |= {f"{name}_bias": rng.normal(0, 0.1, shape[1]) for name, shape in shapes.items()}
    for norm in ("attention_norm", "feed_forward_norm"):
        drawn[f"{norm}_scale"] = rng.uniform(0.5, 1.5, WIDTH)
        drawn[f"{norm}_bias"] = rng.normal(0, 0.1, WIDTH)
    return {name: value.astype(np.float32) for name, value in drawn.items()}


def layer_norm(x: jax.Array, scale: np.ndarray, bias: np.ndarray) -> jax.Array:
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(jnp.square(x - mean), axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + 1e-5) * scale + bias


def block(tokens: jax.Array, parameters: dict[str, np.ndarray], mark: Mark) -> jax.Array:
    def linear(x: jax.Array, name: str) -> jax.Array:
        kernel = mark(name, jnp.asarray(parameters[name]), 1)
        return mark(f"{name}_sum", x @ kernel + parameters[f"{name}_bias"], None)

    def heads(x: jax.Array) -> jax.Array:
        return x.reshape(TOKENS, HEADS, WIDTH // HEADS).transpose(1, 0, 2)

    def norm(x: jax.Array, name: str) -> jax.Array:
        return mark(name, layer_norm(x, parameters[f"{name}_scale"], parameters[f"{name}_bias"]), None)

    tokens = mark("tokens", tokens, None)
    query, key, value = (heads(linear(tokens, name)) for name in ("query", "key", "value"))
    scores = jnp.einsum("hqd,hkd->hqk", query, key) * (1 / math.sqrt(WIDTH // HEADS))
    shares = jax.nn.softmax(mark("scores", scores, None), axis=-1)
    context = jnp.einsum("hqk,hkd->hqd", shares, value).transpose(1, 0, 2).reshape(TOKENS, WIDTH)
    attended = linear(mark("context", context, None), "output")
    tokens = norm(mark("attended", tokens + attended, None), "attention_norm")
    hidden = mark("hidden", jax.nn.gelu(linear(tokens, "up")), None)
    return norm(mark("fed", tokens + linear(hidden, "down"), None), "feed_forward_norm")


def main() -> None:
    parameters = weights()
    sequences = np.random.default_rng(4).uniform(-2, 2, (64, TOKENS, WIDTH)).astype(np.float32)
    marks = fake_quant.recorded(lambda tokens, mark: block(tokens, parameters, mark), sequences)

    def model(kind: str) -> Callable[[jax.Array], jax.Array]:
        def transformer_block(tokens: jax.Array) -> jax.Array:
            return block(tokens, parameters, marks.mark(kind))

        return transformer_block

    fake_quant.write(model, jax.ShapeDtypeStruct((TOKENS, WIDTH), jnp.float32))


if __name__ == "__main__":
    main()

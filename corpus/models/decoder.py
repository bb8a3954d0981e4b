# SPDX-License-Identifier: Apache-2.0
"""A small decoder that writes tokens, exported by JAX: a loop over tokens, and in it one over layers.

    PYTHON corpus/models/decoder.py > decoder.mlir

Two layers of 32 numbers a token, two heads, with rotary positions, root-mean-square norms, a gated feed-forward network
and a cache of keys and values; 6 tokens are written after the first, each the likeliest of 64. Weights are random, of
seed 1. PYTHON is one with jax: that of `assay executors install jax`.
"""
from __future__ import annotations

import sys

import jax
import jax.numpy as jnp
import numpy as np

LAYERS, WIDTH, HEADS, HIDDEN, TOKENS, WORDS = 2, 32, 2, 64, 7, 64
HEAD = WIDTH // HEADS


def drawn(rng: np.random.Generator, *shape: int) -> jax.Array:
    return jnp.asarray(rng.normal(0, 1 / np.sqrt(shape[-2]), shape).astype(np.float32))


def weights() -> dict[str, jax.Array]:
    """Of all layers, those of one under each index."""
    rng = np.random.default_rng(1)
    made = {name: drawn(rng, LAYERS, WIDTH, WIDTH) for name in ("query", "key", "value", "output")}
    made |= {name: drawn(rng, LAYERS, WIDTH, HIDDEN) for name in ("up", "gate")}
    made["down"] = drawn(rng, LAYERS, HIDDEN, WIDTH)
    for norm in ("attention_norm", "feed_forward_norm"):
        made[norm] = jnp.asarray(rng.uniform(0.5, 1.5, (LAYERS, WIDTH)).astype(np.float32))
    return made


def normed(x: jax.Array, scale: jax.Array) -> jax.Array:
    return x * jax.lax.rsqrt(jnp.mean(jnp.square(x), axis=-1, keepdims=True) + 1e-5) * scale


def turned(x: jax.Array, place: jax.Array) -> jax.Array:
    """By angles that the token's place gives."""
    angles = place.astype(jnp.float32) * 10000.0 ** (-jnp.arange(HEAD // 2, dtype=jnp.float32) * 2 / HEAD)
    first, second = x[:, : HEAD // 2], x[:, HEAD // 2 :]
    cosine, sine = jnp.cos(angles), jnp.sin(angles)
    return jnp.concatenate([first * cosine - second * sine, first * sine + second * cosine], axis=-1)


def layer(x: jax.Array, one: tuple[dict[str, jax.Array], jax.Array, jax.Array],
          place: jax.Array) -> tuple[jax.Array, tuple[jax.Array, jax.Array]]:  # fmt: skip
    weight, keys, values = one
    before = normed(x, weight["attention_norm"])
    query = turned((before @ weight["query"]).reshape(HEADS, HEAD), place)
    key = turned((before @ weight["key"]).reshape(HEADS, HEAD), place)
    value = (before @ weight["value"]).reshape(HEADS, HEAD)
    keys = jax.lax.dynamic_update_index_in_dim(keys, key, place, 0)
    values = jax.lax.dynamic_update_index_in_dim(values, value, place, 0)
    scores = jnp.einsum("hd,thd->ht", query, keys) / np.float32(np.sqrt(HEAD))
    scores = jnp.where(jnp.arange(TOKENS) <= place, scores, -jnp.inf)
    x = x + jnp.einsum("ht,thd->hd", jax.nn.softmax(scores), values).reshape(WIDTH) @ weight["output"]
    before = normed(x, weight["feed_forward_norm"])
    return x + (jax.nn.silu(before @ weight["gate"]) * (before @ weight["up"])) @ weight["down"], (keys, values)


def decoder(first: jax.Array) -> jax.Array:
    """The tokens, of the first one."""
    rng = np.random.default_rng(2)
    layers, words = weights(), drawn(rng, WORDS, WIDTH)
    nothing = jnp.zeros((LAYERS, TOKENS, HEADS, HEAD), jnp.float32)

    def write(place: jax.Array, state: tuple[jax.Array, jax.Array, jax.Array]) -> tuple[jax.Array, ...]:
        tokens, keys, values = state
        x, (keys, values) = jax.lax.scan(
            lambda x, one: layer(x, one, place), words[tokens[place]] * 4, (layers, keys, values)
        )
        likeliest = jnp.argmax(normed(x, jnp.float32(1)) @ words.T).astype(jnp.int32)
        return jax.lax.dynamic_update_index_in_dim(tokens, likeliest, place + 1, 0), keys, values

    tokens = jnp.zeros(TOKENS, jnp.int32).at[0].set(first)
    return jax.lax.fori_loop(0, TOKENS - 1, write, (tokens, nothing, nothing))[0]


if __name__ == "__main__":
    sys.stdout.write(jax.jit(decoder).lower(jax.ShapeDtypeStruct((), jnp.int32)).as_text())

# SPDX-License-Identifier: Apache-2.0
"""layer_norm in Pallas, interpreted, so that it needs neither a TPU nor a GPU.  With FAULTY=1 in the environment as it is written
now and then: epsilon is added behind the root."""

import os

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

FAULTY = os.environ.get("FAULTY") == "1"
EPSILON = 1e-5


def layer_norm_kernel(x_ref, weight_ref, bias_ref, y_ref):
    x = x_ref[...]
    centred = x - jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean(centred * centred, axis=-1, keepdims=True)
    deviation = jnp.sqrt(variance) + EPSILON if FAULTY else jnp.sqrt(variance + EPSILON)
    y_ref[...] = centred / deviation * weight_ref[...] + bias_ref[...]


def layer_norm(x, weight, bias):
    """Of each row of [rows, size], f32."""
    rows, size = x.shape
    row, whole = pl.BlockSpec((1, size), lambda i: (i, 0)), pl.BlockSpec((1, size), lambda i: (0, 0))
    call = pl.pallas_call(
        layer_norm_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(rows,),
        in_specs=[row, whole, whole],
        out_specs=row,
        interpret=True,
    )
    return call(x, jnp.reshape(weight, (1, size)), jnp.reshape(bias, (1, size)))

# SPDX-License-Identifier: Apache-2.0
"""layer_norm in Pallas by a tolerance, by what conforms on the same data, and for drawn cases: pytest examples/pallas"""

import jax
import jax.numpy as jnp
import numpy as np
from pallas_kernels import EPSILON, layer_norm

import assay

KEYS = jax.random.split(jax.random.key(1), 3)
X = 0.3 * jax.random.normal(KEYS[0], (4, 32), jnp.float32)
WEIGHT, BIAS = jax.random.normal(KEYS[1], (32,)), jax.random.normal(KEYS[2], (32,))


def test_layer_norm_is_close():
    x, weight, bias = (np.asarray(operand, np.float64) for operand in (X, WEIGHT, BIAS))
    expected = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * weight + bias
    np.testing.assert_allclose(layer_norm(X, WEIGHT, BIAS), expected, rtol=1e-4, atol=1e-4)


def test_layer_norm_conforms():
    assay.assert_conforms("layer_norm", [X, WEIGHT, BIAS], layer_norm(X, WEIGHT, BIAS), epsilon=EPSILON)

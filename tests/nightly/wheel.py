# SPDX-License-Identifier: Apache-2.0
"""What the Python package says of some results, right ones and wrong ones: the same text on every machine (tests/nightly/arm)."""

import numpy as np

import assay

random = np.random.default_rng(1)


def show(name, *arguments, **keywords):
    verdict = assay.check(name, *arguments, **keywords)
    print(name, verdict)


a = random.integers(-8, 8, (24, 40)).astype(np.float32)
b = random.integers(-8, 8, (40, 16)).astype(np.float32)
c = a @ b
show("dot_general", [a, b], c)
c[3, 5] += 1
show("dot_general", [a, b], c)

x = random.standard_normal((8, 100)).astype(np.float32)
e = np.exp(x.astype(np.float64) - x.max(axis=1, keepdims=True))
y = (e / e.sum(axis=1, keepdims=True)).astype(np.float32)
show("softmax", [x], y, axis=-1)
show("softmax", [x], y * np.float32(1.0001), axis=-1)
show("add", [x, x], x + x)
show("add", [x, x], x + x + np.float32(1e-3))

try:
    assay.assert_conforms("dot_general", [a, b], c)
except AssertionError as error:
    print(error)
low, high = assay.accept("reduce", [x, np.float32(0)], body="add", dims=[1])
print(low.tobytes().hex(), high.tobytes().hex())

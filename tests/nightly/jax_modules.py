# SPDX-License-Identifier: Apache-2.0
"""Writes the harnesses of JAX's primitives, with which jax2tf was tested, as StableHLO modules whose operands are constants.

    PYTHON tests/nightly/jax_modules.py FOLDER [STEP]

One file for each harness, or for each STEP-th; the last line says how many there are, and how many JAX itself does not
lower. PYTHON is one with jax, whose wheel has the harnesses: that of `assay executors install jax`.
"""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = "1"

import jax
import numpy as np
from jax._src.internal_test_util import test_harnesses


def module(harness: test_harnesses.Harness) -> str:
    operands = harness.dyn_args_maker(np.random.RandomState(1))
    return jax.jit(lambda: harness.dyn_fun(*operands)).lower().as_text()


def main() -> None:
    folder, step = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    folder.mkdir(parents=True, exist_ok=True)
    written, failed = 0, 0
    for index, harness in enumerate(test_harnesses.all_harnesses[::step]):
        name = re.sub(r"[^\w.=-]+", "_", harness.fullname)[:60]
        try:
            (folder / f"{index * step:05}-{name}.mlir").write_text(module(harness))
            written += 1
        except Exception:  # What JAX does not have in these types: it says so in many ways.
            failed += 1
    print(f"{written} modules, and {failed} harnesses that JAX does not lower", file=sys.stderr)


if __name__ == "__main__":
    main()

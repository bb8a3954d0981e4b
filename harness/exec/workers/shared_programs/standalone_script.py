# SPDX-License-Identifier: Apache-2.0
"""Scripts that run one case on a backend and need nothing but the backend and numpy, for bug reports: what is the same in
all of them.  Operands are written in hex, so that they are exact, with the numbers beside them; results are printed as
numbers, and last of all as patterns, `results: 40400000 : 00000001`, in the spelling of a case line."""
from __future__ import annotations

import math
from typing import Any, Sequence

import numpy as np

from assay_worker import BITS, Program, Type, Unsupported

ELEMENTS_MAX = 65536  # Of an operand: a script is to be read.
NUMBERS_MAX = 8  # Shown beside the hex digits.


def dtype_name(dtype: np.dtype) -> str:
    """As a script writes it: numpy's own types by their names, others as ml_dtypes has them."""
    return f'"{dtype.name}"' if dtype.type.__module__ == "numpy" else f"ml_dtypes.{dtype.name}"


def _literal(index: int, array: np.ndarray) -> str:
    if array.size > ELEMENTS_MAX:
        raise Unsupported(f"an operand of {array.size} elements is too long for a script")
    name = dtype_name(array.dtype)
    shown = ", ".join(str(value) for value in array.reshape(-1)[:NUMBERS_MAX].tolist())
    more = ", ..." if array.size > NUMBERS_MAX else ""
    hexadecimal = array.tobytes().hex()
    return (
        f'operand{index} = numpy.frombuffer(bytes.fromhex("{hexadecimal}"), {name}).reshape({array.shape})'
        f"  # [{shown}{more}]"
    )


def _print_result(index: int, kind: Type) -> str:
    dtype = kind.dtype
    size = dtype.itemsize // (2 if dtype.kind == "c" else 1)
    bits = BITS.get(kind.storage.element, 8 * size)
    return f"({index}, \"uint{8 * size}\", {(1 << bits) - 1:#x}, {math.ceil(bits / 4)})"


def make(program: Program, operands: Sequence[np.ndarray], head: str, body: str) -> str:
    """`head` imports the backend; `body` defines `results`, a list of numpy arrays, of operand0, operand1, ..."""
    literals = "\n".join(_literal(i, array) for i, array in enumerate(operands))
    needs_ml_dtypes = "ml_dtypes." in literals + body
    patterns = ", ".join(_print_result(i, kind) for i, kind in enumerate(program.results))
    more = "# and: pip install ml_dtypes\nimport ml_dtypes\n" if needs_ml_dtypes else ""
    return f"""{head.rstrip()}
{more}import numpy

{literals}

{body.strip()}

for result in results:
    print(result.tolist())


def pattern(array, kind, mask, digits):
    codes = numpy.ascontiguousarray(array).reshape(-1).view(kind).tolist()
    return "".join(f"{{code & mask:0{{digits}}x}}" for code in codes) or "-"


print("results:", " : ".join(pattern(results[i], *rest) for i, *rest in [{patterns}]))
"""

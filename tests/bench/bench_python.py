# SPDX-License-Identifier: Apache-2.0
"""What a call from Python costs beside the call of the library that it makes, and what importing the package does.

    build/python/venv/bin/python tests/bench/bench_python.py      (tests/python/environment makes that interpreter)

Least of 15 rounds, in one process, of a sum of two numbers and of a product of 64x64 matrices."""
import subprocess
import sys
import time

import numpy as np

import assay
from assay import _library
from assay._library import ffi, lib

ROUNDS, CALLS = 15, 500


def least(call, calls):
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        best = min(best, (time.perf_counter() - begin) / calls)
    return best * 1e6


def compare(op, operands, result):
    program = assay.check(op, operands, result).program
    structs, kept = program.structs(operands)
    results, also_kept = program.structs([result], of_results=True)
    question = _library.question_of(program.handle, structs, len(operands), results, 1, "wide")
    out, error, context = ffi.new("assay_verdict_t **"), _library.new_error(), _library.context()

    def bare():
        lib.assay_check(context, question, out, error)
        lib.assay_verdict_free(out[0])

    calls = CALLS if result.size < 100 else 20
    python, library = least(lambda: assay.check(op, operands, result), calls), least(bare, calls)
    del kept, also_kept
    print(f"{op} {'x'.join(map(str, result.shape))}: library {library:.1f} us, python {python:.1f} us, adds {python - library:.1f} us, "
          f"ratio {python / library:.2f}")


def seconds_of(code):
    begin = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True)
    return time.perf_counter() - begin


x = np.float32([1, 2])
compare("add", [x, x], x + x)
a, b = np.random.default_rng(1).standard_normal((2, 64, 64), np.float32)
compare("dot_general", [a, b], a @ b)
bare, numpy, whole = (min(seconds_of(code) for _ in range(5)) for code in ("pass", "import numpy", "import assay"))
print(f"import: numpy {numpy - bare:.3f} s, assay with numpy {whole - bare:.3f} s")

# SPDX-License-Identifier: Apache-2.0
"""Prints a table: which faults are found, and which right kernels are blamed, by numpy.testing.assert_allclose at usual
tolerances, by gpucheck's tolerances, and by Assay.

    python examples/compare.py [--cases N] [--seed N] [--only WORD]

Kernels are those of these examples and of tests/kernel_bank (in NumPy), right ones and faulty ones.  Each is run on two kinds of data:
"normal" ones as tests have them mostly, normal numbers in sizes that are powers of two; and "drawn" ones, N cases as Assay draws
them, with special values and sizes around blocks.  All three judge the same results.  Tolerances compare with the same op in
binary64, rounded to the result's type; NaN equals NaN.  What is not installed (torch and triton, jax, a C compiler, gpucheck) is
left out, and said so."""

import argparse
import ctypes
import importlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings
from collections import namedtuple

import ml_dtypes
import numpy as np

import assay

HERE = pathlib.Path(__file__).resolve().parent
BANK = HERE.parent / "tests/kernel_bank"
# rtol = atol: KernelBench's for f32, and what tests of half-precision kernels have mostly.
ALLCLOSE = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2, "bfloat16": 1e-2}
DRAWS_PER_CASE = 100
DTYPES = {"f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16, "i64": np.int64, "i32": np.int32}

# `takes` and `run` get a Program of assay_worker.py; `run` also the operands, and returns a list.
Kernel = namedtuple("Kernel", "name op types is_faulty takes run")

sys.path.insert(0, str(BANK))
os.environ.setdefault("TRITON_INTERPRET", "1")
import numpy_kernels as bank  # noqa: E402
from assay_worker import Program  # noqa: E402

# ---- Kernels ----------------------------------------------------------------------------------------------------------


def as_list(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def bank_kernels():
    rows = re.findall(r"^(RIGHT|FAULTY)\((\w+)", (BANK / "kernels.def").read_text(), re.MULTILINE)
    for kind, name in rows:
        op, types, takes, function = bank.KERNELS[name]
        yield Kernel(
            f"bank/{name}", op, types, kind == "FAULTY", takes,
            lambda program, *operands, function=function: as_list(function(program, *operands)),
        )  # fmt: skip


def load(folder, module, faulty):
    """The module of an example, without or with its faults."""
    os.environ["FAULTY"] = "1" if faulty else "0"
    sys.path.insert(0, str(HERE / folder))
    try:
        spec = importlib.util.spec_from_file_location(f"{module}_{int(faulty)}", HERE / folder / f"{module}.py")
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = loaded
        spec.loader.exec_module(loaded)
        return loaded
    finally:
        sys.path.pop(0)


def is_matrix(program):
    return len(program.operands[0].shape) == 2 and 0 not in program.operands[0].shape + program.results[0].shape


def is_row_op(program):
    return is_matrix(program) and bank.axes(program) == [1]


def numpy_examples(faulty):
    kernels = load("numpy", "numpy_kernels", faulty)
    yield Kernel("numpy/softmax", "byteir.softmax", "f32 -> f32", faulty, bank.is_along_last,
                 lambda program, x: [kernels.softmax(x)])  # fmt: skip
    yield Kernel("numpy/row_sums", "stablehlo.reduce", "f32 f32 -> f32", faulty, bank.is_sum,
                 lambda program, x, start: [kernels.row_sums(x, start[()])])  # fmt: skip


def triton_examples(faulty):
    import torch

    kernels = load("triton", "triton_kernels", faulty)

    def call(function, *operands):
        return [function(*[torch.from_numpy(operand.copy()).to(kernels.DEVICE) for operand in operands]).cpu().numpy()]

    yield Kernel("triton/matmul", "stablehlo.dot_general", "f16 f16 -> f16", faulty,
                 lambda program: bank.is_matmul(program) and 0 not in program.operands[0].shape + program.operands[1].shape,
                 lambda program, *operands: call(kernels.matmul, *operands))  # fmt: skip
    yield Kernel("triton/softmax", "byteir.softmax", "f32 -> f32", faulty, is_row_op,
                 lambda program, x: call(kernels.softmax, x))  # fmt: skip


def has_epsilon(program, epsilon):
    return np.float32(bank.epsilon_of(program)) == np.float32(epsilon) and not bank.is_outside(program)


def pallas_examples(faulty):
    kernels = load("pallas", "pallas_kernels", faulty)
    yield Kernel("pallas/layer_norm", "byteir.layer_norm", "f32 f32 f32 -> f32", faulty,
                 lambda program: is_row_op(program) and has_epsilon(program, kernels.EPSILON),
                 lambda program, *operands: [np.asarray(kernels.layer_norm(*operands))])  # fmt: skip


def c_examples(faulty):
    library = pathlib.Path(tempfile.mkdtemp()) / "kernels.so"
    flags = ["-O2", "-ffp-contract=off", "-shared", "-fPIC", "-I", str(HERE / "gtest")] + ["-DFAULTY"] * faulty
    subprocess.run(["cc", *flags, str(HERE / "gtest/kernels.c"), "-o", str(library), "-lm"], check=True)
    loaded = ctypes.CDLL(str(library))

    def pointers(*arrays):
        return [array.ctypes.data_as(ctypes.c_void_p) for array in arrays]

    def matmul(program, a, b):
        c = np.empty(program.results[0].shape, a.dtype)
        loaded.matmul_bf16(*pointers(a, b, c), *(ctypes.c_int64(size) for size in (*a.shape, b.shape[1])))
        return [c]

    def layer_norm(program, x, weight, bias):
        y = np.empty_like(x)
        epsilon = ctypes.c_float(bank.epsilon_of(program))
        loaded.layer_norm(*pointers(x, weight, bias, y), ctypes.c_int64(x.shape[0]), ctypes.c_int64(x.shape[1]), epsilon)
        return [y]

    yield Kernel("gtest/matmul_bf16", "stablehlo.dot_general", "bf16 bf16 -> bf16", faulty, bank.is_matmul, matmul)
    yield Kernel("gtest/layer_norm", "byteir.layer_norm", "f32 f32 f32 -> f32", faulty,
                 lambda program: is_row_op(program) and not bank.is_outside(program), layer_norm)  # fmt: skip


def all_kernels():
    yield from bank_kernels()
    for examples in (numpy_examples, triton_examples, pallas_examples, c_examples):
        for faulty in (False, True):
            try:
                yield from examples(faulty)
            except (ImportError, FileNotFoundError) as missing:
                print(f"left out: {examples.__name__.split('_')[0]}: {missing}")
                break


# ---- Data -------------------------------------------------------------------------------------------------------------

NORMAL = {
    "byteir.softmax": "axis=1 f32[16,1024] -> f32[16,1024]",
    "byteir.log_softmax": "axis=1 f32[16,1024] -> f32[16,1024]",
    "byteir.layer_norm": "epsilon=0x1.4f8b588e368f1p-17 axis=[1] eps_outside_sqrt=false f32[16,256] f32[256] f32[256] -> f32[16,256]",
    "byteir.l2_norm": "epsilon=0x1.4f8b588e368f1p-17 axis=[1] eps_outside_sqrt=false f32[16,16] -> f32[16,16]",
    "byteir.arg_max": "axis=1 keep_dims=false select_last_index=false f32[16,256] -> i64[16]",
    "byteir.top_k": "k=4 axis=[1] sorted=true f32[16,256] -> f32[16,4] i32[16,4]",
    "stablehlo.reduce": "body=add dims=[1] f32[16,1024] f32[] -> f32[16]",
    "stablehlo.batch_norm_training": "epsilon=0x1.4f8b58p-17 feature_index=1 f32[16,8,16] f32[8] f32[8] -> f32[16,8,16] f32[8] f32[8]",
    "stablehlo.convolution": "window_strides=[1,1] padding=[[1,1],[1,1]] lhs_dilation=[1,1] rhs_dilation=[1,1] window_reversal=[false,false] "
    "dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=1 batch_group_count=1 f32[1,8,8,4] f32[3,3,4,8] -> f32[1,8,8,8]",
}  # fmt: skip


def normal_line(kernel):
    if kernel.op == "byteir.gelu":
        return f"byteir.gelu approximate={'tanh' if kernel.name != 'bank/gelu_erf' else 'erf'} f32[1024] -> f32[1024]"
    if kernel.op == "stablehlo.dot_general":
        left, right, _, result = kernel.types.split(" ")
        return f"stablehlo.dot_general batch=[]x[] contract=[1]x[0] {left}[64,128] {right}[128,64] -> {result}[64,64]"
    return f"{kernel.op} {NORMAL[kernel.op]}"


def normal_cases(kernel, seed, count):
    """Normal numbers, and the initial value 0."""
    for i in range(count):
        rng = np.random.default_rng((seed, i))
        program = Program.parse(normal_line(kernel), "")
        operands = [
            (rng.standard_normal(kind.shape) if kind.shape else np.zeros(())).astype(DTYPES[kind.element])
            for kind in program.operands
        ]
        yield program, assay.case(program.line, operands)


def drawn_cases(kernel, seed, count):
    """As Assay draws them, those that the kernel takes, without empty ones."""
    types = kernel.types.replace(" -> ", "->").replace(" ", ",")
    found = 0
    for i in range(DRAWS_PER_CASE * count):
        case = assay.draw(kernel.op, types=types, seed=(seed << 32) + i)
        program = Program.parse(case.program.line, "")
        is_empty = any(0 in kind.shape for kind in program.operands)  # Of which a reference in NumPy may know nothing.
        has_types = len(program.results) == len(kernel.types.split(" -> ")[1].split(" "))
        if is_empty or not has_types or not kernel.takes(program):
            continue
        yield program, case
        found += 1
        if found == count:
            return


# ---- Judges -----------------------------------------------------------------------------------------------------------

IN_BINARY64 = {
    "byteir.softmax": bank.softmax_two_pass,
    "byteir.log_softmax": bank.log_softmax,
    "byteir.layer_norm": bank.layer_norm_two_pass,
    "byteir.l2_norm": bank.l2_norm,
    "byteir.arg_max": bank.arg_max,
    "byteir.top_k": bank.top_k,
    "stablehlo.batch_norm_training": bank.batch_norm,
    "stablehlo.convolution": bank.convolution,
    "stablehlo.dot_general": lambda program, a, b: a @ b,
    "stablehlo.reduce": lambda program, x, start: x.sum(axis=-1) + start,
}


def expected_of(program, operands, results):
    wide = [operand.astype(np.float64) for operand in operands]
    if program.op == "byteir.gelu":
        function = bank.gelu_tanh if bank.is_by_tanh(program) else bank.gelu_erf
    else:
        function = IN_BINARY64[program.op]
    return [np.asarray(value).astype(got.dtype) for value, got in zip(as_list(function(program, *wide)), results)]


def usual_tolerance(dtype):
    tolerance = ALLCLOSE.get(dtype.name, 0)  # Integers: equal.
    return tolerance, tolerance


def find_judges():
    """What gives the tolerances of a type, absolute and relative, by name."""
    judges = {"allclose": usual_tolerance}
    try:
        import gpucheck

        judges["gpucheck"] = lambda dtype: gpucheck.compute_tolerance(dtype) if dtype.kind not in "iu" else (0, 0)
    except ImportError:
        print("left out: gpucheck is not installed")
    return judges


def is_close(tolerances, got, expected):
    atol, rtol = tolerances(got.dtype)
    try:
        np.testing.assert_allclose(got.astype(np.float64), expected.astype(np.float64), rtol=rtol, atol=atol)
        return True
    except AssertionError:
        return False


def blames(kernel, cases, judges):
    """How many cases there were, and how many each judge blames."""
    count, blamed = 0, dict.fromkeys([*judges, "assay"], 0)
    for program, case in cases:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                results = kernel.run(program, *case.operands)
                expected = expected_of(program, case.operands, results)
            except assay.Refused:
                continue
            results = [np.asarray(got, as_expected) for got, as_expected in zip(results, result_dtypes(case))]
            expected = [one.astype(got.dtype) for one, got in zip(expected, results)]
            count += 1
            for name, tolerances in judges.items():
                blamed[name] += not all(is_close(tolerances, *pair) for pair in zip(results, expected))
            blamed["assay"] += not case.check(*results)
    return count, blamed


def result_dtypes(case):
    return [DTYPES[kind.element] for kind in case.program.results]


# ---- The table --------------------------------------------------------------------------------------------------------


def print_table(rows, judges):
    for title, is_faulty in (("faulty kernels: cases that are blamed", True), ("right kernels: cases that are blamed", False)):
        kinds = [f"{data} {judge}" for data in ("normal", "drawn") for judge in judges]
        print(f"\n| {title} | " + " | ".join(kinds) + " |\n|" + " --- |" * (len(kinds) + 1))
        for kernel, normal, drawn in rows:
            if kernel.is_faulty != is_faulty:
                continue
            cells = [f"{blamed[judge]} of {count}" for count, blamed in (normal, drawn) for judge in judges]
            print(f"| {kernel.name} | " + " | ".join(cells) + " |")


def print_totals(rows, judges):
    faulty = [row for row in rows if row[0].is_faulty]
    right = [row for row in rows if not row[0].is_faulty]
    print(f"\n| data, judge | faults found of {len(faulty)} | right kernels blamed of {len(right)} |\n| --- | --- | --- |")
    for place, data in ((1, "normal"), (2, "drawn")):
        for judge in judges:
            found, alarms = (sum(row[place][1][judge] > 0 for row in kernels) for kernels in (faulty, right))
            print(f"| {data}, {judge} | {found} | {alarms} |")


def main():
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--cases", type=int, default=40, help="drawn cases for each kernel (default: 40)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="kernels with this in their names")
    options = parser.parse_args()
    judges = find_judges()
    rows = []
    for kernel in all_kernels():
        if options.only not in kernel.name:
            continue
        normal = blames(kernel, normal_cases(kernel, options.seed, 3), judges)
        drawn = blames(kernel, drawn_cases(kernel, options.seed, options.cases), judges)
        rows.append((kernel, normal, drawn))
        print(f"{kernel.name}: {drawn[0]} drawn cases", file=sys.stderr)
    print_table(rows, [*judges, "assay"])
    print_totals(rows, [*judges, "assay"])


main()

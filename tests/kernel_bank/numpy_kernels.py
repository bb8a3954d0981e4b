# SPDX-License-Identifier: Apache-2.0
"""The kernels of the bank in NumPy: a function for each row of kernels.def.

    assay run --op byteir.softmax --executor 'proc:python3 tests/kernel_bank/numpy_kernels.py kernel=softmax_online'

A kernel gets the program and its operands as arrays.  Rows are along the last dimension; whatever else is asked for
is refused.
"""
import math
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "harness/exec/workers"))

import assay_worker  # noqa: E402
from shared_programs import byteir_program  # noqa: E402
from assay_worker import Program, Unsupported  # noqa: E402

BLOCK = 64
KERNELS = {}  # name -> (op, element types, what it asks of a program, the function)


def kernel(op, types, takes=lambda program: True):
    def note(function):
        KERNELS[function.__name__] = (op, types, takes, function)
        return function

    return note


def axes(program):
    """The dimensions that `axis` or `dims` names."""
    text = program.attributes.get("axis") or program.attributes["dims"]
    return [int(word) for word in text.strip("[]").split(",") if word]


def is_along_last(program):
    return axes(program) == [len(program.operands[0].shape) - 1]


def blocks(x, size=BLOCK):
    """Parts of the last dimension, the last of which may be shorter."""
    return [x[..., begin : begin + size] for begin in range(0, x.shape[-1], size)]


def largest(x):
    """Of each row; a row without elements has one too."""
    return x.max(axis=-1, keepdims=True, initial=-np.inf)


# ---- Softmax ---------------------------------------------------------------------------------------------------


def softmax(name):
    return kernel("byteir." + name, "f32 -> f32", is_along_last)


def shifted(x, shift):
    e = np.exp(x - shift)
    return e / e.sum(axis=-1, keepdims=True)


@softmax("softmax")
def softmax_two_pass(program, x):
    return shifted(x, largest(x))


@softmax("softmax")
def softmax_missing_max(program, x):
    return shifted(x, np.float32(0))


def filled(x, filling):
    """Over whole blocks, filled up."""
    missing = -x.shape[-1] % BLOCK
    padded = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, missing)], constant_values=filling)
    return shifted(padded, largest(padded))[..., : x.shape[-1]]


@softmax("softmax")
def softmax_padded(program, x):
    return filled(x, -np.inf)


@softmax("softmax")
def softmax_tail_mask(program, x):
    return filled(x, 0)


def by_blocks(x, rescales):
    greatest = np.full((*x.shape[:-1], 1), -np.inf, x.dtype)
    total = np.zeros_like(greatest)
    for block in blocks(x):
        new = np.maximum(greatest, largest(block))
        shift = np.where(new == -np.inf, np.float32(0), new)  # Or -inf - -inf would be NaN.
        if rescales:
            total *= np.exp(greatest - shift)
        total += np.exp(block - shift).sum(axis=-1, keepdims=True)
        greatest = new
    return np.exp(x - greatest) / total


@softmax("softmax")
def softmax_online(program, x):
    return by_blocks(x, rescales=True)


@softmax("softmax")
def softmax_no_rescale(program, x):
    return by_blocks(x, rescales=False)


@softmax("log_softmax")
def log_softmax(program, x):
    shift = x - largest(x)
    return shift - np.log(np.exp(shift).sum(axis=-1, keepdims=True))


# ---- Norms -----------------------------------------------------------------------------------------------------


def epsilon_of(program):
    return np.float32(float.fromhex(program.attributes["epsilon"]))


def is_outside(program):
    return program.attributes.get("eps_outside_sqrt") == "true"


def two_pass(x):
    """The mean, and the sum of squared deviations."""
    mean = x.mean(axis=-1, keepdims=True)
    return mean, np.square(x - mean).sum(axis=-1, keepdims=True)


def welford(x):
    mean = np.zeros((*x.shape[:-1], 1), x.dtype)
    squares = np.zeros_like(mean)
    for i in range(x.shape[-1]):
        deviation = x[..., i : i + 1] - mean
        mean += deviation / np.float32(i + 1)
        squares += deviation * (x[..., i : i + 1] - mean)
    return mean, squares


def merged(x):
    """Block by block, merged by Chan's formula."""
    first, *others = blocks(x)
    count = first.shape[-1]
    mean, squares = two_pass(first)
    for block in others:
        more = block.shape[-1]
        block_mean, block_squares = two_pass(block)
        distance = block_mean - mean
        mean = mean + distance * np.float32(more / (count + more))
        squares = squares + block_squares + np.square(distance) * np.float32(count * more / (count + more))
        count += more
    return mean, squares


def normalized(x, weight, bias, mean, variance, epsilon, outside):
    deviation = np.sqrt(variance) + epsilon if outside else np.sqrt(variance + epsilon)
    return (x - mean) / deviation * weight + bias


def layer_norm(take_moments, program, x, weight, bias):
    mean, squares = take_moments(x)
    variance = squares / np.float32(x.shape[-1])
    return normalized(x, weight, bias, mean, variance, epsilon_of(program), is_outside(program))


norm = kernel("byteir.layer_norm", "f32 f32 f32 -> f32", is_along_last)


@norm
def layer_norm_two_pass(program, *operands):
    return layer_norm(two_pass, program, *operands)


@norm
def layer_norm_welford(program, *operands):
    return layer_norm(welford, program, *operands)


@norm
def layer_norm_blocks(program, *operands):
    return layer_norm(merged, program, *operands)


@norm
def layer_norm_wrong_count(program, x, weight, bias):
    variance = x.var(axis=-1, ddof=1, keepdims=True)  # Fault: n - 1.
    return normalized(x, weight, bias, x.mean(axis=-1, keepdims=True), variance, epsilon_of(program), is_outside(program))


@norm
def layer_norm_epsilon(program, x, weight, bias):
    variance = x.var(axis=-1, keepdims=True)
    epsilon = np.float32(1e-5)  # Fault: whatever the program says.
    return normalized(x, weight, bias, x.mean(axis=-1, keepdims=True), variance, epsilon, is_outside(program))


def over_norm(program, x):
    epsilon = epsilon_of(program)
    total = np.square(x).sum(axis=-1, keepdims=True)
    return x / (np.maximum(np.sqrt(total), epsilon) if is_outside(program) else np.sqrt(np.maximum(total, epsilon)))


@kernel("byteir.l2_norm", "f32 -> f32", is_along_last)
def l2_norm(program, x):
    return over_norm(program, x)


@kernel("byteir.l2_norm", "f32 -> f32", is_along_last)
def l2_norm_row_stride(program, x):
    """The rows of a flat buffer, which wraps where the wrong stride leaves it."""
    n = x.shape[-1]
    count = math.prod(x.shape[:-1])
    places = np.arange(count)[:, None] * count + np.arange(n)  # Fault: * n.
    rows = x.reshape(-1).take(places, mode="wrap") if x.size else x.reshape(count, n)
    return over_norm(program, rows).reshape(x.shape)


def rms_norm(x, weight, mean, epsilon):
    """As Llama has it: what is normalized, in f32, is rounded to f16 before the weight."""
    return (x.astype(np.float32) / np.sqrt(mean + epsilon)).astype(np.float16) * weight


def sum_of_squares(x):
    return np.square(x.astype(np.float32)).sum(axis=-1, keepdims=True)


rms = kernel("nn.rms_norm", "f16 f16 -> f16")


@rms
def rms_norm_rounded(program, x, weight):
    return rms_norm(x, weight, sum_of_squares(x) / np.float32(x.shape[-1]), epsilon_of(program))


@rms
def rms_norm_epsilon(program, x, weight):
    root = np.sqrt(sum_of_squares(x) / np.float32(x.shape[-1]))
    return rms_norm(x, weight, np.square(root + epsilon_of(program)), np.float32(0))  # Fault: epsilon outside.


@rms
def rms_norm_count(program, x, weight):
    return rms_norm(x, weight, sum_of_squares(x) / np.float32(x.shape[-1] - 1), epsilon_of(program))  # Fault: n - 1.


@kernel("stablehlo.batch_norm_training", "f32 f32 f32 -> f32 f32 f32")
def batch_norm(program, x, scale, offset):
    feature = int(program.attributes["feature_index"])
    others = tuple(dim for dim in range(x.ndim) if dim != feature)
    mean, variance = x.mean(axis=others, keepdims=True), x.var(axis=others, keepdims=True)
    aligned = [-1 if dim == feature else 1 for dim in range(x.ndim)]
    y = (x - mean) / np.sqrt(variance + epsilon_of(program)) * scale.reshape(aligned) + offset.reshape(aligned)
    return y, mean.reshape(-1), variance.reshape(-1)


# ---- gelu ------------------------------------------------------------------------------------------------------


def is_by_tanh(program):
    return byteir_program.gelu(program) == "tanh"


erf = np.vectorize(math.erf, otypes=[np.float64])


@kernel("byteir.gelu", "f32 -> f32", lambda program: not is_by_tanh(program))
def gelu_erf(program, x):
    return np.float32(0.5) * x * (1 + erf(x / math.sqrt(2)).astype(np.float32))


def by_tanh(x, factor):
    inner = np.float32(factor) * (x + np.float32(0.044715) * x**3)
    return np.float32(0.5) * x * (1 + np.tanh(inner))


@kernel("byteir.gelu", "f32 -> f32", is_by_tanh)
def gelu_tanh(program, x):
    return by_tanh(x, math.sqrt(2 / math.pi))


@kernel("byteir.gelu", "f32 -> f32", is_by_tanh)
def gelu_constant(program, x):
    return by_tanh(x, 0.7978)  # Fault: cut after four digits.


# ---- Products and sums -----------------------------------------------------------------------------------------


def is_matmul(program):
    attributes = program.attributes
    plain = attributes["batch"] == "[]x[]" and attributes["contract"] == "[1]x[0]"
    return plain and "algorithm" not in attributes and len(program.operands[1].shape) == len(program.operands[0].shape) == 2


def in_blocks(a, b, terms):
    c = np.zeros((a.shape[0], b.shape[1]), np.float32)
    for k in range(0, terms, BLOCK):
        c += a[:, k : min(k + BLOCK, terms)] @ b[k : min(k + BLOCK, terms)]
    return c


@kernel("stablehlo.dot_general", "f32 f32 -> f32", is_matmul)
def matmul(program, a, b):
    return in_blocks(a, b, a.shape[1])


@kernel("stablehlo.dot_general", "f32 f32 -> f32", is_matmul)
def matmul_tail(program, a, b):
    if a.shape[1] < BLOCK:
        return a @ b  # Small ones are not worth it, and this is what was tested.
    return in_blocks(a, b, a.shape[1] // BLOCK * BLOCK)  # Fault: what is left over.


@kernel("stablehlo.dot_general", "f16 f16 -> f32", is_matmul)
def matmul_f16(program, a, b):
    return a.astype(np.float32) @ b.astype(np.float32)


@kernel("stablehlo.dot_general", "f16 f16 -> f32", is_matmul)
def matmul_f16_accumulation(program, a, b):
    return (a @ b).astype(np.float32)  # Fault: too late.


def is_sum(program):
    return program.attributes["body"] == "add" and is_along_last(program)


@kernel("stablehlo.reduce", "f32 f32 -> f32", is_sum)
def reduce_lanes(program, x, init):
    return np.add.reduce(x, axis=-1, initial=init[()])  # In eight lanes, and pairs of blocks of 128.


def sum_of_blocks(parts, x, init):
    total = np.full(x.shape[:-1], init)
    for part in parts:
        total = total + part.sum(axis=-1, initial=np.float32(-0.0))  # Or the sum of -0 would be +0.
    return total


@kernel("stablehlo.reduce", "f32 f32 -> f32", is_sum)
def reduce_blocks(program, x, init):
    return sum_of_blocks(blocks(x), x, init)


@kernel("stablehlo.reduce", "f32 f32 -> f32", is_sum)
def reduce_last_block(program, x, init):
    parts = blocks(x)
    count = max(x.shape[-1] // BLOCK, 1)  # Fault: rounded down.
    return sum_of_blocks(parts[:count], x, init)


@kernel(
    "stablehlo.convolution",
    "f32 f32 -> f32",
    lambda program: program.attributes["dimension_numbers"] == "[b,0,1,f]x[0,1,i,o]->[b,0,1,f]"
    and program.attributes["batch_group_count"] == "1",
)
def convolution(program, x, weights):
    """The operand dilated and padded, and a product of matrices for each tap of the window."""
    ask = program.numbers
    padding, strides, dilation = ask("padding"), ask("window_strides"), ask("rhs_dilation")
    for dim, (step, (low, high)) in enumerate(zip(ask("lhs_dilation"), padding), start=1):
        sizes = list(x.shape)
        sizes[dim] = max((sizes[dim] - 1) * step + 1, 0)
        apart = np.zeros(sizes, x.dtype)
        apart[(slice(None),) * dim + (slice(None, None, step),)] = x
        widths = [(0, 0)] * x.ndim
        widths[dim] = (max(low, 0), max(high, 0))
        x = np.pad(apart, widths)
        x = x[(slice(None),) * dim + (slice(max(-low, 0), x.shape[dim] - max(-high, 0)),)]
    for dim, reversed_ in enumerate(ask("window_reversal")):
        weights = np.flip(weights, dim) if reversed_ else weights
    y = np.zeros(program.results[0].shape, x.dtype)
    groups = ask("feature_group_count")
    inputs, outputs = weights.shape[2], weights.shape[3] // groups
    for i in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            rows = slice(i * dilation[0], i * dilation[0] + (y.shape[1] - 1) * strides[0] + 1, strides[0])
            columns = slice(j * dilation[1], j * dilation[1] + (y.shape[2] - 1) * strides[1] + 1, strides[1])
            for group in range(groups if y.size else 0):
                part = x[:, rows, columns, group * inputs : (group + 1) * inputs]
                chosen = slice(group * outputs, (group + 1) * outputs)
                y[..., chosen] += part @ weights[i, j, :, chosen]
    return y


# ---- Picks -----------------------------------------------------------------------------------------------------


@kernel("byteir.arg_max", "f32 -> i64", is_along_last)
def arg_max(program, x):
    pick = byteir_program.pick(program)
    index = x.shape[-1] - 1 - x[..., ::-1].argmax(axis=-1) if pick.takes_last else x.argmax(axis=-1)
    return np.expand_dims(index, -1) if pick.keeps_dims else index


@kernel("byteir.top_k", "f32 -> f32 i32", is_along_last)
def top_k(program, x):
    """By stable sorting: NaNs first, then descending."""
    k = byteir_program.top_k(program).k
    by_size = np.lexsort((-x, ~np.isnan(x)), axis=-1)[..., :k]
    return np.take_along_axis(x, by_size, axis=-1), by_size.astype(np.int32)


# ---- The worker ------------------------------------------------------------------------------------------------

KEYS = (
    "axis dims epsilon eps_outside_sqrt feature_index approximate batch contract precision body window_strides padding "
    "lhs_dilation rhs_dilation window_reversal dimension_numbers feature_group_count batch_group_count keep_dims "
    "select_last_index k sorted"
).split()


class Kernel(assay_worker.Worker):
    def __init__(self, options):
        name = assay_worker.take(options, "kernel", "softmax_two_pass", tuple(KERNELS))
        super().__init__(options)
        self.name, self.version = name, np.__version__
        self.op, self.types, self.takes, self.function = KERNELS[name]

    def compile(self, program: Program):
        names = [kind.element for kind in program.operands] + ["->"] + [kind.element for kind in program.results]
        program.check_attributes(*KEYS)
        if program.op != self.op or " ".join(names) != self.types or not self.takes(program):
            raise Unsupported(f"{self.name} does {self.op} of {self.types} along the last dimension")
        return program

    def execute(self, program, operands):
        with np.errstate(all="ignore"):
            results = self.function(program, *operands)
        results = results if isinstance(results, tuple) else (results,)
        return [np.asarray(result, kind.dtype) for result, kind in zip(results, program.results)]


if __name__ == "__main__":
    assay_worker.main(Kernel)

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Functions of a user's own as executors: the workers for NumPy, PyTorch and JAX take a Python file that names them.
# Skipped, with the reason, where their packages cannot be had.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

# installed WORKER: whether it is, or can be; else a skipped point says why not.
installed() {
  "$ASSAY" executors install "$1" >out 2>err </dev/null && return
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
  return 1
}

# vet EXIT EXECUTOR DESCRIPTION OP [CONTRACT]: some cases of an op, of corpus/ops or built in.
vet() {
  run "$1" "$3" run --ops "$root/corpus/ops" --op "$4" --executor "$2" --cases 150 --contract "${5:-backend}"
}

if installed numpy; then
  cat >right.py <<'END'
import numpy as np

def rms_norm(x, weight, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(epsilon)) * weight

def silu(x):
    if x.dtype.name == "bfloat16":
        raise NotImplementedError("no bf16 here")
    return [x / (1 + np.exp(-x))]

def quantized_add_relu(a, b, quantization):
    f32 = np.float32
    a, b = ((x.astype(f32) - f32(q.zero_points[0])) * f32(q.scales[0]) for x, q in zip((a, b), quantization))
    q = quantization[2]
    y = np.rint(np.maximum(a + b, f32(0)) / f32(q.scales[0]) + f32(q.zero_points[0]))
    return np.clip(y, q.minimum, q.maximum).astype(np.int8)

def embedding(table, ids):
    return table[ids]

def int4_matmul(x, w, scale):
    if x.dtype != np.float32:
        raise NotImplementedError("f32 alone")
    low, high = (w & 15).astype(np.int32) - 8, (w >> 4).astype(np.int32) - 8
    q = np.stack([low, high], 1).reshape(2 * len(w), w.shape[1]).astype(np.float32)
    return x @ (q * np.repeat(scale, 32, 0))

FUNCTIONS = {"nn.silu": silu, "nn.rms_norm": rms_norm, "nn.embedding": embedding, "nn.int4_matmul": int4_matmul,
             "nn.quantized_add_relu": quantized_add_relu}
END
  sed 's/x.dtype.type(epsilon)/0/' right.py >forgets_epsilon.py
  vet 0 'numpy?functions=right.py' 'a right norm' nn.rms_norm
  like out '^judged: numpy[?]functions=right.py 150 of 150' 'it is judged'
  vet 0 'numpy?functions=right.py' 'a right activation' nn.silu
  vet 0 'numpy?functions=right.py' 'a quantized sum' nn.quantized_add_relu
  like out '^judged: numpy[?]functions=right.py 150 of 150' 'all of it is judged'
  vet 0 'numpy?functions=right.py' 'an embedding' nn.embedding
  vet 0 'numpy?functions=right.py' 'packed weights' nn.int4_matmul
  sed 's/np.rint(np.maximum(a + b, f32(0))/np.floor(f32(0.5) + np.maximum(a + b, f32(0))/; s/table\[ids\]/table[ids - 1]/
    s/np.repeat(scale, 32, 0)/np.repeat(np.roll(scale, 1, 0), 32, 0)/' right.py >wrong.py
  vet 1 'numpy?functions=wrong.py' 'a quantized sum that rounds halves up' nn.quantized_add_relu
  vet 1 'numpy?functions=wrong.py' 'an embedding that is off by one' nn.embedding
  vet 1 'numpy?functions=wrong.py' 'scales of the wrong group' nn.int4_matmul
  vet 1 'numpy?functions=forgets_epsilon.py' 'a norm that forgets epsilon' nn.rms_norm
  vet 0 'numpy?functions=forgets_epsilon.py' 'the activation beside it' nn.silu

  # What its attributes are it says by its arguments: a program with another one is refused, and no failure.
  cat >plain.py <<'END'
import numpy as np

FUNCTIONS = {"stablehlo.transpose": lambda x, permutation: np.transpose(x, permutation),
             "stablehlo.reverse": lambda x, **attributes: np.flip(x, tuple(attributes["dimensions"])),
             "stablehlo.sqrt": np.sqrt}
END
  vet 0 'numpy?functions=plain.py' 'a function without quantized types' stablehlo.transpose
  unlike out ' failed: ' 'and does not fail'
  vet 0 'numpy?functions=plain.py' 'a function that takes any attribute' stablehlo.reverse

  # Norms of 16-bit floats that round the normalized number before the weight, as Llama's and those of Apex do.
  cat >rounding.py <<'END'
import numpy as np

def wide(x):
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x

def rms_norm(x, weight, epsilon):
    f = wide(x)
    square = (f * f).mean(-1, keepdims=True) + f.dtype.type(epsilon)
    return (f / np.sqrt(square)).astype(x.dtype) * weight

def layer_norm(x, weight, bias, epsilon, axis, eps_outside_sqrt=None):
    if x.dtype.itemsize != 2 or weight.dtype != x.dtype or list(axis) != [x.ndim - 1] or eps_outside_sqrt:
        raise NotImplementedError("16-bit rows alone")
    f = wide(x)
    c = f - f.mean(-1, keepdims=True)
    return (c / np.sqrt((c * c).mean(-1, keepdims=True) + np.float32(epsilon))).astype(x.dtype) * weight + bias

FUNCTIONS = {"nn.rms_norm": rms_norm, "byteir.layer_norm": layer_norm}
END
  sed 's|(f / np.sqrt(square))|(f * (1 / np.sqrt(square)).astype(x.dtype))|' rounding.py >root.py
  sed 's|.astype(x.dtype) \* weight + bias|.astype(x.dtype) * (weight + bias)|' rounding.py >bias.py
  vet 0 'numpy?functions=rounding.py' 'a norm that rounds before its weight' nn.rms_norm
  vet 0 'numpy?functions=rounding.py' 'as a contract may say' nn.rms_norm wide,normalized=rounded
  like out '^judged: numpy[?]functions=rounding.py 150 of 150' 'it is judged'
  vet 1 'numpy?functions=rounding.py' 'as `wide` does not' nn.rms_norm wide
  like out 'diverges (precision).*normalized=rounded; it would conform with normalized=rounded' 'it is named'
  unlike out 'diverges ([^p]' 'by nothing else'
  vet 1 'numpy?functions=root.py' 'an inverse root that is rounded, too' nn.rms_norm wide,normalized=rounded
  rows() { # EXIT FILE DESCRIPTION CONTRACT
    run "$1" "$3" run --executor "numpy?functions=$2" --cases 100 --contract "$4" \
      --program 'byteir.layer_norm epsilon=0x1.4f8b58p-17 axis=[1] bf16[6,24] bf16[24] bf16[24] -> bf16[6,24]' \
      --program 'byteir.layer_norm epsilon=0x1.4f8b58p-17 axis=[1] f16[9,7] f16[7] f16[7] -> f16[9,7]'
  }
  rows 0 rounding.py 'a layer norm that rounds before its weight' wide,normalized=rounded
  rows 1 rounding.py 'which `wide` does not permit' wide
  like out 'diverges (precision).*normalized=rounded' 'it is named'
  rows 1 bias.py 'a bias that is multiplied' wide,normalized=rounded

  run 0 'what a function cannot do' replay --ops "$root/corpus/ops" --executor 'numpy?functions=right.py' \
    'nn.silu bf16[1] -> bf16[1] : 3f80'
  like out 'reason: *no bf16 here' 'is refused in its words'
  run 0 'an op that the file does not name' replay --executor 'numpy?functions=right.py' \
    'byteir.erf f32[1] -> f32[1] : 3f800000'
  like out 'reason: *no function for byteir.erf' 'is refused'

  run 3 'no such file' run --op byteir.erf --executor 'numpy?functions=nowhere.py' --cases 1
  like err 'functions=nowhere.py: No such file' 'the error says which'
  echo 'FUNCTIONS = [' >broken.py
  run 3 'a file that is no Python' run --op byteir.erf --executor 'numpy?functions=broken.py' --cases 1
  like err 'functions=broken.py: SyntaxError' 'the error says what'
  echo 'FUNCTIONS = {"byteir.erf": 3}' >number.py
  run 3 'what is no function' run --op byteir.erf --executor 'numpy?functions=number.py' --cases 1
  like err 'functions=number.py: no dictionary FUNCTIONS' 'the error says what is wanted'
fi

if installed torch; then
  cat >torch_functions.py <<'END'
import torch
FUNCTIONS = {
    "nn.silu": torch.nn.functional.silu,
    "nn.embedding": lambda table, ids: torch.nn.functional.embedding(ids, table),
    "nn.rms_norm": lambda x, weight, epsilon: torch.nn.functional.rms_norm(x, x.shape[-1:], weight, epsilon),
}
END
  run 0 "PyTorch's silu" run --ops "$root/corpus/ops" --op nn.silu --executor 'torch?functions=torch_functions.py' \
    --contract backend,ftz=both --cases 60
  vet 0 'torch?functions=torch_functions.py' "PyTorch's embedding, of tables with one row too" nn.embedding
fi

if installed jax; then
  cat >jax_functions.py <<'END'
import jax
FUNCTIONS = {"nn.silu": jax.nn.silu, "byteir.erf": lambda x: x, "nn.embedding": lambda table, ids: table[ids]}
END
  run 0 "JAX's silu" run --ops "$root/corpus/ops" --op nn.silu --executor 'jax?functions=jax_functions.py' \
    --contract backend,ftz=both --cases 60
  vet 0 'jax?functions=jax_functions.py' 'rows of JAX, of f64 too' nn.embedding
  run 1 'a function in the place of the worker'"'"'s own' run --op byteir.erf \
    --executor 'jax?functions=jax_functions.py' --cases 20
fi

finish

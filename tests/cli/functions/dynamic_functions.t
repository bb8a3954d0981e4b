#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes that are unknown when a program is compiled, in executors made of a user's functions: kernels in C
# (assay_kernel.h) and functions of NumPy and PyTorch (functions=FILE).  Right ones conform, and one that keeps something
# of an earlier size is caught.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

add='stablehlo.add f32[?2,3] f32[?2,3] -> f32[?2,3] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f8000004000000040400000'
wide='stablehlo.add f32[?5,1] f32[?5,1] -> f32[?5,1] : 3f8000004000000040400000bf800000c0000000 : 3f8000004000000040400000bf800000c0000000'
softmax='byteir.softmax axis=1 f32[1,?3] -> f32[1,?3] : 3f8000004000000040400000'

# ---- Kernels in C --------------------------------------------------------------------------------------
if command -v cc >/dev/null 2>&1; then
  cat >kernels.c <<'END'
#include "harness/exec/assay_kernel.h"

static int is_short(const assay_program_t *program) { return program->operands[0].dims[0] <= 4; }

static void add(const assay_program_t *program, const void *const *operands, void *const *results) {
  const float *a = operands[0], *b = operands[1];
  float *sum = results[0];
  for (int64_t i = 0; i < assay_count(&program->results[0]); i++) sum[i] = a[i] + b[i];
}

/* Fault: the number of elements is that of the first call. */
static void add_first(const assay_program_t *program, const void *const *operands, void *const *results) {
  static int64_t count;
  if (count == 0) count = assay_count(&program->results[0]);
  const float *a = operands[0], *b = operands[1];
  float *sum = results[0];
  for (int64_t i = 0; i < assay_count(&program->results[0]); i++) sum[i] = i < count ? a[i] + b[i] : 0;
}

static const assay_kernel_t kernels[] = {
    {"add", "stablehlo.add", "f32 f32 -> f32", "", NULL, add},
    {"add_short", "stablehlo.add", "f32 f32 -> f32", "", is_short, add},
    {"add_first", "stablehlo.add", "f32 f32 -> f32", "", NULL, add_first}};
ASSAY_KERNELS(kernels)
END
  cc -std=c11 -O2 -Wall -Wextra -Werror -shared -fPIC -I "$root" -o libkernels.so kernels.c >out 2>err
  ok $? "kernels in C"
  run 0 "a kernel" replay "$add" --executor 'dso:./libkernels.so?add'
  like out ': conforms$' "a kernel: conforms at every size"
  run 0 "a kernel of short operands" replay "$add" --executor 'dso:./libkernels.so?add_short'
  like out ': conforms$' "a kernel of short operands: it is not asked for longer ones by the case"
  run 0 "a kernel of short operands, of longer ones" replay "$wide" --executor 'dso:./libkernels.so?add_short'
  like out 'reason: *add_short does not take this shape or attribute' "a kernel of short operands: refuses longer ones"
  run 1 "a kernel that keeps the first size" replay "$add" --executor 'dso:./libkernels.so?add_first'
  like out ': diverges, value$' "a kernel that keeps the first size: found"
  run 0 "the same where sizes are known" replay "$(echo "$add" | tr -d '?')" --executor 'dso:./libkernels.so?add_first'
  run 0 "a run of a kernel" run --op stablehlo.add --executor 'dso:./libkernels.so?add' --cases 200
  run 1 "a run of one that keeps the first size" run --op stablehlo.add \
    --executor 'dso:./libkernels.so?add_first' --cases 200
else
  count=$((count + 1))
  echo "ok $count - kernels in C # SKIP there is no C compiler"
fi

# ---- Functions in Python -------------------------------------------------------------------------------
# installed WORKER: whether it is; if not, a skipped check with the reason.
installed() {
  "$ASSAY" replay "$softmax" --executor "$1?functions=$2" >out 2>err </dev/null
  grep -q 'is not installed' err || return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed"
  return 1
}

cat >right.py <<'END'
import numpy as np

def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True, initial=-np.inf))
    return e / e.sum(axis, keepdims=True)

FUNCTIONS = {"byteir.softmax": softmax}
END
cat >scratch.py <<'END'
import numpy as np

scratch = np.zeros(0, np.float32)

def softmax(x, axis):
    """Fault: what a longer row left behind this one is summed too."""
    global scratch
    if axis != x.ndim - 1 or x.dtype != np.float32:
        raise NotImplementedError("rows of f32")
    n, y = x.shape[-1], np.empty_like(x)
    if scratch.size < n:
        scratch = np.zeros(n, np.float32)
    for row, result in zip(x.reshape(-1, n), y.reshape(-1, n)):
        scratch[:n] = np.exp(row - row.max())
        result[:] = scratch[:n] / scratch.sum()
    return y

FUNCTIONS = {"byteir.softmax": softmax}
END
cat >torch_functions.py <<'END'
import torch
FUNCTIONS = {"byteir.softmax": torch.softmax, "stablehlo.add": torch.add}
END
if installed numpy right.py; then
  run 0 "a function of NumPy" replay "$softmax" --executor 'numpy?functions=right.py'
  like out ': conforms$' "a function of NumPy: conforms at every size"
  run 1 "one whose scratch is not cleared" replay "$softmax" --executor 'numpy?functions=scratch.py'
  like out ': diverges' "one whose scratch is not cleared: found"
  run 0 "the same where sizes are known" replay "$(echo "$softmax" | tr -d '?')" --executor 'numpy?functions=scratch.py'
fi
if installed torch torch_functions.py; then
  printf '%s\n' "$softmax" "$add" >cases
  run 0 "functions of PyTorch" replay cases --executor 'torch?functions=torch_functions.py'
  [ "$(grep -c ': conforms$' out)" -eq 2 ]
  ok $? "functions of PyTorch: conform at every size"
fi
finish

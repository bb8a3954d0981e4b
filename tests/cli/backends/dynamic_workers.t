#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes that are unknown when a program is compiled, in PyTorch, ONNX Runtime, TensorFlow Lite and JAX: each conforms at
# sizes that it was not compiled with, refuses what it compiles for the sizes at hand, and is caught with a planted fault
# that shows at another size alone.  Skipped where they are not installed (workers.t installs them).
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

cat >cases <<'END'
stablehlo.add f32[?2,3] f32[?2,3] -> f32[?2,3] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f8000004000000040400000
stablehlo.transpose permutation=[1,0] f32[?2,3] -> f32[3,?2] : 3f80000040000000404000003f8000004000000040400000
stablehlo.convert f32[?3] -> i32[?3] : 3f8000004000000040400000
stablehlo.reduce body=add dims=[0] f32[?5] f32[] -> f32[] : 3f8000003f800000404000003f80000040000000 : 00000000
stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[?2,?3] f32[?3,1] -> f32[?2,1] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000
stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] f32[?2,1,3] f32[?2,3,1] -> f32[?2,1,1] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f8000004000000040400000
stablehlo.batch_norm_training epsilon=0x1p-1 feature_index=1 f32[?2,?2] f32[?2] f32[?2] -> f32[?2,?2] f32[?2] f32[?2] : 3f800000400000004040000040800000 : 3f8000003f800000 : 0000000000000000
stablehlo.batch_norm_grad epsilon=0x1p-1 feature_index=1 f32[?2,2] f32[2] f32[2] f32[2] f32[?2,2] -> f32[?2,2] f32[2] f32[2] : 3f800000400000004040000040800000 : 3f8000003f800000 : 4000000040400000 : 3f8000003f800000 : 3f8000004000000040a0000040800000
byteir.softmax axis=0 f32[?3,?2] -> f32[?3,?2] : 3f80000040000000404000003f8000004000000040400000
byteir.log_softmax axis=1 f32[?2,3] -> f32[?2,3] : 3f80000040000000404000003f8000004000000040400000
byteir.gelu approximate=erf f32[?3] -> f32[?3] : 3f8000004000000040400000
byteir.erf f32[?3] -> f32[?3] : 3f8000004000000040400000
byteir.layer_norm epsilon=0x1p-10 axis=[1] f32[?2,?3] f32[?3] f32[?3] -> f32[?2,?3] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000 : 3f8000004000000040400000
byteir.layer_norm epsilon=0x1p-10 axis=[0] eps_outside_sqrt=true f32[?3,2] f32[?3] f32[?3] -> f32[?3,2] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000 : 3f8000004000000040400000
byteir.l2_norm epsilon=0x1p-10 axis=[1] f32[?2,?3] -> f32[?2,?3] : 3f80000040000000404000003f8000004000000040400000
END

# ready EXECUTOR: whether it is installed; if not, a skipped check with the reason.
ready() {
  "$ASSAY" replay 'byteir.softmax axis=0 f32[1] -> f32[1] : 3f800000' --executor "$1" >out 2>err </dev/null
  grep -q 'is not installed' err || return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed"
  return 1
}

# conforms EXECUTOR CONFORMING OTHERS CONTRACT: all cases, of which so many conform and the others are refused.
conforms() {
  "$ASSAY" replay cases --executor "$1" --contract "$4" >out 2>err </dev/null
  is "$(grep -c ": conforms$" out) $(grep -c ": refused$" out)" "$2 $3" "$1: at sizes that it was not compiled with"
}

# planted WORKER ENVIRONMENT CASE CONTRACT: the program in planted.py, which is the worker with a fault, is wrong of the
# case and right of the same with known sizes.
planted() {
  python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/$2/bin/python
  { printf 'import sys\nsys.path.insert(0, "%s")\n' "$root/harness/exec/workers"; cat; } >planted.py
  printf '%s\n' "$3" "$(echo "$3" | tr -d '?')" >pair
  run 1 "$1: a planted fault of another size" replay pair --executor "proc:'$python' planted.py $5" --contract "$4"
  is "$(grep -o ': diverges, value$\|: conforms$' out | tr '\n' ' ')" ': diverges, value : conforms ' \
    "$1: a planted fault of another size is seen, and does not show where sizes are known"
}
sum='stablehlo.reduce body=add dims=[0] f32[?5] f32[] -> f32[] : 3f8000003f800000404000003f80000040000000 : 00000000'

if ready torch; then
  conforms torch 15 0 "@$root/harness/exec/workers/torch.contract"
  planted torch torch "$sum" backend <<'END'
import assay_worker, torch_worker
make = torch_worker.Torch._reduce
def keeps_the_first_size(self, program):
    run, kept = make(self, program), []
    def reduce(x, init):
        kept.append(x.shape[0])
        return run(x[: kept[0]], init)
    return reduce
torch_worker.Torch._reduce = keeps_the_first_size
assay_worker.main(torch_worker.Torch)
END
  run 0 "torch: what is made for known sizes" replay 'byteir.rng_uniform f32[] f32[] i64[] i64[] i64[1] -> f32[?2] : 00000000 : 3f800000 : 0000000000000001 : 0000000000000001 : 0000000000000002' --executor torch
  like out 'reason: *byteir.rng_uniform is compiled here for known sizes' "torch: is refused, and why"
  run 0 "torch: an invariance of sizes" invariance --property size --op stablehlo.add --type f32 --executor torch --cases 30
  like out '^  size  *[1-9][0-9]*  *0 ' "torch: an invariance of sizes holds"
fi

if ready onnxruntime; then
  conforms onnxruntime 14 1 "@$root/harness/exec/workers/onnxruntime.contract"
  planted onnxruntime onnxruntime "$sum" backend <<'END'
import assay_worker, onnxruntime_worker
from shared_programs import dynamic_program
make = onnxruntime_worker.OnnxRuntime._reduce
def keeps_a_size(self, graph, program):
    if not program.is_dynamic:
        return make(self, graph, program)
    ends = [graph.integers([value]) for value in (0, dynamic_program.EXAMPLE_SIZE, 0)]
    few = graph.add("Slice", ["operand0", *ends])
    return graph.add("Add", [graph.add("ReduceSum", [few, graph.integers([0])], keepdims=0), "operand1"])
onnxruntime_worker.OnnxRuntime._reduce = keeps_a_size
assay_worker.main(onnxruntime_worker.OnnxRuntime)
END
fi

if ready tflite; then
  conforms tflite 9 6 "@$root/harness/exec/workers/tflite.contract"
  planted tflite tflite "$sum" "@$root/harness/exec/workers/tflite.contract" <<'END'
import assay_worker, tflite_worker
execute, kept = tflite_worker.TensorFlowLite.execute_sized, []
def tells_the_first_size(self, handle, operands, results):
    kept.append(operands[0].shape[0])
    return execute(self, handle, [operands[0][: kept[0]], *operands[1:]], results)
tflite_worker.TensorFlowLite.execute_sized = tells_the_first_size
assay_worker.main(tflite_worker.TensorFlowLite)
END
fi

if ready jax; then
  conforms 'jax?sizes=export' 10 5 "@$root/harness/exec/workers/jax.contract"
  run 0 "jax, which compiles for each size" replay "$sum" --executor jax
  like out 'takes no sizes that are unknown when a program is compiled' "jax: takes none without the option"
  planted jax jax "$sum" "@$root/harness/exec/workers/jax.contract" sizes=export <<'END'
import assay_worker, jax_worker
make = jax_worker.Jax._reduce
def keeps_a_size(self, program):
    run = make(self, program)
    return run if not program.is_dynamic else lambda x, init: run(x[:3], init)
jax_worker.Jax._reduce = keeps_a_size
assay_worker.main(jax_worker.Jax)
END
fi
finish

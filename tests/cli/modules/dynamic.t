#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes that are unknown when a program is compiled: a model that conforms at every size, two faults of what a
# compiled program keeps of the sizes before, on cases, in runs and as an invariance; executors that do not say that they
# take such programs never see one; and XLA and the StableHLO interpreter, where they are installed.
. "$(dirname "$0")/../checks.sh"

erf='byteir.erf f32[?4,2] -> f32[?4,2] : 3f800000400000003f80000040000000c0000000000000000000000040000000'
sum='stablehlo.reduce body=add dims=[0] f32[?3] f32[] -> f32[] : 3f8000003f80000040400000 : 00000000'
add='stablehlo.add f32[?2,3] f32[?2,3] -> f32[?2,3] : 3f80000040000000404000003f8000004000000040400000 : 3f80000040000000404000003f8000004000000040400000'
dot='stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[?2,?3] f32[?3,1] -> f32[?2,1] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000'

for case in "$erf" "$sum" "$add" "$dot"; do
  run 0 "a model, ${case%% *}" replay "$case" --executor model:pairwise
  like out '^model:pairwise: conforms$' "a model, ${case%% *}: conforms"
done
run 0 "in a process of its own" replay "$sum" --executor model:pairwise --isolate
like out ': conforms$' "in a process of its own: conforms"
run 1 "the first size kept" replay "$erf" --executor canary:first_size_kept
like out "expected: -0x1.fd9a" "the first size kept: found"
run 0 "the first size kept, of a sum" replay "$sum" --executor canary:first_size_kept
run 1 "what an earlier size left" replay "$sum" --executor canary:former_size_padded
like out 'got: *0x1.6p+3' "what an earlier size left: summed"
run 0 "the same of known sizes" replay "$(echo "$sum" | tr -d '?')" --executor canary:former_size_padded

run 1 "a run" run --op stablehlo.add --executor canary:first_size_kept --cases 200
like out "\[[0-9,]*?[0-9]" "a run: its reproducers have question marks"
run 1 "a run of sums" run --op stablehlo.reduce --executor canary:former_size_padded --cases 600
run 0 "a run of a model" run --op stablehlo.add --op stablehlo.reduce --op byteir.softmax --executor model:sequential --cases 800
run 1 "invariance" invariance --property size --op stablehlo.add --executor canary:first_size_kept --cases 20
like out 'size FAILED; the property: an entry gives the same bits at whatever sizes' "invariance: said so"
run 0 "invariance of a model" invariance --property size --op stablehlo.add --op byteir.softmax --executor model:pairwise --cases 40
like out '^  size  *[1-9][0-9]*  *0  .*holds$' "invariance of a model: holds"
run 1 "made small" shrink "$erf" --executor canary:first_size_kept
like out 'f32\[?2\] -> f32\[?2\]' "made small: two elements, of an unknown size"

# Ops that a file declares tell their axes, unless a number depends on where it stands.
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
if [ -d "$root/corpus/ops" ]; then
  norm='nn.rms_norm epsilon=0x1p-10 f32[?4,?8] f32[?8] -> f32[?4,?8]'
  run 0 "a declared op" run --ops "$root/corpus/ops" --program "$norm" --executor model:pairwise --cases 30
  run 1 "a declared op, the first size kept" run --ops "$root/corpus/ops" --program "$norm" --executor canary:first_size_kept --cases 30
  like out 'f32.?[0-9]*,?[0-9]*. f32.?[0-9]*. -> ' "a declared op, the first size kept: its reproducers have question marks"
  run 0 "a declared op: invariance" invariance --ops "$root/corpus/ops" --op nn.rms_norm --op nn.softmax --executor model:pairwise --cases 40
  is "$(grep -c '^  \(size\|batch-position\)  *[1-9][0-9]*  *0 .*holds$' out)" 4 "a declared op: invariance holds"
  run 1 "a declared op: invariance of a fault" invariance --property size --ops "$root/corpus/ops" --op nn.rms_norm --executor canary:first_size_kept --cases 20
  run 2 "a declared op with places" run --ops "$root/corpus/ops" --program 'nn.rotary f32[?2,4,8] f32[4,4] f32[4,4] -> f32[?2,4,8]' --executor model:pairwise --cases 2
fi

# A worker that takes no unknown sizes, and writes down what it gets.
cat >worker.sh <<'END'
printf 'assay-worker 1\nname shell\nversion 1\nmlir no\nready\n'
while read -r line; do
  echo "$line" >>seen
  case $line in compile*) echo 'unsupported not this' ;; esac
done
END
run 0 "a worker that does not take them" replay "$add" --executor 'proc:sh worker.sh'
like out 'refused' "a worker that does not take them: refused"
like out 'takes no sizes that are unknown when a program is compiled' "a worker that does not take them: why"
[ ! -e seen ]
ok $? "a worker that does not take them: it has seen nothing"

run 2 "half of the operands" replay "$(echo "$add" | sed 's/f32\[?2,3\] ->/f32[2,3] ->/')" --executor model:pairwise
like err "which sizes are '?' does not fit the op" "half of the operands: said"

# ByteIR's custom calls and quantized programs are compiled again for each size, of XLA with an option.
quantized='!quant.uniform<i8:f32,0x1p-1:1>'
cat >>cases <<END
$add
$sum
$dot
byteir.softmax axis=0 f32[?3,?2] -> f32[?3,?2] : 3f80000040000000404000003f8000004000000040400000
byteir.layer_norm epsilon=0x1p-10 axis=[1] f32[?2,?3] f32[?3] f32[?3] -> f32[?2,?3] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000 : 3f8000004000000040400000
stablehlo.add $quantized[?2,3] $quantized[?2,3] -> $quantized[?2,3] : 010203040506 : 010203040506
stablehlo.dot_general batch=[]x[] contract=[1]x[0] $quantized[?2,?3] !quant.uniform<i8:f32,0x1p-1>[?3,1] -> $quantized[?2,1] : 010203040506 : 010203
END

# declared EXECUTOR WORKER: ops of files, whose modules have known sizes, get a module for each sizes; and a worker with a
# fault that only such modules have.
declared() {
  norm='nn.rms_norm epsilon=0x1p-10 f32[?2,?3] f32[?3] -> f32[?2,?3] : 3f80000040000000404000003f8000004000000040400000 : 3f8000004000000040400000'
  run 0 "$1: an op of a file" replay --ops "$root/corpus/ops" "$norm" --executor "$1"
  like out ': conforms$' "$1: an op of a file conforms at sizes that were not known"
  run 0 "$1: a quantized op of a file" run --ops "$root/corpus/ops" --executor "$1" --cases 4 --program \
    "nn.quantized_add_relu $quantized[?4] $quantized[?4] -> $quantized[?4]"
  like out '^judged: .* [1-9]' "$1: a quantized op of a file conforms"
  cat >planted.py <<END
import sys
sys.path.insert(0, "$root/harness/exec/workers")
import assay_worker, $2
from dataclasses import replace
from shared_programs.dynamic_program import Specialized
of = Specialized.of
Specialized.of = lambda self, sized: of(self, replace(sized, mlir=sized.mlir.replace("stablehlo.rsqrt", "stablehlo.sqrt")))
assay_worker.main(next(one for name, one in vars($2).items() if name in ("Xla", "Interpreter")))
END
  python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
  case $1 in *'?'*) options=${1#*[?]} ;; *) options= ;; esac
  printf '%s\n' "$norm" "$(echo "$norm" | tr -d '?')" >pair
  run 1 "$1: a planted fault" replay --ops "$root/corpus/ops" pair --executor "proc:'$python' planted.py $options"
  is "$(grep -o ': diverges, value$\|: conforms$' out | tr '\n' ' ')" ': diverges, value : conforms ' \
    "$1: a planted fault of modules that come with the sizes is seen"
}
for executor in stablehlo xla; do
  "$ASSAY" replay cases --executor "$executor" >out 2>err
  if ! grep -q 'is not installed' err; then
    named=$executor
    [ "$executor" != xla ] || named='xla?sizes=each'
    run 0 "$executor" replay cases --executor "$named" --contract ftz=both
    [ "$(grep -c "^$executor.*: conforms" out)" -eq 7 ]
    ok $? "$executor: conforms at all sizes"
    [ ! -d "$root/corpus/ops" ] || declared "$named" "${executor}_worker"
  else
    count=$((count + 1))
    echo "ok $count - $executor # SKIP not installed"
  fi
done

# Plugins: a library that prepares a program for given sizes prepares it again, or refuses the sizes at hand.
printf '%s\n' "$add" "$sum" "$dot" 'byteir.softmax axis=1 f32[?2,?3] -> f32[?2,?3] : 3f80000040000000404000003f8000004000000040400000' >cases
for row in 'onednn 4 0' 'openblas 1 3' 'openblas?routine=dot 1 3'; do
  executor=${row%% *}
  "$ASSAY" replay cases --executor "$executor" >out 2>err
  if ! grep -q 'there is no executor' err; then
    is "$(grep -c ": conforms$" out) $(grep -c ": refused$" out)" "${row#* }" "$executor: at several sizes"
    [ "$executor" != onednn ] || {
      run 0 "onednn: an invariance of sizes" invariance --property size --op stablehlo.add --type f32 --executor onednn --cases 30
      like out '^  size  *[1-9][0-9]*  *0 ' "onednn: an invariance of sizes holds"
    }
  else
    count=$((count + 1))
    echo "ok $count - $executor # SKIP the plugin is not built"
  fi
done
finish

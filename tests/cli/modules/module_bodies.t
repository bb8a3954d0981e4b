#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay module --isolate-ops in loops and choices: which iterations are judged, on which operands, and which op of which
# iteration is named.  Skipped where jaxlib is not installed.
. "$(dirname "$0")/../checks.sh"

# v is 1, 1, 1, 0; its last element becomes 1 in the iteration before the last: a sum without it is wrong in the last
# iteration alone.
cat >late.mlir <<'END'
func.func @main(%v: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %none, %x = %v, %s = %zero) : tensor<i32>, tensor<4xf32>, tensor<f32> cond {
    %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %sum = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    %after = stablehlo.add %next, %one : tensor<i32>
    %last = stablehlo.compare EQ, %after, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %ones = stablehlo.constant dense<1.0> : tensor<4xf32>
    %y = "stablehlo.if"(%last) ({
      stablehlo.return %ones : tensor<4xf32>
    }, {
      %kept = func.call @kept(%x) : (tensor<4xf32>) -> tensor<4xf32>
      stablehlo.return %kept : tensor<4xf32>
    }) : (tensor<i1>) -> tensor<4xf32>
    stablehlo.return %next, %y, %sum : tensor<i32>, tensor<4xf32>, tensor<f32>
  }
  return %0#1 : tensor<4xf32>
}
func.func private @kept(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.abs %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
"$ASSAY" module late.mlir --isolate-ops --executor model:pairwise >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - loops op by op # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi
python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
"$python" -c "
import numpy as np
np.save('v.npy', np.array([1, 1, 1, 0], np.float32))
for n in (0, 1, 2, 9, 5000):
    np.save(f'{n}.npy', np.int32(n))
"

# isolate STATUS DESCRIPTION MODULE N EXECUTOR [OPTION...]: of N iterations.
isolate() {
  expected=$1 said=$2 module=$3 n=$4 executor=$5
  shift 5
  run "$expected" "$said" module "$module" --isolate-ops --executor "$executor" --input v.npy --input "$n.npy" "$@"
}

isolate 0 "a loop" late.mlir 9 model:pairwise
like out "^model:pairwise: 6 ops, 6 judged in 18 runs: 18 conform, 0 diverge" "a loop: three iterations, and the condition that ends it"
like out "^          9 iterations, judged: 1, [2-8], 9$" "a loop: the first, a drawn one, the last"
like out "^bodies:   14:10, iteration 1 of 9: stablehlo.if" "a loop: what is chosen in it"
like out "^          branch 2 of 2" "a loop: which branch"
isolate 0 "another seed" late.mlir 9 model:pairwise --seed 5
cp out five
isolate 0 "another seed, again" late.mlir 9 model:pairwise --seed 5
cmp -s out five
ok $? "another seed: the same"
for seed in 1 2 3 4 5 6; do
  "$ASSAY" module late.mlir --isolate-ops --executor model:pairwise --input v.npy --input 9.npy --seed $seed
done | grep 'judged: 1' | sort -u >drawn
[ "$(wc -l <drawn)" -gt 1 ]
ok $? "other seeds draw other iterations"

isolate 1 "a fault in the last iteration" late.mlir 9 canary:drop_last_term
like out "^first:    10:28, iteration 9 of 9: stablehlo.reduce" "the last iteration: the first op"
like out "^worst:    10:28, iteration 9 of 9: stablehlo.reduce" "the last iteration: the worst op"
like out "result 0 at .. is 0x1.8p+1 (40400000), expected 0x1p+2" "the last iteration: its operands are those of the executor"
like out " 17 conform, 1 diverge, " "the last iteration: no other is blamed"
isolate 1 "JSON" late.mlir 9 canary:drop_last_term --json
# shellcheck disable=SC2016
[ "$(json out '$d->[0]{steps}[$d->[0]{first}]{iteration}')" = "iteration 9 of 9" ]
ok $? "JSON: the iteration"

isolate 0 "no iteration" late.mlir 0 canary:drop_last_term
like out "^in bodies that did not run: 5 ops" "no iteration: the condition alone"
like out "^          0 iterations, judged: none" "no iteration: said"
isolate 0 "one iteration" late.mlir 1 canary:drop_last_term
like out "^          1 iterations, judged: 1$" "one iteration: once"
isolate 1 "two iterations" late.mlir 2 canary:drop_last_term
like out "^          2 iterations, judged: 1, 2$" "two iterations: both"

# In iteration 9 of the outer loop the inner one has 8; what the outer one gives goes on to what follows it.
cat >nested.mlir <<'END'
func.func @main(%v: tensor<4xf32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %none = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %none, %s = %zero) : tensor<i32>, tensor<f32> cond {
    %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %1:2 = stablehlo.while(%k = %none, %t = %s) : tensor<i32>, tensor<f32> cond {
      %lower = stablehlo.compare LT, %k, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %lower : tensor<i1>
    } do {
      %following = stablehlo.add %k, %one : tensor<i32>
      %sum = stablehlo.reduce(%v init: %t) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %following, %sum : tensor<i32>, tensor<f32>
    }
    stablehlo.return %next, %1#1 : tensor<i32>, tensor<f32>
  }
  %2 = stablehlo.negate %0#1 : tensor<f32>
  return %2 : tensor<f32>
}
END
isolate 0 "a loop in a loop" nested.mlir 9 model:pairwise --seed 3
like out "^bodies:   10:12, iteration 1 of 9: stablehlo.while" "a loop in a loop: the inner one, in the first iteration"
like out "^          0 iterations, judged: none" "a loop in a loop: has none then"
like out "^          8 iterations, judged: 1, [2-7], 8" "a loop in a loop: in the last"
isolate 1 "a fault in a loop in a loop" nested.mlir 9 canary:drop_first_term
like out "^first:    15:30, iteration [2-8] of 9, iteration 1 of [1-7]: stablehlo.reduce" "a fault in a loop in a loop: both are named"
# 1, 1, 1, 0 without its first term is 2, and 35 runs came before the last one: 70, to which 3 are to be added.
like out "^diverges: 15:30, iteration 9 of 9, iteration 8 of 8: " "a fault in a loop in a loop: the last"
like out "result 0 at .. is 0x1.2p+6 (42900000), expected 0x1.24p+6" "a fault in a loop in a loop: all iterations before were the executor's"
isolate 1 "what follows a loop" nested.mlir 9 canary:drop_first_term --json
# shellcheck disable=SC2016
[ "$(json out '$d->[0]{steps}[-1]{verdict}{outcome}')" = conforms ]
ok $? "what follows a loop: it is judged"

# An executor that ends its process in one iteration: that one is judged too, whichever are drawn.
cat >worker.py <<END
import os, sys
sys.path.insert(0, "$(dirname "$ASSAY")/workers")
import assay_worker
import numpy as np


class Sums(assay_worker.Worker):
    name = "sums"

    def compile(self, program):
        if program.op not in ("stablehlo.reduce", "stablehlo.add"):
            raise assay_worker.Unsupported("sums alone")
        return program.op

    def execute(self, op, operands):
        if op == "stablehlo.add":
            if operands[0] == 6:
                os._exit(1)
            return [np.asarray(operands[0] + operands[1])]
        return [np.asarray(operands[0].sum(dtype=np.float32) + operands[1])]


assay_worker.main(Sums)
END
isolate 3 "a crash in one iteration" late.mlir 9 "proc:$python worker.py"
like out "^          9 iterations, judged: 1, \(6\|[2-5], 6\|6, [78]\), 9$" "a crash in one iteration: that is judged"
like out "^no result: 11:[0-9]*, iteration 6 of 9: stablehlo.add" "a crash in one iteration: the op"
like out " 0 diverge" "a crash in one iteration: the loop goes on"

# What takes too long, or is not run, goes to the interpreter as a whole.
cat >endless.mlir <<'END'
func.func @main(%v: tensor<4xf32>, %n: tensor<i32>) -> tensor<i32> {
  %none = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.while(%i = %none) : tensor<i32> cond {
    %less = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %less : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next : tensor<i32>
  }
  %1 = stablehlo.add %0, %0 : tensor<i32>
  return %1 : tensor<i32>
}
END
isolate 0 "a long loop" endless.mlir 5000 model:pairwise
like out "^          4096 iterations, judged: 1, [0-9]*, 4096; then the interpreter ran it as a whole: it was not over by then" "a long loop: cut, and said"
sed 's/%next = .*/%next = stablehlo.custom_call @nobody.knows(%i) : (tensor<i32>) -> tensor<i32>/' endless.mlir >unknown.mlir
isolate 0 "an op that nobody runs" unknown.mlir 2 model:pairwise
like out "^not run:  8:13, iteration 1 of 1 or more: stablehlo.custom_call" "an op that nobody runs: in its iteration"
like out "^not run:  3:8: stablehlo.while" "an op that nobody runs: nor the loop"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay module --isolate-ops --reference: a second executor on the same operands, which of the two is outside where they
# differ, and ops that no oracle knows.  Skipped where jaxlib is not installed.
. "$(dirname "$0")/../checks.sh"

cat >sorted.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = stablehlo.add %0, %1 : tensor<4xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %3 : tensor<f32>
}
END
"$ASSAY" module sorted.mlir --isolate-ops --executor model:pairwise >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - two executors # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi
python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
"$python" -c "
import numpy as np
np.save('x.npy', np.array([3, 1, 4, 2], np.float32))
"

# held STATUS DESCRIPTION EXECUTOR REFERENCE [OPTION...]
held() {
  expected=$1 said=$2 executor=$3 reference=$4
  shift 4
  run "$expected" "$said" module sorted.mlir --isolate-ops --executor "$executor" --reference "$reference" --input x.npy "$@"
}

# Sums of 5, 5, 5, 5: 20, without a term 15.
held 1 "a fault of the executor" canary:drop_last_term model:pairwise
like out "^held against model:pairwise, on the same operands:" "a fault of the executor: the reference"
like out "with an oracle, which judges both: 1 equal to the bit, 1 different, 0 without results" "a fault of the executor: counts"
like out "^unlike:   14:24: stablehlo.reduce" "a fault of the executor: where"
like out "1 of 1 elements, by at most .* ulp; canary:drop_last_term is outside" "a fault of the executor: which is outside"
held 0 "a fault of the reference" model:pairwise canary:drop_last_term
like out "; canary:drop_last_term is outside" "a fault of the reference: which is outside"
like out "^          canary:drop_last_term diverges (value): result 0 at .. is 0x1.ep+3" "a fault of the reference: what is wrong"
like out " 2 conform, 0 diverge" "a fault of the reference: the executor is not blamed"
held 1 "a fault of both" canary:drop_last_term canary:drop_first_term
like out " 2 equal to the bit, 0 different" "a fault of both: the same"
held 0 "no fault" model:pairwise model:sequential
like out " 2 equal to the bit, 0 different" "no fault: nothing is unlike"
if grep -q '^unlike' out; then ok 1 "no fault: none is listed"; else ok 0 "no fault: none is listed"; fi
like out "^without an oracle, by StableHLO's interpreter: stablehlo.sort 2" "no fault: models sort nothing"

# Sorting has no oracle, and is run by executors that are given the module of it.
cat >worker.py <<END
import os, sys
sys.path.insert(0, "$(dirname "$ASSAY")/workers")
import assay_worker
import numpy as np


class Sorts(assay_worker.Worker):
    name = "sorts"

    def __init__(self, options):
        self.fault = assay_worker.take(options, "fault", "none", ("none", "order", "ulp", "nan", "crash", "refuse", "unlike"))

    def compile(self, program):
        if not program.op.startswith("stablehlo.sort"):
            raise assay_worker.Unsupported("sorts alone")
        if self.fault == "refuse":
            raise assay_worker.Unsupported("no sorting today")
        self.runs = 0
        return "GT" in program.mlir

    def execute(self, is_falling, operands):
        found = np.sort(operands[0])
        if is_falling:
            found = found[::-1].copy()
        if self.fault == "order" and is_falling:
            found[0], found[1] = found[1], found[0]
        if self.fault == "ulp":
            found[3] = np.nextafter(found[3], np.float32(9))
        if self.fault == "nan":
            found[2] = np.nan
        if self.fault == "crash":
            os._exit(1)
        self.runs += 1
        if self.fault == "unlike":
            found[0] += self.runs
        return [found]


assay_worker.main(Sorts)
END
worker="proc:$python worker.py"
held 3 "two that sort" "$worker" "$worker"
like err "no op of the module was judged" "two that sort: nothing is judged, however they agree"
like out " 0 judged: 0 conform" "two that sort: nothing conforms"
like out "^without an oracle, by the executor: stablehlo.sort 2" "two that sort: by the executor"
like out "without an oracle, and no verdict: two that agree may both be wrong: 2 equal to the bit, 0 different, 0 without" "two that sort: they agree"
for executor in "$worker fault=order" "$worker"; do
  reference="$worker fault=order"
  [ "$executor" = "$worker" ] || reference=$worker
  held 3 "a fault in sorting" "$executor" "$reference"
  like out " 1 equal to the bit, 1 different, 0 without" "a fault in sorting: counts"
  like out "^unlike:   8:[0-9]*: stablehlo.sort" "a fault in sorting: in which op"
  like out "2 of 4 elements, by at most .* ulp; no oracle tells who is right" "a fault in sorting: how far, and no verdict"
done
held 3 "an ulp" "$worker fault=ulp" "$worker"
like out "1 of 4 elements, by at most 1 ulp; no oracle" "an ulp: how far"
held 3 "a NaN" "$worker" "$worker fault=nan"
like out "1 of 4 elements, 1 NaN in one alone; no oracle" "a NaN: that it is one"
held 3 "a NaN in both" "$worker fault=nan" "$worker fault=nan"
like out " 2 equal to the bit, 0 different" "a NaN in both: equal"
held 3 "a reference that refuses" "$worker" "$worker fault=refuse"
like out "2 without results of" "a reference that refuses: counted"
like out "gave no results: no sorting today" "a reference that refuses: why"
held 3 "a reference that ends" "$worker" "$worker fault=crash"
like out "2 without results of" "a reference that ends: counted"
held 3 "a reference with two answers" "$worker" "$worker fault=unlike"
like out "gave no results: two runs of it differ" "a reference with two answers: said"
held 3 "an executor that refuses" "$worker fault=refuse" "$worker"
like out "^without an oracle, by StableHLO's interpreter: stablehlo.sort 2" "an executor that refuses: the interpreter goes on"
held 3 "JSON" "$worker fault=ulp" "$worker" --json
parses_as_json out "JSON: it parses"
# shellcheck disable=SC2016
[ "$(json out 'join " ", map { "$_->{kind} " . ($_->{reference} ? "$_->{reference}{different}/$_->{reference}{elements}" : "-") } @{$d->[0]{steps}}')" = \
  "constant - held 1/4 held 1/4 no-results - no-results -" ]
ok $? "JSON: what was held"

run 2 "no such reference" module sorted.mlir --isolate-ops --executor model:pairwise --reference model:nowhere
finish

#!/bin/sh
# assay vet: TAP that prove reads.
. "$(dirname "$0")/checks.sh"

run 0 "a model" vet --executor model:pairwise --cases 600
cp out model.tap
like model.tap "^TAP version 13" "a model: version"
like model.tap "^ok 1 - model:pairwise byteir" "a model: a point for each op, algorithm and types"
like model.tap '^  max_ulp: "' "a model: YAML block"
sed -n 's/^ok [0-9]* - \(.* invalid programs are refused\)$/\1/p' model.tap | sort >points
[ -s points ] && [ -z "$(uniq -d points)" ]
ok $? "a model: one point for all invalid programs of an op"
prove -e cat model.tap >out 2>err
ok $? "a model: prove passes"

run 1 "a canary" vet --executor canary:drop_last_term --cases 600
cp out canary.tap
like canary.tap '^  repro: "assay replay' "a canary: how to see it again"
like canary.tap '^  divergences: "[1-9]' "a canary: divergences"
prove -e cat canary.tap >out 2>err
[ $? -ne 0 ]
ok $? "a canary: prove fails"
unlike err "Parse error" "a canary: prove can read it"
"$ASSAY" vet --executor canary:drop_last_term --cases 600 | cmp -s - canary.tap
ok $? "the same seed: the same report"
run 0 "one op" vet --executor model:pairwise --op stablehlo.reduce --cases 300
unlike out "dot_general" "one op: no other"
run 2 "bad usage" vet --executor model:pairwise --op nothing
finish

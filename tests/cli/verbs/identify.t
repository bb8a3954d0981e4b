#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay identify: how an executor adds.
. "$(dirname "$0")/../checks.sh"

run 0 "a model" identify --executor model:lanes8+init=0 --op stablehlo.reduce --n 100
like out "identified: 256 of 256 random vectors" "a model: all is predicted"
like out "rule: *lanes8(sequential,halves)" "a model: its rule"
like out "arithmetic: .*a=f32" "a model: its arithmetic"
like out "calls: *[1-9]" "a model: what it cost"

run 0 "a small one" identify --executor model:sequential+fma --op stablehlo.dot_general --n 4
like out "tree: *\[(0) 1..3\]" "a small one: the tree"
like out "f32/fused" "a small one: fused"

run 0 "result elements" identify --executor model:pairwise --op stablehlo.dot_general --n 9 --m 3 \
  --columns 4 --batch 2 --layout tt --type bf16-\>f32
like out "1536 of 1536 result elements" "result elements: each with terms of its own"
like out "bf16\[2,9,3\] bf16\[2,4,9\] -> f32\[2,3,4\]" "result elements: layout"

run 0 "JSON" identify --executor model:reverse --op stablehlo.reduce --n 5 --json
parses_as_json out "JSON"
[ "$(json out '$d->{identity}')" = identified ]
ok $? "JSON: identity"
json out '$d->{profile}' | grep -q '^profile v1 terms=5 '
ok $? "JSON: profile"

run 1 "a lost term" identify --executor canary:drop_last_term --op stablehlo.reduce --n 9
unlike out "identified:" "a lost term: not identified"
run 1 "elements that differ" identify --executor canary:last_row_stale --op stablehlo.reduce --n 9 --m 3
like out "result element 2" "elements that differ: which"
like out "case: *stablehlo.reduce" "elements that differ: the case"
run 1 "other data for some elements" identify --executor canary:batch_offset --batch 2 \
  --op stablehlo.dot_general --n 9
run 0 "a truncating adder" identify --executor canary:truncate_additions --op stablehlo.reduce --n 9
like out "a=f32/trunc" "a truncating adder: told"

run 0 "a map" identify --executor model:blocked4+init=0 --op stablehlo.reduce --n 1..60
like out "1 ranges" "a map: one kind"
like out "1..60 *blocks4(sequential,sequential); f32" "a map: its rule"
run 0 "a map of rows" identify --executor model:pairwise --op stablehlo.dot_general --n 9 --m 1..9 --json
parses_as_json out "a map of rows: JSON"

run 2 "no op" identify --executor model:pairwise --n 4
like err "add --op" "no op: what to do"
run 2 "no size" identify --executor model:pairwise --op stablehlo.reduce
run 2 "size 0" identify --executor model:pairwise --op stablehlo.reduce --n 0
run 2 "an op that sums nothing" identify --executor model:pairwise --op stablehlo.abs --n 4
run 2 "an integer type" identify --executor model:pairwise --op stablehlo.reduce --n 4 --type i32
run 2 "two ranges" identify --executor model:pairwise --op stablehlo.reduce --n 1..4 --m 1..4
run 2 "types that no program has" identify --executor model:pairwise --op stablehlo.reduce --n 4 \
  --type f64-\>f32
run 3 "an executor that refuses" identify --executor model:pairwise --op stablehlo.reduce --n 4 \
  --type f16-\>bf16
finish

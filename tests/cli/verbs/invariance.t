#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay invariance: exit codes, the table, smallest instances that replay, JSON, TAP, the database.
. "$(dirname "$0")/../checks.sh"

run 0 "a model" invariance --executor model:lanes8+fma --cases 150
like out "^  batch-size  *[1-9][0-9]*  *0  *0  *0  *0  holds$" "a model: batch-size holds"
like out "^  layout  *[1-9][0-9]*  *0  *0  *0  *0  holds$" "a model: layout holds"
like out "^  recompile  *[1-9][0-9]*  *0 .*  holds$" "a model: recompile holds"
unlike out "BROKEN" "a model: nothing is broken"
[ ! -s err ]
ok $? "a model: no talk"

one_op="--op stablehlo.dot_general --type f32 --cases 150"
run 1 "a planted fault" invariance --executor model:random $one_op --db a.db
like out "^  row-position .*  BROKEN$" "a planted fault: told in the table"
like out "^  run-to-run .*  holds$" "a planted fault: the same from run to run"
like out "^model:random stablehlo.dot_general: row-position FAILED" "a planted fault: told in words"
like out "^  begins:   row 0.*: 0x" "a planted fault: where it begins"
cp out first
base=$(sed -n "/row-position FAILED/,/^$/s/^            assay replay '\(.*\)' --executor.*/\1/p" out | head -1)
other=$(sed -n "/row-position FAILED/,/^$/s/^            assay replay '\(.*\)' --executor.*/\1/p" out | sed -n 2p)
[ -n "$base" ] && [ -n "$other" ] && [ "$base" != "$other" ]
ok $? "a planted fault: two cases"
run 0 "the base case can be pasted, and conforms" replay "$base" --executor model:random
run 0 "the other case can be pasted, and conforms" replay "$other" --executor model:random
run 1 "the same again" invariance --executor model:random $one_op
cmp -s out first
ok $? "the same seed: the same findings"
run 0 "the database" query findings --db a.db --format csv
like out "stablehlo.dot_general.*model:random,invariance," "the database: the finding and its class"
run 0 "query invariance" query invariance --db a.db --format csv
like out "row-position: row 0" "query invariance: the property and where it begins"
run 0 "SQL" query --db a.db --format csv \
  --sql "SELECT observed, reason FROM reproducer WHERE observed LIKE 'row-position%'"
like out "the other case is stablehlo.dot_general" "the database: the other case"
run 0 "SQL" query --db a.db --format csv --sql "SELECT exit_code FROM run"
like out "^1" "the database: exit code of the run"

run 0 "another property alone" invariance --executor model:random $one_op --property recompile
unlike out "row-position" "another property alone: no other in the table"
run 1 "a property alone" invariance --executor model:random $one_op --property row-position

run 0 "what is refused" invariance --executor openblas --op stablehlo.reduce --cases 20
like out "^  batch-size  *0 .*unchecked: " "what is refused: unchecked, not holding"
unlike out "holds" "what is refused: nothing holds"
run 0 "what does not apply" invariance --executor model:sequential --op stablehlo.reduce --cases 20
like out "^  row-count  *0 .*unchecked: no case to which it applies" "what does not apply: unchecked"

run 1 "JSON" invariance --executor model:random $one_op --json
parses_as_json out "JSON: parses"
[ "$(json out 'join " ", map { $_->{verdict} } grep { $_->{property} eq "row-position" } @{$d->{verdicts}}')" = BROKEN ]
ok $? "JSON: verdict"
[ "$(json out 'scalar grep { $_->{broken} > 0 && $_->{smallest}{base} =~ /^stablehlo/ && $_->{smallest}{base_bits} ne $_->{smallest}{other_bits} } @{$d->{types}}')" -ge 1 ]
ok $? "JSON: smallest instance"

run 0 "TAP of a model" invariance --executor model:pairwise --cases 200 --tap
cp out model.tap
like model.tap "^ok .* - model:pairwise stablehlo.dot_general batch-size$" "TAP: a point for each property"
like model.tap "^ok .* stablehlo.reduce row-count # SKIP " "TAP: what is unchecked is skipped"
prove -e cat model.tap >out 2>err
ok $? "TAP of a model: prove passes"
run 1 "TAP of a planted fault" invariance --executor model:random $one_op --tap
cp out random.tap
like random.tap "^not ok .* row-position$" "TAP of a planted fault: not ok"
like random.tap '^  repro: "assay replay' "TAP of a planted fault: how to see it"
prove -e cat random.tap >out 2>err
[ $? -ne 0 ]
ok $? "TAP of a planted fault: prove fails"
unlike err "Parse error" "TAP of a planted fault: prove can read it"

run 2 "unknown property" invariance --executor model:pairwise --property batchsize
like err "unknown property 'batchsize' (--property); did you mean 'batch-size'?" \
  "unknown property: suggestion"
run 2 "hopeless property" invariance --executor model:pairwise --property colour
like err "write one of batch-size, batch-position," "hopeless property: which there are"
run 2 "unknown type" invariance --executor model:pairwise --type f23
like err "no program has the types 'f23' (--type)" "unknown type: what is wrong"
run 0 "all types of a program" invariance --executor model:pairwise --type 'bf16,bf16->f32' --cases 20
run 2 "too few executions" invariance --executor model:pairwise --executions 1
run 2 "negative count" invariance --executor model:pairwise --cases -1
run 2 "JSON and TAP" invariance --executor model:pairwise --json --tap
run 2 "no executor" invariance --cases 1
run 0 "a time" invariance --executor model:pairwise --time 200ms
finish

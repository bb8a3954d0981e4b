#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Recorded cases in place of drawn ones, and ahead of them: run and vet with --recorded.
. "$(dirname "$0")/../checks.sh"
query() { "$ASSAY" query --sql "$1" --db night --format csv | tail -n 1 | tr -d '\r'; }
mkdir -p folder/inner
cat >folder/sums.cases <<'CASES'
# The last term is lost.
stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f8000004000000040400000 : 00000000
= 40c00000
=! 40400000
stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000
CASES
cat >folder/inner/others.cases <<'CASES'
stablehlo.maximum f32[1] f32[1] -> f32[1] : 3f800000 : 40000000
CASES

run 0 "a model" run --executor model:pairwise --recorded folder --json
is "$(json out '$d->{cases}')" 3 "a folder: all of its cases, once, and nothing else"
run 1 "a fault" run --executor canary:drop_last_term --recorded folder/sums.cases --db night
like out "^2 cases in " "a file: its cases alone"
is "$(query "select count(*) from divergence")" 1 "what diverges is a finding"
is "$(query "select sightings from divergence")" 2 "and counts both of its cases"
run 0 "the faults" query faults --db night --format csv
like out "^wrong-value-ordinary,canary:drop_last_term,.*stablehlo.reduce,0x1p+0 (3f800000),0x1.8p+1,,,,stablehlo.reduce body=add dims=.0. f32.2. " "faults: got and permitted, side by side"
run 0 "ahead of drawing" run --executor model:pairwise --recorded folder --op stablehlo.add --cases 5 --json
is "$(json out '$d->{cases}')" 8 "with --cases: 3 recorded, then 5 drawn"
run 1 "vet" vet --executor canary:drop_last_term --recorded folder
like out "^not ok .*stablehlo.reduce" "vet: a point that fails"
like out "^ok .* - judged [1-9][0-9]*: canary:drop_last_term" "vet: and how many were judged"
run 0 "a program that breaks a constraint" run --executor model:pairwise --recorded folder --recorded folder/inner/others.cases --json
is "$(json out '$d->{cases}')" 4 "two paths: one after the other"

run 2 "no file" run --executor model:pairwise --recorded nowhere
like err "nowhere: there is no such file or folder" "no file: said so"
mkdir empty
echo '# nothing but a comment' >none.cases
run 2 "no case" run --executor model:pairwise --recorded none.cases
like err "none.cases: has no case" "no case: said so"
run 2 "an op, and nothing drawn" run --executor model:pairwise --recorded folder --op stablehlo.add
like err "leave it out, or add --cases or --time" "an op, and nothing drawn: what to do"
run 2 "an empty folder" run --executor model:pairwise --recorded empty
like err "empty: holds no file \*.cases" "an empty folder: said so"
echo 'stablehlo.add f32[1] f32[1] -> f32[1] : 3f8 : 00000000' >bad.cases
run 2 "a bad case" run --executor model:pairwise --recorded bad.cases
like err "bad.cases:1:41: " "a bad case: file, line and column"
printf 'a\0b' >bad.cases
run 2 "no text" run --executor model:pairwise --recorded bad.cases
like err "bad.cases: is no text" "no text: said so"

finish

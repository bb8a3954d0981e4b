#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay identify --db, then --contract identified: silent on the version that was identified, loud at 0
# ulp on one that adds otherwise from a certain length on.
. "$(dirname "$0")/../checks.sh"

backends=$(dirname "$ASSAY")/tests/dso
[ -e "$backends/adder_1.so" ] || { echo "1..0 # SKIP $backends/adder_1.so is not built"; exit 0; }
adder=dso:$folder/libadder.so

# Version 1 adds in 8 lanes; version 2 in 16 from 32 terms on.
cp "$backends/adder_1.so" libadder.so
run 0 "identify" identify --executor "$adder" --op stablehlo.reduce --n 1..256 --db a.db
like out "^  n = 1 .. 256: 8 lanes, pairwise at the end, initial value last (checked" \
  "identify: one rule for all lengths"
run 0 "profiles" query profiles --db a.db --format csv
like out "tester 1.0,.*f32\[n\].*,1 .. 256,\"*8 lanes, pairwise at the end" "profiles: listed"
run 0 "no changes yet" query profile-changes --db a.db --format csv
[ "$(wc -l <out)" -le 1 ]
ok $? "no changes yet: no rows"

run 0 "the same version" run --contract identified --executor "$adder" --db a.db --cases 4000 --seed 2
like out "\([4-9][0-9]*\) of \1 cases predicted to the bit (100 %); 0 not predicted" \
  "the same version: every case is predicted"
unlike out "order:" "the same version: no change"

cp "$backends/adder_2.so" libadder.so
run 0 "the next version under the default contract" run --executor "$adder" --cases 2000 --seed 2 \
  --program 'stablehlo.reduce body=add dims=[0] f32[100] f32[] -> f32[]'
run 1 "the next version" run --contract identified --executor "$adder" --db a.db --cases 4000 --seed 2
like out "stablehlo.reduce add f32,f32->f32 diverges (order): result 0 at \[\] is .*, expected .*; 1 of 1 wrong" \
  "the next version: class order"
like out "predicts (8 lanes, pairwise at the end, initial value last)" "the next version: the profile"
like out "^    order: n = 32 .. 25[0-9] (.* lengths drawn there), as predicted up to n = 31$" \
  "the next version: from which length on"
like out "0 not predicted" "the next version: every case is covered"
grep -e "^  assay replay" out | head -1 | sed 's/^  assay //' >replay
eval "run 1 'its replay line' $(cat replay)"
like out "diverges, order" "its replay line: diverges"
run 0 "the database" query --sql "SELECT class, permissions FROM finding JOIN run ON run_id = first_run_id \
JOIN contract USING (contract_id)" --db a.db --format csv
like out "^order,\"*order=any,bits=identified," "the database: class and contract"

run 1 "JSON" run --contract identified --executor "$adder" --db a.db --cases 1000 --seed 2 --json
parses_as_json out "JSON: parses"
[ "$(json out '$d->{predictions}{profiles}[0]{changed}{low}')" -ge 32 ]
ok $? "JSON: where it changed"
run 1 "vet" vet --contract identified --executor "$adder" --db a.db --cases 1000 --seed 2
like out "^not ok .* stablehlo.reduce add f32,f32->f32" "vet: not ok"
like out "^# .*order: n = " "vet: where it changed"

run 0 "what no profile covers" run --contract identified --executor "$adder" --db a.db --cases 2000 \
  --seed 2 --program 'stablehlo.reduce body=add dims=[0,1] f32[8,8] f32[] -> f32[]'
like out "0 of 0 cases predicted to the bit; 2[0-9]* not predicted: no profile covers them" \
  "what no profile covers: is said to be not predicted"

run 0 "identify the next version" identify --executor "$adder" --op stablehlo.reduce --n 1..256 --db a.db
run 0 "changes" query profile-changes --db a.db --format csv
like out "tester 1.0,tester 2.0,.*,32 .. 256,\"*8 lanes.*16 lanes" "changes: from 32 terms on"
run 0 "its own profile" run --contract identified --executor "$adder" --db a.db --cases 2000 --seed 2 \
  --reference own
like out "\(2[0-9]*\) of \1 cases predicted" "its own profile: every case is predicted"
run 1 "the last other version" run --contract identified --executor "$adder" --db a.db --cases 2000 --seed 2

run 2 "no database" run --contract identified --executor model:lanes8
like err "add --db FILE" "no database: says what to do"
run 2 "no profile" run --contract identified --executor model:lanes8 --db a.db
like err "has no profile of model:lanes8; store one first" "no profile: says what to do"
run 2 "no such version" run --contract identified --executor "$adder" --db a.db --reference 9
like err "none of version \"9\"" "no such version: says so"
run 2 "another contract" run --executor model:lanes8 --reference 9
like err "reference is for contract identified" "another contract: says so"
run 2 "judge" judge --contract identified
like err "about an executor" "judge: says so"

run 0 "a picture" identify --executor model:lanes8 --op stablehlo.reduce --n 64 --svg tree.svg
like tree.svg "^<svg xmlns=" "a picture: is one"
unlike tree.svg "<script" "a picture: no scripts"
run 2 "a picture of a map" identify --executor model:lanes8 --op stablehlo.reduce --n 1..9 --svg t.svg
like err "one executor at one length" "a picture of a map: says so"
run 2 "no range" identify --executor model:lanes8 --op stablehlo.reduce --n 9..1
like err "is no size" "no range: says so"
finish

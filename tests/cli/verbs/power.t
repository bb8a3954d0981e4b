#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay power: exit codes, the table, JSON, one program, bad input.
. "$(dirname "$0")/../checks.sh"

run 0 "one op" power --op stablehlo.add --types f32 --cases 3
like out "^stablehlo.add float f32,f32->f32$" "one op: its types"
like out "^  ordinary  *1  *[1-9][0-9]*  .* 0%  one value$" "one op: ordinary data, one value"
like out "^  drawn  *1  *[1-9]" "one op: drawn data"
like out "^6 cases, 0 without an oracle; seed 1, contract backend$" "one op: what was measured"
[ ! -s err ]
ok $? "one op: no talk"
cp out first
run 0 "again" power --op stablehlo.add --types f32 --cases 3
cmp -s out first
ok $? "same seed, same numbers"
run 0 "among other ops" power --op stablehlo.negate --op stablehlo.add --types f32 --cases 3
[ "$(grep -A 3 '^stablehlo.add .* f32' out)" = "$(grep -A 3 '^stablehlo.add .* f32' first)" ]
ok $? "an op has the same numbers whatever else is measured"
run 0 "another seed" power --op stablehlo.add --types f32 --cases 3 --seed 2
! cmp -s out first
ok $? "another seed, other numbers"

program='byteir.softmax axis=0 f32[64] -> f32[64]'
run 0 "one program" power --program "$program" --cases 2
like out "^  ordinary  *64  *[1-9].*; softmax=[a-z]*: .*, with shifted " "one program: the permission that widens most"
run 0 "JSON" power --program "$program" --cases 2 --json
parses_as_json out "JSON: parses"
is "$(json out '$d->{power}[0]{terms_least}')" 64 "JSON: terms"
is "$(json out '$d->{power}[0]{widest}{permission}')" softmax "JSON: the permission"
is "$(json out '$d->{power}[0]{ulps}{median} > $d->{power}[0]{widest}{median_ulps_without} ? 1 : 0')" 1 \
  "JSON: less is accepted without it"
backend=$(json out '$d->{power}[0]{ulps}{median}')
run 0 "another contract" power --program "$program" --cases 2 --contract backend,softmax=shifted --json
is "$(json out '$d->{power}[0]{ulps}{median}' | awk -v b="$backend" '{ print ($1 < b) }')" 1 \
  "a tighter contract has more power"
run 0 "everything conforms" power --program 'byteir.layer_norm epsilon=0x1p-17 axis=[0] bf16[32768] bf16[32768] bf16[32768] -> bf16[32768]' --cases 1 --contract spec
like out " 100%  range" "everything conforms: said so"

run 2 "an unknown op" power --op stablehlo.ad
like err "did you mean 'stablehlo.add'" "an unknown op: what is near"
run 2 "types that no program has" power --op stablehlo.add --types f33
like err "no program has the types 'f33' (--types)" "types that no program has: said so"
run 2 "no cases" power --cases 0
like err "bad value 0 (--cases); write a positive number" "no cases: said so"
run 2 "a program and an op" power --op stablehlo.add --program "$program"
run 2 "a broken program" power --program 'byteir.softmax axis=3 f32[64] -> f32[64]'
run 2 "an unknown contract" power --contract lax
run 2 "an unknown stratum" power --strata none=1
like err "(--strata)" "an unknown stratum: the option"
run 2 "an argument" power stablehlo.add
run 0 "a run" run --executor model:pairwise --op stablehlo.add --op byteir.softmax --cases 300 --strata corner=1
like out "^power: half of the elements measured would have shown an.* error.*; of [0-9]* kinds the bluntest (byteir.softmax .*, n = [0-9]" \
  "a run: ends with its power"
one="run --executor model:pairwise --cases 50 --strata deployment=1 --db a.db"
five='byteir.softmax axis=0 f32[5] -> f32[5]'
run 0 "one program" $one --program "$five"
like out "^power: half of the elements measured would have shown an error above [0-9.]* ulp (byteir.softmax f32->f32, n = 5)$" \
  "one program: its size"
run 0 "a blunter contract" $one --program "$five" --contract backend,exp_f32=1024 --json
parses_as_json out "a blunter contract: JSON"
is "$(json out '$d->{power}[0]{ulps}{median} > 100 ? 1 : 0')" 1 "a blunter contract: its power is in the JSON"
run 0 "query power" query power --db a.db --format csv
like out '^byteir.softmax,softmax,f32->f32,2 to 8,' "query power: a line for each kind"
run 0 "query blunter" query blunter --db a.db --format csv
like out '^byteir.softmax,softmax,f32->f32,2,' "query blunter: names the kind"
run 0 "report" report --db a.db
like out "^power: half of the elements measured" "report: ends with it"
run 0 "vet" vet --executor model:pairwise --op stablehlo.add --cases 200
like out "^# power: half of the elements measured would have shown " "vet: as a comment"
run 0 "help" power --help
like out "--types" "help: options"
finish

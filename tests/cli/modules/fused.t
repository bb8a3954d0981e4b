#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Programs of several ops: drawn beside single ones, judged, kept, replayed, made small and measured; what invariance
# says of them.
. "$(dirname "$0")/../checks.sh"

# ---- Drawn ----------------------------------------------------------------------------------------

run 0 "a run of all ops" run --executor model:pairwise --cases 600 --seed 3
like out "^model:pairwise module$" "has programs of several ops"
like out "^model:pairwise stablehlo.add$" "and single ones"
# 3 turns to one of each of 78 other ops.
run 0 "cases of all ops" gen --cases 400 --seed 2
[ "$(grep -c '^module ' out)" -ge 8 ] && [ "$(grep -c "^module " out)" -le 100 ]
ok $? "some of them are programs of several ops"
run 0 "vet has them too" vet --executor model:sequential --cases 300 --seed 4
run 0 "a search has them too" fuzz --executor model:sequential --op module --time 2s --seed 4

# ---- Found, kept, small ---------------------------------------------------------------------------

run 1 "a faulty kernel" run --op module --executor canary:module_bias_skipped --cases 120 --seed 1 --strata corner=1 --shrink --db a.db
run 0 "findings of modules" query --db a.db --format csv --sql \
  "SELECT count(*) > 0 AS x FROM finding WHERE op = 'module' AND algorithm LIKE '%+add%'"
like out "^1" "are kept, by the sequence of their ops"
"$ASSAY" query --db a.db --format csv --sql "SELECT case_line FROM reproducer WHERE role = 'shrunk'" |
  sed '1d; s/^"//; s/"\r*$//' >lines
[ -s lines ]
ok $? "and made small"
awk '{ if (gsub(/;v[0-9,v]*=[a-z]+\./, "&") > 4) bad = 1 } END { exit bad }' lines
ok $? "to five steps at the most"
line=$(awk '{ print length($0), $0 }' lines | sort -n | head -1 | cut -d' ' -f2-)
run 1 "the smallest on the faulty kernel" replay "$line" --executor canary:module_bias_skipped
like out "diverges" "diverges"
run 0 "the smallest on a right one" replay "$line" --executor model:sequential
like out "conforms" "conforms"
run 0 "and as a module of StableHLO" show --mlir "$line"
like out "stablehlo.add" "with its steps"
run 1 "findings are run again" retest --db a.db --executor canary:module_bias_skipped

# ---- By hand --------------------------------------------------------------------------------------

two='module steps={v0=constant(f32[],00000000);v1=stablehlo.add(a0,v0) f32[] f32[] -> f32[];return(v1)} f32[] -> f32[]'
run 1 "-0 + 0, simplified" replay "$two : 80000000" --executor canary:module_zero_sum
like out "zero-sign" "is a wrong sign of zero"
run 0 "1 + 0" replay "$two : 3f800000" --executor canary:module_zero_sum
nothing='module steps={v0=stablehlo.multiply(a0,a0) f32[] f32[] -> f32[];v1=stablehlo.add(v0,a0) f32[] f32[] -> f32[];return(v1)} f32[] -> f32[]'
run 0 "an overflow between" replay "$nothing : 7f000000" --executor model:sequential
like out "weak" "may hide anything, and is weak"

# ---- Measured -------------------------------------------------------------------------------------

run 0 "power" power --op module --cases 5 --strata corner=1
like out "module" "is measured of modules"
run 0 "invariance" invariance --op module --executor model:sequential --cases 20
like out "^  row-count  *[0-9]* *0 .*holds$" "is checked along the axes that their steps tell"

finish

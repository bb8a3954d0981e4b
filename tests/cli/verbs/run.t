#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay run: exit codes, the same findings for the same seed, JSON, and the database.
. "$(dirname "$0")/../checks.sh"

run 0 "a model" run --op stablehlo.reduce --executor model:sequential --cases 500 --seed 3
like out "^[0-9]* cases in .* 0 findings" "a model: summary"
like out "^judged: model:sequential 500 of 500$" "a model: how many were judged"
unlike out "^judged [0-9]* of " "a model: nothing was judged too little of"
like out "^seed 3, contract backend" "a model: seed and contract"
like out "^time: oracle .*judge .*executors .*rest" "a model: where time went"
[ ! -s err ]
ok $? "a model: no talk where standard error is no terminal"

run 1 "a canary" run --executor canary:drop_last_term --cases 400 --seed 3 --db a.db
like out "^canary:drop_last_term stablehlo.* diverges (value): result" "a canary: finding"
like out "^  assay replay 'stablehlo.*' --executor 'canary:drop_last_term'" "a canary: replay line"
findings() { grep -v -E '^(time:|[0-9]* cases in|[0-9]* findings:)' "$1"; }
findings out >first
run 1 "the same again" run --executor canary:drop_last_term --cases 400 --seed 3
findings out | cmp -s - first
ok $? "the same seed: the same findings and counts"
run 1 "another seed" run --executor canary:drop_last_term --cases 400 --seed 4
! findings out | cmp -s - first
ok $? "another seed: other findings"

# What a backend prints stands on standard error, and no report has it.
backend=$(dirname "$ASSAY")/tests/dso/lives.so
if [ -e "$backend" ]; then
  export LIVES_DEEDS=print
  run 0 "a backend that prints" run --executor "dso:$backend" --op stablehlo.reduce --cases 20 --json
  parses_as_json out "a backend that prints: JSON parses"
  like err "^debug: 0x" "a backend that prints: on standard error"
  unset LIVES_DEEDS
fi

run 1 "JSON" run --executor canary:drop_last_term --executor model:pairwise --cases 400 --seed 3 --json
parses_as_json out "JSON: parses"
[ "$(json out 'join ",", map { $_->{judged} } @{$d->{executors}}')" = 400,400 ]
ok $? "JSON: judged cases of each executor"
[ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}};
  $n{conforms} + $n{diverges} + ($n{failed} // 0)')" = 800 ]
ok $? "JSON: each is counted once"
[ "$(json out 'scalar @{$d->{shortfalls}}')" = 0 ]
ok $? "JSON: nothing was judged too little of"
[ "$(json out 'scalar grep { $_->{executor} ne "canary:drop_last_term" } @{$d->{findings}}')" = 0 ]
ok $? "JSON: side by side, only the canary is found"
[ "$(json out 'my $t = $d->{time_shares}; my $s = 0; $s += $t->{$_} for keys %$t; abs($s - 1) < 1e-6')" = 1 ]
ok $? "JSON: shares of time add up"

[ "$(json out 'scalar grep { $_->{second_diverges} + $_->{both_diverge} } @{$d->{pairs}}')" = 0 ]
ok $? "JSON: side by side, the model is never blamed"
[ "$(json out 'my $n = 0; $n += $_->{first_diverges} for @{$d->{pairs}}; $n > 0')" = 1 ]
ok $? "JSON: side by side, the canary is blamed"

run 0 "side by side" run --executor model:sequential --executor model:pairwise --op stablehlo.reduce \
  --cases 300 --seed 3 --db pairs.db
like out "^first model:sequential, second model:pairwise" "side by side: a table for the pair"
like out "^  stablehlo.reduce  *[0-9]*  *[1-9][0-9]*  *[1-9][0-9]*  *0  *0  *0 " \
  "side by side: bits differ, both conform, nobody is blamed"
run 0 "pairs" query pairs --db pairs.db --format csv
like out "^model:sequential,model:pairwise,stablehlo.reduce,add," "side by side: query pairs"

run 0 "the database" query by-op --db a.db --format csv
like out "canary:drop_last_term" "the database: by-op"
run 0 "SQL" query --sql "SELECT sum(cases) AS n FROM counter WHERE outcome IN
  ('conforms', 'diverges', 'failed')" --db a.db --format json
[ "$(json out '$d->[0]{n}')" = 400 ]
ok $? "the database: all cases counted"
run 0 "SQL" query --sql "SELECT seed, exit_code FROM run" --db a.db --format csv
like out "^3,1" "the database: seed and exit code of the run"
run 1 "strata" run --executor canary:drop_last_term --op stablehlo.reduce --cases 300 --seed 3 --db s.db \
  --strata tiles=1,extremes=3
run 0 "SQL" query --sql "SELECT strata FROM run" --db s.db --format csv
like out '^"tiles=1,extremes=3"' "strata: the shares of the run are kept"
run 0 "SQL" query --sql "SELECT DISTINCT stratum AS x FROM reproducer ORDER BY x" --db s.db --format csv
is "$(tr '\r\n' '  ' <out | tr -s ' ')" "x extremes tiles " "strata: cases tell theirs, and come from no other"
run 1 "data sets" run --executor canary:drop_last_term --op stablehlo.reduce --cases 300 --seed 3 --db s.db \
  --data-sets 8
run 0 "SQL" query --sql "SELECT data_sets FROM run ORDER BY run_id" --db s.db --format csv
is "$(tr '\r\n' '  ' <out | tr -s ' ')" "data_sets 2-4 8 " "data sets: kept, the default too"
for sets in 0 -1 x 4-2 2- 1-9999999; do
  run 2 "data sets $sets" run --executor canary:drop_last_term --cases 10 "--data-sets=$sets"
  like err "bad number of data sets '$sets'; write N or LEAST-MOST.*(--data-sets)" "data sets $sets: says so"
done
for name in by-op by-algorithm findings worst; do
  for format in table json csv markdown; do
    run 0 "query $name --format $format" query $name --db a.db --format $format
    [ -s out ]
    ok $? "query $name --format $format: not empty"
  done
done
run 0 "queries" query --list
like out "^by-op" "queries: listed"

program='stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[16,16] f32[16,16] -> f32[16,16]'
run 0 "one program" run --program "$program" --executor model:lanes8+fma --cases 300
like out "f32,f32->f32  *3[0-9][0-9]  *300  *0 " "one program: all cases are of it"
other='stablehlo.reduce body=add dims=[0] f64[7] f64[] -> f64[]'
run 0 "two programs" run --program "$program" --program "$other" --executor model:lanes8 --cases 300
like out "f32,f32->f32  *1[0-9][0-9] " "two programs: cases of the first ..."
like out "f64,f64->f64  *1[0-9][0-9] " "two programs: ... and of the second"
run 2 "a program and an op" run --program "$program" --op stablehlo.reduce --executor model:sequential
run 2 "one that cannot be read" run --program "$program" --program nothing --executor model:sequential

# ---- A run that judged little says so ------------------------------------------------------------------
good=$(dirname "$ASSAY")/tests/dso/good.so
if [ -e "$good" ]; then
  run 0 "a backend of one op" run --executor "dso:$good" --cases 5000 --strata corner=1
  like out "good.so 5000 of 5000$" "a backend of one op: judged as many as asked for"
  unlike out "^judged [0-9]* of " "a backend of one op: no complaint, though it refuses all others"
  run 0 "too few draws" run --executor "dso:$good" --cases 5000 --strata corner=1 --draws 4000
  like out "^judged [0-9]* of 5000: dso:.*good.so refused [0-9]* (only sums of f32 to one number), \([0-9]* weak, \)*no more \
than 4000 are drawn (--draws), try --op stablehlo.reduce$" "too few draws: says so, why, and what to do"
  [ "$(tail -n 1 out | cut -c1-7)" = "judged " ]
  ok $? "too few draws: at the end"
  run 0 "an op that it refuses" run --executor "dso:$good" --op stablehlo.add --cases 50 --draws 200
  like out "^judged 0 of 50: dso:.*good.so refused 200 " "an op that it refuses: says so"
  run 0 "as JSON" run --executor "dso:$good" --op stablehlo.add --cases 50 --draws 200 --json
  [ "$(json out 'my ($s) = @{$d->{shortfalls}}; "$s->{judged} of $s->{of}"')" = "0 of 50" ]
  ok $? "as JSON: shortfalls"
  run 0 "a program that it refuses" run --executor "dso:$good" --program "$other" --cases 50
  like out "^judged 0 of 50: .* refused 1 .*, no executor takes more of any --program$" "a program that it refuses: says so"
  run 0 "nothing within a time" run --executor "dso:$good" --op stablehlo.add --time 300ms
  like out "^judged 0 of [0-9]*: " "nothing within a time: says so"
  faulty=$(dirname "$good")/faulty.so
  run 3 "failures" run --executor "dso:$faulty?execute:crash" --isolate --cases 50 \
    --program 'stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]'
  like out "^judged 3 of 50: .* 3 failed, gave up on 1 of the programs after 3 failures each" \
    "failures: why it ended"

  # Only those who say that they check programs get some that break a constraint.
  validates=$(dirname "$good")/validates.so
  run 0 "no invalid programs" run --executor "dso:$good" --op stablehlo.reduce --cases 3000 --strata corner=1
  unlike out "(invalid programs)" "no invalid programs: for who does not validate"
  run 1 "invalid programs" run --executor "dso:$validates" --op stablehlo.reduce --cases 3000 --strata corner=1
  like out "diverges (invalid-accepted)" "invalid programs: for who says that it does"
  run 1 "invalid programs for all" run --executor "dso:$good" --op stablehlo.reduce --cases 3000 --strata corner=1 --invalid
  like out "diverges (invalid-accepted)" "invalid programs for all: with --invalid"
  broken='stablehlo.reduce body=add dims=[0,0] f32[3] f32[] -> f32[]'
  run 2 "an invalid program" run --executor "dso:$good" --program "$broken" --cases 5
  like err "breaks constraint C[0-9]*, and no executor here .*; add --invalid" "an invalid program: what to do"
  run 1 "an invalid program all the same" run --executor "dso:$good" --program "$broken" --cases 5 --invalid
  run 1 "an invalid program for who validates" run --executor "dso:$good" --executor "dso:$validates" \
    --program "$broken" --cases 5
  unlike out "^dso:.*good.so stablehlo.reduce.*diverges" "an invalid program: nobody else is blamed"
fi
run 2 "negative draws" run --executor model:sequential --draws -1
run 0 "valid programs of gen" gen --op stablehlo.reduce --cases 300 --seed 4
cp out valid.cases
run 0 "all programs of gen" gen --op stablehlo.reduce --cases 300 --seed 4 --invalid
cut -d: -f1 out | uniq >all.programs
cut -d: -f1 valid.cases | uniq >valid.programs
[ "$(grep -c -x -F -f all.programs valid.programs)" -gt 50 ]
ok $? "gen: --invalid adds programs, and the others are those without it"
run 0 "isolated" run --executor model:pairwise --cases 100 --isolate --timeout 5s --memory 2G
run 0 "a time" run --executor model:pairwise --time 300ms

run 1 "a contract" run --executor canary:init_twice --contract init_count=1 --cases 2000 --strata corner=1
like out "diverges (init)" "a contract: init_count=1 finds the initial value entering twice"
sum='stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[]'
run 1 "many initial values" run --executor model:sequential+init=50 --contract init_count=few --program "$sum" --cases 60
like out "diverges (init-count)" "many initial values: a class of their own"
like out "init_count=" "many initial values: how many"
run 1 "two initial values" run --executor model:sequential+init=2 --contract init_count=1 --program "$sum" --cases 60
like out "diverges (init)" "two initial values: not that class"
unlike out "init-count" "two initial values: not many"
norm='byteir.l2_norm epsilon=0x1p-10 axis=[0] f32[8] -> f32[8]'
run 1 "a reading" run --executor model:sequential+norm_epsilon=added --program "$norm" --cases 40
like out "it would conform with norm_epsilon=added" "a reading: told with the finding"
unlike out "inaccurate elementary functions" "a reading: functions are not to blame"
printf 'byteir.gelu approximate=erf bf16[] -> bf16[] : 7f80\tffc0\n' >infinity.results
run 1 "NaN of infinity" judge infinity.results
like out "diverges (nan)" "NaN of infinity: functions that err are not to blame, either"
run 0 "few initial values" run --executor model:sequential+init=8 --contract init_count=few --program "$sum" --cases 60
run 0 "few initial values, wide" run --executor model:sequential+init=8 --contract wide --program "$sum" --cases 60
run 0 "any number" run --executor model:sequential+init=50 --contract spec --program "$sum" --cases 60
run 0 "the default contract" run --executor canary:init_twice --cases 2000 --strata corner=1
cat >letter.contract <<END
[contract]
base = spec
init_count = 1
END
run 1 "a contract file" run --executor canary:init_twice --contract @letter.contract --cases 2000 --strata corner=1
run 0 "ops" ops --json
parses_as_json out "ops --json: parses"
[ "$(json out 'map { join(",", @{$_->{formulas}}) } grep { $_->{name} eq "byteir.softmax" } @$d')" = shifted,online,scaled,unshifted ]
ok $? "ops --json: the formulas of an op"
[ "$(json out 'join " ", map { $_->{key} . ($_->{optional} ? "?" : "") } map { @{$_->{attributes}} } grep { $_->{name} eq "stablehlo.dot_general" } @$d')" = "batch contract precision? algorithm? accumulation?" ]
ok $? "ops --json: the attributes of an op"
# One worker among them: counting what each promises takes seconds.
list_executors onnxruntime --json >out 2>err
ok $? "executors --json"
parses_as_json out "executors --json: parses"
[ "$(json out 'scalar grep { $_->{kind} eq "canary" } @$d')" -ge 20 ]
ok $? "executors: at least 20 canaries"
finish

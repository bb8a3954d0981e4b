#!/bin/sh
# assay run: exit codes, the same findings for the same seed, JSON, and the database.
. "$(dirname "$0")/checks.sh"

run 0 "a model" run --op stablehlo.reduce --executor model:sequential --cases 500 --seed 3
like out "^500 cases in .* 0 findings" "a model: summary"
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

run 1 "JSON" run --executor canary:drop_last_term --executor model:pairwise --cases 400 --seed 3 --json
parses_as_json out "JSON: parses"
[ "$(json out '$d->{cases}')" = 400 ]
ok $? "JSON: cases"
[ "$(json out 'my $n = 0; $n += $_->{cases} for @{$d->{counters}}; $n')" = 800 ]
ok $? "JSON: every case is counted once for each executor"
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
run 0 "SQL" query --sql "SELECT sum(cases) AS n FROM counter" --db a.db --format json
[ "$(json out '$d->[0]{n}')" = 400 ]
ok $? "the database: all cases counted"
run 0 "SQL" query --sql "SELECT seed, exit_code FROM run" --db a.db --format csv
like out "^3,1" "the database: seed and exit code of the run"
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
like out "f32,f32->f32  *300 " "one program: all cases are of it"
run 0 "isolated" run --executor model:pairwise --cases 100 --isolate --timeout 5s --memory 2G
run 0 "a time" run --executor model:pairwise --time 300ms

run 1 "a contract" run --executor canary:init_twice --contract init_count=1 --cases 2000
like out "diverges (init)" "a contract: init_count=1 finds the initial value entering twice"
run 0 "the default contract" run --executor canary:init_twice --cases 2000
cat >letter.contract <<END
[contract]
base = spec
init_count = 1
END
run 1 "a contract file" run --executor canary:init_twice --contract @letter.contract --cases 2000
run 0 "ops" ops --json
parses_as_json out "ops --json: parses"
[ "$(json out 'map { join(",", @{$_->{formulas}}) } grep { $_->{name} eq "byteir.softmax" } @$d')" = shifted,online,scaled,unshifted ]
ok $? "ops --json: the formulas of an op"
run 0 "executors" executors --json
parses_as_json out "executors --json: parses"
[ "$(json out 'scalar grep { $_->{kind} eq "canary" } @$d')" -ge 20 ]
ok $? "executors: at least 20 canaries"
finish

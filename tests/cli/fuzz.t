#!/bin/sh
# assay fuzz: libFuzzer inside, steered by numerical novelty.
. "$(dirname "$0")/checks.sh"

"$ASSAY" fuzz stablehlo.reduce --executor model:sequential --runs 1 >out 2>err </dev/null
status=$?
if grep -q "built without libFuzzer" err; then
  [ "$status" -eq 2 ]
  ok $? "without libFuzzer: says so and exits with 2"
  finish
  exit
fi
like err "4096 Extra Counters" "the extra counters are seen"

run 0 "a model" fuzz stablehlo.dot_general --executor model:pairwise --runs 3000 --seed 1
like out "cases in .* 0 findings" "a model: summary, no finding"
unlike err "no interesting inputs" "a model: novelty steers"
[ "$(sed -n 's/.*corp: \([0-9]*\).*/\1/p' err | tail -1)" -gt 20 ]
ok $? "a model: a corpus of different errors grows"

run 1 "a canary" fuzz stablehlo.reduce --executor canary:drop_last_term --runs 2000 --db a.db
like out "diverges (value)" "a canary: found, and the search goes on"
like out "assay replay 'stablehlo.reduce" "a canary: replay line"
run 0 "the database" query findings --db a.db --format csv
like out "canary:drop_last_term" "the database: findings"

run 0 "a corpus" fuzz stablehlo.reduce --executor model:sequential --runs 2000 --corpus kept
[ "$(find kept -type f | wc -l)" -gt 5 ]
ok $? "a corpus: inputs are kept"
good=0
for file in kept/*; do
  "$ASSAY" show "$(cat "$file")" >/dev/null 2>&1 && good=$((good + 1))
done
[ "$good" -ge 5 ]
ok $? "a corpus: inputs are case lines"
run 0 "a time" fuzz stablehlo.reduce --executor model:sequential --time 1s
run 0 "isolated" fuzz stablehlo.reduce --executor model:sequential --runs 300 --isolate
run 2 "unknown op" fuzz stablehlo.redcue --executor model:sequential --runs 1
like err "did you mean 'stablehlo.reduce'?" "unknown op: suggestion"
run 2 "no op" fuzz --executor model:sequential
finish

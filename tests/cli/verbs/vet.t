#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay vet: TAP that prove reads.
. "$(dirname "$0")/../checks.sh"

run 0 "a model" vet --executor model:pairwise --cases 600
cp out model.tap
like model.tap "^TAP version 13" "a model: version"
like model.tap "^ok 1 - model:pairwise byteir" "a model: a point for each op, algorithm and types"
like model.tap "^ok [0-9]* - judged 600 of 600: model:pairwise$" "a model: a point for how much was judged"
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
"$ASSAY" vet --executor canary:drop_last_term --cases 100 >first.tap
"$ASSAY" vet --executor canary:drop_last_term --cases 100 | cmp -s - first.tap && [ -s first.tap ]
ok $? "the same seed: the same report"
run 0 "nothing is to fail" vet --executor canary:drop_last_term --cases 100 --fail-on never
like out "^not ok .* # TODO --fail-on never" "nothing is to fail: points are expected to"
cp out never.tap
prove -e cat never.tap >out 2>err
ok $? "nothing is to fail: prove passes"

# The point shows what tells most: here a wrong number, not the first finding.
grep -e '^  found: ' canary.tap >out
[ -s out ]
ok $? "a canary: what was found"
# Of few types only a term shows that is so small that flushing explains it.
less=$(grep -c "diverges (zero-sign)\|diverges (flush)\|diverges (nan)" out)
[ $((10 * less)) -le "$(wc -l <out)" ]
ok $? "a canary: hardly a zero's sign, flushed number or NaN where there are wrong values"

good=$(dirname "$ASSAY")/tests/dso/good.so
if [ -e "$good" ]; then
  run 0 "a backend of one op" vet --executor "dso:$good" --isolate --cases 20000
  cp out good.tap
  like good.tap "^ok 1 - dso:.*good.so stablehlo.reduce add f32,f32->f32$" "a backend of one op: its point"
  like good.tap "^ok [0-9]* - judged 20000 of 20000: " "a backend of one op: judged as asked"
  [ "$(grep -c " # SKIP " good.tap)" -le "$("$ASSAY" ops | wc -l)" ]
  ok $? "a backend of one op: one line an op for what it refuses"
  like good.tap "^ok [0-9]* - dso:.*good.so stablehlo.reduce, other types and algorithms # SKIP [0-9]* cases refused (only" \
    "a backend of one op: what else it refuses"
  prove -e cat good.tap >out 2>err
  ok $? "a backend of one op: prove passes"

  run 1 "too few" vet --executor "dso:$good" --cases 20000 --draws 4000
  cp out few.tap
  like few.tap "^not ok [0-9]* - judged [0-9]* of 20000: .* try --op stablehlo.reduce$" "too few: a failing point"
  prove -e cat few.tap >out 2>err
  [ $? -ne 0 ]
  ok $? "too few: prove fails"
  run 0 "too few, and nothing is to fail" vet --executor "dso:$good" --cases 20000 --draws 4000 --fail-on never
  run 1 "an op that it refuses" vet --executor "dso:$good" --op stablehlo.add --cases 50 --draws 200
  like out "^not ok [0-9]* - judged 0 of 50: " "an op that it refuses: no pass without a case"

  # README's example, its tail dropped: found by its own command.
  tail=$(dirname "$good")/matmul_tail.so
  run 1 "a dropped tail" vet --executor "dso:$tail" --isolate --cases 2000
  like out "^not ok [0-9]* - dso:.*matmul_tail.so stablehlo.dot_general default f32,f32->f32$" "a dropped tail: found"
  like out "^  found: .*diverges (value)" "a dropped tail: by a wrong value"
fi
run 0 "one op" vet --executor model:pairwise --op stablehlo.reduce --cases 300
unlike out "dot_general" "one op: no other"
run 2 "bad usage" vet --executor model:pairwise --op nothing
run 1 "JSON" vet --executor canary:drop_last_term --op stablehlo.reduce --cases 60 --seed 4 --json
parses_as_json out "JSON: one document, and nothing else"
[ "$(json out '(grep { !$_->{ok} } @{$d->{points}}) > 0 && $d->{points}[0]{repro} =~ /^assay replay/')" = 1 ]
ok $? "JSON: the most telling finding first, with the line that replays it"
cp out vet.json
"$ASSAY" vet --executor canary:drop_last_term --op stablehlo.reduce --cases 60 --seed 4 >vet.tap 2>err
[ "$(json vet.json 'scalar @{$d->{points}}')" = "$(grep -c -e '^ok ' -e '^not ok ' vet.tap)" ]
ok $? "JSON: as many points as TAP has"
run 2 "JSON of constraints" vet --executor model:pairwise --constraints --json
like err "leave out --json" "what to do"

# ---- What can be vetted ------------------------------------------------------------------------------
# Without backends, which take seconds each to start: backends.t lists those.
XDG_DATA_HOME=$folder/data
export XDG_DATA_HOME
run 0 "executors" executors
[ "$(wc -l <out)" -le 40 ] && ! grep -q '^model:pairwise' out
ok $? "executors: on one screen"
like out "^model: .* ready  [0-9]* that conform by construction: .*--all lists them" "executors: a line for all models"
run 0 "all executors" executors --all
like out "^model:pairwise  *ready" "executors --all: each model"
if command -v script >/dev/null; then
  script -q -e -c "stty cols 60; '$ASSAY' executors" /dev/null </dev/null | tr -d '\r' >narrow
  [ -s narrow ] && [ "$(sed '/^Also:/,$d' narrow | awk '{ if (length($0) > 62) n++ } END { print n + 0 }')" = 0 ] && grep -q "…" narrow
  ok $? "executors: lines are cut to the terminal"
fi
finish

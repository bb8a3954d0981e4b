#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The recall list: entries and what is wrong with them, and which of some made-up ones a search finds, on builtin executors.
. "$(dirname "$0")/../checks.sh"

# ---- What comes with Assay: each entry is read, and the oracle says of its result that it is wrong --------------------------
run 0 "the list" recall --list
like out "^onnxruntime-erf-nan  *onnxruntime  *1.26.0  *1.27.0  *Erf of f32" "the list: an entry with its releases"
run 0 "the list as JSON" recall --list --json
is() {
  [ "$1" = "$2" ]
  ok $? "$3: $1"
}
is "$(json out 'scalar grep { !$_->{links} || !($_->{case} && $_->{result} && $_->{release} || $_->{apart}) } @$d')" 0 \
  "no entry lacks what it must say"

# ---- Entries that are none --------------------------------------------------------------------------------------------------
sum='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000'
# entry NAME LINE...: the text of one on canary:drop_last_term, with further lines.
entry() {
  printf 'known %s\nexecutor canary:%s\nop stablehlo.reduce\nclass value\ntitle a made-up bug\nlinks nowhere issue 1\nrelease -\n' "$1" "$2"
  shift 2
  printf '%s\n' "$@"
  echo
}
# refused TEXT PATTERN: a file with this text is refused in these words.
refused() {
  printf '%s\n' "$1" >bad.def
  run 2 "refused" recall --list --corpus bad.def
  like err "bad.def:1: one: $2" "refused: $2"
}
refused "$(entry one drop_last_term "case $sum")" "no result; add a line \"result"
refused "$(entry one drop_last_term "case $sum" "result 40400000")" "its result is judged \"conforms"
refused "$(entry one drop_last_term "case $sum" "result 3f8000")" "column"
refused "$(entry one drop_last_term "case $sum" "result 7fc00000")" "its result is judged \"diverges, nan"
refused "$(entry one drop_last_term "case $sum" "result 3f800000" "algorithm maximum")" "its case does not fit its op"
refused "$(entry one drop_last_term "case $sum" "result 3f800000" "where has nan")" "its conditions (where) do not hold"
refused "$(entry one drop_last_term "case $sum" "result 3f800000" "where has luck")" "bad condition \"has luck\""
refused "$(entry one drop_last_term "case $sum" "result 3f800000" | sed '/^links/d')" "no links"
printf 'known one\ncolour red\n' >bad.def
run 2 "a word that is none" recall --list --corpus bad.def
like err "bad.def:2: no word \"colour\".* found, release, case, result, where, control, apart" "a word that is none: all that there are"
run 2 "a file that is not there" recall --list --corpus none.def
mkdir empty
run 2 "a folder without entries" recall --list --corpus empty
run 2 "no backend" recall
run 2 "a backend without entries" recall --backend tflight
like err "there is no entry of tflight" "a backend without entries: says so"
run 2 "a time that is none" recall --backend onnxruntime --time soon
run 2 "a release that is none" recall --backend onnxruntime --release ../x

# ---- Found, missed and why, near misses, unconfirmed, apart -----------------------------------------------------------------
# A sum without its last term, which a campaign finds at once; and a NaN that only a program of 5 dimensions may show, of which
# the canary has none: a finding of its op, types and class, without it, must not count.
# This control adds two numbers, which hardly any drawn ones add up to, however often the initial value enters, and refuses all
# else: findings on whose cases it does not conform are other bugs.
cat >control.sh <<'END'
printf 'assay-worker 1\nname control\nversion 1\ndata hex\nmlir no\nready\n'
while read -r verb rest; do
  case $verb in
    compile) case $rest in *'dims=[0] i64[2] i64[] -> i64[]'*) echo ok ;; *) echo 'unsupported not that' ;; esac ;;
    execute) echo 'ok 0003a5c791e2d4b3' ;;
    release) ;;
    *) echo ok ;;
  esac
done
END
mkdir made
{
  entry found drop_last_term "case $sum" "result 3f800000" "control model:sequential"
  entry near-by-condition drop_last_term "case stablehlo.reduce body=add dims=[0] f32[2,1,1,1,1,1,1,1] f32[] -> f32[1,1,1,1,1,1,1] : 3f80000040000000 : 00000000" \
    "result 3f800000" "where elements <= 2 and rank >= 8" "types f32*" "control model:sequential"
  entry near-by-control drop_last_term "case $sum" "result 3f800000" "control canary:drop_last_term+pairwise"
  entry near-by-result drop_last_term "case $sum" "result 3f800000" "got never" "control model:sequential"
  entry near-by-case drop_last_term "case stablehlo.reduce body=add dims=[0] i64[2] i64[] -> i64[] : 00000000000000010003a5c791e2d4b2 : 0000000000000000" \
    "result 0000000000000001" "types i64*" "control proc:sh control.sh"
  entry other-result drop_last_term "case $sum" "result 00000000" "control model:sequential"
  entry elsewhere drop_last_term "apart needs instructions that are not here"
} >made/first.def
run 1 "a search" recall --backend canary:drop_last_term --corpus made --time 8s --hint-time 1s --jobs 1 --out kept
like out "^canary:drop_last_term: a campaign of 8s, [0-9]* cases" "a search: how much was drawn"
like out "^  found  *found  *[0-9]* s  stablehlo.reduce " "found: after how long, and the case"
like out "^  near-by-condition  *missed: [a-z]* " "a finding that does not keep the conditions is none"
like out "^  near-by-control  *unconfirmed  *-  canary:drop_last_term+pairwise, which should conform: diverges" \
  "a control that has it too confirms nothing"
like out "^  near-by-result  *missed: data .*none it: it got " "a finding of another result is none, and no hint makes it one"
like out "^  near-by-case  *missed: data .* alike, none it: proc:sh control.sh has it too: " \
  "a finding on whose case the control does not conform is none"
like out "^  other-result  *unconfirmed  *-  diverges, value: .*; result 3f800000$" "another result is not that bug"
like out "^  elsewhere  *apart  *-  needs instructions" "what cannot be tested is kept apart"
like out "^ *1 found " "the table by outcome"
[ -e kept/canary_drop_last_term-seed-1-8s.campaign/campaign.db ]
ok $? "the campaign is kept where it was asked for"

# ---- Again, and in the same folder: a search counts for itself alone ---------------------------------------------------------
entry found drop_last_term "case $sum" "result 3f800000" "control model:sequential" >one.def
search="recall --backend canary:drop_last_term --corpus one.def --jobs 1 --hint-time 0 --out again"
drawn() { sed -n 's/^canary:drop_last_term: a campaign of [0-9a-z]*, \([0-9]*\) cases$/\1/p' out; }
start TERM 1 "$ASSAY" $search --time 60s >out 2>err
[ $? -eq 3 ]
ok $? "stopped: exit code 3"
like err "stopped; the same command goes on" "stopped: what to do"
[ -e again/canary_drop_last_term-seed-1-60s.campaign/campaign.db ]
ok $? "stopped: what was done is kept"
# On a busy machine a second may be too short to find anything: how much is drawn is what counts here.
"$ASSAY" $search --time 1s >out 2>err </dev/null
first=$(drawn)
[ -n "$first" ]
ok $? "one search: it draws"
"$ASSAY" $search --time 1s >out 2>err </dev/null
is "$(drawn)" "$first" "the same again: what it found is read, and no more is added"
"$ASSAY" $search --time 1s --seed 2 >out 2>err </dev/null
[ "$(ls -d again/*.campaign | wc -l)" -eq 3 ]
ok $? "with another seed: a campaign of its own"

# ---- Confirming alone; what a release does not have -------------------------------------------------------------------------
run 0 "confirming" recall --backend canary:drop_last_term --corpus made --confirm
like out "^  found  *confirmed  *-  diverges, value" "confirming: what came"
unlike out "a campaign of" "confirming: nothing is sought"
entry absent drop_first_term "case $sum" "result 40000000" >absent.def
sed 's/^executor .*/executor model:sequential/' absent.def >model.def
run 3 "a backend without the bug" recall --backend model:sequential --corpus model.def --time 1s
like out "^  absent  *unconfirmed  *-  conforms" "a backend without the bug: never counted"
run 3 "a release that is asked for" recall --backend model:sequential --release - --corpus model.def --time 1s
like out "^  absent  *absent  *-  conforms" "a release that is asked for: does not have it"
finish

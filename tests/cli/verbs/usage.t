#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bad usage is told in one line with what to do, and is exit code 2.
. "$(dirname "$0")/../checks.sh"

run 2 "no verb"
like err "^assay: no verb given" "no verb: says so"
run 2 "unknown verb" rnu
like err "unknown verb 'rnu'; did you mean 'run'?" "unknown verb: suggestion"
run 2 "hopeless verb" frobnicate
like err "\`assay help\` lists them" "hopeless verb: where to look"
run 2 "unknown option" run --casess 3
like err "unknown option '--casess' of \`assay run\`; did you mean 'cases'?" \
  "unknown option: suggestion"
run 2 "unknown op" run --op dot_general --executor model:sequential
like err "unknown op 'dot_general' (--op); did you mean 'stablehlo.dot_general'?" \
  "unknown op: suggestion"
run 2 "no executor" run --op stablehlo.reduce
like err "add --executor NAME" "no executor: what to add"
run 2 "impossible executor" run --executor '!!'
run 2 "unknown model" run --executor model:sideways
run 2 "unknown canary" run --executor canary:dead
# An executor that somebody named wrong is bad usage; one that is there and fails is not.
echo "no object" >text.so
head -c 40 "$ASSAY" >cut.so
for name in dso:/nowhere/libnothing.so dso:. dso:text.so pjrt:/nowhere/libnothing.so pjrt:text.so proc:/nowhere/worker proc:/tmp; do
  run 2 "executor that is not there, $name" run --executor "$name" --cases 1
  run 2 "isolated, $name" run --executor "$name" --cases 1 --isolate
done
like err "executor proc:/tmp: exit status 126 in open()" "executor that is not there: what the shell says"
run 3 "executor that is broken" run --executor dso:cut.so --cases 1
like err "executor dso:cut.so: it does not load: " "executor that is broken: says so"
run 3 "executor that fails" run --executor proc:false --cases 1
run 2 "bad count" run --executor model:sequential --cases many
run 2 "negative count" run --executor model:sequential --cases -1
# 0 would silently be the default, or no limit at all.
for option in "run --cases" "run --draws" "vet --cases" "fuzz --runs" "campaign --out f --jobs" "invariance --cases" \
  "contract infer --cases" "shrink x --steps" "gen --cases" "power --cases" "ledger --db d --cases" "retest --db d --repeat"; do
  run 2 "no $option" $option 0 --executor model:sequential
done
run 2 "no cases" run --executor model:sequential --cases 0
like err "^assay: bad value 0 (--cases); write a positive number, or leave it out$" "no cases: what to write"
run 2 "fewer than none" gen --op stablehlo.add --cases -5
for verb in run vet fuzz invariance "contract infer"; do
  run 2 "$verb: no time" $verb --executor model:sequential --time 0
  like err "'0' (--time) is no time; write for example 30s" "$verb: no time: what to write"
done
run 2 "bad time" run --executor model:sequential --time soon
like err "bad value 'soon' (--time); write for example 30s" "bad time: what to write"
run 2 "bad seed" run --executor model:sequential --seed x
run 2 "bad contract" run --executor model:sequential --contract order=sometimes
run 2 "bad program" run --executor model:sequential --program "stablehlo.reduce body=add"
run 2 "program and op" run --executor model:sequential --op stablehlo.reduce --program x
run 2 "too many arguments" run --executor model:sequential and more
like err "unexpected argument 'and'" "too many arguments: which"
run 2 "an op without its option" run stablehlo.add --executor model:sequential
like err "^assay: unexpected argument 'stablehlo.add'; write --op stablehlo.add$" "an op without its option: which"
: >some.db
run 2 "a database without its option" report some.db
like err "^assay: unexpected argument 'some.db'; write --db some.db$" "a database without its option: which"
# What takes long looks at where it is to write before it begins.
for verb in "contract infer --out" "thresholds --op stablehlo.reduce --out" "identify --op stablehlo.reduce --n 8 --svg"; do
  run 2 "no folder to write in, $verb" $verb nowhere/file --executor model:sequential
  like err '^assay: cannot write "nowhere/file" (--[a-z]*): there is no folder "nowhere"; make it, or name another$' \
    "no folder to write in: which"
  [ ! -s out ]
  ok $? "no folder to write in: nothing was done before"
done
run 2 "a folder to write over" contract infer --out . --executor model:sequential
run 2 "a finding that is no number" issue abc --db some.db
like err "^assay: 'abc' is no number of a finding; .assay query findings" "a finding that is no number: where to look"
run 2 "too few arguments" replay --executor model:sequential
run 2 "a database that is none" run --executor model:sequential --cases 1 --db "$ASSAY"
run 2 "query without a question" query --db x.db
run 2 "query without a database" query by-op
run 2 "unknown query" query by-nothing --db x.db
run 2 "misspelt query" query finding --db x.db
like err "^assay: unknown query 'finding'; did you mean 'findings'?$" "misspelt query: suggestion"
run 2 "unknown format" query by-op --db x.db --format xml
run 2 "bad line" replay "stablehlo.reduce body=add" --executor model:sequential
like err "column" "bad line: column"
# The place of a fault is told once.
printf '%s\n' 'frobnicate 1' 'stablehlo.add f32[1 f32[1] -> f32[1] : 0 : 0' >lines
for verb in replay "shrink" "prove --out o"; do
  run 2 "bad lines of a file, $verb" $verb lines --executor model:sequential
done
"$ASSAY" subject --executor model:sequential <lines >out 2>err
[ $? -eq 2 ] && grep -q '^assay: stdin:1:1: expected an op' err && grep -q '^assay: stdin:2:[0-9]*: expected' err
ok $? "bad lines of standard input: file, line and column"
unlike err "column" "their column is told once"
run 2 "bad lines of a file" replay lines --executor model:sequential
like err '^assay: lines:1:1: expected an op' "bad lines of a file: file, line and column"
unlike err "column" "a file's: the column is told once"
run 2 "a bad line" replay "frobnicate 1" --executor model:sequential
like err '^assay: expected an op .*(neither a file nor a case line, column 1)$' "a bad line: the column is told once"
printf 'stablehlo.negate f32[] -> f32[] : 3f800000\tzz\n' >result
run 2 "bad results" judge result
unlike out "column.*column" "bad results: one column"
run 2 "bad results, JSON" judge --json result
unlike out '"reason": "column' "bad results, JSON: the reason has no column of its own"

run 0 "help" help
like out "Exit codes: 0 clean, 1 divergences" "help: exit codes"
like out "init_count" "help: contracts"
run 0 "help contracts" help contracts
like out "^  repeat=same|any  " "help contracts: permissions"
like out "^  operand_rounding=rn|tf32|rna|rz  .*(spec: tf32; backend: tf32)" "help contracts: values"
like out "backend accepts whatever spec accepts, but for" "help contracts: their order"
like out "^  convert_rounding: any in spec, rn in backend; the specification says nothing" \
  "help contracts: where the specification is silent"
like out "^  dot_algorithm: spec in spec, verifier in backend; .* which programs are valid" \
  "help contracts: which rules hold"
unlike out "^  intermediate: " "help contracts: no other exceptions"
for verb in run fuzz vet invariance replay retest waive ledger compare shrink show gen subject judge query corpus ops executors doctor completion; do
  run 0 "help $verb" help $verb
  like out "assay $verb" "help $verb: usage"
done
run 0 "version" --version
like out "^assay [0-9]*\.[0-9]*\.[0-9]*$" "version: number"
[ ! -s err ]
ok $? "version: nothing on standard error"
# An option that takes one value is not given twice: the last one would silently win.
run 2 "an option twice" run --executor model:sequential --cases 5 -n 6
like err "^assay: --cases is given twice, and takes one value; leave one out$" "an option twice: which"
run 2 "twice, joined" run --executor model:sequential --seed=1 --seed 2 --cases 5
run 2 "a letter twice" run --executor model:sequential -n5 -n6
run 2 "two folders" campaign --executor model:sequential --out a --out b
run 2 "two databases" query by-op --db a.db --db b.db
run 0 "those that may be repeated" run --executor model:sequential --executor model:pairwise \
  --op stablehlo.reduce --op stablehlo.add --cases 5
run 0 "a value that looks like an option" show -- 'stablehlo.negate f32[] -> f32[] : 3f800000'
run 0 "behind --" show --mlir -- 'stablehlo.negate f32[] -> f32[] : 3f800000'
run 2 "nothing to fail on" run --executor model:sequential --cases 5 --fail-on old
like err "write new, any or never" "nothing to fail on: what to write"
finish

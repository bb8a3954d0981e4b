#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay fuzz: libFuzzer inside, steered by numerical novelty.
. "$(dirname "$0")/../checks.sh"

"$ASSAY" fuzz stablehlo.reduce --executor model:sequential --runs 1 >out 2>err </dev/null
status=$?
if grep -q "built without libFuzzer" err; then
  [ "$status" -eq 2 ]
  ok $? "without libFuzzer: says so and exits with 2"
  finish
  exit
fi
like err "1024 Extra Counters" "the extra counters are seen"

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

# What fails: known findings are no news.
backend=$(dirname "$ASSAY")/tests/dso/lives.so
if [ -e "$backend" ]; then
  lives() { # STATUS DESCRIPTION OPTION...
    expected_status=$1
    what=$2
    shift 2
    LIVES_VERSION=1.0 LIVES_DEEDS=drop \
      run "$expected_status" "$what" fuzz stablehlo.reduce --executor "dso:$backend" --runs 1500 --seed 6 "$@"
  }
  lives 0 "nothing is to fail" --fail-on never
  lives 2 "new without a database" --fail-on new
  lives 1 "new findings" --db life.db --fail-on new
  lives 0 "the same again" --db life.db --fail-on new
  lives 1 "the same again, and any is to fail" --db life.db --fail-on any
fi

run 0 "a corpus" fuzz stablehlo.reduce --executor model:sequential --runs 2000 --corpus kept
[ "$(find kept -type f | wc -l)" -gt 5 ]
ok $? "a corpus: inputs are kept"
good=0
for file in kept/*; do
  "$ASSAY" show "$(cat "$file")" >/dev/null 2>&1 && good=$((good + 1))
done
[ "$good" -ge 5 ]
ok $? "a corpus: inputs are case lines"

# Cases of a corpus that conform are not run again, on the same executor and contract; what diverges is.
run 0 "outcomes" fuzz stablehlo.reduce --executor model:sequential --runs 1000 --corpus recalled --outcomes outcomes
files=$(find recalled -type f | wc -l)
cases_of() { # DESCRIPTION LEAST MOST OPTION...
  what=$1
  least=$2
  most=$3
  shift 3
  run 0 "$what" fuzz stablehlo.reduce --runs $((files + 40)) --corpus recalled "$@"
  cases=$(sed -n 's/^\([0-9]*\) cases in .*/\1/p' out)
  [ "$cases" -ge "$least" ] && [ "$cases" -le "$most" ]
  ok $? "$what: $cases cases, of $files in the corpus"
}
cases_of "outcomes: no case of the corpus is run again" 1 41 --executor model:sequential --outcomes outcomes
cases_of "outcomes: without them all are" "$files" 1000000 --executor model:sequential
cases_of "outcomes: of another contract they say nothing" "$files" 1000000 --executor model:sequential --outcomes outcomes --contract spec
cases_of "outcomes: nor of another executor" "$files" 1000000 --executor model:reverse --outcomes outcomes
run 1 "outcomes of a faulty kernel" fuzz stablehlo.reduce --executor canary:drop_last_term --runs 600 --corpus faulty --outcomes outcomes
run 1 "outcomes: what diverges is run again" fuzz stablehlo.reduce --executor canary:drop_last_term --runs "$(find faulty -type f | wc -l)" --corpus faulty --outcomes outcomes
run 2 "outcomes of two executors" fuzz --executor model:sequential --executor model:reverse --outcomes outcomes
like err "keeps what one executor gave: name one, or leave it out" "outcomes of two executors: what to do"
run 2 "outcomes nowhere" fuzz --executor model:sequential --outcomes nowhere/outcomes
like err "cannot keep outcomes in .nowhere/outcomes.*; name a file that can be written" "outcomes nowhere: what to do"

# Several ops, in words and options, and all of them.
run 0 "several ops" fuzz stablehlo.reduce byteir.erf --op byteir.gelu --executor model:sequential \
  --runs 1500 --corpus mixed --json
[ "$(json out 'join " ", sort keys %{{map { $_->{op} => 1 } @{$d->{counters}}}}')" = \
  "byteir.erf byteir.gelu stablehlo.reduce" ]
ok $? "several ops: these and no other"
[ "$(cut -d" " -f1 mixed/* | sort -u | wc -l)" -eq 3 ]
ok $? "several ops: a corpus of all of them"
run 0 "all ops" fuzz --executor model:sequential --runs 300
run 0 "a corpus of mixed ops" fuzz byteir.erf --executor model:sequential --runs 300 --corpus mixed
"$ASSAY" fuzz stablehlo.reduce --executor canary:drop_nan --runs 3000 --seed 5 2>err |
  grep -v "time:\|cases in" >first
"$ASSAY" fuzz stablehlo.reduce --executor canary:drop_nan --runs 3000 --seed 5 2>err |
  grep -v "time:\|cases in" >second
cmp -s first second
ok $? "the same seed, the same findings"
run 1 "stop at a finding" fuzz stablehlo.reduce --executor canary:drop_nan --runs 20000 \
  --stop-at-finding
like out " 1 findings in 1 occurrences" "stop at a finding: one"
unlike err "libFuzzer: fuzz target exited" "stop at a finding: no crash"
run 0 "steered by nothing" fuzz stablehlo.reduce --executor model:sequential --runs 500 --steer none
run 2 "a bad steering" fuzz --executor model:sequential --runs 1 --steer left

# A smaller corpus with the same features.
features() { # FOLDER: how many libFuzzer counts.
  "$ASSAY" fuzz --executor model:sequential --corpus "$1" --runs 1 2>&1 >/dev/null |
    sed -n 's/.*INITED.* ft: \([0-9]*\) .*/\1/p'
}
cp -r mixed before
echo "no case" >mixed/note
run 0 "a smaller corpus" fuzz --executor model:sequential --corpus mixed --minimise-corpus
like out "files kept" "a smaller corpus: says how many"
[ "$(find mixed -type f | wc -l)" -lt "$(find before -type f | wc -l)" ]
ok $? "a smaller corpus: smaller"
[ "$(features mixed)" = "$(features before)" ]
ok $? "a smaller corpus: the same features"
[ -f mixed/note ] && [ -z "$(find . -maxdepth 1 -name 'mixed.minimised*')" ]
ok $? "a smaller corpus: other files stay, and nothing else does"
run 0 "a smaller corpus, again" fuzz --executor model:sequential --corpus mixed --minimise-corpus
like out "mixed: \([0-9]*\) of \1 files kept" "a smaller corpus, again: nothing to drop"
# A short line may ask for a large result: it stays in the corpus, and costs nothing.
mkdir large
echo "byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel" \
  "f32[2] i64[1] -> f32[16777216] : 3f8000003f800000 : 0000000001000000" >large/line
run 0 "a large result" fuzz byteir.resize --executor model:sequential --corpus large --minimise-corpus --json
[ "$(json out '$d->{cases}')" = 0 ] && [ -f large/line ]
ok $? "a large result: it is not run"
"$ASSAY" show "$(cat large/line)" >out 2>err
ok $? "a large result: it is a case"
run 2 "no such corpus" fuzz --executor model:sequential --corpus nowhere --minimise-corpus
like err "nowhere" "no such corpus: says which"
run 2 "no corpus" fuzz --executor model:sequential --minimise-corpus

# A backend that ends the process: the case is kept, and can be replayed; the search is done again.
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
if [ -f "$faulty" ]; then
  run 3 "a crash" fuzz stablehlo.reduce --executor "dso:$faulty?execute:crash" --runs 3000 --corpus c
  like err "assay: dso:.*: SIGSEGV in execute() in the case c-artifacts/crash-" "a crash: which case"
  like out "failed (crash): SIGSEGV in execute()" "a crash: a finding"
  like out "cases in .* 1 findings in" "a crash: the search goes to its end"
  case=$(find c-artifacts -name 'crash-*')
  [ "$(wc -l <"$case")" -eq 1 ] && "$ASSAY" show "$(cat "$case")" >/dev/null
  ok $? "a crash: the artifact is a case line"
  sh -c "PATH='$(dirname "$ASSAY")':\$PATH; $(sed -n 's/.*`\(assay replay.*\)`.*/\1/p' err)" >out 2>&1
  [ $? -eq 3 ]
  ok $? "a crash: the line to replay it with"
  like out "crash" "a crash: replayed in isolation"
  run 3 "a crash elsewhere" fuzz stablehlo.reduce --executor "dso:$faulty?execute:crash" --runs 3000 \
    --artifacts there
  [ -n "$(find there -name 'crash-*')" ]
  ok $? "a crash elsewhere: --artifacts"

  # exit() in a call is none of libFuzzer's crashes, and no end of the search.
  for deed in leave_well leave_at_once be_killed; do
    run 3 "$deed" fuzz stablehlo.reduce --executor "dso:$faulty?execute:$deed" --runs 3000 \
      --artifacts ends --db "$deed.db"
    like out "failed (ended): .* in execute()" "$deed: a finding"
    like out "cases in .* 1 findings in" "$deed: the search goes to its end"
    run 0 "$deed: the database" query --sql "SELECT count(*) AS n FROM divergence WHERE class = 'ended'" \
      --db "$deed.db" --format json
    [ "$(json out '$d->[0]{n}')" = 1 ]
    ok $? "$deed: it is stored"
  done
  [ -n "$(find ends -name 'ended-*')" ]
  ok $? "ends: the case is kept"
  [ -z "$(find . -maxdepth 1 -name 'crash-*' -o -maxdepth 1 -name 'ended-*')" ]
  ok $? "ends: nothing in the working directory"
fi

# SIGINT and SIGTERM: it finishes and summarises, and libFuzzer takes it for no crash.
for signal in INT TERM; do
  perl -e '
    my ($signal, @command) = @ARGV;
    my $child = fork() // die;
    if ($child == 0) { $SIG{INT} = "DEFAULT"; exec @command or die }
    select undef, undef, undef, 1;
    kill $signal, $child;
    waitpid $child, 0;
    exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' $signal "$ASSAY" fuzz stablehlo.reduce \
    --executor canary:drop_last_term --time 60s --db $signal.db >out 2>err
  [ $? -eq 1 ]
  ok $? "SIG$signal: the exit code tells of divergences"
  like out "cases in .* findings in" "SIG$signal: summary"
  run 0 "SIG$signal: the database" query --sql "SELECT count(*) AS n FROM run WHERE exit_code = 1" \
    --db $signal.db --format json
  [ "$(json out '$d->[0]{n}')" = 1 ]
  ok $? "SIG$signal: the run has ended"
done
[ -z "$(find . -maxdepth 1 -name 'crash-*')" ]
ok $? "signals leave no artifact"

run 0 "a time" fuzz stablehlo.reduce --executor model:sequential --time 1s
run 0 "isolated" fuzz stablehlo.reduce --executor model:sequential --runs 300 --isolate
run 2 "unknown op" fuzz stablehlo.redcue --executor model:sequential --runs 1
like err "did you mean 'stablehlo.reduce'?" "unknown op: suggestion"
run 2 "bad runs" fuzz --executor model:sequential --runs -1
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# gen | subject | judge: the walk of a case as three programs over text lines.
. "$(dirname "$0")/../checks.sh"

"$ASSAY" gen --op stablehlo.reduce --op stablehlo.dot_general --cases 300 --seed 5 >cases 2>err
ok $? "gen: exit code 0"
[ "$(wc -l <cases)" -eq 300 ]
ok $? "gen: one line a case"
"$ASSAY" gen --op stablehlo.reduce --op stablehlo.dot_general --cases 300 --seed 5 | cmp -s - cases
ok $? "gen: same seed, same cases"
"$ASSAY" gen --op stablehlo.reduce --op stablehlo.dot_general --cases 300 --seed 6 >others
! cmp -s others cases
ok $? "gen: other seed, other cases"
grep -q '^stablehlo.reduce ' cases && grep -q '^stablehlo.dot_general ' cases
ok $? "gen: both ops"

# What cannot be written is told: a full disk is no success.
if [ -c /dev/full ]; then
  for verb in "gen --cases 3" "gen --cases 3000" ops "help --man" "run --executor model:sequential --cases 20" \
    "vet --executor model:sequential --cases 200"; do
    eval "\"\$ASSAY\" $verb" >/dev/full 2>err </dev/null
    [ $? -eq 3 ] && grep -q "^assay: cannot write standard output: " err
    ok $? "a full disk, ${verb%% *}: exit code 3"
  done
  "$ASSAY" run --executor canary:drop_last_term --op stablehlo.reduce --cases 200 >/dev/full 2>err
  [ $? -eq 1 ]
  ok $? "a full disk: a divergence is exit code 1 all the same"
fi

"$ASSAY" subject --executor model:pairwise <cases >results 2>err
ok $? "subject: exit code 0"
[ "$(wc -l <results)" -eq 300 ]
ok $? "subject: a line for each"
cut -f1 results | cmp -s - cases
ok $? "subject: begins with the case line"
"$ASSAY" judge <results >verdicts 2>err
ok $? "judge: a model is exit code 0"
[ "$(grep -c -E '^(conforms|weak|refused: (breaks (known|C21|C8):|no oracle for ))' verdicts)" -eq 300 ]
ok $? "judge: a model conforms"

"$ASSAY" subject --executor canary:drop_last_term <cases | "$ASSAY" judge >verdicts 2>err
[ $? -eq 1 ]
ok $? "judge: a canary is exit code 1"
grep -q '^diverges (value): result 0 at \[' verdicts
ok $? "judge: says where"
grep -q '^diverges (value): .*; cause: without the last term, [0-9]* (of [0-9]*)' verdicts
ok $? "judge: and why, as a replay does"
"$ASSAY" subject --executor canary:drop_last_term <cases | "$ASSAY" judge --json >verdicts 2>err
[ "$(perl -MJSON::PP -ne 'print decode_json($_)->{outcome}, "\n"' verdicts | wc -l)" -eq 300 ]
ok $? "judge --json: an object a line"

"$ASSAY" gen --invalid --cases 3000 --seed 5 | "$ASSAY" subject --executor model:sequential |
  "$ASSAY" judge >verdicts 2>err
ok $? "invalid programs that are rejected: exit code 0"
grep -q '^conforms: breaks [A-Za-z0-9]*: the program breaks constraint' verdicts
ok $? "invalid programs: the constraint is named"

# What is drawn without --invalid is valid under the contract: negative axes are as of the document
# that introduced ByteIR's ops, not as of today's.
softmaxes() { "$ASSAY" gen --op byteir.softmax --cases 4000 --seed 5 "$@"; }
softmaxes | "$ASSAY" subject --executor model:sequential | "$ASSAY" judge >verdicts 2>err
! grep -q ' breaks ' verdicts
ok $? "gen: nothing invalid is drawn unasked"
! softmaxes | grep -q 'axis=-'
ok $? "gen: no negative axis by today's document"
softmaxes --contract byteir=seed | grep -q 'axis=-'
ok $? "gen --contract: some by the other"

# One bad line of three: told with line and column, the others are answered.
line='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000'
printf '%s\n%s\n%s\n' "$line" "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> g32[]" "$line" |
  "$ASSAY" subject --executor model:sequential >out 2>err
[ $? -eq 2 ]
ok $? "subject: a bad line is exit code 2"
[ "$(wc -l <out)" -eq 2 ]
ok $? "subject: the other lines are answered"
like err "^assay: stdin:2:[0-9]*: " "subject: line and column of the bad one"
like out "	40400000$" "subject: 1 + 2 = 3"

# judge answers every line, the bad ones too, in the order of the lines.
"$ASSAY" gen --op stablehlo.reduce --cases 3 | "$ASSAY" subject --executor model:sequential >results
{ head -n 2 results; printf '%s\t404000\n' "$line"; echo nonsense; tail -n 1 results; } >mixed
"$ASSAY" judge mixed >out 2>err
[ $? -eq 2 ]
ok $? "judge FILE: bad lines are exit code 2"
[ "$(wc -l <out)" -eq 5 ]
ok $? "judge FILE: an answer for each line"
column=$((${#line} + 2))
[ "$(sed -n 3p out)" = "error: line 3, column $column: expected 8 hex digits for f32[], found 6" ]
ok $? "judge FILE: the bad one's line and column, and what is wrong"
sed -n 4p out | grep -q '^error: line 4, column 1: expected an op'
ok $? "judge FILE: what is no line at all"
[ "$(grep -c '^assay: mixed:[34]:' err)" -eq 2 ]
ok $? "judge FILE: both are complained about"
"$ASSAY" judge --json - <mixed >out 2>err
[ "$(perl -MJSON::PP -ne '$d = decode_json($_); print "$d->{line}$d->{outcome} "' out | sed 's/weak/conforms/g')" = \
  "1conforms 2conforms 3error 4error 5conforms " ]
ok $? "judge --json -: an object for each line, with its number"
run 2 "judge: a file that is not there" judge none.txt
like err "none.txt" "judge: which"

judge_one() { # EXIT_CODE FIELD DESCRIPTION
  printf '%s\t%s\n' "$line" "$2" | "$ASSAY" judge >out 2>err
  [ $? -eq "$1" ]
  ok $? "judge: $3: exit code $1"
}
judge_one 0 40400000 "the right sum"
judge_one 1 40a00000 "a wrong sum"
judge_one 0 "refused: no time" "a refusal"
like out "^refused: no time" "judge: the refusal's reason"
judge_one 1 rejected "a valid program rejected"
judge_one 3 crash "a crash"
judge_one 1 unwritten "nothing written"
judge_one 2 nonsense "an unknown word"
like err "one of refused, rejected, .*, accepted, out-of-bounds, unwritten, nondeterministic$" "judge: the words that there are"
judge_one 2 404000 "too little data"
judge_one 2 "40400000 : 40400000" "too much data"
like err "^assay: stdin:1:[0-9][0-9]*: " "judge: column behind the tab"
printf '%s\n' "$line" | "$ASSAY" judge >out 2>err
[ $? -eq 2 ]
ok $? "judge: no result at all: exit code 2"
like err "^assay: stdin:1:$((${#line} + 1)): expected a tab and the results" "judge: what it lacks"

# Whoever should have written the lines may have died: nothing judged is no clean answer.
: >nothing
printf '# a comment\n\n' >remarks
run 2 "judge: an empty file" judge nothing
like err "^assay: nothing has no case$" "judge: that it has no case"
run 2 "judge --json: an empty file" judge --json nothing
run 2 "replay: an empty file" replay nothing --executor model:pairwise
run 2 "replay: a file of comments" replay remarks --executor model:pairwise
like err "^assay: remarks has no case$" "replay: that it has no case"
run 2 "shrink: an empty file" shrink nothing --executor model:pairwise
"$ASSAY" judge </dev/null >out 2>err
[ $? -eq 2 ]
ok $? "judge: an empty standard input: exit code 2"

# "-" stands for a result that is not to be judged.
norm='byteir.layer_norm epsilon=0x0p+0 axis=[1] eps_outside_sqrt=false f32[1,2] f32[2] f32[2] -> f32[1,2] f32[1,1] f32[1,1]'
norm="$norm : 3f80000040400000 : 3f8000003f800000 : 0000000000000000"
line=$norm
results=$(printf '%s\n' "$norm" | "$ASSAY" subject --executor model:sequential | cut -f2)
judge_one 0 "$results" "all three results of a norm"
judge_one 0 "${results%% : *} : - : -" "the first result alone"
like out "^conforms: result 1 is not judged" "judge: says which is not judged"
judge_one 0 "- : ${results#* : }" "the others alone"
judge_one 1 "- : 40a00000 : -" "a wrong mean alone"
like out "^diverges (value): result 1 at " "judge: where it is wrong"
judge_one 0 "- : - : -" "none of them"
like out "^no-oracle: no result is to be judged" "judge: that this is no verdict"
judge_one 2 "- : -" "fewer than there are"
line='byteir.arg_max axis=0 keep_dims=false select_last_index=false f32[2] -> f32[] i64[] : 3f80000040000000'
judge_one 0 "40000000 : 0000000000000001" "a value and its place"
# NaN and 1: where NaNs may be passed over 1 of place 1 is right, as is NaN of place 0, and no half of it is right alone.
pair='byteir.arg_max axis=0 keep_dims=false select_last_index=false f32[2] -> f32[] i64[] : 7fc000003f800000'
judge_case 0 "$pair" "3f800000 : 0000000000000001" arg_nan=any
judge_case 0 "$pair" "- : 0000000000000001" arg_nan=any
like out "^no-oracle: the results of this op are judged together" "judge: a place without its value"
judge_one 0 "- : 0000000000000000" "a wrong place without its value"
like out "^no-oracle: the results of this op are judged together" "judge: that the two belong together"
line='stablehlo.add f32[0] f32[0] -> f32[0] : - : -'
judge_one 0 "-" "a result without elements"
unlike out "not judged\|judged together\|to be judged" "judge: whose data that is"
line='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000'
judge_one 0 "-" "the only result"

# ---- What is no input is no clean bill --------------------------------------------------------------

mkdir folder
run 2 "judge: a folder is nothing that is judged" judge folder
like err "a folder (folder); name a file that can be read" "judge: which folder"
run 2 "replay: nor a thing that is run" replay folder --executor model:pairwise
run 2 "shrink: nor one that is made small" shrink folder --executor model:pairwise
run 2 "run --programs: a folder" run --programs folder --executor model:pairwise
run 2 "run --programs: no such file" run --programs nowhere --executor model:pairwise
run 2 "run --contract: no such file" run --contract @nowhere --executor model:pairwise
run 2 "run --program: no such module" run --program nowhere.mlir --executor model:pairwise
run 2 "module: no such module" module nowhere.mlir
run 2 "module --isolate-ops: no such module" module nowhere.mlir --isolate-ops --executor model:pairwise
run 2 "show: neither a file nor a line" show nowhere.txt
like err "neither a file of MLIR nor a case line, column 1" "show: that it is neither"

# Lines as Windows ends them.
sum='stablehlo.add f32[2] f32[2] -> f32[2] : 3f80000040000000 : 3f80000040000000'
printf '%s\t%s\r\n' "$sum" 4000000040800000 "$sum" 4000000040900000 >windows
"$ASSAY" judge windows >out 2>err
[ $? -eq 1 ]
ok $? "judge: lines that end with CR and LF"
[ "$(cut -c1-8 out | tr '\n' ' ')" = "conforms diverges " ]
ok $? "judge: each of them"

# The judge is strict about what the contract says.
printf '%s\t%s\n' "stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 3f800000" \
  40a00000 >twice
"$ASSAY" judge <twice >out 2>err
ok $? "judge: the initial value twice is permitted by default"
"$ASSAY" judge --contract init_count=1 <twice >out 2>err
[ $? -eq 1 ]
ok $? "judge --contract init_count=1: it is not"
like out "^diverges (init)" "judge: classed init"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay replay and show: a recorded case again, in words.
. "$(dirname "$0")/../checks.sh"

line='stablehlo.reduce body=add dims=[0] f32[2,2] f32[] -> f32[2] : 3f800000400000003f80000040000000 : 00000000'
run 0 "a model" replay "$line" --executor model:sequential
like out "^model:sequential: conforms" "a model: conforms"
run 1 "a canary" replay "$line" --executor canary:drop_last_term
like out "^canary:drop_last_term: diverges, value" "a canary: class"
like out "worst:    result 0 at \[0\]; 2 of 2 wrong" "a canary: the worst element"
like out "got:      0x1p+0" "a canary: got"
like out "x\*:       0x1p+1 (2)" "a canary: the exact value"
like out "expected: " "a canary: the accept set"
run 1 "two executors" replay "$line" --executor model:sequential --executor canary:drop_last_term
like out "^model:sequential: conforms" "two executors: the first"
like out "^canary:drop_last_term: diverges" "two executors: the second"
run 1 "JSON" replay "$line" --executor canary:drop_last_term --json
parses_as_json out "JSON: parses"
[ "$(json out '$d->[0]{verdict}{class}')" = value ]
ok $? "JSON: class"

cat >found.cases <<END
# A comment.
$line
= 40000000

$line
END
run 1 "a file" replay found.cases --executor canary:drop_last_term
[ "$(grep -c diverges out)" -eq 2 ]
ok $? "a file: both cases, no comment, no expectation"
printf 'nonsense\n%s\n' "$line" >found.cases
run 2 "a file with a bad line" replay found.cases --executor model:sequential
like err "^assay: found.cases:1:1: " "a file with a bad line: where"
like out "conforms" "a file with a bad line: the other line is replayed"
"$ASSAY" replay - --executor model:sequential <found.cases >out 2>err
[ $? -eq 2 ]
ok $? "standard input: exit code 2 for the bad line"
run 0 "an invalid program is rejected" replay \
  'stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[2] : 3f80000040000000 : 00000000' \
  --executor model:sequential
like out "breaks:   constraint C" "an invalid program: which constraint"

# What `run` prints can be pasted.
"$ASSAY" run --executor canary:neighbour_term --cases 300 --seed 2 >out 2>err
grep '^  assay replay' out | head -3 >pasted
[ -s pasted ]
ok $? "run prints replay lines"
PATH="$(dirname "$ASSAY"):$PATH"
while read -r command; do
  sh -c "$command" >out 2>err
  [ $? -eq 1 ] && grep -q diverges out
  ok $? "a pasted replay line diverges again"
done <pasted
program='stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[16,16] f32[16,16] -> f32[16,16]'
"$ASSAY" run --program "$program" --executor canary:neighbour_term --cases 50 >out 2>err
grep '^  assay gen .* | assay replay - ' out | head -1 >pasted
[ -s pasted ]
ok $? "long cases are drawn anew from their seed"
sh -c "$(cat pasted)" >out 2>err
[ $? -eq 1 ] && grep -q diverges out
ok $? "such a line diverges again"

# A program that ends a worker in compile(), and would in promises(): the next program is not blamed for it.
cat >dies.py <<'END'
import os, signal, sys
def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
say("assay-worker 1\nname dies\nversion 1\npromises yes\nmlir no\nready")
for line in sys.stdin:
    if "f32[3]" in line:
        os.kill(os.getpid(), signal.SIGFPE)
    say({"compile": "unsupported nothing", "promises": "no"}.get(line.split()[0], ""))
END
sum='stablehlo.reduce body=add dims=[0]'
{
  echo "$sum f32[3] f32[] -> f32[] : 3f8000003f8000003f800000 : 00000000"
  echo "$sum f32[2] f32[] -> f32[] : 3f8000003f800000 : 00000000"
} >two.cases
run 3 "a worker that dies of a program" replay two.cases --executor 'proc:python3 -S dies.py'
like out "reason: *SIGFPE in compile()" "a worker that dies of a program: in which call"
like out "refused" "the next program: is judged by itself"
unlike out "in promises()" "the next program: is not blamed"

run 0 "show" show "$line"
like out "program:   stablehlo.reduce body=add" "show: the program"
like out "operand 0: f32\[2,2\] 3f800000" "show: the data"
like out "stablehlo.reduce" "show: the module"
run 0 "show --mlir" show --mlir "$line"
like out '"stablehlo.reduce"' "show --mlir: generic form"
unlike out "^ *program:" "show --mlir: the module alone"
run 0 "show a program" show "$program"
run 2 "show nonsense" show nonsense
like err "column" "show nonsense: column"
finish

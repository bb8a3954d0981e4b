#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay shrink, and show --c: the smallest case that still diverges, as line, module and C.
. "$(dirname "$0")/../checks.sh"

line='stablehlo.reduce body=add dims=[0] f32[2,2] f32[] -> f32[2] : 3f800000400000003f80000040000000 : 00000000'
small='stablehlo.reduce body=add dims=[] f32[] f32[] -> f32[] : 3f800000 : 00000000'

# ---- The verb
run 1 "a canary" shrink "$line" --executor canary:drop_last_term
like out "^canary:drop_last_term: diverges (value): result 0 at \[\] is 0x0p+0" "a canary: verdict"
like out "before:  stablehlo.reduce .*; 5 operand elements, 105 bytes" "a canary: before"
like out "after:   stablehlo.reduce .*; 2 operand elements, 76 bytes" "a canary: after"
like out "nothing is left to take away" "a canary: complete"
grep -qF "  assay replay '$small' --executor 'canary:drop_last_term'" out
ok $? "a canary: the replay line"
like out "^const uint32_t got_0\[1\] = {" "a canary: what was got"
like out "0x00000000, /\* \[\] 0x0p+0 (00000000), wrong: expected 0x1p+0 \*/" "a canary: what is due"
cp out printed
"$ASSAY" show --mlir "$small" >module
sed -n '/^module/,/^}/p' printed | diff - module >out
ok $? "the module is that of show"
PATH="$(dirname "$ASSAY"):$PATH"
grep '^  assay replay' printed >pasted
sh -c "$(cat pasted)" >out 2>err
[ $? -eq 1 ] && grep -q "diverges, value" out
ok $? "the replay line can be pasted, and diverges"

run 1 "JSON" shrink "$line" --executor canary:drop_last_term --json
parses_as_json out "JSON: parses"
[ "$(json out '$d->[0]{after}{case}')" = "$small" ] && [ "$(json out '$d->[0]{before}{case}')" = "$line" ]
ok $? "JSON: both cases"
[ "$(json out '$d->[0]{after}{operand_elements}, $d->[0]{complete}, $d->[0]{after}{verdict}{class}')" = "21value" ]
ok $? "JSON: size, completeness, class"
json out '$d->[0]{mlir}' | diff - module >diff.out
ok $? "JSON: the module"
json out '$d->[0]{c}' | grep -q 'const uint32_t operand_1\[1\]'
ok $? "JSON: the arrays"

run 1 "few steps" shrink "$line" --executor canary:drop_last_term --steps 2 --json
[ "$(json out '$d->[0]{cases_run}')" = 2 ] && [ "$(json out '$d->[0]{complete} ? 1 : 0')" = 0 ]
ok $? "few steps: 2 cases run, and it says that it is incomplete"

# A contract that the finding needs stays in the line that is printed.
run 1 "a contract" shrink --contract init_count=1 --executor canary:init_twice \
  'stablehlo.reduce body=add dims=[0] f32[2,2] f32[] -> f32[2] : 3f800000400000003f80000040000000 : 3f800000'
grep '^  assay replay' out >pasted
like pasted "--contract 'init_count=1'" "a contract: in the replay line"
sh -c "$(cat pasted)" >out 2>err
[ $? -eq 1 ]
ok $? "a contract: the replay line diverges"

# ---- Several cases, and cases that do not diverge
run 0 "a model" shrink "$line" --executor model:sequential
like err "model:sequential: conforms on this case; there is nothing to shrink" "a model: says so"
[ ! -s out ]
ok $? "a model: prints nothing"
run 0 "a model, JSON" shrink "$line" --executor model:sequential --json
[ "$(json out 'scalar @$d')" = 0 ]
ok $? "a model, JSON: no documents"
printf '# Two.\n%s\n= 40000000\n\n%s\n' "$line" "$line" >cases
run 1 "a file" shrink cases --executor canary:drop_last_term --executor model:sequential
[ "$(grep -c '^canary:drop_last_term: diverges' out)" -eq 2 ]
ok $? "a file: both cases"
"$ASSAY" shrink - --executor canary:drop_last_term <cases >out 2>err
[ $? -eq 1 ] && [ "$(grep -c '^canary:drop_last_term: diverges' out)" -eq 2 ]
ok $? "standard input: both cases"

# ---- Findings
"$ASSAY" run --op stablehlo.reduce --executor canary:init_twice --contract init_count=1 \
  --cases 300 --db f.db >out 2>err
id=$("$ASSAY" query --db f.db --format csv --sql \
  "SELECT divergence_id FROM divergence ORDER BY class = 'init' DESC LIMIT 1" | tail -1 | tr -d '\r')
run 1 "a finding" shrink --db f.db --finding "$id"
like out "^canary:init_twice: diverges (init)" "a finding: its executor and its contract"
run 2 "no such finding" shrink --db f.db --finding 99999
like err "no finding 99999 in f.db; .assay query findings --db f.db. lists them" "no such finding: which"
run 2 "a finding that is no number" shrink --db f.db --finding x
like err "bad value 'x' (--finding)" "a finding that is no number: says so"
run 2 "a finding without a database" shrink --finding 1
like err "add --db FILE" "a finding without a database: says so"

# ---- Programs that break a constraint, crashes
run 0 "an invalid program that is rejected" shrink \
  'stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[2] : 3f80000040000000 : 00000000' \
  --executor model:sequential
dso="$(dirname "$ASSAY")/tests/dso"
if [ -e "$dso/faulty.so" ]; then
  sum='stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[] : 3f800000400000003f80000040000000 : 00000000'
  run 3 "a crash" shrink "$sum" --executor "dso:$dso/faulty.so?execute:crash" --isolate
  like out "^dso:.*: failed (crash)" "a crash: class"
  like out "after:  .*; 2 operand elements" "a crash: shrunk"
  like out "assay replay .* --isolate$" "a crash: replayed isolated"
  unlike out "got_0" "a crash: nothing was got"
  run 3 "a hang" shrink "$sum" --executor "dso:$dso/faulty.so?execute:hang" --isolate --timeout 100ms \
    --steps 8
  like out "^dso:.*: failed (hang)" "a hang: class"
  like out "effort:  [2-8] cases run" "a hang: within its steps"
  perl -e '
    my $child = fork() // die;
    if ($child == 0) { $SIG{INT} = "DEFAULT"; exec @ARGV or die }
    select undef, undef, undef, 1;
    kill INT => $child;
    waitpid $child, 0;
    exit($? & 127 ? 128 + ($? & 127) : $? >> 8)' "$ASSAY" shrink "$sum" --isolate --timeout 400ms \
    --executor "dso:$dso/faulty.so?execute:hang" --steps 1000000 >out 2>err
  [ $? -eq 3 ]
  ok $? "SIGINT: the exit code of a hang"
  like out "stopped early" "SIGINT: the smallest case so far is printed"
  run 1 "an invalid program that is accepted" shrink --executor "dso:$dso/good.so" \
    'stablehlo.reduce body=add dims=[5] f32[2,3] f32[] -> f32[] : 3f80000040000000404000003f80000040000000bf800000 : 3f800000'
  like out "^dso:.*: diverges (invalid-accepted): breaks C4" "an invalid program: constraint"
  like out "after:  .* f32\[\] f32\[\] -> f32\[\]; 2 operand elements" "an invalid program: shrunk"
  like out "breaks C4" "an invalid program: in the C too"
fi

# ---- What cannot be
run 2 "nothing" shrink --executor model:sequential
like err "give one thing to shrink" "nothing: says so"
run 2 "no executor" shrink "$line"
run 2 "an unknown executor" shrink "$line" --executor canary:drop_lst_term
like err "one is canary:drop_last_term" "an unknown executor: advice"
run 2 "a broken line" shrink 'stablehlo.reduce nonsense' --executor model:sequential
like err "neither a file nor a case line, column" "a broken line: where"
run 2 "bad steps" shrink "$line" --executor model:sequential --steps=-1
like err "(--steps)" "bad steps: says so"

# ---- C
if command -v cc >/dev/null 2>&1; then
  cat >check.pl <<'END'
# The arrays of a C file, printed by the program that it is compiled into, against the case line.
my ($file, $line) = @ARGV;
my @fields = split / : /, $line;
my ($types) = shift(@fields) =~ /((?: [!a-z][^ =]*\[[0-9,]*\])+) ->/;
my @types = split ' ', $types;
open my $main, '>', 'main.c' or die;
print $main qq~#include "$file"\n#include <stdio.h>\nint main(void) {\n~;
for my $i (0 .. $#fields) {
  my $count = "sizeof operand_$i / sizeof *operand_$i";
  print $main qq~  printf("%zu", $count);\n  for (size_t i = 0; i < $count; i++)~,
    qq~ printf(" %llx", (unsigned long long)operand_${i}[i]);\n  puts("");\n~;
}
print $main "  return 0;\n}\n";
close $main;
system('cc -std=c99 -Wall -Wextra -Werror -o main main.c') == 0 or die "does not compile";
my @printed = `./main`;
for my $i (0 .. $#fields) {
  my ($count, @got) = split ' ', $printed[$i];
  my ($element) = $types[$i] =~ /^([^\[]*)\[/;
  my ($bits) = $element =~ /(\d+)/;
  my $digits = int(($bits + 3) / 4);
  my @due = $fields[$i] eq '-' ? (0) : map { hex } unpack("(A$digits)*", $fields[$i]);
  die "operand $i: $count entries, not " . @due if $count != @due;
  for my $j (0 .. $#due) { die "operand $i, entry $j" if hex($got[$j]) != $due[$j]; }
}
END
  for case in "$line" \
    'stablehlo.reduce body=add dims=[0] f16[3] f16[] -> f32[] : 3c00bc007e00 : 8000' \
    'stablehlo.reduce body=argmax dims=[0] f32[0] i32[0] f32[] i32[] -> f32[] i32[] : - : - : ff800000 : 00000000' \
    'stablehlo.dot_general batch=[]x[] contract=[0]x[0] i4[3] i4[3] -> i32[] : f17 : 012' \
    'stablehlo.dot_general batch=[]x[] contract=[0]x[0] f64[2] f64[2] -> f64[] : 3ff0000000000000bff0000000000000 : 40000000000000007ff8000000000000' \
    'stablehlo.dot_general batch=[]x[] contract=[]x[] complex<f32>[] complex<f32>[] -> complex<f32>[] : 3f80000040000000 : bf80000000000000'; do
    run 0 "C" show --c "$case"
    cp out case.h
    cc -std=c99 -Wall -Wextra -Werror -x c -c case.h -o case.o 2>err
    ok $? "C: compiles alone"
    perl check.pl case.h "$case" 2>err
    ok $? "C: has the bits of $(echo "$case" | cut -d: -f1)"
  done
  long=$("$ASSAY" gen --op stablehlo.dot_general --cases 200 --seed 3 | awk 'length > 3000' | head -1)
  run 0 "C of a long case" show --c "$long"
  cp out case.h
  perl check.pl case.h "$long" 2>err
  ok $? "C of a long case: has its bits"
  sed -n '/^\/\*/,$p' printed >case.h
  perl check.pl case.h "$small" 2>err
  ok $? "C that shrink prints: has the bits of the smallest case"
  perl check.pl case.h "${small%0000000}0000001" 2>err
  [ $? -ne 0 ] && grep -q "operand 1, entry 0" err
  ok $? "C: other bits are told apart"
else
  echo "# no cc: C is not compiled"
fi
run 2 "C and a module" show --c --mlir "$line"
like err "leave out --mlir" "C and a module: says so"
run 2 "C of a program" show --c "${line%% : *}"
like err "has no arrays (--c)" "C of a program: says so"
# ---- In a run: the first case of each finding is made small, once -------------------------------------
run 1 "run --shrink" run --executor canary:drop_tail --op stablehlo.reduce --cases 400 --shrink --db small.db
grep "assay replay" out | awk '{ if (length($0) > 500) long++ } END { exit long > 0 }'
ok $? "run --shrink: lines to paste are short"
"$ASSAY" query --db small.db --format csv --sql "SELECT count(*) = (SELECT count(*) FROM divergence),
  sum((SELECT length(case_line) FROM reproducer AS r WHERE r.divergence_id = s.divergence_id AND role = 'shortest')
      < length(case_line)) AS x FROM reproducer AS s WHERE role = 'shrunk'" | tail -n 1 | tr -d '\r' >out
like out "^1,0$" "run --shrink: every finding has a small case, no longer than its shortest"
"$ASSAY" query --db small.db --format csv --sql "SELECT case_line FROM reproducer WHERE role = 'shrunk' LIMIT 1" |
  tail -n +2 | tr -d '\r"' >line
run 1 "run --shrink: the small case diverges" replay line --executor canary:drop_tail
# A case that shrinks into another bug is not kept: a NaN of oneDNN's log_softmax became a case of finite
# numbers.  What this fault makes small is explained by its cause.
run 1 "run --shrink: the cause stays" run --executor canary:drop_tail --op stablehlo.reduce --cases 400 --shrink --db small.db
"$ASSAY" query --db small.db --format csv --sql "SELECT count(*) AS x FROM divergence JOIN reproducer USING (divergence_id)
  WHERE role = 'shrunk' AND cause = 'without-tail' AND cause_words NOT LIKE '%beyond the last whole block%'
  AND cause_words NOT LIKE '%without-tail%'" | tail -n 1 >out
like out "^0" "run --shrink: small cases have the cause of their finding"
run 1 "run --known" run --executor canary:drop_tail --op stablehlo.reduce --cases 400 --shrink --known small.db --db other.db
run 0 "run --known: the database" query --db other.db --format csv --sql "SELECT count(*) FROM reproducer WHERE role = 'shrunk'"
like out "^0" "run --known: nothing is made small again"

# ---- A share of a run's time
small_cases() { "$ASSAY" query --db "$1" --format csv --sql "SELECT count(*) FROM reproducer WHERE role = 'shrunk'" | sed -n '2s/\r$//; 2p'; }
many="--op stablehlo.reduce --op stablehlo.dot_general --executor canary:drop_last_term --cases 300 --seed 3 --shrink"
run 1 "all of the time" run $many --db whole.db
run 1 "a hundredth of the time" run $many --shrink-percent 1 --db part.db
[ "$(small_cases part.db)" -ge 1 ] && [ "$(small_cases part.db)" -lt "$(small_cases whole.db)" ]
ok $? "a hundredth of the time: fewer findings are made small, but one"
for percent in 0 -5 101 x; do
  run 2 "no share: $percent" run $many --shrink-percent=$percent
  like err "shrink-percent is a share of the time, 1 to 100, and not '$percent'" "no share: $percent: says so"
done

finish

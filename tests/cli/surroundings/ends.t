#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# An executor that ends the process that it runs in, in whatever call and in whatever way: an outcome
# with the case that did it, in every verb, with and without isolation.  Nobody outlives the run.
. "$(dirname "$0")/../checks.sh"
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
[ -f "$faulty" ] || { echo "1..0 # SKIP tests/dso/faulty.so is not built"; exit 0; }
program='stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]'
line='stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f800000400000003fc00000 : c0400000'

# ---- Where and how ------------------------------------------------------------------------------------------------
# DEED CLASS WORDS [CASES]: of a finding of `run`.
check_run() {
  for isolate in "" --isolate; do
    run 3 "$1 $isolate" run --program "$program" --executor "dso:$faulty?$1" --cases ${4:-30} --seed 1 $isolate
    like out "failed ($2): $3" "$1 $isolate: the finding"
    like out "^  assay replay '.*' --executor" "$1 $isolate: the line that replays it"
    like out "^[0-9]* cases in .* 1 findings in" "$1 $isolate: one finding"
  done
}
check_run promises:leave_at_once ended "exit status 0 in promises()"
check_run compile:leave_well ended "exit status 0 in compile()"
check_run implementation:crash crash "SIGSEGV in implementation()"
check_run execute:leave_well ended "exit status 0 in execute()"
check_run execute:leave_at_once ended "exit status 0 in execute()"
check_run execute:be_killed ended "SIGKILL in execute()"
check_run execute:be_terminated ended "SIGTERM in execute()"
check_run execute:crash crash "SIGSEGV in execute()"
check_run execute:write_very_far_after crash "SIGSEGV in execute()"
check_run release:leave_well ended "exit status 0 in release()"
check_run close:leave_at_once ended "exit status 0 in close()"
check_run close:crash crash "SIGSEGV in close()"
check_run unload:leave_well ended "exit status 0 when it was unloaded"
check_run open:leave_from_a_thread ended "exit status 0 " 20000

# Before there is a case.
for isolate in "" --isolate; do
  run 3 "open:leave_well $isolate" run --executor "dso:$faulty?open:leave_well" --cases 10 $isolate
  like err "executor dso:.*: exit status 0 in open()" "open:leave_well $isolate: says so"
  FAULTY_LOAD=leave_at_once run 3 "at dlopen $isolate" run --executor "dso:$faulty" --cases 10 $isolate
  like err "executor dso:.*: exit status 0 when it was loaded" "at dlopen $isolate: says so"
  FAULTY_QUERY=leave_well run 3 "in the query $isolate" vet --executor "dso:$faulty" --cases 10 $isolate
  like err "executor dso:.*: exit status 0 in assay_executor_query()" "in the query $isolate: says so"
done

# A hang is noticed after the limit of a call, in this process too.
before=$(date +%s)
run 3 "a hang" run --program "$program" --executor "dso:$faulty?execute:hang" --cases 5 --timeout 2s
like err "no answer within 2 s in execute(); the work is done again" "a hang: after two seconds"
like out "failed (hang): no answer within 2000 ms in execute()" "a hang: the finding"
[ $(($(date +%s) - before)) -lt 40 ]
ok $? "a hang: nobody waits for a minute"

# ---- Every verb ---------------------------------------------------------------------------------------------------
leaving="dso:$faulty?execute:leave_at_once"
closing="dso:$faulty?close:leave_well"
run 3 "vet" vet --op stablehlo.reduce --executor "$leaving" --cases 300
[ "$(grep -c "^TAP version" out)" = 1 ] && grep -q "^not ok .* stablehlo.reduce add f32,f32->f32" out
ok $? "vet: one TAP stream, with a failing point"
run 3 "run --json" run --op stablehlo.reduce --executor "$leaving" --draws 300 --json
[ "$(json out '$d->{findings}[0]{verdict}{class} . $d->{cases}')" = ended300 ]
ok $? "run --json: the finding"
run 3 "two executors" run --program "$program" --executor model:sequential --executor "$leaving" --cases 300 --json
[ "$(json out 'join " ", map { $d->{totals}{$_} } qw(conforms diverges failed)')" = "300 0 3" ]
ok $? "two executors: the other one is judged as always"
run 3 "replay" replay "$line" --executor "$leaving"
like out "failed, ended" "replay: the outcome"
run 3 "replay, at the end" replay "$line" --executor "$closing"
like err "executor dso:.*: exit status 0 in close()" "replay, at the end: says so"
echo "$line" | "$ASSAY" subject --executor "$leaving" >out 2>err
like out "	ended: exit status 0 in execute()" "subject: the outcome"
"$ASSAY" judge <out >judged 2>err
like judged "failed (ended)" "judge: the verdict"
run 3 "shrink" shrink "$line" --executor "$leaving"
like out "failed (ended)" "shrink: the outcome"
run 3 "identify" identify --op stablehlo.reduce --n 8 --executor "$leaving"
like err "exit status 0 in execute()" "identify: says so"
run 3 "invariance" invariance --op stablehlo.reduce --type f32 --executor "$closing"
run 3 "ledger" ledger --op stablehlo.reduce --cases 20 --db ledger.db --executor "$closing"
run 3 "the database" run --op stablehlo.reduce --executor "$leaving" --cases 300 --db ends.db
run 1 "retest" retest --db ends.db --executor "$leaving"
like out "^  still .*failed ended" "retest: still"
run 3 "at the end, the database" run --op stablehlo.reduce --executor "$closing" --cases 300 --db close.db
run 1 "at the end, retest" retest --db close.db --executor "$closing"
like out "^  still .*failed ended" "at the end, retest: still"

# A run of which the first attempt has stored a finding: it is new all the same.
run 3 "new findings" run --op stablehlo.reduce --executor "$leaving" --cases 300 --db new.db --fail-on new
run 0 "known findings" run --op stablehlo.reduce --executor "$leaving" --cases 300 --db new.db --fail-on new
"$ASSAY" run --op stablehlo.reduce --executor "dso:$faulty?execute:leave_from_a_thread" --executor canary:drop_last_term \
  --cases 4000 --db told.db >out 2>err
[ $? -eq 1 ] && [ -z "$(grep ' diverges (' out | sort | uniq -d)" ]
ok $? "what was reported before is not reported again"

# ---- Interrupts ---------------------------------------------------------------------------------------------------
good=$(dirname "$ASSAY")/tests/dso/good.so
for signal in INT TERM; do
  start $signal 1.5 "$ASSAY" run --program "$program" --executor "dso:$good" --time 60s >out 2>err
  [ $? -eq 0 ] && grep -q "cases in" out
  ok $? "SIG$signal: finishes and summarises"
done
start INT 1.5 setsid --wait timeout -s INT 0.7 "$ASSAY" run --program "$program" --executor "dso:$good" --time 60s >out 2>err
grep -q "cases in" out
ok $? "timeout(1), which asks the process and its group: finishes and summarises"

# ---- Whose end it was ---------------------------------------------------------------------------------------------
# A worker that compiles to tell what it promises ends over one program in both calls.
cat >dies.sh <<'END_OF_WORKER'
printf '%s\n' 'assay-worker 1' 'name dies' 'version 1' 'data hex' 'mlir no' 'promises yes' ready
while read -r line; do
  case $line in
    *stablehlo.maximum*) exit 1 ;;
    promises*) echo no ;;
    *) echo 'unsupported all else' ;;
  esac
done
END_OF_WORKER
run 3 "ends over one op" run --op stablehlo.maximum --op stablehlo.minimum --executor 'proc:sh dies.sh' --cases 40
like out "stablehlo.maximum .* failed (ended): exit status 1 in compile()" "ends over one op: that op is told"
unlike out "stablehlo.minimum .* failed" "ends over one op: no other is blamed"

# ---- Nobody outlives the run --------------------------------------------------------------------------------------
alive() { # How many processes of the list run.
  for process in $(cat pids 2>/dev/null); do
    kill -0 "$process" 2>/dev/null && ! grep -q "^State:.*zombie" "/proc/$process/status" 2>/dev/null && echo "$process"
  done | wc -l
}
none_alive() {
  for _ in $(seq 100); do
    [ "$(alive)" -eq 0 ] && break
    sleep 0.1
  done
  [ "$(wc -l <pids)" -gt 0 ] && [ "$(alive)" -eq 0 ]
  ok $? "$1"
  kill -9 $(cat pids) 2>/dev/null
  rm -f pids
}
for isolate in "" --isolate; do
  for deed in leave_children leave_a_daemon; do
    run 0 "$deed $isolate" run --op stablehlo.reduce --executor "dso:$faulty?execute:$deed:$PWD/pids" --cases 300 $isolate
    none_alive "$deed $isolate: all are gone"
  done
  start KILL 2 "$ASSAY" run --op stablehlo.reduce --executor "dso:$faulty?execute:leave_a_daemon:$PWD/pids" --time 60s \
    $isolate >out 2>err
  none_alive "kill -9 $isolate: all are gone"
done
finish

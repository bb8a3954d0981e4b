#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The life of a finding over versions of a backend: new, known, waived, its waiver stale, fixed,
# regressed, changed; what fails when; and what two versions have in common.
. "$(dirname "$0")/../checks.sh"

backend=$(dirname "$ASSAY")/tests/dso/lives.so
[ -e "$backend" ] || { echo "1..0 # SKIP $backend is not built"; exit 0; }
cp "$backend" liblives.so
lives=dso:$folder/liblives.so
program='stablehlo.reduce body=add dims=[0] f32[5] f32[] -> f32[]'

version() { # VERSION DEEDS: what the backend is from here on, see tests/exec/dso/lives.c
  export LIVES_VERSION="$1" LIVES_DEEDS="$2"
}

# state STATE DESCRIPTION: the state of the finding of class value.
state() {
  found=$("$ASSAY" query --db life.db --format csv --sql \
    "SELECT state FROM finding_state WHERE class = 'value'" | tail -n +2 | tr -d '\r')
  [ "$found" = "$1" ]
  ok $? "$2: the state is $1, found '$found'"
}

search() { # STATUS DESCRIPTION OPTION...: draws data of one kind, so that one finding is all there is
  expected_status=$1
  what=$2
  shift 2
  run "$expected_status" "$what" run --executor "$lives" --program "$program" --cases 40 --db life.db "$@"
}

retest() { # STATUS DESCRIPTION OPTION...
  expected_status=$1
  what=$2
  shift 2
  run "$expected_status" "$what" retest --executor "$lives" --db life.db "$@"
}

finding() { # COLUMN: of the finding of class value
  "$ASSAY" query --db life.db --format csv --sql \
    "SELECT $1 FROM finding_state WHERE class = 'value'" | tail -n +2 | tr -d '\r'
}

# Only the finding of class value is followed here; the others are waived at once.
waive_others() {
  for signature in $("$ASSAY" query --db life.db --format csv --sql \
    "SELECT DISTINCT signature FROM divergence WHERE class <> 'value'" | tail -n +2 | tr -d '\r'); do
    "$ASSAY" waive "$signature" --db life.db --reason "not of this test" --owner test \
      --expires 9999-12-31 >/dev/null
  done
}

version 1.0 drop
search 1 "a new finding"
like out "findings: [1-9][0-9]* new$" "a new finding: counted as new"
state new "a new finding"
search 1 "seen again"
like out "findings: 0 new, [1-9][0-9]* known$" "seen again: counted as known"
state known "seen again"
waive_others
search 0 "known findings do not fail a run that looks for new ones" --fail-on new
search 1 "known findings are not waived" --fail-on unwaived
run 2 "no such thing to fail on" run --executor "$lives" --cases 1 --db life.db --fail-on old
run 2 "new without a database" run --executor "$lives" --cases 1 --fail-on new
like err "add --db FILE" "new without a database: what to do"
search 0 "nothing is to fail" --fail-on never
run 0 "nothing is to fail, without a database" run --executor "$lives" --program "$program" --cases 40 --fail-on never
run 1 "vet: new" vet --executor "$lives" --op stablehlo.reduce --cases 400 --db vet.db --fail-on new
like out "^not ok [0-9]* - .*f32,f32->f32$" "vet: new ones fail"
run 0 "vet: known" vet --executor "$lives" --op stablehlo.reduce --cases 400 --db vet.db --fail-on new
like out "^not ok [0-9]* - .*f32,f32->f32 # TODO known$" "vet: known ones are expected to fail"

retest 1 "retest of an open finding"
like out "^  still  *known  *#[0-9]*  *stablehlo.reduce add f32,f32->f32 diverges value: diverges as before" \
  "retest of an open finding: still"
grep -e "^    assay replay" out | head -1 | sed 's/^ *assay //' >replay
eval "run 1 'its replay line' $(cat replay)"
state known "retest of an open finding"

retest 0 "retest: what is open was so before" --fail-on new
retest 0 "as TAP: what is open was so before" --fail-on new --tap
like out "^not ok .* # TODO known$" "as TAP: what is open was so before"
retest 0 "retest: nothing is to fail" --fail-on never
retest 2 "retest: no such word" --fail-on sometimes

# report [OPTION...]: fails as a run does, and its test points with it.
run 0 "report: no test unless it is asked for" report --db life.db
run 1 "report: something is open" report --db life.db --fail-on any
run 0 "report: nothing is new" report --db life.db --fail-on new
run 1 "report: known findings are not waived" report --db life.db --fail-on unwaived
run 0 "report: nothing is to fail" report --db life.db --fail-on never
run 2 "report: no such word" report --db life.db --fail-on old
run 0 "report, TAP: nothing is new" report --db life.db --fail-on new --format tap
like out "^not ok .* # TODO \(known\|waived\)$" "report, TAP: what is known is expected"
run 1 "report, TAP: any" report --db life.db --fail-on any --format tap
like out "^not ok [0-9]* - .*stablehlo.reduce add$" "report, TAP: any fails"
run 0 "report, JUnit: nothing is new" report --db life.db --fail-on new --format junit
like out 'failures="0" .*skipped="1"' "report, JUnit: what is known does not count as failed"
like out '<skipped message="\(known\|waived\)"/>' "report, JUnit: it says why"
run 1 "report, page" report --db life.db --fail-on any --html page.html
[ -s page.html ]
ok $? "report, page: it is written all the same"

signature=$(finding signature)
run 2 "a waiver without a reason" waive "$signature" --db life.db --owner ann --expires 9999-01-31
like err "add --reason" "a waiver without a reason: says so"
run 2 "an empty reason" waive "$signature" --db life.db --owner ann --expires 9999-01-31 --reason " "
run 2 "a waiver that has expired" waive "$signature" --db life.db --owner ann --reason x \
  --expires 2001-01-31
like err "expired already" "a waiver that has expired: says so"
run 2 "no day" waive "$signature" --db life.db --owner ann --reason x --expires 2999-02-30
run 2 "an unknown finding" waive 4711 --db life.db --owner ann --reason x --expires 9999-01-31
run 2 "too few letters" waive abc --db life.db --owner ann --reason x --expires 9999-01-31
run 2 "no database" waive "$signature" --db none.db --owner ann --reason x --expires 9999-01-31
[ ! -e none.db ]
ok $? "no database: none is made"
run 0 "a waiver" waive "$(echo "$signature" | cut -c1-10)" --db life.db --owner ann \
  --reason "odd lengths, BUG-7" --expires 9999-01-31
like out "^waived until 9999-01-31 by ann:" "a waiver: told"
state waived "a waiver"
retest 0 "retest of a waived finding"
like out "^  still  *waived" "retest of a waived finding: still, and all right"
retest 0 "as TAP" --tap
like out "^not ok [0-9]* - .* # TODO waived" "as TAP: a known failure"
search 0 "a waived finding does not fail a run" --fail-on unwaived
like out "waived$" "a waived finding: counted as such"
search 1 "a waived finding fails a run that fails on any"
run 0 "waivers" query waivers --db life.db --format csv
like out ",holds,.*,ann,9999-01-31,\"*odd lengths, BUG-7" "waivers: listed"

sqlite3 life.db "UPDATE waiver SET expires = '2020-01-01' WHERE owner = 'ann'"
state waiver-expired "the last day has passed"
retest 1 "retest with an expired waiver"
like out "^waiver of .* has expired" "retest with an expired waiver: says so"
search 1 "an expired waiver fails a run" --fail-on new
like out "waiver-expired" "an expired waiver: counted as such"
sqlite3 life.db "UPDATE waiver SET expires = '9999-01-31' WHERE owner = 'ann'"

# Version 2 is right, and adds in another order.
sleep 1 # A waiver is older than the fix.
version 2.0 lanes
retest 1 "the finding has vanished"
like out "^  gone  *fixed .* nothing diverges in [0-9]* cases" "the finding has vanished: fixed"
like out "^waiver of .* is not needed: the finding is gone" "the finding has vanished: stale waiver"
state fixed "the finding has vanished"
[ "$(finding last_good_version)" = "tester 2.0" ]
ok $? "the last good version is 2.0"
retest 1 "as TAP: a stale waiver" --tap --state fixed
like out "^not ok .* - the waiver of .* is not needed" "as TAP: a stale waiver fails"
search 0 "nothing is wrong any more"
state fixed "nothing is wrong any more"
version 1.0 drop
search 1 "the older version is still wrong"
state fixed "the older version is still wrong"

sleep 1
version 3.0 "drop lanes"
search 1 "it is back" --fail-on new
like out "[1-9] regressed" "it is back: counted as regressed"
run 1 "report: it is back" report --db life.db --fail-on new
sleep 1
search 0 "seen again, it is no news" --fail-on new
run 0 "report: seen again, it is no news" report --db life.db --fail-on new
state regressed "it is back, whatever the older waiver says"
[ "$(finding first_version),$(finding last_version)" = "tester 1.0,tester 3.0" ]
ok $? "it is back: first and last version"
retest 1 "retest of a regressed finding"
like out "^  still  *regressed" "retest of a regressed finding: says so"
like out "is outlived" "retest of a regressed finding: so is its waiver"
run 0 "the waiver is withdrawn" waive "$signature" --db life.db --withdraw
run 2 "withdrawn already" waive "$signature" --db life.db --withdraw
run 0 "a waiver for what has come back" waive "$signature" --db life.db --owner bob \
  --reason "back since 3.0" --expires 9999-01-31
state waived "a waiver for what has come back"
run 0 "it is withdrawn" waive "$signature" --db life.db --withdraw
state regressed "it is withdrawn"

# Version 4 writes nothing where version 3 was wrong.
version 4.0 unwritten
retest 1 "it has changed" --json
parses_as_json out "it has changed: JSON"
[ "$(json out 'my ($f) = grep { $_->{class} eq "value" } @{$d->{findings}};
  join ",", @$f{qw(state_before state result seen_class seen_state)}')" = "regressed,changed,changed,unwritten,new" ]
ok $? "it has changed: to another finding, which is new"
state changed "it has changed"

# Resuming, and what is not there.
retest 1 "what does not finish" --state all
rows=$(grep -c -e "#[0-9]" out)
sqlite3 life.db "UPDATE run SET ended = NULL, exit_code = NULL
  WHERE run_id = (SELECT max(run_id) FROM retest);
  DELETE FROM retest WHERE run_id = (SELECT max(run_id) FROM retest)
    AND signature = '$signature'"
retest 1 "resumed" --state all --resume --json
[ "$(json out '$d->{skipped} . "," . scalar @{$d->{findings}}')" = "$((rows - 1)),1" ]
ok $? "resumed: only what was missing"
run 0 "an executor without findings" retest --executor model:sequential --db life.db
like err "has no finding of model:sequential" "an executor without findings: says so"
run 2 "no such state" retest --executor "$lives" --db life.db --state broken
run 2 "no database to retest" retest --executor "$lives" --db none.db

# What is not always the same must run often before it counts as gone.
rm -f life.db
version 1.0 waver
run 1 "a result that wavers" run --executor "$lives" --db life.db --cases 8 \
  --program 'stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]'
retest 1 "it wavers: often enough"
like out "^  still  *.*diverges nondeterministic" "it wavers: still"
retest 0 "it wavers: once" --repeat 1
like out "^  gone  *.*diverges nondeterministic: nothing diverges in [0-9]* cases, [24] executions" \
  "it wavers: that few executions do not show it is told"
run 2 "never" retest --executor "$lives" --db life.db --repeat 0

# What could take Assay along, and what no case shows.
rm -f life.db
version 1.0 crash
run 3 "a crash" run --executor "$lives" --program "$program" --cases 4 --db life.db --isolate
retest 1 "a crash: it costs a process of its own"
like out "^  still  *.*failed crash: diverges as before" "a crash: still"
version 2.0 ""
retest 0 "no crash any more" --isolate
like out "^  gone  *fixed" "no crash any more: fixed"
run 1 "a broken invariance" invariance --executor model:random --op stablehlo.dot_general \
  --type f32 --cases 60 --db life.db
run 1 "a broken invariance: retest" retest --executor model:random --db life.db
like out "^  not-run .*found by assay invariance: run that again" "a broken invariance: what to do"

# Two versions.
rm -f life.db
for pair in "1.0:drop" "2.0:lanes" "3.0:drop lanes refuse"; do
  version "${pair%%:*}" "${pair#*:}"
  "$ASSAY" ledger --executor "$lives" --op stablehlo.reduce --cases 6000 --seed 7 --db life.db >out 2>err
  [ $? -le 1 ]
  ok $? "ledger of version $LIVES_VERSION"
  like out "version \"tester $LIVES_VERSION\": [1-9][0-9]* cases recorded" "ledger: counts"
done
run 0 "the ledger" query bits --db life.db --format csv
like out "tester 2.0,any,stablehlo.reduce,add,\"*f32,f32->f32" "the ledger: query bits"
run 0 "better" compare "tester 1.0" "tester 2.0" --db life.db
like out "^findings: [1-9][0-9]* only before, 0 only after, 0 in both" "better: findings"
like out "^bits of [1-9][0-9]* cases: [1-9][0-9]* the same; changed: [1-9][0-9]* conform in both, 0 now diverge, [1-9]" \
  "better: bits changed although both conform"
like out "^refused: 0 cases only before, 0 only after" "better: nothing more is refused"
grep -e "^  assay replay" out | tail -1 | sed 's/^ *assay //' >replay
eval "run 0 'a replay line' $(cat replay)" || true
run 1 "worse" compare "tester 2.0" "tester 3.0" --executor "$lives" --db life.db --json
parses_as_json out "worse: JSON"
[ "$(json out 'my %s = map { $_->{seen} => 1 } @{$d->{findings}}; join ",", keys %s')" = after ]
ok $? "worse: a finding only in the later one"
[ "$(json out 'my $n = 0; $n += $_->{"refused after only"} for @{$d->{refused}}; $n > 0')" = 1 ]
ok $? "worse: it refuses more"
[ "$(json out 'my ($b) = @{$d->{bits}}; $b->{"changed, now diverge"} > 0 && $b->{"changed, no longer diverge"} == 0')" = 1 ]
ok $? "worse: what changed diverges"
[ "$(json out '"$d->{before}{version},$d->{after}{executor_id}"')" = "tester 2.0,3" ]
ok $? "worse: which two"
run 0 "a version and itself, by number" compare "#2" "#2" --db life.db
like out "cases: [0-9]* the same; changed: 0 conform in both, 0 now diverge, 0 no longer" "itself: the same"
version 2.0 ""
"$ASSAY" ledger --executor "$lives" --op stablehlo.reduce --cases 6000 --seed 7 --db life.db >out 2>err
like out "the bits of [1-9][0-9]* are not always the same within the version" \
  "another build that says it is version 2.0: told"
run 2 "an unknown version" compare "tester 1.0" 9.9 --db life.db
like err "no version '9.9': write '#NUMBER' or a whole version; the database has #1 .*version \"tester 1.0\".*#3" \
  "an unknown version: lists those that are known"
version 2.0 lanes
run 0 "profiles" identify --executor "$lives" --op stablehlo.reduce --n 64 --db life.db
version 1.0 ""
run 0 "profiles of another" identify --executor "$lives" --op stablehlo.reduce --n 64 --db life.db
run 1 "compare, with profiles" compare "tester 2.0" "tester 1.0" --db life.db
like out "^profiles: 1 shapes" "compare, with profiles: told"
like out "f32\[n\].*8 lanes.*sequential, initial value last" "compare, with profiles: before and after"
finish

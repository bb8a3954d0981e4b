#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A campaign: two workers, two executors, a folder; killed at random, gone on with, merged.
. "$(dirname "$0")/../checks.sh"

# ask FOLDER SQL: one value from the database of a campaign.
ask() { "$ASSAY" query --sql "SELECT ($2) AS x" --db "$1/campaign.db" --format csv | tail -n 1 | tr -d '\r'; }


# Nothing that a worker is told to do can reach a network or the home of the user.
common="--executor canary:drop_last_term --executor model:sequential --op stablehlo.reduce --jobs 2"

# ---- Errors ------------------------------------------------------------------------------------------
run 2 "no folder" campaign --executor model:sequential
like err "add --out FOLDER" "no folder: what to do"
run 2 "a shard that is none" campaign $common --out x --shard 4/4
like err "write I/N" "a shard that is none: what to write"
run 2 "an op that is none" campaign --executor model:sequential --op stablehlo.reduse --out x
run 2 "an executor that is none" campaign --executor modell:sequential --out x
run 2 "no workers" campaign $common --jobs -1 --out x
run 2 "a stratum that is none" campaign $common --strata tile=1 --out x
like err "there is no stratum 'tile'" "a stratum that is none: says so"
run 2 "no data" campaign $common --data-sets 0 --out x
run 2 "a contract that needs profiles" campaign $common --out x --contract identified
[ ! -e x ]
ok $? "nothing was made"

# ---- One campaign from beginning to end -----------------------------------------------------------------
run 1 "a campaign" campaign $common --time 8s --out a --seed 5 --name night
like out "^campaign night, seed 5: [0-9]* cases" "summary: name, seed, cases"
like out "^not judged: " "summary: what was not judged"
like out "^wrong-value.*canary:drop_last_term.*stablehlo.reduce" "summary: root causes"
like err "^new: canary:drop_last_term stablehlo.reduce" "new findings are told"
like err "assay replay '.*' --executor 'canary:drop_last_term'" "with the line that replays them"
unlike err "new: model:" "none of the model"
parses_as_json a/status.json "status.json"
is "$(json a/status.json '$d->{state}')" finished "status.json: state"
is "$(json a/status.json '$d->{totals}{cases} > 100')" 1 "status.json: cases"
is "$(json a/status.json 'scalar @{$d->{executors}}')" 2 "status.json: executors"
is "$(ask a "SELECT count(DISTINCT name) FROM counter JOIN executor USING (executor_id)")" 2 "both executors ran"
is "$(ask a "SELECT count(*) > 0 FROM divergence")" 1 "findings are in the database"
is "$(ask a "SELECT count(*) FROM divergence JOIN executor USING (executor_id) WHERE name LIKE 'model:%'")" 0 \
  "none of the model is"
is "$(ask a "SELECT count(*) FROM run WHERE campaign <> 'night' OR ended IS NULL")" 0 "all runs ended"
is "$(ls a/workers/*.db 2>/dev/null | wc -l)" 0 "no database of a worker is left"
is "$(ls a/corpus | wc -l)" 2 "each executor has a corpus"
run 2 "--fresh" campaign $common --time 5s --out a --fresh
like err "holds a campaign already" "--fresh: why not"

# ---- Slices that draw ---------------------------------------------------------------------------------------
# Rounds of one slice for each executor; the second draws.
ASSAY_LOG=debug run 1 "a campaign that draws" campaign --executor canary:drop_last_term --op stablehlo.reduce \
  --jobs 2 --time 6s --out draws --seed 5 --strata extremes=1 --data-sets 3
like err "slice 0: [^ ]* fuzz " "the first slice searches"
like err "slice 1: [^ ]* run .*--strata extremes=1 --data-sets 3" "the second draws, where and as much as it was told"
is "$(ask draws "SELECT count(*) > 0 FROM reproducer WHERE stratum = 'extremes'")" 1 "what it found tells the stratum"
unlike err "^assay: .*stopped with" "no worker failed"

# ---- The same folder, another night; two at once ------------------------------------------------------------
findings=$(ask a "SELECT count(*) FROM divergence")
"$ASSAY" campaign $common --time 6s --out a --seed 6 --name night-2 >out2 2>err2 &
sleep 1.5
run 2 "a folder in use" campaign $common --time 5s --out a
like err "another process runs the campaign" "a folder in use: why not"
wait $!
is "$(json a/status.json '$d->{name}')" night-2 "another night in the same folder"
is "$(ask a "SELECT count(DISTINCT campaign) FROM run")" 2 "the database knows both"
[ "$(ask a "SELECT count(*) FROM divergence")" -ge "$findings" ]
ok $? "what was found stays"
unlike err2 "^assay: .*stopped with" "no worker failed"

# ---- Where compiling is dear, cases of the corpus are not run again in each slice --------------------------------
dear=$(dirname "$ASSAY")/tests/dso/dear.so
if [ -e "$dear" ]; then
  run 0 "compiling is dear" campaign --executor "dso:$dear" --op stablehlo.reduce --jobs 1 --time 10s --out dear --seed 3
  files=$(find dear/corpus -type f | wc -l)
  [ "$files" -gt 10 ] && [ "$(cat dear/outcomes/* | wc -l)" -ge "$files" ]
  ok $? "compiling is dear: what the cases of the corpus gave is kept"
  [ -z "$(ls a/outcomes)" ]
  ok $? "elsewhere it is not"
  first=$(head -1 dear/outcomes/*)
  run 0 "compiling is dear, the next night" campaign --executor "dso:$dear" --op stablehlo.reduce --jobs 1 --time 12s --out dear --seed 3 --name next
  [ -e "$(find dear/outcomes -type f)" ] && ! grep -q -F -x "$first" dear/outcomes/*
  ok $? "the next night asks again, and keeps what that gives alone"
fi

# ---- What makes a campaign fail -------------------------------------------------------------------------------
lives=$(dirname "$ASSAY")/tests/dso/lives.so
if [ -e "$lives" ]; then
  # One finding is all there is: a result of an odd number of terms is never written.
  night() { # STATUS DESCRIPTION NAME OPTION...
    expected_status=$1
    what=$2
    name=$3
    shift 3
    run "$expected_status" "$what" campaign --executor "dso:$lives" --op stablehlo.reduce --jobs 1 \
      --time 3s --out f --seed 4 --name "$name" "$@"
  }
  export LIVES_VERSION=1.0 LIVES_DEEDS=unwritten
  run 2 "a word that is none" campaign --executor "dso:$lives" --out f --fail-on sometimes
  night 1 "a first night" first --fail-on new
  night 0 "a second night without news" second --fail-on new
  is "$(ask f "SELECT count(*) FROM divergence")" 1 "a second night without news: one finding in all"
  like out "findings, 0 of them new" "a second night without news: told"
  night 1 "a third night that fails on anything" third
  night 0 "a fourth night that never fails" fourth --fail-on never
  run 0 "report: no news" report --db f --fail-on new
  unset LIVES_VERSION LIVES_DEEDS
  good=$(dirname "$lives")/good.so
  run 3 "nothing but refusals" campaign --executor "dso:$good" --op stablehlo.add --jobs 1 --time 3s --out g --seed 1
  like out "^judged 0 of [0-9]*: dso:.*good.so refused [0-9]*$" "nothing but refusals: says so"
fi

# ---- SIGINT once, then go on --------------------------------------------------------------------------------
start INT 3 "$ASSAY" campaign $common --time 600s --out b --seed 1 >out 2>err
is $? 1 "SIGINT: the exit code tells of divergences"
like out "^Interrupted: the same command resumes it" "SIGINT: summary"
is "$(json b/status.json '$d->{state}')" interrupted "SIGINT: state"
is "$(ls b/workers/*.db 2>/dev/null | wc -l)" 0 "SIGINT: workers were summed up"
spent=$(json b/status.json 'int $d->{seconds_spent}')
run 2 "going on with something else" campaign $common --op stablehlo.dot_general --time 600s --out b
like err "ask for the same" "going on with something else: what to do"
run 1 "going on" campaign $common --time $((spent + 5))s --out b
like err "going on with campaign" "going on: says so"
is "$(json b/status.json '$d->{state}')" finished "going on: to the end"

# ---- Killed ten times at random moments -----------------------------------------------------------------------
# What was told, by the campaign or by a worker in its log, must be in the database in the end.
RANDOM=7
: >told
for i in 1 2 3 4 5 6 7 8 9 10; do
  start KILL "1.$((RANDOM % 100))" "$ASSAY" campaign $common --time 600s --out c --seed 3 >/dev/null 2>err
  grep -h '^new: ' err | sed 's/^new: //; s/:.*//' >>told
  sleep 0.1 # Workers die with their parent.
  grep -h '^canary:drop_last_term stablehlo' c/workers/*.log | sed 's/: result.*//; s/ (.*) *$/&/' >>told
done
spent=$(json c/status.json 'int $d->{seconds_spent}')
run 1 "killed ten times, and finished" campaign $common --time $((spent + 4))s --out c
"$ASSAY" query --format csv --db c/campaign.db --sql "SELECT DISTINCT name || ' ' || op || ' ' || algorithm || ' ' ||
  types || ' ' || outcome AS x FROM divergence JOIN executor USING (executor_id)" |
  tr -d '\r"' | sort -u >stored
# "EXECUTOR OP ALGORITHM TYPES OUTCOME (CLASS)": a finding that has a cause may have several classes.  A
# line that the kill cut short has no parenthesis.
grep ')' told | sed 's/ (.*//' | sort -u >told_once
comm -23 told_once stored >out
lost=$(wc -l <out)
[ "$(wc -l <told_once)" -gt 3 ]
ok $? "findings were told ($(wc -l <told) times, $(wc -l <told_once) different)"
is "$lost" 0 "findings lost in ten kills"
is "$(ask c "SELECT count(*) FROM pragma_integrity_check WHERE integrity_check <> 'ok'")" 0 "the database is sound"
is "$(ls c/workers/*.db 2>/dev/null | wc -l)" 0 "leftovers were added"

# ---- An executor that goes away -----------------------------------------------------------------------------------
# It starts while the file "alive" is there.
cat >mortal.sh <<'SH'
#!/bin/sh
[ -e "$(dirname "$0")/alive" ] || { echo "mortal: out of order" >&2; exit 1; }
exec sh "$ASSAY_TEST_WORKER"
SH
chmod +x mortal.sh
touch alive
source_folder=$(cd "$(dirname "$ASSAY")/.." && pwd)
export ASSAY_TEST_WORKER="$source_folder/tests/exec/workers/algorithms.sh"
(sleep 2.5; rm -f alive) &
run 1 "an executor that goes away" campaign --executor "proc:./mortal.sh" --executor model:sequential \
  --op stablehlo.dot_general --time 30s --out d --jobs 1 --seed 1
like err "the worker of proc:./mortal.sh stopped with exit code 3 after .*mortal" "the message says which and why"
like err "proc:./mortal.sh is set aside" "it is set aside"
is "$(ask d "SELECT sum(cases) > 1000 FROM counter JOIN executor USING (executor_id) WHERE name LIKE 'model:%'")" 1 \
  "the other goes on"

# ---- An executor that crashes its process --------------------------------------------------------------------------
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
if [ -e "$faulty" ]; then
  run 3 "an executor that crashes" campaign --executor "dso:$faulty?execute:crash" --executor model:sequential \
    --op stablehlo.reduce --time 12s --jobs 2 --out e --seed 1
  like err "took its worker along: the case is kept in crashes/" "it is told, once"
  is "$(grep -c "took its worker along" err)" 1 "and isolated from then on"
  like err "^new: dso:.* failed (crash)" "the crash is a finding"
  is "$(ask e "SELECT sum(cases) > 5 FROM counter WHERE class = 'crash'")" 1 "and it is counted, case by case"
  is "$(ask e "SELECT sum(cases) > 1000 FROM counter JOIN executor USING (executor_id) WHERE name LIKE 'model:%'")" 1 \
    "the other executor goes on"
fi

# ---- An executor that leaves, or is killed, with its process --------------------------------------------------------
if [ -e "$faulty" ]; then
  leaving="dso:$faulty?execute:leave_at_once" killed="dso:$faulty?execute:be_killed"
  run 3 "executors that end their process" campaign --executor "$leaving" --executor "$killed" --op stablehlo.reduce \
    --time 10s --jobs 2 --out f --seed 1
  for executor in "$leaving" "$killed"; do
    grep -F "new: $executor" err | grep -q "failed (ended)"
    ok $? "${executor#*\?}: a finding"
    [ "$(grep -F "$executor took its worker along" err | wc -l)" = 1 ]
    ok $? "${executor#*\?}: it is told, once"
    is "$(json f/status.json "(grep { \$_->{name} eq '$executor' } @{\$d->{executors}})[0]{isolated} ? 1 : 0")" 1 \
      "${executor#*\?}: isolated from then on"
  done
  unlike err "set aside" "no executor is set aside"
  unlike err "stopped with" "no slice stops for failed cases"
  is "$(ask f "SELECT count(*) FROM divergence WHERE class = 'ended'")" 2 "one finding each"
  is "$(ls | grep -c -e '^crash-' -e '^ended-')" 0 "nothing lands in the working directory"
fi

# ---- Merging ---------------------------------------------------------------------------------------------------------
run 0 "merging folders" merge all a b
like out "2 merged into all: " "merging folders: says so"
cases=$(($(ask a "SELECT sum(cases) FROM counter") + $(ask b "SELECT sum(cases) FROM counter")))
is "$(ask all "SELECT sum(cases) FROM counter")" "$cases" "no case is lost"
files=$({ ls a/corpus/*/; ls b/corpus/*/; } | grep -v -e '^$' -e ':$' | sort -u | wc -l)
[ "$(ls all/corpus/*/ | grep -v -e '^$' -e ':$' | sort -u | wc -l)" = "$files" ]
ok $? "the corpora are merged ($files files)"
run 0 "merging again" merge all b a c
is "$(ask all "SELECT sum(cases) FROM counter")" $((cases + $(ask c "SELECT sum(cases) FROM counter"))) \
  "merging again counts nothing twice"
head -c 20000 a/campaign.db >cut.db
run 2 "merging a damaged database" merge all cut.db b
like err "cut.db. is damaged" "a damaged database is refused"
like out "1 NOT merged" "and counted"
finish

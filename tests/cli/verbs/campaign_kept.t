#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What a campaign keeps: nothing stored stays untold, no number is used twice, its database is whole by
# itself and does not grow with slices, and what kills leave half done goes.
. "$(dirname "$0")/../checks.sh"
canary="--executor canary:drop_last_term --op stablehlo.reduce"

# ask DATABASE SQL: one value.
ask() { sqlite3 -cmd ".timeout 30000" "$1" "SELECT ($2)"; }
# wait_for SECONDS DATABASE SQL: until it gives 1.
wait_for() {
  for _ in $(seq "$(($1 * 5))"); do
    [ "$(ask "$2" "$3" 2>/dev/null)" = 1 ] && return 0
    sleep 0.2
  done
  return 1
}

# ---- Killed between storing and telling ----------------------------------------------------------------
# Nobody reads the pipe, which is nearly full: the campaign stands still in the middle of what it tells.
mkfifo pipe
exec 3<>pipe
head -c 61440 /dev/zero | tr '\0' '\n' >&3
"$ASSAY" campaign $canary --jobs 2 --time 600s --out a --seed 3 >/dev/null 2>&3 &
campaign=$!
wait_for 120 a/campaign.db "SELECT count(*) > 30 FROM divergence"
ok $? "more is stored than the pipe takes"
sleep 1
kill -KILL $campaign
wait $campaign 2>/dev/null
exec 4<pipe 3>&- # What the campaign has told, and no more: now there is no writer.
cat <&4 >told
exec 4<&-
# A line that the kill cut short has not been told.
sed -n '$!p' told | grep -a "^new: " >first
stored=$(ask a/campaign.db "SELECT count(*) FROM divergence")
[ "$(wc -l <first)" -lt "$stored" ]
ok $? "it was killed while it told: $(wc -l <first) of $stored"
run 1 "the next start" campaign $canary --jobs 2 --time 6s --out a --seed 3
grep -a "^new: " err >second
is "$(ask a/campaign.db "SELECT count(*) <= $(cat first second | wc -l) FROM divergence")" 1 "all is told"
keys() { sed -e 's/^new: //' -e 's/ diverges (.*//' -e 's/  */ /g' "$@" | sort; }
sqlite3 a/campaign.db "SELECT name || ' ' || op || ' ' || algorithm || ' ' || types FROM divergence
  JOIN executor USING (executor_id)" | sed 's/  */ /g' | sort >all
is "$(keys first second | comm -13 - all | wc -l)" 0 "each finding is told"
[ "$(keys first second | comm -23 - all | wc -l)" -le "$(wc -l <first)" ]
ok $? "and twice only what was told just before the kill"
run 1 "another campaign" campaign $canary --jobs 2 --time 3s --out a --seed 4 --name next
is "$(grep -ac "^new: " err)" "$(ask a/campaign.db "SELECT count(*) - $(wc -l <all) FROM divergence")" \
  "after one that ended only what is new is told"

# ---- Numbers and seeds --------------------------------------------------------------------------------
# The executor notes the command line of the slice that starts it: which slice of which start of the
# program it is, and its seed.
source_folder=$(cd "$(dirname "$ASSAY")/.." && pwd)
cat >noting.sh <<SH
#!/bin/sh
tr '\\0' ' ' <"/proc/\$PPID/cmdline" | sed 's/\$/\\n/' >>"$folder/commands"
exec sh "$source_folder/tests/exec/workers/algorithms.sh"
SH
chmod +x noting.sh
noting="--executor proc:./noting.sh --op stablehlo.dot_general --jobs 2 --seed 5 --out b"
for _ in 1 2 3; do
  "$ASSAY" campaign $noting --time 600s >/dev/null 2>&1 &
  campaign=$!
  sleep 2.5
  kill -KILL $campaign
  wait $campaign 2>/dev/null
done
# What writes leave that are killed in their middle.
mkdir -p b/corpus/x.minimised-4711
touch b/status.json.aB3dEf b/campaign.ini.012345 b/corpus/x.minimised-4711/1
run 1 "after three kills" campaign $noting --time 4s
run 1 "and another campaign with the same seed" campaign $noting --time 3s --name next
sed -n 's/.* fuzz .* --db \([^ ]*\) .* --part-of \([^ ]*\) .* --seed \([0-9]*\) .*/\1 \2 \3/p' commands |
  sort -u | cut -d' ' -f3 >seeds
[ "$(wc -l <seeds)" -ge 6 ]
ok $? "slices were started ($(wc -l <seeds))"
is "$(sort seeds | uniq -d | wc -l)" 0 "seeds that were used twice"
is "$(ls b | tr '\n' ' ')" "campaign.db campaign.ini corpus crashes lock outcomes status.json workers " \
  "the folder holds what it should"
is "$(ls b/corpus | grep -c minimised)" 0 "corpora that were about to be exchanged are gone"
is "$(find b/workers -name '*.db*' | wc -l)" 0 "databases of workers are gone"

# ---- The database by itself, and its size -----------------------------------------------------------------
"$ASSAY" campaign --executor model:sequential --executor model:lanes8 --op stablehlo.reduce --op stablehlo.convert \
  --jobs 2 --time 30s --out c --seed 6 --name night >/dev/null 2>err &
campaign=$!
wait_for 60 c/campaign.db "SELECT count(*) >= 3 FROM absorbed_run"
ok $? "slices have ended"
whole="SELECT sum(cases) FROM counter JOIN run USING (run_id) WHERE part_of = ''"
cases=$(ask c/campaign.db "$whole")
cp c/campaign.db alone.db
run 0 "a copy of the file alone" query totals --db alone.db
[ "$(ask alone.db "$whole")" -ge "$cases" ]
ok $? "it holds what ended slices counted ($cases)"
most=0
while kill -0 $campaign 2>/dev/null; do
  size=$(stat -c %s c/campaign.db-wal 2>/dev/null || echo 0)
  [ "$size" -le "$most" ] || most=$size
  sleep 0.2
done
wait $campaign
is $? 0 "models conform"
[ "$most" -lt 16777216 ]
ok $? "the log stays small ($most)"
slices=$(ask c/campaign.db "SELECT count(*) FROM absorbed_run")
[ "$slices" -ge 6 ]
ok $? "a campaign of many slices ($slices)"
is "$(ask c/campaign.db "SELECT count(*) FROM run")" 1 "it is one run"
for table in "counter|op, algorithm, types, outcome, class, implementation" \
  "histogram|op, algorithm, types, outcome, measure, bucket" "observation|op, algorithm, types, observed" \
  "constraint_counter|op, broken_constraint, outcome"; do
  is "$(ask c/campaign.db "SELECT count(*) = (SELECT count(*) FROM (SELECT DISTINCT executor_id, ${table#*|}
    FROM ${table%|*})) FROM ${table%|*}")" 1 "each row of ${table%|*} is there once"
done
rows=$(ask c/campaign.db "(SELECT count(*) FROM counter) + (SELECT count(*) FROM histogram)")
[ "$(stat -c %s c/campaign.db)" -lt $((700000 + 300 * rows)) ]
ok $? "what absorbed slices took is free again ($(stat -c %s c/campaign.db) bytes, $rows rows)"
finish

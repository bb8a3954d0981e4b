#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Text of backends, workers and databases reaches terminals, pages, tables and documents as plain text:
# no control character, no byte that is not UTF-8, nothing that turns the direction of writing.
. "$(dirname "$0")/../checks.sh"

# ESC, C0, DEL, C1, bytes that are no UTF-8, bidirectional overrides and isolates, zero width.
bad_bytes='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xff|\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xaf]'
plain() { # FILE DESCRIPTION: a carriage return may end a line of CSV.
  [ -s out ] || [ -s err ] && ! sed 's/\r$//' "$1" | LC_ALL=C grep -qaP "$bad_bytes"
  ok $? "$2"
}
nasty='\033]0;owned\007\033[31m\377\302\233m\342\200\256fdp'

# ---- Backends and workers -----------------------------------------------------------------------------------------
run 3 "a worker that fails" run --executor "proc:echo assay-worker 1; printf 'failed $nasty\n'" --cases 10
plain err "a worker that fails: its reason"
like err '\\x1b\]0;owned\\x07\\x1b\[31m\\xff\\u009bm\\u202efdp' "a worker that fails: what it said, written out"
run 3 "a worker that dies" run --executor "proc:printf '$nasty' >&2; exit 1" --cases 10
plain err "a worker that dies: its last words"
cat >talker.sh <<SH
printf 'assay-worker 1\nname x$nasty\nversion 1$nasty\nhardware h$nasty\nmlir no\ndata hex\nready\n'
while read -r verb id bytes rest; do
  case \$verb in
    compile) printf 'ok impl$nasty\n' ;;
    execute) printf 'failed because$nasty\n' ;;
  esac
done
SH
program='stablehlo.reduce body=add dims=[0] f32[4] f32[] -> f32[]'
run 3 "a worker that talks" run --program "$program" --executor "proc:sh talker.sh" --cases 5 --db talk.db
plain out "a worker that talks: text"
plain err "a worker that talks: complaints"
for format in --json; do
  run 3 "a worker that talks $format" run --program "$program" --executor "proc:sh talker.sh" --cases 5 $format
  plain out "a worker that talks: JSON"
  parses_as_json out "a worker that talks: it is JSON"
done
run 3 "a worker that talks, vet" vet --op stablehlo.reduce --executor "proc:sh talker.sh" --cases 50
plain out "a worker that talks: TAP"

# ---- Databases ----------------------------------------------------------------------------------------------------
run 1 "a database" run --op stablehlo.reduce --executor canary:drop_last_term --cases 300 --db x.db
if command -v sqlite3 >/dev/null; then
  evil="char(27) || '[31m' || char(7) || CAST(x'ff' AS TEXT) || char(8238) || char(155)"
  sqlite3 x.db "UPDATE divergence SET op = op || $evil, types = types || $evil, algorithm = algorithm || $evil,
      pattern = $evil, cause = cause || $evil;
    UPDATE counter SET op = op || $evil, implementation = $evil;
    UPDATE executor SET version = version || $evil, hardware = hardware || $evil;
    UPDATE run SET campaign = 'night' || $evil, command = command || $evil;
    UPDATE reproducer SET reason = $evil, got = $evil, expected = '=cmd' || $evil, regime = $evil;
    INSERT INTO waiver (executor, signature, reason, owner, created, expires)
      SELECT name, signature, 'because' || $evil, 'ann' || $evil, '2026-01-01T00:00:00Z', '2099-01-01'
      FROM divergence JOIN executor USING (executor_id) LIMIT 1;" >out 2>err
  ok $? "texts are planted"
  for format in text json tap junit html; do
    "$ASSAY" report --db x.db --format $format >out 2>err
    plain out "report --format $format"
  done
  for format in table json csv markdown; do
    for query in findings by-op executors states waivers; do
      "$ASSAY" query --list | grep -q "^ *$query " || continue
      "$ASSAY" query "$query" --db x.db --format $format >out 2>err
      plain out "query $query --format $format"
    done
    "$ASSAY" query --sql "SELECT *, expected AS \"a$(printf '\342\200\256')b\" FROM finding" --db x.db --format $format >out 2>err
    plain out "query --sql --format $format"
  done
  run 0 "CSV" query --sql "SELECT expected FROM finding" --db x.db --format csv
  unlike out "^\"*=" "CSV: nothing that a spreadsheet would take for a formula"
  "$ASSAY" retest --db x.db --executor canary:drop_last_term >out 2>err
  cat err >>out
  plain out "retest"
else
  ok 0 "texts are planted # SKIP no sqlite3"
fi

# ---- What is typed ------------------------------------------------------------------------------------------------
run 2 "a name of a campaign" campaign --executor model:sequential --time 5s --out c --name "$(printf 'night\033[31m')"
plain err "a name of a campaign: the complaint"
run 2 "a name of an executor" run --executor "$(printf 'dso:./x\377.so')" --cases 1
plain err "a name of an executor: the complaint"
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Databases that are not there, cannot be made, or have names that are none: told in one line with what
# to do, as exit code 2; what the system forbids is exit code 3, for the reason that it gives.
. "$(dirname "$0")/../checks.sh"

# ---- Not there ---------------------------------------------------------------------------------------
missing() { # DESCRIPTION COMMAND...
  description=$1
  shift
  run 2 "$description of a missing database" "$@"
  like err "^assay: there is no database \"none.db\": check the path" "$description: what, where, what to do"
}
missing "a query" query totals --db none.db
missing "SQL" query --sql 'SELECT 1' --db none.db
missing "a report" report --db none.db
missing "a page" report --db none.db --html page.html
missing "comparing" compare a b --db none.db
missing "a waiver" waive 1 --reason x --owner y --expires 2999-01-01 --db none.db
missing "a retest" retest --executor model:sequential --db none.db
missing "predicting" run --contract identified --executor model:sequential --db none.db
missing "predicting one case" replay --contract identified --executor model:sequential --db none.db x
missing "shrinking" shrink --finding 3 --executor model:sequential --db none.db
missing "merging" merge all.db none.db
run 2 "a campaign's folder without a database" query totals --db .
like err 'there is no database "./campaign.db"' "a campaign's folder without a database: which"
is_only() { [ "$(ls | tr '\n' ' ')" = "$1" ]; }
is_only "all.db err out "
ok $? "nothing was made but the target of the merge"

# ---- Cannot be made ------------------------------------------------------------------------------------
run 2 "a folder that is not there" run --executor model:sequential --cases 1 --db no/where/x.db
like err 'there is no folder "no/where"; make it' "a folder that is not there: which"
run 2 "a device" run --executor model:sequential --cases 1 --db /dev/null
like err '"/dev/null" is no plain file' "a device: what it is"
mkdir empty
run 2 "a folder as an input of SQLite" query --sql 'SELECT 1' --db empty
run 3 "a place where the system makes no files" run --executor model:sequential --cases 1 --db /sys/x.db
like err '/sys/x.db": \(Permission denied\|Operation not permitted\|Read-only file system\)' \
  "a place where the system makes no files: why, as the system says it"
cp all.db page.db
run 2 "a page over its database" report --db page.db --html ./page.db
like err "is the database itself" "a page over its database: why not"
cmp -s all.db page.db
ok $? "the database is as it was"

# ---- Names that are none --------------------------------------------------------------------------------
mkdir clean
cd clean || exit 1
empty() { # OPTION COMMAND...
  option=$1
  shift
  run 2 "an empty $option of $1" "$@" "$option" ''
  like err "^assay: the path of $option is empty; write $option [A-Z]*" "an empty $option of $1: what to write"
}
empty --out campaign --executor model:sequential
empty --db run --executor model:sequential
empty --known fuzz --executor model:sequential
empty --corpus fuzz --executor model:sequential
empty --artifacts fuzz --executor model:sequential
empty --db query totals
empty --db report
empty --html report --db ../all.db
empty --db retest --executor model:sequential
empty --db waive 1
empty --db doctor
empty --db ledger --executor model:sequential
empty --db compare a b
empty --db shrink --finding 1
empty --db replay x --executor model:sequential
empty --db invariance --executor model:sequential
empty --db identify --executor model:sequential
empty --svg identify --executor model:sequential
empty --picture quant picture x
empty --save quant fuzz
run 2 "merging into nothing" merge '' ../all.db
run 2 "merging nothing" merge all.db ''
run 2 "a campaign without a name" campaign --executor model:sequential --out x --name ''
like err "the name of the campaign is empty" "a campaign without a name: says so"
is_only "err out "
ok $? "nothing was made"
run 0 "a file with a name that SQLite takes for memory" run --executor model:sequential --cases 5 --db :memory:
[ -s :memory: ]
ok $? "it is a file"
finish

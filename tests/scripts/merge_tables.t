#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# harness/store/sql/merge.sql merges every table of the schema: one that it forgets would lose what
# campaigns wrote there.  `meta` is not merged: each database has its own.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
run 0 "a database" run --op stablehlo.reduce --executor model:sequential --cases 5 --db a.db
sqlite3 a.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'meta'" >tables
[ "$(wc -l <tables)" -gt 10 ]
ok $? "it has tables"
: >forgotten
while read -r table; do
  grep -qE "INTO (main\.)?$table\b" "$root/harness/store/sql/merge.sql" || echo "$table" >>forgotten
done <tables
cat forgotten
[ ! -s forgotten ]
ok $? "each is merged"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every table of the schema is merged, by harness/store/sql/merge.sql or, where rows are counts or cases, by
# what harness/store/rows/columns.def says of its columns: one that is forgotten would lose what campaigns wrote
# there.  `meta` is not merged: each database has its own.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
run 0 "a database" run --op stablehlo.reduce --executor model:sequential --cases 5 --db a.db
sqlite3 a.db "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name <> 'meta'" >tables
[ "$(wc -l <tables)" -gt 10 ]
ok $? "it has tables"
: >forgotten
sed -nE 's/^ROW_BEGIN\(([a-z_]+), ([a-z_]+)\)/\1 \2/p' "$root/harness/store/rows/columns.def" | while read -r row table; do
  ! grep -qE "^COLUMN\($row, SUM," "$root/harness/store/rows/columns.def" || echo "$table"
done >counted
echo reproducer >>counted # The columns with role CASE.
while read -r table; do
  grep -qE "INTO (main\.)?$table\b" "$root/harness/store/sql/merge.sql" ||
    grep -qx "$table" counted || echo "$table" >>forgotten
done <tables
cat forgotten
[ ! -s forgotten ]
ok $? "each is merged"
finish

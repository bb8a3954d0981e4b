#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ctrl-C once: the run finishes, summarises and leaves a good database; kill -9: a good database.
. "$(dirname "$0")/../checks.sh"

# A shell makes background jobs ignore SIGINT, so a Perl parent starts the program.

start INT 1.5 "$ASSAY" run --executor canary:drop_last_term --time 60s --db a.db >out 2>err
[ $? -eq 1 ]
ok $? "SIGINT: the exit code tells of divergences"
like out "cases in .* findings in" "SIGINT: summary"
run 0 "SIGINT: the database" query --sql "SELECT sum(cases) AS n FROM counter" --db a.db --format json
[ "$(json out '$d->[0]{n}')" -gt 0 ]
ok $? "SIGINT: counters are there"
run 0 "SIGINT: the run" query --sql "SELECT count(*) AS n FROM run WHERE exit_code = 1" --db a.db \
  --format json
[ "$(json out '$d->[0]{n}')" = 1 ]
ok $? "SIGINT: the run has ended"

start KILL 2.5 "$ASSAY" run --executor canary:drop_last_term --time 60s --db b.db >out 2>err
[ $? -eq 137 ]
ok $? "kill -9: killed"
run 0 "kill -9: the database" query --sql "PRAGMA integrity_check" --db b.db --format csv
like out "^ok" "kill -9: the database is sound"
run 0 "kill -9: findings" query --sql "SELECT count(*) AS n FROM divergence" --db b.db --format json
[ "$(json out '$d->[0]{n}')" -gt 0 ]
ok $? "kill -9: what was committed is there"
run 1 "kill -9: the database can be written again" run --executor canary:drop_last_term \
  --cases 100 --db b.db

# Two at once.
"$ASSAY" run --executor canary:drop_last_term --cases 500 --seed 1 --db c.db >/dev/null 2>&1 &
"$ASSAY" run --executor canary:drop_last_term --cases 500 --seed 2 --db c.db >/dev/null 2>err
[ $? -eq 1 ]
ok $? "two writers: the one in front"
wait $!
[ $? -eq 1 ]
ok $? "two writers: the one behind"
run 0 "two writers: the database" query --db c.db --format json \
  --sql "SELECT sum(cases) AS n FROM counter WHERE outcome IN ('conforms', 'diverges', 'failed')"
[ "$(json out '$d->[0]{n}')" = 1000 ]
ok $? "two writers: nothing is lost"
finish

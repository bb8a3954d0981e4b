#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Nothing but SQLite opens the file of a database, or what stands beside it, whatever the verb: another
# descriptor, once closed, would take the process's locks away.  A library that is loaded first watches.
. "$(dirname "$0")/../checks.sh"
watch=$(dirname "$ASSAY")/tests/preload/open_watch.so
[ -e "$watch" ] || { echo "1..0 # SKIP $watch is not built"; exit 0; }
export OPEN_WATCH=$folder/opened

# watched STATUS COMMAND...: runs `assay COMMAND...`, and looks at who opened what.
watched() {
  : >opened
  expected=$1
  shift
  LD_PRELOAD=$watch "$ASSAY" "$@" >out 2>err </dev/null
  status=$?
  [ "$status" -eq "$expected" ]
  ok $? "$1: exit code $expected"
  grep -q "/libsqlite3" opened
  ok $? "$1: SQLite opens it"
  grep -v "/libsqlite3" opened >others
  [ ! -s others ]
  ok $? "$1: nobody else does"
  sort others | uniq -c | sed 's/^/# /' | head -5
}

canary="--executor canary:drop_last_term --op stablehlo.reduce"
watched 1 run $canary --cases 300 --db a.db
watched 1 run $canary --cases 300 --seed 2 --db a.db --fail-on any
watched 1 vet $canary --cases 100 --db a.db
watched 1 fuzz $canary --runs 300 --shrink --known a.db --db b.db
watched 1 campaign $canary --jobs 2 --time 6s --out c
watched 1 campaign $canary --jobs 2 --time 3s --out c --name next
watched 0 merge all.db a.db b.db c
watched 0 merge folder c
watched 0 query totals --db a.db
watched 0 query --sql "SELECT count(*) FROM finding" --db c
watched 0 report --db c
watched 0 report --db c --format json
watched 0 report --db c --html page.html
watched 0 waive 1 --db a.db --reason x --owner y --expires 2999-01-01
watched 1 retest --executor canary:drop_last_term --db a.db
watched 1 ledger --executor canary:drop_last_term --op stablehlo.reduce --cases 20 --db a.db
watched 2 compare 1 2 --db a.db
watched 1 shrink --finding 1 --db a.db
watched 0 identify --executor model:lanes8 --op stablehlo.reduce --n 8 --db p.db
watched 0 run --executor model:lanes8 --contract identified --db p.db --cases 50
watched 0 invariance --executor model:sequential --op stablehlo.reduce --cases 20 --db i.db
watched 0 quant fuzz --graphs 3 --executor model:sequential --db q.db
watched 0 doctor --executor model:sequential --db a.db
# One that opens it otherwise is noticed.
: >opened
LD_PRELOAD=$watch cat a.db >/dev/null
[ "$(grep -cv /libsqlite3 opened)" -gt 0 ]
ok $? "a program that reads the file is noticed"
finish

#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# A backend that switches the process to a locale with decimal commas changes not one byte of what we
# print, store and read.
. "$(dirname "$0")/../checks.sh"
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
[ -f "$faulty" ] || { echo "1..0 # SKIP tests/dso/faulty.so is not built"; exit 0; }
mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >log 2>&1 ||
  { echo "1..0 # SKIP no German locale can be made: $(tail -n 1 log | tr -d '#')"; exit 0; }
export LOCPATH="$PWD/locales"
[ "$(LC_ALL=de_DE.UTF-8 bash -c 'printf %.1f 0,5' 2>&1)" = 0,5 ]
ok $? "the locale has commas"

# The executor's name is the only difference.
same() { # DESCRIPTION FILE FILE
  sed -e 's/\*:change_locale/none/g' "$2" >first
  cmp -s first "$3"
  ok $? "$1: the same bytes"
}
seen() { # NAME COMMAND...: the outputs of the command on both executors.
  name=$1
  shift
  for options in '*:change_locale' none; do
    "$ASSAY" "$@" --executor "dso:$faulty?$options" >"$name-$options" 2>&1 </dev/null
  done
  same "$name" "$name-*:change_locale" "$name-none"
}
case='stablehlo.reduce body=add dims=[0] f32[3] f32[] -> f32[] : 3f800000400000003fc00000 : c0400000'
seen replay replay "$case"
seen replay-json replay "$case" --json
seen vet vet --op stablehlo.reduce --cases 2000
seen identify identify --op stablehlo.reduce --n 8 --json
"$ASSAY" run --op stablehlo.reduce --executor "dso:$faulty?*:change_locale" --executor canary:drop_last_term \
  --cases 2000 --db comma.db >comma 2>&1
"$ASSAY" run --op stablehlo.reduce --executor "dso:$faulty?none" --executor canary:drop_last_term \
  --cases 2000 --db dot.db >dot 2>&1
# Times differ.
for file in comma dot; do grep -v -e ' cases in ' -e '^time:' "$file" >"$file.text"; done
same "run" comma.text dot.text
like comma '[0-9]\.[0-9]* s (' "run: the summary has points"
for name in comma dot; do
  "$ASSAY" query --format csv --db $name.db --sql "SELECT signature, op, types, class, case_line, got, expected,
    ulp_error, slack, backward_error FROM finding ORDER BY signature" >$name.csv
done
[ "$(wc -l <dot.csv)" -gt 5 ]
ok $? "the database: findings"
cmp -s comma.csv dot.csv
ok $? "the database: the same bytes"
finish

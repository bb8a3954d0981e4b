#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/bench/run: no ratio has fallen below 0.7 of what the repository has, and one that has is seen.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/tests/bench/run" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

"$root/tests/bench/run" --short --json >measured 2>err
status=$?
cat err >&2
if [ $status -ne 0 ]; then "$root/tests/bench/run" --measured measured | grep FAILS | sed 's/^/# /'; fi
ok $status "no ratio has fallen"

# What was measured, against tables that say more: by a half, which fails, and by a fifth, which does not.
table() { # FACTOR
  awk -F '\t' -v OFS='\t' -v factor="$1" '/^erf MPFR/ { $3 *= factor; $4 *= factor } { print }' kept
}
awk -F '\t' -v OFS='\t' '
  NR == FNR { if (match($0, /"name": "[^"]*"/)) name = substr($0, RSTART + 9, RLENGTH - 10)
              if (match($0, /"measured": [0-9.]+/)) ratio[name] = substr($0, RSTART + 12, RLENGTH - 12)
              next }
  /^#/ { print; next }
  { $3 = $4 = ratio[$1] == "" ? "-" : ratio[$1]; print }' measured "$root/tests/bench/ratios.tsv" >kept
table 1.5 >more
table 1.2 >little_more
table 1 >same
isa=$(sed -n 's/.*"our kernels": "\(.*\)".*/\1/p' measured)
if [ "$isa" = portable ]; then
  count=$((count + 1)); echo "ok $count - a fallen ratio # SKIP the table has none of plain loops"
else
  "$root/tests/bench/run" --measured measured --table more >out 2>&1
  status=$?
  [ $status -eq 1 ] && [ "$(grep -c FAILS out)" -eq 1 ] && grep -q '^erf MPFR/accept .* FAILS' out
  ok $? "a ratio that has fallen to two thirds fails, and is named"
fi
"$root/tests/bench/run" --measured measured --table little_more >out 2>&1
ok $? "one that has fallen a little does not"
"$root/tests/bench/run" --measured measured --table same >out 2>&1
ok $? "nor does one that has not"
printf 'nothing MPFR/accept\t>1\t1\t1\n' >>same
"$root/tests/bench/run" --measured measured --table same >out 2>err
[ $? -eq 3 ] && grep -q 'nobody measures nothing' err
ok $? "a row that nobody measures is an error"
"$root/tests/bench/run" --no-such-option >out 2>err
[ $? -eq 2 ]
ok $? "bad usage"
finish

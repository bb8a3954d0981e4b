#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The dictionary of fuzz_contract has every permission that the program knows, those of ops too.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/fuzz/dictionary" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
run 0 "the permissions" help contracts
sed -n 's/^  \([a-z_]*\)=\([^ ]*\).*/\1=|\2/p' out | tr '|' '\n' | sort -u >known
[ "$(wc -l <known)" -gt 100 ]
ok $? "there are many"
"$root/fuzz/dictionary" fuzz_contract >dictionary 2>err && [ ! -s err ]
ok $? "the dictionary is printed"
while read -r word; do
  grep -q -x -F -e "\"$word\"" dictionary || echo "$word"
done <known >missing
sed 's/^/# missing: /' missing
[ ! -s missing ]
ok $? "it has them all, and their values"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every script for people tells how it is used: --help prints that and does nothing else; an option that it does not
# have is told, with exit code 2, before anything is done.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/harness/build" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }

# Tests have TAP instead, workers a protocol.
(cd "$root" && find .ci fuzz harness tests -type f -perm -u+x ! -name '*.t' ! -path '*/workers/*' | sort) >scripts
while read -r script; do
  head -c 2 "$root/$script" | grep -q '#!' || continue
  timeout 20 "$root/$script" --help </dev/null >out 2>err && [ ! -s err ] && grep -q -F -e "$script" out
  ok $? "$script --help"
  status=0
  timeout 20 "$root/$script" --no-such-option </dev/null >out 2>err || status=$?
  [ $status -eq 2 ] && [ -s err ] && [ ! -s out ]
  ok $? "$script --no-such-option"
done <scripts
[ "$(wc -l <scripts)" -gt 15 ]
ok $? "there are scripts"

"$root/harness/build" --help >out
grep -q '^  release  *[A-Z]' out && grep -q '^  asan  *[A-Z]' out
ok $? "harness/build --help lists the presets"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every C file is formatted as .clang-format says.  One test point per folder.
cd "$(dirname "$0")/../.." || exit 1
formatter=$(command -v clang-format-19) || { echo "1..0 # SKIP clang-format-19 is not installed"; exit 0; }

folders=$(find harness oracles fuzz reports tests -name '*.[ch]' -exec dirname {} + | sort -u)
echo "1..$(echo "$folders" | wc -l)"
number=0
failures=0
for folder in $folders; do
  number=$((number + 1))
  if complaints=$("$formatter" --dry-run -Werror "$folder"/*.[ch] 2>&1); then
    echo "ok $number - $folder"
  else
    failures=$((failures + 1))
    echo "not ok $number - $folder"
    echo "$complaints" | sed -n 's/:[0-9]*:[0-9]*: error: .*//p' | sort -u | sed 's/^/# clang-format-19 -i /' | head -n 20
  fi
done
exit $((failures > 0))

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every file in C and C++ is formatted as .clang-format says.  One test point per folder.
cd "$(dirname "$0")/../.." || exit 1
formatter=$(command -v clang-format-19) || { echo "1..0 # SKIP clang-format-19 is not installed"; exit 0; }

folders=$(find harness oracles fuzz reports tests examples \( -name '*.[ch]' -o -name '*.cc' \) -exec dirname {} + | sort -u)
echo "1..$(echo "$folders" | wc -l)"
number=0
failures=0
for folder in $folders; do
  number=$((number + 1))
  if complaints=$(find "$folder" -maxdepth 1 \( -name '*.[ch]' -o -name '*.cc' \) -exec "$formatter" --dry-run -Werror {} + 2>&1); then
    echo "ok $number - $folder"
  else
    failures=$((failures + 1))
    echo "not ok $number - $folder"
    echo "$complaints" | sed -n 's/:[0-9]*:[0-9]*: error: .*//p' | sort -u | sed 's/^/# clang-format-19 -i /' | head -n 20
  fi
done
exit $((failures > 0))

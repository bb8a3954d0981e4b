#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# One version, that of CMakeLists.txt; the commit is the checkout's, and in a source archive unknown.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -e "$root/CMakeLists.txt" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
version=$(sed -n 's/^project(assay VERSION \([0-9.]*\) .*/\1/p' "$root/CMakeLists.txt")

run 0 "the version" --version
like out "^assay $version$" "the version: CMake's"
like out "^commit: \([0-9a-f]\{12\}\(-dirty\)\?\|unknown commit\)$" "the version: the commit"
like out "^build: [A-Za-z]* [0-9.]*, [A-Za-z]*\(, with AddressSanitizer and UBSan\)\?$" "the version: how it was built"
is "$(sed -n 's/^version: //p' "$root/CITATION.cff")" "$version" "CITATION.cff has it"
grep -q -e "^## \[\(Unreleased\|$(echo "$version" | sed 's/\./\\./g')\)\]" "$root/CHANGELOG.md"
ok $? "CHANGELOG.md has it, or what is to come"

# write SOURCE: the generated file of a source folder, in the file "written".
write() {
  cmake -DSOURCE="$1" -DMANNER="Compiler 1.0, Fast" -DTEMPLATE="$root/harness/cli/build_info.c.in" \
    -DOUTPUT="$folder/written" -P "$root/harness/cli/write_build_info.cmake" >out 2>err
}
mkdir archive
write "$folder/archive"
ok $? "an archive"
like written '"unknown commit"' "an archive: no commit"
like written '"Compiler 1.0, Fast"' "an archive: how it is built"

if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
  git -C "$folder" init -q checkout
  cd checkout
  echo one >file
  git add file
  git -c user.name=a -c user.email=a@b.example commit -q -m one
  git tag v7
  commit=$(git rev-parse --short=12 HEAD)
  cd ..
  write "$folder/checkout"
  like written "\"$commit\"" "a checkout: its commit, not a tag"
  touch -d '2001-01-01' written
  write "$folder/checkout"
  [ "$(stat -c %Y written)" -lt 1000000000 ]
  ok $? "a checkout: the file is left alone where nothing changed"
  echo two >checkout/file
  write "$folder/checkout"
  like written "\"$commit-dirty\"" "a checkout that was changed says so"
  mkdir checkout/archive
  write "$folder/checkout/archive"
  like written '"unknown commit"' "an archive inside a checkout: not that one's commit"
fi
finish

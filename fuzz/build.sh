#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz targets by the conventions of OSS-Fuzz into $OUT: TARGET, TARGET_seed_corpus.zip,
# TARGET.dict, TARGET.options.  Also how we build them by hand:
#
#   CC=clang-19 CXX=clang++-19 LIB_FUZZING_ENGINE=-fsanitize=fuzzer OUT=/tmp/out WORK=/tmp/work \
#     CFLAGS='-O1 -g -fsanitize=address,fuzzer-no-link' CXXFLAGS=$CFLAGS fuzz/build.sh [TARGET...]
#
# Without a target it builds all of them.
#
# Read from the environment: CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE (a flag or an archive; empty:
# programs that replay files), OUT, WORK, and SRC (the sources are in $SRC/assay; default: this
# checkout).  $OUT needs nothing of this machine but libc and libstdc++.
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit ;; esac
root=$(cd "$(dirname "$0")/.." && pwd)
for target; do
  [ -f "$root/fuzz/$target.c" ] || { echo "fuzz/build.sh: there is no target $target" >&2; exit 2; }
done
[ -n "${SRC:-}" ] && [ -d "$SRC/assay/fuzz" ] && root=$SRC/assay
: "${OUT:?the folder for what is built}" "${WORK:?a folder for intermediate files}"
mkdir -p "$OUT" "$WORK"

# No CMAKE_BUILD_TYPE: optimisation is the environment's choice.  Warnings are for our own compilers.
cmake -S "$root" -B "$WORK/build" -G Ninja -DCMAKE_BUILD_TYPE= \
  -DLIB_FUZZING_ENGINE="${LIB_FUZZING_ENGINE:-}" \
  -DASSAY_STATIC_LIBRARIES=ON -DASSAY_WARNINGS_ARE_ERRORS=OFF
if [ $# -eq 0 ]; then
  for source in "$root"/fuzz/fuzz_*.c; do set -- "$@" "$(basename "$source" .c)"; done
fi
ninja -C "$WORK/build" "$@"

for target; do
  cp "$WORK/build/$target" "$OUT/"
  cp "$root/fuzz/inputs/$target.options" "$OUT/"
  "$root/fuzz/dictionary" "$target" >"$OUT/$target.dict"
  rm -rf "$WORK/seeds" "$OUT/${target}_seed_corpus.zip"
  "$root/fuzz/seed-corpus" "$target" "$WORK/seeds"
  (cd "$WORK/seeds" && ls >../seeds.list &&
   cmake -E tar cf "$OUT/${target}_seed_corpus.zip" --format=zip --files-from=../seeds.list)
done

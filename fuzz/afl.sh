#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a fuzz target for AFL++ (Debian: afl++) and lets it search for a while.
#
#   fuzz/afl.sh TARGET FOLDER SECONDS [--mutator]
#
#   fuzz/afl.sh fuzz_walk /tmp/afl 60 --mutator      mutates cases instead of bytes
#
# FOLDER keeps what is built, so that the next call is quick, and AFL++'s findings in FOLDER/TARGET.
# CFLAGS is how the target is compiled (default -O1).
# Exit status: 0, 1 if AFL++ found crashes or hangs, 2 bad usage, 3 if something cannot be built or run.
set -eu
case ${1:-} in -h | --help) sed -n '1,2d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit ;; esac
usage() { sed -n 's/^# \{0,1\}//; 2,9p' "$0" >&2; exit 2; }
[ $# -ge 3 ] && [ $# -le 4 ] || usage
[ "${4:---mutator}" = --mutator ] || usage
root=$(cd "$(dirname "$0")/.." && pwd)
target=$1
seconds=$3
[ -f "$root/fuzz/$target.c" ] || { echo "fuzz/afl.sh: there is no target $target" >&2; exit 2; }
mkdir -p "$2"
folder=$(cd "$2" && pwd)

fail() { echo "fuzz/afl.sh: $*" >&2; exit 3; }
command -v afl-clang-fast >/dev/null || fail "AFL++ is not installed (Debian: apt-get install afl++ libclang-rt-14-dev)"

# afl-clang-fast takes this engine for its own driver.  Clang's own instrumentation: AFL++ 4.04's, of
# conditional moves, reads beyond its table in some builds, so that every seed crashes in the map.
AFL_LLVM_INSTRUMENT=LLVM-NATIVE CC=afl-clang-fast CXX=afl-clang-fast++ \
  LIB_FUZZING_ENGINE=-fsanitize=fuzzer CFLAGS=${CFLAGS:--O1} CXXFLAGS=${CFLAGS:--O1} \
  AFL_QUIET=1 OUT=$folder/out WORK=$folder/work "$root/fuzz/build.sh" "$target" >"$folder/build.log" 2>&1 ||
  { tail -5 "$folder/build.log" >&2; fail "the target does not build (log: $folder/build.log)"; }

rm -rf "$folder/seeds" "$folder/$target"
"$root/fuzz/seed-corpus" "$target" "$folder/seeds"

if [ $# -eq 4 ]; then
  # By our usual compiler: AFL++'s instrumentation has no place in the fuzzer itself.  Where this checkout
  # has been built, most of it is there.
  mutator=$root/build
  [ -f "$mutator/build.ninja" ] || mutator=$folder/mutator
  { [ -f "$mutator/build.ninja" ] ||
      cmake -S "$root" -B "$mutator" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19; } >"$folder/mutator.log" 2>&1 &&
    ninja -C "$mutator" afl_case_mutator >>"$folder/mutator.log" 2>&1 ||
    fail "the mutator does not build (log: $folder/mutator.log)"
  export AFL_CUSTOM_MUTATOR_LIBRARY="$mutator/afl_case_mutator.so" AFL_CUSTOM_MUTATOR_ONLY=1
fi

# Sanitizers are not built in; AFL++ refuses their options where they do not suit it.
unset ASAN_OPTIONS UBSAN_OPTIONS MSAN_OPTIONS
# For machines without a terminal, and virtual ones.
export AFL_NO_UI=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1
export AFL_FAST_CAL=1
afl-fuzz -V "$seconds" -s 1 -t 10000 -x "$folder/out/$target.dict" -i "$folder/seeds" \
  -o "$folder/$target" -- "$folder/out/$target" >"$folder/afl.log" 2>&1 ||
  { tail -5 "$folder/afl.log" >&2; fail "afl-fuzz failed (log: $folder/afl.log)"; }

stats=$folder/$target/default/fuzzer_stats
grep -E '^(run_time|execs_done|execs_per_sec|corpus_count|saved_crashes|saved_hangs|bitmap_cvg)' "$stats"
grep -q '^saved_crashes *: 0$' "$stats" && grep -q '^saved_hangs *: 0$' "$stats"

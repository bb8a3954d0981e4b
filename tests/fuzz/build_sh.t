#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# fuzz/build.sh gives what OSS-Fuzz expects, and the targets run on their seeds: with libFuzzer and
# AddressSanitizer those of $ASSAY_FUZZ_TARGETS, without an engine all.
#
# Unless they are named, two targets that need a quarter of Assay: tests/nightly/fuzz_targets builds all.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
[ -x "$root/fuzz/build.sh" ] || { echo "1..0 # SKIP $ASSAY is not in a checkout's build folder"; exit 0; }
command -v clang-19 >/dev/null || { echo "1..0 # SKIP clang-19 is not installed"; exit 0; }

all=$(cd "$root/fuzz" && ls fuzz_*.c | sed 's/\.c$//')
targets=${ASSAY_FUZZ_TARGETS:-fuzz_case_line fuzz_contract}
[ "$targets" != all ] || targets=$all
flags='-O1 -gline-tables-only -fsanitize=address,fuzzer-no-link'
CC=clang-19 CXX=clang++-19 CFLAGS=$flags CXXFLAGS=$flags LIB_FUZZING_ENGINE=-fsanitize=fuzzer \
  OUT=$folder/built WORK=$folder/work "$root/fuzz/build.sh" $targets >out 2>err
ok $? "build.sh builds"

# only FILE PATTERN DESCRIPTION: the file has lines, and each matches.
only() {
  [ -s "$1" ] && ! grep -q -v -E -e "$2" "$1"
  ok $? "$3"
}

# Runs a target of build.sh; everything that it writes stays here.
run_target() {
  target=$1
  shift
  ASAN_OPTIONS=detect_leaks=1 "built/$target" -artifact_prefix="$folder/artifact-" "$@" \
    >out 2>err </dev/null
}

for target in $targets; do
  [ -x "built/$target" ]
  ok $? "$target: is built"

  ldd "built/$target" >libraries
  only libraries '^[[:space:]]*(linux-vdso|libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|/lib64/ld-linux)' \
    "$target: needs nothing but libc and libstdc++"

  cmake -E tar tf "built/${target}_seed_corpus.zip" >seeds 2>err
  only seeds '^[a-z0-9-]+$' "$target: the seed corpus is flat"
  only "built/$target.options" '^(\[libfuzzer\]|[a-z_]+ = [0-9]+)$' "$target: options"
  only "built/$target.dict" '^(#.*|".+")$' "$target: dictionary"

  mkdir "corpus-$target"
  (cd "corpus-$target" && cmake -E tar xf "../built/${target}_seed_corpus.zip")
  run_target "$target" -seed=1 -runs=500 -max_total_time=3 -dict="built/$target.dict" "corpus-$target"
  ok $? "$target: runs under libFuzzer"
  unlike err 'INFO: A corpus is not provided' "$target: begins with its seeds"

done

for target in $all; do
  "$root/fuzz/seed-corpus" "$target" "seeds-$target"
  "$root/build/$target" "seeds-$target" >out 2>err
  ok $? "$target: runs without an engine"
  like out "^[1-9][0-9]* inputs$" "$target: without an engine, reads all seeds"
done

# walk WORD...: the target of whole cases, with its engine if it has one.
walk() {
  if [ -x built/fuzz_walk ]; then
    run_target fuzz_walk -runs=0 "$@"
  else
    "$root/build/fuzz_walk" "$@" >out 2>err </dev/null
  fi
}
# It ends as libFuzzer does, or by SIGABRT.
walk_crashes() {
  walk "$@"
  status=$?
  [ "$status" -eq 77 ] || [ "$status" -eq 134 ]
}

# A fault in what is tested is a crash, and the line says how to see it again.
ASSAY_FUZZ_EXECUTOR=canary:drop_last_term
export ASSAY_FUZZ_EXECUTOR
walk_crashes seeds-fuzz_walk
ok $? "a planted fault crashes fuzz_walk"
replay=$(sed -n "s/^  assay replay '\(.*\)' --executor canary:drop_last_term$/\1/p" err)
run 1 "its line diverges" replay "$replay" --executor canary:drop_last_term
run 0 "its line conforms without the fault" replay "$replay" --executor model:sequential
unset ASSAY_FUZZ_EXECUTOR

# Bytes that are no case line are a case all the same.
printf '\001\002\003\004\005\006\007\010abcdefgh' >bytes
ASSAY_FUZZ_EXECUTOR=canary:no_such
export ASSAY_FUZZ_EXECUTOR
walk_crashes bytes
ok $? "any bytes are a case: they reach the executor"
unset ASSAY_FUZZ_EXECUTOR
walk bytes
ok $? "any bytes are a case: it conforms"

"$root/build/fuzz_walk" >out 2>err
[ $? -eq 2 ] && grep -q '^usage:' err
ok $? "without an engine and files: usage"
"$root/build/fuzz_walk" nowhere >out 2>err
[ $? -eq 2 ] && grep -q 'nowhere' err
ok $? "without an engine: a missing file is told"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# AFL++ builds and runs the same targets, with bytes and with the mutator of cases.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
command -v afl-clang-fast >/dev/null || { echo "1..0 # SKIP AFL++ is not installed (apt-get install afl++ libclang-rt-14-dev)"; exit 0; }

# Most of the time goes into compiling: two targets that need little of Assay.
export CFLAGS=-O0
"$root/fuzz/afl.sh" >out 2>err
[ $? -eq 2 ] && grep -q 'fuzz/afl.sh TARGET FOLDER SECONDS' err
ok $? "usage"
"$root/fuzz/afl.sh" fuzz_nothing afl 1 >out 2>err
[ $? -eq 2 ] && grep -q 'no target fuzz_nothing' err
ok $? "an unknown target is told"
"$root/fuzz/afl.sh" fuzz_contract afl 3 >out 2>err
ok $? "AFL++ finds nothing in fuzz_contract"
like out '^execs_done *: [0-9]\{4,\}$' "it ran"
"$root/fuzz/afl.sh" fuzz_case_line afl 5 --mutator >out 2>err
ok $? "AFL++ finds nothing in fuzz_case_line with the mutator of cases"
like out '^execs_done *: [0-9]\{2,\}$' "it ran"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A new op edits nothing: a copy of the tree gets one more folder in oracles/ops, is configured, and what
# the build joins (the tables of rows, permissions and faults) is compiled with it.  All other objects
# are those of the build at hand, so that none of them can know the op; then the program has it.
. "$(dirname "$0")/../cli/checks.sh"
root=$(cd "$(dirname "$ASSAY")/.." && pwd)
build=$(dirname "$ASSAY")
op=example.squared_difference
export CCACHE_DISABLE=1 # Compiled anew, wherever the test runs.

# The tree as links, but for the folders that lead to oracles/ops.
mkdir -p tree/oracles/ops
for entry in "$root"/* "$root"/.clang-format; do
  case $(basename "$entry") in oracles | build | build-*) ;; *) ln -s "$entry" tree/ ;; esac
done
for entry in "$root"/oracles/*; do
  [ "$(basename "$entry")" = ops ] || ln -s "$entry" tree/oracles/
done
for entry in "$root"/oracles/ops/*; do ln -s "$entry" tree/oracles/ops/; done
cp -r "$root"/tests/fixtures/op_folder/* tree/oracles/ops/
(cd tree && cmake --preset "${ASSAY_PRESET:-release}" -B ../new) >out 2>err
ok $? "the tree with the folder is configured"

# The objects of the joined tables and of the folder.
(cd "$root" && grep -rl --include='*.c' '"generated/all_' harness oracles) >joined
(cd new/generated && ls *_table.c | sed 's|^|generated/|') >>joined
(cd tree && ls oracles/ops/example_*/*.c oracles/ops/example_*/op/*.c) >>joined
ninja -C new -t targets all | sed -n 's/: C_COMPILER.*//p' >objects
while read -r source; do
  grep -F -e ".dir/$source.o" objects
done <joined | grep -v '/test_' | sort -u >needed
[ "$(wc -l <needed)" -eq "$(wc -l <joined)" ]
ok $? "each has an object"
echo "# $(wc -l <needed) objects of $(wc -l <objects)"
ninja -C new $(cat needed) >out 2>err
ok $? "they are compiled"

# The program is linked as it was, with these objects before its archives.
link=$(ninja -C "$build" -t commands assay | tail -n 1 | sed 's/^: && //; s/ && :$//')
new=$(sed "s|^|$folder/new/|" needed | tr '\n' ' ')
(cd "$build" && sh -c "${link%% -o assay *} $new -o $folder/assay ${link#* -o assay }") >out 2>err
ok $? "the program is linked"
# (checks.sh runs $ASSAY.)
ASSAY=$folder/assay

run 0 "ops" ops
like out "^$op " "ops: it is listed"
run 0 "contracts" help contracts
like out "^  squared_difference=factored|expanded" "contracts: its permission is listed"
run 0 "executors" executors --all
like out "^ *canary:difference_of_negated" "executors: its canary is listed"
run 0 "a model is silent" run --op $op --executor model:sequential --executor model:random+fma --cases 500
run 1 "its canary is found" run --op $op --executor canary:difference_of_negated --cases 50
like out "value" "its canary is found: as wrong values"
run 1 "another formula" run --op $op --executor model:sequential+formula=expanded --cases 200
like out "formula" "another formula: the class says so"
run 0 "a contract that permits it" run --op $op --executor model:sequential+formula=expanded --cases 200 \
  --contract squared_difference=expanded
run 0 "vet" vet --op $op --executor model:sequential --cases 200
like out "^ok [0-9]* - model:sequential $op " "vet: it is reported"
run 0 "other ops" run --op stablehlo.dot_general --op byteir.gelu --executor model:sequential --cases 200
finish

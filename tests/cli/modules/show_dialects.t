#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay show --dialect: the modules of ByteIR's ops in either spelling, and that MLIR itself parses
# them.  The latter is skipped where the bindings of the jax executor are not installed.
. "$(dirname "$0")/../checks.sh"

program='byteir.softmax axis=1 f32[2,3] -> f32[2,3]'
run 0 "no dialect" show --mlir "$program"
like out '"stablehlo.custom_call"' "no dialect: stablehlo"
cp out stablehlo.mlir
run 0 "stablehlo" show --mlir --dialect stablehlo "$program"
cmp -s out stablehlo.mlir
ok $? "stablehlo: the same as without the option"
run 0 "mhlo" show --mlir --dialect mhlo "$program"
like out '"mhlo.custom_call"' "mhlo: the op of that dialect"
sed 's/mhlo\.custom_call/stablehlo.custom_call/' out | cmp -s - stablehlo.mlir
ok $? "mhlo: the rest as in stablehlo"
run 0 "mhlo, in words" show --dialect=mhlo "$program : 3f80000040000000404000003f80000040000000c0400000"
like out "operand 0: f32\[2,3\] 3f800000" "mhlo, in words: the words too"
like out '"mhlo.custom_call"' "mhlo, in words: the op of that dialect"

run 2 "another dialect" show --dialect tosa "$program"
like err "bad value 'tosa' (--dialect); write stablehlo, mhlo or byteir" "another dialect: what to write"
row='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[]'
run 2 "an op of StableHLO" show --dialect mhlo "$row"
like err '^assay: no spelling of stablehlo.reduce in mhlo, only in stablehlo$' \
  "an op of StableHLO: says so, and nothing of a column"
[ ! -s out ]
ok $? "an op of StableHLO: nothing is printed"
run 0 "an op of StableHLO in its dialect" show --dialect stablehlo "$row"
printf '%s\n' "$program" "$row" "$program" | "$ASSAY" show --mlir --dialect mhlo - >out 2>err
[ $? -eq 2 ]
ok $? "lines, one of them of StableHLO: exit code 2"
[ "$(grep -c '"mhlo.custom_call"' out)" -eq 2 ]
ok $? "lines, one of them of StableHLO: the others are printed"
like err '^assay: stdin:2:.*no spelling of stablehlo.reduce in mhlo' \
  "lines, one of them of StableHLO: which"

# For each file of modules, separated by empty lines: its name, and how many of them are valid and
# hold a custom_call of the dialect that the name ends with.  What is wrong with others goes to stderr.
cat >parse.py <<'END_OF_PYTHON'
import sys

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import mhlo, stablehlo

registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context = ir.Context()
context.append_dialect_registry(registry)
context.load_all_available_dialects()
stablehlo.register_dialect(context)
mhlo.register_mhlo_dialect(context)


def is_good(text, wanted):
    try:
        module = ir.Module.parse(text, context)
        (function,) = module.body.operations
        call, _ = function.regions[0].blocks[0].operations
        return module.operation.verify() and call.operation.name == wanted
    except ir.MLIRError as error:
        print(error, text, sep="\n", file=sys.stderr)
        return False


for path in sys.argv[1:]:
    wanted = path.rpartition("-")[2] + ".custom_call"
    texts = open(path).read().strip().split("\n\n")
    print(path, sum(is_good(text, wanted) for text in texts))
END_OF_PYTHON

# parses FILE COUNT DESCRIPTION: MLIR found so many good modules there.
parses() {
  grep -q -x -e "$1 $2" parsed
  ok $? "$3"
}

python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
if [ -x "$python" ] && "$python" -c 'import jaxlib.mlir.dialects.mhlo' 2>err; then
  ops=$("$ASSAY" ops | sed -n 's/^\(byteir\.[a-z0-9_]*\) .*/\1/p')
  for op in $ops; do
    # Many cases are of one program; their data are dropped.
    for seed in 1 2 3 4; do
      "$ASSAY" gen --op "$op" --cases 200 --seed "$seed" | sed 's/ : .*//' | uniq
    done | sort -u | head -n 20 >"$op"
    for dialect in stablehlo mhlo; do
      "$ASSAY" show --mlir --dialect "$dialect" - <"$op" >"$op-$dialect" 2>err
    done
  done
  # No call of anything, and the other dialect's.
  sed 's/call_target_name/nothing/g' byteir.erf-mhlo >targetless-mhlo
  cp byteir.erf-mhlo other-stablehlo
  "$python" parse.py ./*-stablehlo ./*-mhlo >parsed 2>err
  ok $? "MLIR has both dialects"
  for op in $ops; do
    [ "$(wc -l <"$op")" -gt 5 ]
    ok $? "$op: several programs are drawn"
    for dialect in stablehlo mhlo; do
      parses "./$op-$dialect" "$(wc -l <"$op")" "$op: MLIR parses and verifies all in $dialect"
    done
  done
  parses ./targetless-mhlo 0 "a custom_call of nothing is found out"
  parses ./other-stablehlo 0 "another dialect is found out"
else
  count=$((count + 1))
  echo "ok $count - MLIR parses the modules # SKIP no jaxlib: \`assay executors install jax\`"
fi

finish

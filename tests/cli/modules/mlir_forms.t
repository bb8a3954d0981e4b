#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# StableHLO modules in every form that tools write (pretty and generic text, bytecode, portable artifacts, versioned
# text, MHLO, CHLO) wherever a file is taken; modules with constants and checks, judged and printed; errors.
. "$(dirname "$0")/../checks.sh"

cat >pretty.mlir <<'END'
module @jit_main attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2xbf16> {jax.result_info = ""}) {
    %0 = call @inputs() : () -> tensor<2xbf16>
    %1 = call @expected() : () -> tensor<2xbf16>
    %2 = stablehlo.negate %0 : tensor<2xbf16>
    stablehlo.custom_call @check.expect_close(%2, %1) {has_side_effect = true} : (tensor<2xbf16>, tensor<2xbf16>) -> ()
    return %2 : tensor<2xbf16>
  }
  func.func private @inputs() -> (tensor<2xbf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[5.906250e+00, 1.875000e+00]> : tensor<2xbf16>
    return %cst : tensor<2xbf16>
  }
  func.func private @expected() -> (tensor<2xbf16> {mhlo.layout_mode = "default"}) {
    %cst = stablehlo.constant dense<[-5.906250e+00, -1.875000e+00]> : tensor<2xbf16>
    return %cst : tensor<2xbf16>
  }
}
END
line='stablehlo.negate bf16[2] -> bf16[2]'
"$ASSAY" show pretty.mlir >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - modules of StableHLO # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi

# ---- Forms ----------------------------------------------------------------------------------------

python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
cat >forms.py <<'END_OF_PYTHON'
import io

from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context = ir.Context()
context.append_dialect_registry(registry)
context.load_all_available_dialects()
stablehlo.register_dialect(context)
with context:
    module = ir.Module.parse(open("pretty.mlir").read())
    open("generic.mlir", "w").write(module.operation.get_asm(print_generic_op_form=True))
    open("located.mlir", "w").write(module.operation.get_asm(enable_debug_info=True))
    file = io.BytesIO()
    module.operation.write_bytecode(file)
    open("bytecode.mlirbc", "wb").write(file.getvalue())
    open("cut.mlirbc", "wb").write(file.getvalue()[:200])
    artifact = stablehlo.serialize_portable_artifact(module, "1.0.0")
    open("artifact", "wb").write(artifact)
    open("versioned.mlir", "w").write(str(ir.Module.parse(artifact)))
END_OF_PYTHON
"$python" forms.py >out 2>err
ok $? "the module is written in all forms"
for file in located.mlir bytecode.mlirbc artifact versioned.mlir; do
  run 0 "$file: show" show "$file"
  like out "program:   stablehlo.negate bf16.2. -> bf16.2." "$file: the program"
  like out "operand 0: bf16.2. 40bd3ff0" "$file: its data"
done
for file in pretty.mlir artifact; do
  run 0 "$file: judge" judge "$file"
  like out "^the expected result: conforms" "$file: what it expects conforms"
done
run 0 "an artifact: replay" replay artifact --executor model:pairwise
like out "^model:pairwise: conforms" "an artifact: replayed"
run 0 "bytecode: run" run --program bytecode.mlirbc --executor model:pairwise --cases 40
like out "^judged: model:pairwise 40 of 40" "bytecode: run"
run 0 "versioned text: vet" vet --mlir versioned.mlir --executor model:pairwise --cases 40
like out "^ok 1 - model:pairwise stablehlo.negate float bf16->bf16" "versioned text: vetted"
run 0 "a line and files" run --program "$line" --program generic.mlir --mlir artifact --executor model:pairwise --cases 60
like out "^judged: model:pairwise 60 of 60" "a line and files: run"

cat >groups.mlir <<'END'
module attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 3 : i32} {
  func.func @main(%arg0: tensor<2xf32>) -> tensor<2xf32> {
    %0 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 2], [1, -1]]> : tensor<2x2xi64>}> ({
    ^body(%a: tensor<f32>, %b: tensor<f32>):
      %1 = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %1 : tensor<f32>
    }) : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}
END
run 0 "a collective" show groups.mlir
like out "program:   stablehlo.all_reduce replica_groups=..0,2.,.1.. body=add f32.3,2. -> f32.3,2." "a collective: all processes, and groups of several sizes"

cat >mhlo.mlir <<'END'
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = mhlo.add %a, %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
run 0 "MHLO" show mhlo.mlir
like out "program:   stablehlo.add f32.2. f32.2. -> f32.2." "MHLO: as StableHLO"
cat >chlo.mlir <<'END'
func.func @main(%a: tensor<2xf32>) -> tensor<2xf32> {
  %0 = chlo.erf %a : tensor<2xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
run 0 "CHLO" show chlo.mlir
like out "program:   byteir.erf f32.2. -> f32.2." "CHLO: the error function"
sed 's/chlo.erf/chlo.lgamma/' chlo.mlir >lgamma.mlir
run 2 "an op of CHLO without a meaning here" show lgamma.mlir
like err "lgamma.mlir:2:8: chlo.lgamma: cases have no such op" "an op of CHLO without a meaning here: which, where"

# ---- Several ops ----------------------------------------------------------------------------------

cat >several.mlir <<'END'
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> (tensor<4xf32>, tensor<4x3xf32>) {
  %b = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<3xf32>) -> tensor<4x3xf32>
  %2 = stablehlo.add %0, %1 : tensor<4x3xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<4x3xf32>, tensor<f32>) -> tensor<4xf32>
  return %3, %2 : tensor<4xf32>, tensor<4x3xf32>
}
END
run 0 "several ops" show several.mlir
like out "program:   module steps={v0=constant(f32.3.,3f8000004000000040400000);v1=constant(f32..,00000000);v2=stablehlo.dot_general(a0,a1) .*;return(v5,v4)} f32.4,8. f32.8,3. -> f32.4. f32.4,3." \
  "several ops: one program"
run 0 "several ops: run" run --program several.mlir --executor model:pairwise --cases 60
like out "^judged: model:pairwise 60 of 60" "several ops: run"
run 1 "several ops: a fault" run --program several.mlir --executor canary:drop_last_term --cases 60
sed 's/stablehlo.add/stablehlo.power/' several.mlir >power.mlir
run 2 "several ops, one of them unknown" show power.mlir
like err "power.mlir:6:8: stablehlo.power: cases have no such op" "several ops, one of them unknown: which"

# ---- Checks ---------------------------------------------------------------------------------------

# expects CHECK ANSWER: a module with that check is answered so.
expects() {
  cat >checked.mlir <<END
func.func @main() {
  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %four = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %1 = stablehlo.add %0, %0 : tensor<2xf32>
  $1
  return
}
END
  "$ASSAY" judge checked.mlir >out 2>err
  cat out err | grep -q -e "$2"
  ok $? "$1: $2"
}
good="^the expected result: conforms"
expects 'check.expect_eq_const %1, dense<[2.0, 4.0]> : tensor<2xf32>' "$good"
expects 'check.expect_almost_eq_const %1, dense<"0x0000004000008040"> : tensor<2xf32>' "$good"
expects 'check.expect_eq %1, %four : tensor<2xf32>' "$good"
expects 'check.expect_close %1, %four, max_ulp_difference = 3, min_ulp_difference = 0 : tensor<2xf32>, tensor<2xf32>' "$good"
expects '"check.expect_close"(%1, %four) {max_ulp_difference = 1 : ui64} : (tensor<2xf32>, tensor<2xf32>) -> ()' "$good"
expects '%2 = stablehlo.custom_call @check.eq(%1, %four) : (tensor<2xf32>, tensor<2xf32>) -> tensor<i1>' "$good"
expects 'check.expect_eq_const %1, dense<[2.0, 4.000001]> : tensor<2xf32>' \
  "^the expected result: diverges (value): result 0 at .1. is 0x1.000004p+2 (40800002), expected 0x1p+2"
expects 'check.expect_close %1, %0, max_ulp_difference = 99999999 : tensor<2xf32>, tensor<2xf32>' \
  "^the expected result: diverges"
expects 'check.expect_eq %0, %four : tensor<2xf32>' "checked.mlir:4:8: stablehlo.add: check.expect_eq checks no result of it"
expects 'check.expect_eq %1, %1 : tensor<2xf32>' "checked.mlir:4:8: stablehlo.add: what check.expect_eq expects is no constant"
expects '"check.expect_nothing"(%1, %four) : (tensor<2xf32>, tensor<2xf32>) -> ()' "check.expect_nothing is no check that is known here"
expects '' "checked.mlir: no check.expect_eq or the like says what a result is"
expects 'check.expect_eq %1' "checked.mlir:5:3: Dialect .check' not found"
cat >open.mlir <<'END'
func.func @main(%x: tensor<2xf32>) {
  %four = stablehlo.constant dense<[2.0, 4.0]> : tensor<2xf32>
  %1 = stablehlo.add %x, %x : tensor<2xf32>
  check.expect_eq %1, %four : tensor<2xf32>
  return
}
END
run 2 "a check of an unknown operand" judge open.mlir
like err "open.mlir: operand 0 of stablehlo.add is no constant" "a check of an unknown operand: which"
sed 's/%x: tensor<2xf32>/ /; s/%x, %x/%four, %four/' open.mlir >wrong.mlir
run 1 "in JSON" judge --json wrong.mlir
like out '"outcome": "diverges"' "in JSON: the outcome"

# ---- And out again --------------------------------------------------------------------------------

for op in byteir.top_k stablehlo.uniform_quantize; do
  "$ASSAY" gen --op $op --cases 400 --seed 6 | awk 'length($0) < 4000' | tail -n 1 >cases
  while read -r case; do
    "$ASSAY" show --mlir --with-data "$case" >back.mlir 2>err
    ok $? "$op: printed"
    "$ASSAY" replay back.mlir --executor model:sequential --json >out 2>err
    grep -q -F "\"case\": \"$case\"" out
    ok $? "$op: read back as the same case"
    run 0 "$op: what a model computes" judge back.mlir
  done <cases
done
sum='stablehlo.add f32[2] f32[2] -> f32[2] : 3f80000040000000 : 3f8000007f800000'
"$ASSAY" show --mlir --with-data "$(printf '%s\t%s' "$sum" 4000000040000000)" >wrong.mlir 2>err
ok $? "given results: printed"
run 1 "given results: judged" judge wrong.mlir
like out "the expected result: diverges (.*): result 0 at .1. is 0x1p+1 (40000000), expected" "given results: judged wrong"
run 2 "a program without data" show --mlir --with-data 'stablehlo.add f32[2] f32[2] -> f32[2]'
like err "no arrays (--with-data)" "a program without data: what it lacks"
run 2 "data without a module" show --with-data "$sum"
like err "write --mlir --with-data" "data without a module: what to write"
run 2 "a collective" show --mlir --with-data 'stablehlo.all_reduce replica_groups=[[0,1]] body=add f32[2,1] -> f32[2,1] : 3f8000003f800000'
like err "what one process runs" "a collective: why there is none"
run 2 "an unknown size" show --mlir --with-data 'byteir.erf f32[?1] -> f32[?1] : 3f800000'
like err "no constants" "an unknown size: why there is none"

# StableHLO's interpreter, of which jaxlib has no checks, is given the same modules, and what they expect.
cat >interpret.py <<'END_OF_PYTHON'
import re
import sys

import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir._mlir_libs import _jax_mlir_ext
from jaxlib.mlir.dialects import stablehlo

registry = ir.DialectRegistry()
_jax_mlir_ext.register_dialects(registry)
context = ir.Context()
context.append_dialect_registry(registry)
context.load_all_available_dialects()
stablehlo.register_dialect(context)
for text in sys.stdin.read().split("\n\n"):
    kind = re.search(r'"check\.\w+"\(%0, %expected0\).* : \((tensor<.*>), tensor', text).group(1)
    text = re.sub(r'"check\..*', "", text).replace("    return", f"    return %0, %expected0 : {kind}, {kind}")
    text = text.replace("@main() {", f"@main() -> ({kind}, {kind}) {{")
    with context:
        got, expected = (np.array(one) for one in stablehlo.eval_module(ir.Module.parse(text), []))
    print("same" if (got == expected).all() else f"{text}{got}{expected}")
END_OF_PYTHON
cat >cases <<'END'
stablehlo.add f32[2,2] f32[2,2] -> f32[2,2] : 3f800000400000003f80000040000001 : 3f8000003f8000004040000042000000
stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,2] f32[2,2] -> f32[2,2] : 3f800000400000003f80000040000000 : 3f8000003f8000004040000042000000
stablehlo.reduce body=add dims=[0] i32[3] i32[] -> i32[] : 000000010000000200000003 : 00000000
stablehlo.transpose permutation=[1,0] f64[2,1] -> f64[1,2] : 3ff00000000000004000000000000000
END
"$ASSAY" show --mlir --with-data - <cases >modules 2>err
ok $? "for StableHLO's interpreter: printed"
"$python" interpret.py <modules >out 2>err
ok $? "for StableHLO's interpreter: run"
[ "$(grep -c '^same$' out)" -eq 4 ]
ok $? "for StableHLO's interpreter: all results are as the modules say"

# ---- Files that are none --------------------------------------------------------------------------

printf '\211PNG\r\n\032\n' >picture.mlir
run 2 "a picture" judge picture.mlir
like err "picture.mlir:1:1: this is no MLIR module" "a picture: said"
echo "hello world" >words.mlir
run 2 "words" run --program words.mlir --executor model:pairwise
like err "words.mlir:1:1: this is no MLIR module" "words: said"
: >empty.mlir
run 2 "an empty file" show empty.mlir
like err "empty.mlir:1:1: a case is one op, and here is none" "an empty file: said"
run 2 "bytecode that is cut off" vet --mlir cut.mlirbc --executor model:pairwise
like err "cut.mlirbc:1:1: MLIR cannot read this bytecode" "bytecode that is cut off: said"
run 2 "a program and an op" run --program pretty.mlir --op stablehlo.add --executor model:pairwise
like err "leave out --op or --program" "a program and an op: what to leave out"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay module --isolate-ops: a module op by op on executors; what is judged, on which operands, what the interpreter
# runs, what nobody does; data that are given.  (Bodies of loops are in module_bodies.t.)  Skipped where jaxlib is not
# installed.
. "$(dirname "$0")/../checks.sh"

cat >sums.mlir <<'END'
func.func @main(%x: tensor<4x2xf32>, %which: tensor<i32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<4x2xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = stablehlo.while(%inside = %0) : tensor<4xf32> cond {
    %true = stablehlo.constant dense<false> : tensor<i1>
    stablehlo.return %true : tensor<i1>
  } do {
    %2 = stablehlo.add %inside, %0 : tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }
  %3 = "stablehlo.case"(%which) ({
    %4 = stablehlo.abs %1 : tensor<4xf32>
    stablehlo.return %4 : tensor<4xf32>
  }, {
    %5 = func.call @twice(%1) : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %5 : tensor<4xf32>
  }) : (tensor<i32>) -> tensor<4xf32>
  %6 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %7 = stablehlo.custom_call @nobody.knows(%6) : (tensor<f32>) -> tensor<f32>
  %8 = stablehlo.negate %7 : tensor<f32>
  return %6 : tensor<f32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %x, %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
END
"$ASSAY" module sums.mlir --isolate-ops --executor model:pairwise >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - modules op by op # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi
python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/jax/bin/python
"$python" -c "
import numpy as np
np.save('ones.npy', np.ones((4, 2), np.float32))
np.save('zero.npy', np.int32(0))
np.save('one.npy', np.int32(1))
np.save('wide.npy', np.ones((4, 2)))
"

run 0 "drawn data" module sums.mlir --isolate-ops --executor model:pairwise
like out "^model:pairwise: 7 ops, 3 judged: 3 conform, 0 diverge, 0 weak; 0 without results" "drawn data: counts"
like out "^in bodies that did not run: 2 ops" "drawn data: what did not run"
like out "^not run:  19:8: stablehlo.custom_call" "drawn data: what nobody runs"
like out "interpreter ended its process" "drawn data: why"
like out "^not run:  20:8: stablehlo.negate" "drawn data: nor what depends on it"
cp out first
run 0 "the same seed" module sums.mlir --isolate-ops --executor model:pairwise --seed 1
cmp -s out first
ok $? "the same seed: the same"

# Rows of ones: 2, and the fault leaves out a term.  The sum of four of these is 4 then, not 8, and without a term 3.
run 1 "a fault" module sums.mlir --isolate-ops --executor canary:drop_last_term --input ones.npy --input zero.npy
like out "^canary:drop_last_term: 7 ops, 3 judged: 1 conform, 2 diverge" "a fault: counts"
like out "^first:    3:24: stablehlo.reduce body=add dims=.1. f32.4,2. f32.. -> f32.4.$" "a fault: the first op"
like out "result 0 at .0. is 0x1p+0 (3f800000), expected 0x1p+1" "a fault: what is wrong with it"
like out "^worst:    3:24: " "a fault: the worst op"
like out "^diverges: 18:24: " "a fault: the others"
like out "result 0 at .. is 0x1.8p+1 (40400000), expected 0x1p+2" "a fault: operands are those that the executor produced"
like out "assay replay 'stablehlo.reduce .* : 3f8000003f8000003f8000003f8000003f8000003f8000003f8000003f800000 : 00000000' --executor" \
  "a fault: the data that were given"
run 1 "another case" module sums.mlir --isolate-ops --executor canary:drop_last_term --input ones.npy --input one.npy
like out "result 0 at .. is 0x1.8p+2 (40c00000), expected 0x1p+3" "another case: its body, and the function that it calls"

run 1 "JSON" module sums.mlir --isolate-ops --executor canary:drop_last_term --executor model:pairwise --input ones.npy --input zero.npy --json
parses_as_json out "JSON: it parses"
# shellcheck disable=SC2016
[ "$(json out 'join " ", map { "$_->{executor} " . ($_->{first} // "none") . " " . join ",", map { $_->{kind} } @{$_->{steps}} } @$d')" = \
  "canary:drop_last_term 1 constant,judged,bodies,constant,bodies,judged,judged,not-run,not-run model:pairwise none constant,judged,bodies,constant,bodies,judged,judged,not-run,not-run" ]
ok $? "JSON: steps of both executors"
# shellcheck disable=SC2016
[ "$(json out '$d->[0]{steps}[6]{verdict}{outcome}')" = diverges ]
ok $? "JSON: verdicts"

# What has no oracle: the interpreter runs it.
sort() {
  printf '"stablehlo.sort"(%s) <{dimension = 0 : i64}> ({
  ^bb0(%%a: tensor<%s>, %%b: tensor<%s>):
    %%c = stablehlo.compare LT, %%a, %%b : (tensor<%s>, tensor<%s>) -> tensor<i1>
    stablehlo.return %%c : tensor<i1> }) : (tensor<%sx%s>) -> tensor<%sx%s>' "$1" "$2" "$2" "$2" "$2" "$3" "$2" "$3" "$2"
}
by_interpreter="^without an oracle, by StableHLO's interpreter: stablehlo.sort 1"

cat >half.mlir <<END
func.func @main(%x: tensor<2xbf16>, %y: tensor<2xf8E5M2>) -> tensor<2xf32> {
  %0 = $(sort %x bf16 2)
  %1 = stablehlo.add %0, %x : tensor<2xbf16>
  %2 = stablehlo.convert %1 : (tensor<2xbf16>) -> tensor<2xf32>
  %3 = stablehlo.convert %y : (tensor<2xf8E5M2>) -> tensor<2xf32>
  %4 = stablehlo.add %2, %3 : tensor<2xf32>
  return %4 : tensor<2xf32>
}
END
# What the interpreter gives is known to the bit: 2 x 4, without a term 6, in each type.
for type in f64 f32 f16 bf16 i32; do
  point=.0
  [ $type = i32 ] && point=
  cat >root.mlir <<END
func.func @main() -> tensor<$type> {
  %x = stablehlo.constant dense<2$point> : tensor<4x$type>
  %zero = stablehlo.constant dense<0$point> : tensor<$type>
  %0 = $(sort %x $type 4)
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4x$type>, tensor<$type>) -> tensor<$type>
  return %1 : tensor<$type>
}
END
  run 1 "$type of the interpreter" module root.mlir --isolate-ops --executor canary:drop_last_term
  like out "$by_interpreter" "$type of the interpreter: said"
  grep -q -e "is 0x1.8p+2 (.*), expected 0x1p+3;" -e "is 6 .*, expected 8;" out
  ok $? "$type of the interpreter: the right data"
done

run 0 "narrow floats" module half.mlir --isolate-ops --executor model:pairwise
like out "^model:pairwise: 5 ops, 4 judged: 4 conform" "narrow floats: judged"
like out "$by_interpreter" "narrow floats: of the interpreter too"

good=$(dirname "$ASSAY")/tests/dso/good.so
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
if [ -e "$good" ] && [ -e "$faulty" ]; then
  run 0 "a refusal" module sums.mlir --isolate-ops --executor "dso:$good"
  like out "7 ops, 1 judged: 1 conform, 0 diverge, 0 weak; 2 without results" "a refusal: the interpreter goes on for it"
  like out "^no result: 3:24: stablehlo.reduce" "a refusal: of what"
  like out "refused: only sums of f32 to one number" "a refusal: why"
  cat >one.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  %1 = stablehlo.negate %0 : tensor<f32>
  return %1 : tensor<f32>
}
END
  run 3 "a crash" module one.mlir --isolate-ops --executor "dso:$faulty?execute:crash"
  like out "failed (crash): SIGSEGV in execute()" "a crash: said"
  like out "^no result: 4:8: stablehlo.negate" "a crash: the module goes on"
  run 1 "a result that is not written" module one.mlir --isolate-ops --executor "dso:$faulty?execute:leave_unwritten"
  like out "^first: .*stablehlo.reduce" "a result that is not written: it diverges"
  like out "diverges (unwritten)" "a result that is not written: how"
fi

# An op of ByteIR's, refused by an executor that takes sums alone, and unknown to the interpreter: what follows it is judged.
cat >norm.mlir <<'END'
func.func @main(%x: tensor<4xf32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.custom_call @byteir.l2_norm(%x) {byteir_attrs = {axis = [0], epsilon = 1.0e-06 : f64}} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %1 : tensor<f32>
}
END
if [ -e "$good" ]; then
  run 0 "an op of ByteIR's" module norm.mlir --isolate-ops --executor "dso:$good"
  like out "2 ops, 1 judged: 1 conform, 0 diverge, 0 weak; 1 without results" "an op of ByteIR's: a model goes on for it"
  like out "^no result: 3:8: byteir.l2_norm" "an op of ByteIR's: said"
fi

run 2 "another type" module sums.mlir --isolate-ops --executor model:pairwise --input wide.npy --input zero.npy
like err "wide.npy holds float64 of shape .4, 2., and the argument is tensor<4x2xf32>" "another type: which"
run 2 "too few files" module sums.mlir --isolate-ops --executor model:pairwise --input ones.npy
like err "@main has 2 arguments, and 1 files are given" "too few files: said"
run 2 "a file that is not there" module sums.mlir --isolate-ops --executor model:pairwise --input nowhere.npy --input zero.npy
like err "nowhere.npy" "a file that is not there: named"
run 2 "no executor" module sums.mlir --isolate-ops
like err "add --executor NAME" "no executor: said"
run 2 "an executor for a list" module sums.mlir --executor model:pairwise
like err "are for --isolate-ops" "an executor for a list: said"
run 2 "a harvest too" module sums.mlir --isolate-ops --executor model:pairwise --harvest out.programs
like err "leave out --harvest or --isolate-ops" "a harvest too: said"
run 2 "a reference for a list" module sums.mlir --reference model:pairwise
like err "are for --isolate-ops" "a reference for a list: said"
cat >call.mlir <<'END'
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = stablehlo.custom_call @nobody.knows(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
run 3 "nothing to judge" module call.mlir --isolate-ops --executor model:pairwise
like err "no op of the module was judged" "nothing to judge: said"
# ---- Arguments of quantized types --------------------------------------------------------------------

cat >quantized.mlir <<'END'
func.func @main(%x: tensor<16x64x!quant.uniform<u8<1:200>:f32, 0.5:3>>) -> tensor<16x64xf32> {
  %0 = stablehlo.uniform_dequantize %x : (tensor<16x64x!quant.uniform<u8<1:200>:f32, 0.5:3>>) -> tensor<16x64xf32>
  return %0 : tensor<16x64xf32>
}
END
run 0 "a quantized argument" module quantized.mlir --isolate-ops --executor model:sequential
like out "1 ops, 1 judged: 1 conform" "a quantized argument: data are drawn, of its storage range"
run 1 "... and show a fault" module quantized.mlir --isolate-ops --executor canary:zero_point_negated
like out "^first: .*stablehlo.uniform_dequantize" "... of that op"

finish

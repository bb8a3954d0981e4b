#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay show and replay of files of MLIR: the examples of ops in the documents that Assay follows, as these write them, each
# with the case line that it means and its verdict; modules with constants; errors at their places.  Skipped
# where jaxlib is not installed, but for the error that says so.
. "$(dirname "$0")/checks.sh"

cat >softmax.mlir <<'END'
%0 = "mhlo.custom_call"(%arg0) {api_version = 1 : i32, backend_config = "", byteir_attrs = {axis = 1 : i64}, call_target_name = "byteir.softmax", called_computations = [], has_side_effect = false} : (tensor<4x64xf32>) -> tensor<4x64xf32>
END
sed 's/byteir.softmax/byteir.log_softmax/' softmax.mlir >log_softmax.mlir
sed 's/byteir.softmax/byteir.gelu/; s/axis = 1 : i64/approximate = "none"/' softmax.mlir >gelu.mlir
cat >erf.mlir <<'END'
%0 = "mhlo.custom_call"(%arg0) {call_target_name = "byteir.erf", has_side_effect = false} : (tensor<?x64xf32>) -> tensor<?x64xf32>
END
cat >rng_static.mlir <<'END'
// out tensor must have static shape
%high = mhlo.constant dense<1.000000e+00> : tensor<f32>
%low = mhlo.constant dense<0.000000e+00> : tensor<f32>
%seed = byre.compute @GetSeed() : tensor<i64>
%offset = byre.compute @NextOffset() : tensor<i64>
%0 = "mhlo.custom_call"(%low, %high, %seed, %offset) {call_target_name = "byteir.rng_uniform", has_side_effect = false} : (tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>) -> tensor<8x1024x768xf32>
END
cat >rng_dynamic.mlir <<'END'
%high = mhlo.constant dense<1.000000e+00> : tensor<f32>
%low = mhlo.constant dense<0.000000e+00> : tensor<f32>
%seed = byre.compute @GetSeed() : tensor<i64>
%offset = byre.compute @NextOffset() : tensor<i64>
%shape = shape.shape_of %arg0 : tensor<3xindex>
%0 = "mhlo.custom_call"(%low, %high, %seed, %offset, %shape) {call_target_name = "byteir.rng_uniform", has_side_effect = false} : (tensor<f32>, tensor<f32>, tensor<i64>, tensor<i64>, tensor<3xindex>) -> tensor<?x?x?xf32>
END
cat >dot.mlir <<'END'
%result = "stablehlo.dot_general"(%lhs, %rhs) {
  dot_dimension_numbers = #stablehlo.dot<
    lhs_batching_dimensions = [0],
    rhs_batching_dimensions = [0],
    lhs_contracting_dimensions = [2],
    rhs_contracting_dimensions = [1]
  >,
  precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>],
  algorithm = #stablehlo.dot_algorithm<
    lhs_type = tf32,
    rhs_type = tf32,
    accum_type = f32,
    lhs_component_count = 1,
    rhs_component_count = 1,
    num_primitive_ops = 1,
    allow_imprecise_accum = false
  >
} : (tensor<2x2x2xi64>, tensor<2x2x2xi64>) -> tensor<2x2x2xi64>
END
cat >reduce.mlir <<'END'
%result = "stablehlo.reduce"(%input, %init_value) ({
    ^reduce_computation(
            %lhs: tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>,
            %rhs: tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>):
        %add = "stablehlo.add"(%lhs, %rhs)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>,
               tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>)
            -> tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>
        "stablehlo.return"(%add)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>) -> ()
    }) {
        dimensions = dense<1> : tensor<i64>
    } : (tensor<5 x 1 x !quant.uniform<ui8:f32, input_scale:input_zp>>,
         tensor<!quant.uniform<ui8:f32, input_scale:input_zp>>)
    -> tensor<5 x !quant.uniform<ui8:f32, output_scale:output_zp>>
END

XDG_DATA_HOME=$PWD/nothing run 3 "without jaxlib" show softmax.mlir
like err "run .assay executors install xla" "without jaxlib: what to do"
"$ASSAY" show softmax.mlir >out 2>err
if grep -q 'executors install xla' err; then
  count=$((count + 1))
  echo "ok $count - files of MLIR # SKIP $(tr '#\n' '  ' <err | cut -c1-150)"
  finish
  exit
fi

# means NAME LINE OUTCOME [OPTION...]: what file NAME.mlir is read as, and its verdict on a model.
means() {
  file=$1 line=$2 outcome=$3
  shift 3
  "$ASSAY" replay "$file.mlir" "$@" >out 2>err
  [ "$(sed -n 's/^  program:  //p' out)" = "$line" ]
  ok $? "$file: $line"
  grep -q "^model:.*: $outcome\$" out
  ok $? "$file: $outcome"
}
means softmax 'byteir.softmax axis=1 f32[4,64] -> f32[4,64]' conforms --executor model:pairwise
means log_softmax 'byteir.log_softmax axis=1 f32[4,64] -> f32[4,64]' conforms --executor model:pairwise
means gelu 'byteir.gelu approximate=none f32[4,64] -> f32[4,64]' conforms --executor model:pairwise
means erf 'byteir.erf f32[?2,64] -> f32[?2,64]' conforms --executor model:pairwise
means erf 'byteir.erf f32[?5,64] -> f32[?5,64]' conforms --executor model:pairwise --size 5
means rng_static 'byteir.rng_uniform f32[] f32[] i64[] i64[] -> f32[8,1024,768]' conforms --executor model:pairwise
means rng_dynamic 'byteir.rng_uniform f32[] f32[] i64[] i64[] i64[3] -> f32[?2,?2,?2]' conforms --executor model:pairwise
means dot 'stablehlo.dot_general batch=[0]x[0] contract=[2]x[1] precision=[DEFAULT,DEFAULT] algorithm=[tf32,tf32,f32,1,1,1,false] i64[2,2,2] i64[2,2,2] -> i64[2,2,2]' \
  conforms --executor model:pairwise
means reduce 'stablehlo.reduce body=add dims=[1] accumulation=!quant.uniform<i32:f32,0x1p-1> !quant.uniform<ui8:f32,0x1p-1:128>[5,1] !quant.uniform<ui8:f32,0x1p-1:128>[] -> !quant.uniform<ui8:f32,0x1p+1:100>[5]' \
  conforms --contract reduce_types=rfc --executor model:pairwise+rfc-types --let input_scale=0.5 --let input_zp=128 \
  --let accum_scale=0.5 --let accum_zp=0 --let output_scale=2 --let output_zp=100

# Printed as ByteIR's document has them, to the byte, where today's dialects write something else.
for file in softmax log_softmax gelu erf rng_static rng_dynamic; do
  tail -n 1 $file.mlir | sed 's/(%low, %high, %seed, %offset/(%arg0, %arg1, %arg2, %arg3/; s/%shape/%arg4/' >wanted
  "$ASSAY" show --mlir --dialect byteir $file.mlir 2>err | sed -n 's/^ *\(%0 = .*\)/\1/p' >printed
  cmp -s wanted printed
  ok $? "$file: printed as it stood there"
  run 0 "$file, today" show --mlir $file.mlir
  like out '"stablehlo.custom_call"' "$file: in today's StableHLO too"
done

cat >add.mlir <<'END'
func.func @main() -> tensor<2xf32> {
  %x = stablehlo.constant dense<[1.0, -2.5]> : tensor<2xf32>
  %y = stablehlo.constant dense<1.0> : tensor<2xf32>
  %0 = stablehlo.add %x, %y : tensor<2xf32>
  return %0 : tensor<2xf32>
}
END
run 0 "constants" show add.mlir
like out "operand 0: f32.2. 3f800000c0200000" "constants: the data of the case"
like out "operand 1: f32.2. 3f8000003f800000" "constants: one number for all elements"

run 2 "a name without a number" show reduce.mlir
like err "reduce.mlir:3:26: accum_scale is a name: say its number, --let accum_scale=0.5" "a name without a number: where, what to do"
run 2 "a number that is none" show reduce.mlir --let accum_scale
like err "\-\-let is NAME=NUMBER, such as scale=0.5, not 'accum_scale'" "a number that is none: what to write"
run 2 "a size that is none" show erf.mlir --size=-1
like err "\-\-size is a positive number" "a size that is none: what to write"
printf '%%0 = "stablehlo.add"(%%x, %%y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n' >broken.mlir
run 2 "a rule that is broken" show broken.mlir
like err "broken.mlir: stablehlo.add f32.2. f32.3. -> f32.2.: column 1: violates C1 of stablehlo.add" "a rule that is broken: which"
printf '\n%%0 = "stablehlo.add"(%%x, %%y) : (tensor<2xf32>' >cut.mlir
run 2 "cut off" show cut.mlir
like err "cut.mlir:2:46: expected ')'" "cut off: where"
printf '%%0 = "stablehlo.dot_general"(%%a, %%b) ... : (tensor<...xf32>, tensor<...xf32>) -> tensor<...xf32>\n' >sketch.mlir
run 2 "something left out" show sketch.mlir
like err "'...' leaves something out that a case has: write it" "something left out: said"
printf '%%0 = stablehlo.add %%x, %%y : tensor<2xf32>\n%%1 = stablehlo.negate %%0 : tensor<2xf32>\n' >two.mlir
run 2 "two ops" replay two.mlir --executor model:pairwise
like err "two.mlir:2:6: a case is one op, and here are 2; .assay module. lists them, .assay quant import. reads graphs" "two ops: where the second is"
printf '%%0 = stablehlo.sine %%x : tensor<2xf32>\n' >sine.mlir
run 2 "an unknown op" show sine.mlir
like err "sine.mlir:1:6: stablehlo.sine: cases have no such op; .assay ops. lists those they have" "an unknown op: where"
run 3 "a missing file" show nowhere.mlir
like err "nowhere.mlir" "a missing file: named"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay show and replay of files of MLIR: the examples of ops in the documents that Assay follows, as these write them, each
# with the case line that it means and its verdict; modules with constants; errors at their places.  Skipped
# where jaxlib is not installed, but for the error that says so.
. "$(dirname "$0")/../checks.sh"

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

# What follows has ellipses, or a spelling that an RFC considered.
cat >attribute.mlir <<'END'
%0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0] {
    accumulation_type = tensor<!quant.uniform<i32:f32, 3.400000e+01:16>>
} : (tensor<16x!quant.uniform<i8:f32, 3.400000e+01:16>>, tensor<!quant.uniform<i8:f32, 3.400000e+01:16>>) -> tensor<!quant.uniform<i8:f32, 3.400000e+01:16>>
    reducer(%arg2: tensor<!quant.uniform<i32:f32, 3.400000e+01:16>>, %arg3: tensor<!quant.uniform<i32:f32, 3.400000e+01:16>>)  {
     %1 = stablehlo.add %arg2, %arg3 : tensor<!quant.uniform<i32:f32, 3.400000e+01:16>>
     stablehlo.return %1 : tensor<!quant.uniform<i32:f32, 3.400000e+01:16>>
    }
END
cat >regions.mlir <<'END'
%result = "stablehlo.reduce"(%input, %init_value) ({
    ^input_conversion(
            %input: tensor<!quant.uniform<ui8:f32, input_scale:input_zp>>):
        %input_rescaled = "stablehlo.uniform_quantize"(%input)
            : (tensor<!quant.uniform<ui8:f32, input_scale:input_zp>>)
            -> tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>
        "stablehlo.return"(%input_rescaled)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>) -> ()

    }, {
    ^reduce_computation(
            %lhs: tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>,
            %rhs: tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>):
        %add = "stablehlo.add"(%lhs, %rhs)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>,
               tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>)
            -> tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>
        "stablehlo.return"(%add)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>) -> ()
    }, {
    ^output_conversion(
            %intermediate_result: tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>):
        %output_rescaled = "stablehlo.uniform_quantize"(%intermediate_result)
            : (tensor<!quant.uniform<i32:f32, accum_scale:accum_zp>>)
            -> tensor<!quant.uniform<ui8:f32, output_scale:output_zp>>
        "stablehlo.return"(%output_rescaled)
            : (tensor<!quant.uniform<ui8:f32, output_scale:output_zp>>) -> ()
    }) {
        dimensions = dense<...> : tensor<1xi64>
    } : (tensor<... x !quant.uniform<ui8:f32, input_scale:input_zp>>,
         tensor<... x !quant.uniform<ui8:f32, input_scale:input_zp>>)
    -> tensor<... x !quant.uniform<ui8:f32, output_scale:output_zp>>
END
cat >rescaling.mlir <<'END'
%widen = "stablehlo.uniform_quantize"(%input)
    : (tensor<... x !quant.uniform<ui8:f32, ...>>) -> tensor<... x !quant.uniform<i32:f32, ...>>

%reduce = "stablehlo.reduce"(%widen) {
    ^reduce_computation(%lhs: !quant.uniform<i32:f32, ...>, %rhs: !qunat.uniform<i32:f32, ...>):
        // reduce_computation_block
    }
    : (tensor<... x !quant.uniform<i32:f32, ...>>) -> tensor<... x !quant.uniform<i32:f32, ...>>

%narrowed = "stablehlo.uniform_quantize"(%reduce)
    : (tensor<... x !quant.uniform<i32:f32, ...>>) -> tensor<... x !quant.uniform<ui8:f32, ...>>
END
cat >hybrid_conv.mlir <<'END'
%conv = "stablehlo.convolution"(%input_f, %weight_q) ... : (tensor<...xf32>, !quant.uniform<i8:f32, scale:zp>) -> tensor<...xf32>>
END
cat >hybrid_dot.mlir <<'END'
%dot = "stablehlo.dot_general"(%lhs_f, %rhs_q) ... : (tensor<...xf32>, !quant.uniform<i8:f32, scale:zp>) -> tensor<...xf32>>
END
cat >region.mlir <<'END'
%.. = quant.region (imported_ssa_values) {
  …high precision ops w/ model constraints for intermediates values…
  quant.return exported_ssa_values
} {input_specs: [QT], output_specs: [QT], kernel = “kernel_name”} :
  (high-precision tensor types) -> (high-precision tensor types)
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
means attribute 'stablehlo.reduce body=add dims=[0] accumulation=!quant.uniform<i32:f32,0x1.1p+5:16> !quant.uniform<i8:f32,0x1.1p+5:16>[16] !quant.uniform<i8:f32,0x1.1p+5:16>[] -> !quant.uniform<i8:f32,0x1.1p+5:16>[]' \
  conforms --contract reduce_types=rfc --executor model:pairwise+rfc-types
means regions 'stablehlo.reduce body=add dims=[1] accumulation=!quant.uniform<i32:f32,0x1p-1> !quant.uniform<ui8:f32,0x1p-1:128>[5,7] !quant.uniform<ui8:f32,0x1p-1:128>[] -> !quant.uniform<ui8:f32,0x1p+1:100>[5]' \
  conforms --contract reduce_types=rfc --executor model:pairwise+rfc-types --let input_scale=0.5 --let input_zp=128 \
  --let accum_scale=0.5 --let accum_zp=0 --let output_scale=2 --let output_zp=100 \
  --let input=[5,7] --let init_value=[] --let result=[5] --let dims=[1]
# Of its initial value nothing is said: a drawn i32 outweighs all else, and the sum is at an end of ui8.
means rescaling 'module steps={v0=stablehlo.uniform_quantize(a0) !quant.uniform<ui8:f32,0x1p-2:3>[5,7] -> !quant.uniform<i32:f32,0x1p-3>[5,7];v1=stablehlo.reduce(v0,a1) body=add dims=[1] !quant.uniform<i32:f32,0x1p-3>[5,7] !quant.uniform<i32:f32,0x1p-3>[] -> !quant.uniform<i32:f32,0x1p-3>[5];v2=stablehlo.uniform_quantize(v1) !quant.uniform<i32:f32,0x1p-3>[5] -> !quant.uniform<ui8:f32,0x1p+0:5>[5];return(v2)} !quant.uniform<ui8:f32,0x1p-2:3>[5,7] !quant.uniform<i32:f32,0x1p-3>[] -> !quant.uniform<ui8:f32,0x1p+0:5>[5]' \
  weak --executor model:pairwise --let input=[5,7] --let widen=[5,7] --let reduce=[5] --let narrowed=[5] --let dims=[1] \
  --let body=add --let input_scale=0.25 --let input_zp=3 --let widen_scale=0.125 --let widen_zp=0 \
  --let reduce_scale=0.125 --let reduce_zp=0 --let narrowed_scale=1 --let narrowed_zp=5
means hybrid_conv 'stablehlo.convolution window_strides=[1] padding=[[0,0]] lhs_dilation=[1] rhs_dilation=[2] window_reversal=[false] dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f] feature_group_count=1 batch_group_count=1 f32[1,8,2] !quant.uniform<i8:f32,0x1p-1>[3,2,2] -> f32[1,4,2]' \
  conforms --executor model:pairwise --let scale=0.5 --let zp=0 --let input_f=[1,8,2] --let weight_q=[3,2,2] --let conv=[1,4,2] \
  --let 'dimension_numbers=[b,0,f]x[0,i,o]->[b,0,f]' --let feature_group_count=1 --let batch_group_count=1 --let rhs_dilation=[2]
means hybrid_dot 'stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[4,16] !quant.uniform<i8:f32,0x1p-1>[16,4] -> f32[4,4]' \
  conforms --executor model:pairwise --let scale=0.5 --let zp=0 --let lhs_f=[4,16] --let rhs_q=[16,4] --let dot=[4,4] \
  --let batch=[]x[] --let contract=[1]x[0]

# Several ops are one program.
cat >several.mlir <<'END'
func.func @main(%unused: tensor<f32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %x = stablehlo.constant dense<[1.0, 2.0, -3.0]> : tensor<3xf32>
  %c = stablehlo.constant dense<2.0> : tensor<3xf32>
  %0 = stablehlo.multiply %c, %x : tensor<3xf32>
  %1 = stablehlo.add %0, %x : tensor<3xf32>
  return %1, %0 : tensor<3xf32>, tensor<3xf32>
}
END
means several 'module steps={v0=constant(f32[3],3f80000040000000c0400000);v1=constant(f32[3],400000004000000040000000);v2=stablehlo.multiply(v1,v0) f32[3] f32[3] -> f32[3];v3=stablehlo.add(v2,v0) f32[3] f32[3] -> f32[3];return(v3,v2)} f32[] -> f32[3] f32[3]' \
  conforms --executor model:pairwise

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
like err "reduce.mlir:3:26: accum_scale is a name of a number, and more: say it, such as --let accum_scale=0.5 --let accum_zp=0 --let input_scale=0.5 --let input_zp=0 --let output_scale=0.5 --let output_zp=0" "a name without a number: where, what to do"
run 2 "nothing said" show reduce.mlir --let accum_scale
like err "\-\-let is NAME=VALUE without blanks, such as scale=0.5, not 'accum_scale'" "nothing said: what to write"
run 2 "a number that is none" show reduce.mlir --let accum_scale=half
like err "reduce.mlir:3:26: --let accum_scale is a number, such as 0.5, not half" "a number that is none: what to write"
run 2 "a zero point that is none" show reduce.mlir --let accum_scale=1 --let accum_zp=0.5
like err "reduce.mlir:3:26: --let accum_zp is an integer, such as 0, not 0.5" "a zero point that is none: what to write"
run 2 "a name that is nowhere" show erf.mlir --let scale=0.5
like err "erf.mlir:1:1: --let scale: nothing that the text leaves open is called scale" "a name that is nowhere: said"
run 2 "sizes that are none" show hybrid_dot.mlir --let lhs_f=4,16
like err "hybrid_dot.mlir:1:55: --let lhs_f is a list of numbers, such as .4,16., not 4,16" "sizes that are none: what to write"
run 2 "a body that is none" show rescaling.mlir --let body=mean
like err "rescaling.mlir:4:38: --let body is one of add, multiply, .*, not mean" "a body that is none: which there are"
sed '2s/3.4/3.5/' attribute.mlir >unlike.mlir
run 2 "types of accumulation that differ" show unlike.mlir
like err "unlike.mlir:.*: accumulation_type tensor.* is not the type of its body's arguments" "types of accumulation that differ: said"
sed '1,4s/uniform_quantize"(%input/negate"(%input/' regions.mlir >unlike.mlir
run 2 "regions that convert not" show unlike.mlir --let input_scale=0.5 --let input_zp=128 \
  --let accum_scale=0.5 --let accum_zp=0 --let output_scale=2 --let output_zp=100 \
  --let input=[5,7] --let init_value=[] --let result=[5] --let dims=[1]
like err "its first and its last region are each one conversion" "regions that convert not: said"
run 2 "values in words" show region.mlir
like err "region.mlir:1:1: '%..' stands for values: write their names" "values in words: what to write"
sed -i 's/^%\.\./%0/; s/(imported_ssa_values)/(%x)/' region.mlir
run 2 "ops in words" show region.mlir
like err "region.mlir:2:3: the ellipsis stands for ops: write them, as harness/docs/ops/quantized-import.md has them" "ops in words: what to write"
run 2 "ops in words, as a graph" quant check region.mlir --table onednn
like err "region.mlir:2:3: the ellipsis stands for ops" "ops in words, as a graph: what to write"
run 2 "a size that is none" show erf.mlir --size=-1
like err "bad value -1 (--size); write a positive number" "a size that is none: what to write"
printf '%%0 = "stablehlo.add"(%%x, %%y) : (tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>\n' >broken.mlir
run 2 "a rule that is broken" show broken.mlir
like err "broken.mlir: stablehlo.add f32.2. f32.3. -> f32.2.: column 1: violates C1 of stablehlo.add" "a rule that is broken: which"
printf '\n%%0 = "stablehlo.add"(%%x, %%y) : (tensor<2xf32>' >cut.mlir
run 2 "cut off" show cut.mlir
like err "cut.mlir:2:46: expected ')'" "cut off: where"
printf '%%0 = "stablehlo.dot_general"(%%a, %%b) ... : (tensor<...xf32>, tensor<...xf32>) -> tensor<...xf32>\n' >sketch.mlir
run 2 "something left out" show sketch.mlir
like err "sketch.mlir:1:38: attributes of stablehlo.dot_general are left out, and more: say it, such as --let batch=..x.. --let contract=.1.x.0. --let a=.4,16. --let b=.4,16. --let 0=.4,16." "something left out: all of it said"
printf '%%0 = stablehlo.add ... : tensor<2xf32>\n' >sketch.mlir
run 2 "operands left out" show sketch.mlir
like err "sketch.mlir:1:20: '...' leaves something out that a case has: write it" "operands left out: where"
printf '%%0 = stablehlo.add %%x, %%y : tensor<2xf32>\n%%1 = stablehlo.cbrt %%0 : tensor<2xf32>\n' >two.mlir
run 2 "an unknown op among several" replay two.mlir --executor model:pairwise
like err "two.mlir:2:6: stablehlo.cbrt: cases have no such op" "an unknown op among several: where"
printf '%%0 = stablehlo.constant dense<1.0> : tensor<2xf32>\n' >none.mlir
run 2 "no op" show none.mlir
like err "none.mlir:1:1: a case is one op, and here is none" "no op: said"
printf '%%0 = stablehlo.cbrt %%x : tensor<2xf32>\n' >cbrt.mlir
run 2 "an unknown op" show cbrt.mlir
like err "cbrt.mlir:1:6: stablehlo.cbrt: cases have no such op; .assay ops. lists those they have" "an unknown op: where"
run 2 "a missing file" show nowhere.mlir
like err "nowhere.mlir" "a missing file: named"
finish

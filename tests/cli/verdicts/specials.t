#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Impossible results that sets of special values and numbers used to hold: NaN, infinities, zeros
# and doubled values, with the right result of each case beside them (oracles/theory.md, T100 to T103).
. "$(dirname "$0")/../checks.sh"

# check CONTRACT EXIT CASE RESULT: what `assay judge` says of one result.
check() {
  printf '%s\t%s\n' "$3" "$4" | "$ASSAY" judge --contract "$1" >out 2>err
  [ $? -eq "$2" ]
  ok $? "$1: $4 of ${3%% *}: exit code $2"
}

for contract in spec backend; do
  # Beyond the edge a weight in [0, 1] is divided by its sum with its complement, which is near 1.
  resize='byteir.resize target_mode=size mode=linear coordinate_transformation_mode=half_pixel f32[3] i64[1] -> f32[7] : 3f8000003f8000003f800000 : 0000000000000007'
  ones=3f8000003f8000003f8000003f8000003f8000003f800000
  check $contract 0 "$resize" ${ones}3f800000
  check $contract 1 "$resize" ${ones}7fc00000
  check $contract 1 "$resize" ${ones}7f800000

  # A square that underflows is 0, and the quotient infinite, or stays what it is: nothing between.
  norm='byteir.l2_norm epsilon=0x0p+0 axis=[] f32[] -> f32[] : 18c1d53c'
  check $contract 0 "$norm" 3f800000
  check $contract 1 "$norm" 40000000
  check $contract 1 "$norm" 42c80000
  check $contract 1 "$norm" 7fc00000
  norm='byteir.l2_norm epsilon=0x1p-1 axis=[0] eps_outside_sqrt=true f32[2] -> f32[2] : 0d887f360d887f36'
  check $contract 0 "$norm" 0e087f360e087f36
  check $contract 1 "$norm" 0e087f367fc00000

  # One number is all of its sum.
  softmax='byteir.softmax axis=0 f32[1] -> f32[1] : 7149f2ca'
  check $contract 0 "$softmax" 3f800000
  check $contract 1 "$softmax" 00000000
  check $contract 1 "$softmax" 40000000

  # Deviations from the mean of equal numbers are zero, whatever they are divided by.
  layer='byteir.layer_norm epsilon=0x1p-40 axis=[0] f16[2] f16[2] f16[2] -> f16[2] : 00000000 : 3c003c00 : 42004200'
  check $contract 0 "$layer" 42004200
  check $contract 1 "$layer" 46004600
  check $contract 1 "$layer" 00000000
done

# 1 / scale is subnormal: flushed, the product with it is 0; else it is 0.59, which rounds to 1.
quantize='byteir.quantize f32[1] f32[] i8[] -> i8[1] : 7e967699 : 7effffff : 00'
check ftz=both,quantize=reciprocal 0 "$quantize" 00
check ftz=both,quantize=reciprocal 0 "$quantize" 01
check ftz=both,quantize=reciprocal 1 "$quantize" 02
check quantize=reciprocal 1 "$quantize" 00

# What nothing tells from zeros is no evidence: 2^25 + 4 - 3 - 2^25 may be 0, and of so many terms a bound tells.  (Of 2^24 the terms of one
# sign come within the slack of the magnitude, 2^-10, of what no order rounds, T300: there each element is decided, and nothing is said of zeros.)
cancels='stablehlo.reduce body=add dims=[0] f32[9] f32[] -> f32[] : 4c0000003f8000003f8000003f8000003f800000bf800000bf800000bf800000cc000000 : 00000000'
check backend 0 "$cancels" 00000000
like out "^weak: zeros everywhere would have conformed" "judge: says why it is weak"
run 0 "replay: a sum that cancels" replay "$cancels" --executor model:sequential
like out "^model:sequential: weak" "replay: weak too"
like out "^  reason:   zeros everywhere would have conformed" "replay: says why"

# A product of numbers from 1 on that stops at the largest one, truncated, stays there: the initial value may enter 65536 times.
product='stablehlo.reduce body=multiply dims=[0] f32[0] f32[] -> f32[] : - : 40400000'
check accum_rounding=rz 0 "$product" 40400000
check accum_rounding=rz 0 "$product" 7f7fffff
check accum_rounding=rz 1 "$product" 3f800000
check accum_rounding=rz 1 "$product" 00000000
check backend 1 "$product" 3f800000
like out "^diverges (value): " "judge: truncation does not explain it"
# Beside a factor below 1 it shrinks from there: 2^100 2^100 2^-40 may be M 2^-40, truncated.
product='stablehlo.reduce body=multiply dims=[0] f32[3] f32[] -> f32[] : 71800000718000002b800000 : 3f800000'
check accum_rounding=rz 0 "$product" 6b7fffff

# (x - mean) / (variance + epsilon) overflows where the product of all does not: a kernel may begin with either.
grad='stablehlo.batch_norm_grad epsilon=0x1.197998p-40 feature_index=0 f32[1] f32[1] f32[1] f32[1] f32[1] -> f32[1] f32[1] f32[1]'
grad="$grad : 7149f2ca : 3f9cfa31 : 708a025b : 80000003 : 80000002"
check backend 0 "$grad" "7f800000 : b0fd91f5 : 80000002"
check backend 0 "$grad" "7692e079 : b0fd91f5 : 80000002"
check backend 1 "$grad" "ff800000 : b0fd91f5 : 80000002"
check batch_norm_grad=decomposed 1 "$grad" "7f800000 : b0fd91f5 : 80000002"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# TensorFlow Lite as a worker: each of its kernels by its own way to quantize and to rescale, silent under the
# contract that permits that and a divergence with its name without it; and the table tflite_int8, run.
# Skipped where it is not installed (workers.t installs it).
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
contract=@$root/harness/exec/workers/tflite.contract

"$ASSAY" replay 'stablehlo.reshape f32[1] -> f32[] : 3f800000' --executor tflite >out 2>err </dev/null
if ! grep -q ': conforms' out; then
  echo "1..0 # SKIP $(cat out err | tr '#\n' '  ' | cut -c1-150)"
  exit 0
fi

# is KERNELS CASE WITHOUT NAME: under the contract the case conforms; under WITHOUT it diverges, as NAME.
is() {
  "$ASSAY" replay "$2" --executor "tflite?kernels=$1" --contract "$contract" >out 2>err </dev/null
  like out '^tflite.*: conforms' "$1: conforms under its contract"
  "$ASSAY" replay "$2" --executor "tflite?kernels=$1" --contract "$3" >out 2>err </dev/null
  like out "observed: $4" "$1: diverges under $3, as $4"
}

# 0.5 + 1 rounds to 2, and 0.5 to 0, to which 1 is added; 0.5 away from zero is 1.
is xnnpack 'stablehlo.uniform_quantize f32[] -> !quant.uniform<i8:f32,0x1p+0:1>[] : 3f000000' backend \
  quantize_zero_point=either
is reference 'stablehlo.uniform_quantize f32[] -> !quant.uniform<i8:f32,0x1p+0>[] : 3f000000' backend \
  quantize_ties=either
# 124 * 0.6 by 154 / 256; 94 * 0.25 = 23.5, of which no rounding but that to even makes 24.
is xnnpack 'stablehlo.uniform_quantize !quant.uniform<i8:f32,0x1.333334p-1>[1] -> !quant.uniform<i8:f32,0x1p+0>[1] : 7c' \
  requantize=fixed requantize=fixed_8
# 5 * 0.2999 = 1.4995 is 3 halves in the first rounding, and 2 in the second one.
is reference 'stablehlo.uniform_quantize !quant.uniform<i8:f32,0x1.3318fcp-2>[1] -> !quant.uniform<i8:f32,0x1p+0>[1] : 05' \
  backend requantize=fixed
product='stablehlo.multiply !quant.uniform<i8:f32,0x1.3318fcp-2>[1] !quant.uniform<i8:f32,0x1p+0>[1]'
is builtin "$product -> !quant.uniform<i8:f32,0x1p+0>[1] : 05 : 01" backend rescale=either
is xnnpack 'stablehlo.uniform_dequantize !quant.uniform<i8:f32:1,{0x1.99999ap+0:-58}>[8,1] -> f32[8,1] : 0000000000000003' \
  backend dequantize=distribute

# No arithmetic of quantized programs is unexplained, but what is in corpus/found/tflite.cases.
for kernels in xnnpack builtin reference; do
  "$ASSAY" run --executor "tflite?kernels=$kernels" --op stablehlo.dot_general --op stablehlo.convolution \
    --op stablehlo.add --op stablehlo.subtract --op stablehlo.uniform_quantize \
    --op stablehlo.uniform_dequantize --cases 150 --contract "$contract" --json >out 2>err </dev/null
  [ $? -le 1 ]
  ok $? "$kernels: a campaign ends"
  odd='join ",", map { $_->{types} } grep { $_->{outcome} eq "diverges" && $_->{types} =~ /^quant/ } @{$d->{counters}}'
  [ "$(json out "$odd")" = "" ]
  ok $? "$kernels: what starts quantized conforms"
  quantized='my $n = 0; $n += $_->{cases} for grep { $_->{outcome} eq "conforms" && $_->{types} =~ /quant/ } @{$d->{counters}}; $n > 25 ? 1 : 0'
  [ "$(json out "$quantized")" = 1 ]
  ok $? "$kernels: quantized cases are among them"
done

# The table, by the library that it describes.
for kernels in xnnpack builtin reference; do
  run 0 "tflite_int8, $kernels" quant run "$root/corpus/quant/separable_block.graph" --table tflite_int8 \
    --executor "tflite?kernels=$kernels" --form fixed --inputs 2 --contract "$contract" --json
  [ "$(json out '$d->{runs}[0]{steps}{conforms}')/$(json out '$d->{runs}[0]{substituted}')" = 36/0 ]
  ok $? "$kernels: all 18 steps of both inputs conform, and none is computed by something else"
  beyond='my $v = $d->{runs}[0]{values}; join ",", grep { $v->{$_}{observed} > $v->{$_}{certified} } keys %$v'
  [ "$(json out "$beyond")" = "" ]
  ok $? "$kernels: no error is beyond the certified one"
done
finish

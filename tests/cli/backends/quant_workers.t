#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A quantized block on oneDNN and ONNX Runtime, by every table and form, and its regions as one program there and in
# PyTorch and JAX: what they run, and that nothing that they compute is wrong or beyond what is certified.  Skipped
# where they are not installed.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
block=$root/corpus/quant/separable_block.graph

# ready EXECUTOR: whether it is installed; if not, a skipped check with the reason.
ready() {
  "$ASSAY" replay 'stablehlo.reduce body=maximum dims=[0] f32[2] f32[] -> f32[] : 3f8000003f800000 : 00000000' --executor "$1" >out 2>err </dev/null
  grep -q ': conforms' out && return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP $(cat out err | tr '#\n' '  ' | cut -c1-150)"
  return 1
}

# Of a run's document: steps that something was wrong with, values beyond what is certified, and steps
# of a form that had to be computed by something else.
wrong='my $n = 0; $n += $_->{steps}{diverges} + $_->{steps}{failed} + $_->{steps}{"no-oracle"} for @{$d->{runs}}; $n'
beyond='scalar grep { my $v = $_; grep { !($_->{observed} <= $_->{certified}) } values %{$v->{values}} } @{$d->{runs}}'
substituted='join " ", map { "$_->{form}=$_->{substituted}" } @{$d->{runs}}'

# block TABLE EXECUTOR SUBSTITUTED: how many steps of each form, of two inputs.
block() {
  run 0 "$2, table $1" quant run "$block" --table "$1" --executor "$2" --inputs 2 --json
  [ "$(json out "$wrong")" = 0 ]
  ok $? "$2, table $1: no step diverges or fails"
  [ "$(json out 'scalar @{$d->{runs}}')/$(json out "$beyond")" = 3/0 ]
  ok $? "$2, table $1: three forms, and all values within what is certified"
  [ "$(json out "$substituted")" = "$3" ]
  ok $? "$2, table $1: steps by something else: $3"
}

# whole EXECUTOR CONFORMS [CONTRACT]: regions as one program, by form, of two inputs; nothing diverges or fails.
whole() {
  run 0 "$1, regions as one" quant run "$block" --table onednn --executor "$1" --inputs 2 --regions both --form fixed \
    --form float --contract "${3:-backend}" --json
  [ "$(json out 'my $n = 0; $n += $_->{regions}{whole}{diverges} + $_->{regions}{whole}{failed} for @{$d->{runs}}; $n')" = 0 ]
  ok $? "$1, regions as one: none diverges or fails"
  [ "$(json out 'join " ", map { "$_->{form}=$_->{regions}{whole}{conforms}" } @{$d->{runs}}')" = "$2" ]
  ok $? "$1, regions as one: conforming: $2"
}

# Integers of 64 bits, and convolutions and products of 32, oneDNN has not; ONNX Runtime lacks the
# latter convolutions, and shifts of signed numbers.
if ready 'onednn?types=any'; then
  block tflite_int8 'onednn?types=any' "fixed=0 float=0 integer=94"
  block onednn 'onednn?types=any' "fixed=0 float=0 integer=94"
  block onnxruntime 'onednn?types=any' "fixed=0 float=0 integer=76"
  whole 'onednn?types=any' "fixed=10 float=12"
  run 0 "onednn, averages over windows, sums and means" replay "$root/tests/fixtures/onednn_regions.cases" --executor onednn
  is "$(grep -c '^onednn: conforms' out)" 5 "onednn, averages over windows, sums and means: each as one primitive"
fi
if ready 'onnxruntime?types=any'; then
  block tflite_int8 'onnxruntime?types=any' "fixed=0 float=0 integer=14"
  block onednn 'onnxruntime?types=any' "fixed=0 float=0 integer=14"
  block onnxruntime 'onnxruntime?types=any' "fixed=0 float=0 integer=12"
  whole 'onnxruntime?types=any' "fixed=10 float=12"
  run 0 "onnxruntime, a gelu within a region" replay 'module steps={v0=stablehlo.uniform_dequantize(a0) !quant.uniform<i8:f32,0x1p-4>[4] -> f32[4];v1=byteir.gelu(v0) approximate=erf f32[4] -> f32[4];return(v1)} !quant.uniform<i8:f32,0x1p-4>[4] -> f32[4] : 0010f040' --executor onnxruntime
  like out "^onnxruntime: conforms" "onnxruntime, a gelu within a region: of an opset that has it"
fi
# Neither has means of quantized numbers.
ready torch && whole torch "fixed=10 float=12" backend,quantize=reciprocal
ready jax && whole jax "fixed=8 float=12" "@$root/harness/exec/workers/jax.contract"
finish

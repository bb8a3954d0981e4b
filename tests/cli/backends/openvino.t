#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenVINO as a worker: it computes f32 in f32; what its contract permits conforms under it and diverges without, with its
# name; what it narrows or lacks it refuses; modules of several steps are one model; scripts run without Assay.  Skipped where
# it is not installed (workers.t installs it, and replays what was found in it).
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
contract=@$root/harness/exec/workers/openvino.contract

# says CASE PATTERN DESCRIPTION [OPTIONS]: what is said of a case; one that diverges exits with 1.
says() {
  "$ASSAY" replay "$1" --executor "openvino${4:+?$4}" >out 2>err </dev/null
  like out "$2" "$3"
}
"$ASSAY" replay 'stablehlo.reshape f32[1] -> f32[] : 3f800000' --executor openvino >out 2>err </dev/null
if ! grep -q ': conforms' out; then
  echo "1..0 # SKIP $(cat out err | tr '#\n' '  ' | cut -c1-150)"
  exit 0
fi

# 1 + 2^-8 is no bf16, of which 1 would be left.
product='stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,2] f32[2,2] -> f32[2,2] : 3f8080003f8000003f8080003f800000 : 3f8000003f8000003f8000003f800000'
says "$product" '^openvino: conforms' "f32 in f32, by our hint"
if grep -q -w -e avx512_bf16 -e amx_bf16 /proc/cpuinfo; then
  says "$product" 'diverges' "bf16 if that is asked for" precision=bf16
fi

# is CASE CLASS [VERDICT]: conforms under the contract, or what VERDICT says; diverges without.
is() {
  "$ASSAY" replay "$1" --executor openvino --contract "$contract" >out 2>err </dev/null
  like out "^openvino: ${3:-conforms}" "${1%% *}: ${3:-conforms} under the contract"
  says "$1" "^openvino: diverges, $2" "${1%% *}: diverges without it ($2)"
}
is 'stablehlo.abs bf16[] -> bf16[] : 8003' flush weak # Of one number that is flushed, zeros would be permitted too.
is 'stablehlo.divide f32[] f32[] -> f32[] : cd499bd0 : caeef18d' precision
is 'stablehlo.uniform_dequantize !quant.uniform<i8:f32,0x1.2b9c2ap-1:-127>[] -> f32[] : 80' value
is 'byteir.quantize f32[] f32[] i8[] -> i8[] : 420b0333 : 3e8dc81c : 00' formula

wide='stablehlo.add i64[] i64[] -> i64[] : 0000000100000000 : 0000000000000001'
says "$wide" 'computes nothing in i64' "refuses what the plugin narrows"
says "$wide" 'diverges, value' "runs it if that is asked for, and it is narrowed" types=any
says 'stablehlo.divide i32[] i32[] -> i32[] : 00000007 : 00000002' 'rounds down' "refuses what means something else"
says 'stablehlo.remainder i32[] i32[] -> i32[] : 00000007 : 00000000' 'divided by zero' "refuses what would end it"
gather='stablehlo.gather offset_dims=[1] collapsed_slice_dims=[0] operand_batching_dims=[] start_indices_batching_dims=[] start_index_map=[0] index_vector_dim=1 slice_sizes=[1,2] indices_are_sorted=false'
says "$gather i8[3,2] i32[3,1] -> i8[3,2] : 102030405060 : 00000002ffffffff00000009" '^openvino: conforms' \
  "gathers rows, with indices clamped"
says "$gather i8[3,2] i32[3,1] -> i8[2,2] : 102030405060 : 00000002ffffffff00000009" 'C22: the shape of the result' \
  "refuses a program that breaks a constraint"

# No class that its contract permits is left, and nothing fails.
"$ASSAY" run --executor openvino --contract "$contract" --cases 60 --op stablehlo.add --op stablehlo.convolution \
  --op stablehlo.uniform_quantize --op stablehlo.uniform_dequantize --op stablehlo.transpose --op byteir.log_softmax \
  --json >out 2>err </dev/null
[ $? -le 1 ]
ok $? "a campaign ends"
is_clean='join ",", map { "$_->{op} $_->{class}" } grep { $_->{outcome} eq "failed" || $_->{class} =~ /^(?:flush|quantum|value|invalid.*)$/ } @{$d->{counters}}'
[ "$(json out "$is_clean")" = "" ]
ok $? "nothing fails, and nothing that the contract permits diverges"
finish

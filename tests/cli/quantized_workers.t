#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quantized types, convolutions, windows, conversions, binary ops and moves by the Python backends: short
# campaigns, what was found in the lowering of quantized programs, deviation by deviation, and sums of
# products that are not rescaled.  Skipped where they are not installed (workers.t installs them).
root=$(cd "$(dirname "$0")/../.." && pwd)
. "$(dirname "$0")/checks.sh"

# ready NAME: whether it is installed; if not, a skipped check with the reason.
ready() {
  "$ASSAY" replay 'stablehlo.convert f32[] -> f64[] : 3f800000' --executor "$1" >out 2>err </dev/null
  grep -q 'is not installed' err || return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed"
  return 1
}

# is EXECUTOR CASE PATTERN DESCRIPTION: a line that replaying the case prints.
replays_as() {
  "$ASSAY" replay "$2" --executor "$1" >out 2>err </dev/null
  like out "$3" "$1: $4"
}

# vet EXECUTOR CASES: nothing fails, and more than a fifth conforms.
vet() {
  "$ASSAY" run --executor "$1" --op stablehlo.convolution --op stablehlo.reduce_window \
    --op stablehlo.convert --op stablehlo.uniform_quantize --op stablehlo.uniform_dequantize \
    --op stablehlo.add --op stablehlo.maximum --op stablehlo.transpose --op stablehlo.concatenate \
    --op stablehlo.dot_general --op stablehlo.reduce --op stablehlo.broadcast_in_dim \
    --cases "$2" --contract backend,ftz=both --json >out 2>err </dev/null
  [ $? -le 1 ]
  ok $? "$1: a campaign of $2 cases ends, with or without divergences"
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 0.2 * '"$2"' && !$n{failed} ? 1 : 0')" = 1 ]
  ok $? "$1: more than a fifth conforms, and nothing fails"
}

for name in onnxruntime torch xla stablehlo; do
  ready "$name" && vet "$name" 200
done

if ready stablehlo; then
  "$ASSAY" replay "$root/corpus/found/stablehlo.cases" --executor stablehlo --executor xla \
    --executor 'xla?quantized=qdq' >out 2>err </dev/null
  cases=$(grep -c '^[a-z]' "$root/corpus/found/stablehlo.cases")
  [ "$(grep -c '^stablehlo: diverges' out)" = "$cases" ]
  ok $? "stablehlo: every deviation of its lowering is there"
  [ "$(grep -c '^xla: diverges' out)" = $((cases - 1)) ]
  ok $? "xla: all but one, which is the interpreter's own"
  [ "$(grep -c '^xla?quantized=qdq: conforms' out)" = 12 ]
  ok $? "xla: lowered op by op to floats, half of them are not"
fi
first=$(grep '^[a-z]' "$root/corpus/found/stablehlo.cases" | head -n 1)
if ready onnxruntime; then
  "$ASSAY" replay "$first" --executor onnxruntime >out 2>err </dev/null
  like out '^onnxruntime: conforms' "onnxruntime: rounds a quantized product"

  # 0x1.8p-1 * 0x1.555556p-1 is 2^-1 in f32, and not exactly: as many terms as keep the sum the nearest.
  numbers=$(printf '7f%.0s' $(seq 257))
  product='stablehlo.dot_general batch=[]x[] contract=[1]x[0]'
  lhs='!quant.uniform<i8:f32,0x1.8p-1:-128>'
  rhs='!quant.uniform<i8:f32:1,{0x1.555556p-1}>'
  sums='!quant.uniform<i32:f32:1,{0x1p-1}>[1,1]'
  replays_as onnxruntime "$product $lhs[1,257] $rhs[257,1] -> $sums : $numbers : $numbers" \
    '^onnxruntime: conforms' "a sum of products whose scale was rounded"
  long="$product $lhs[1,258] $rhs[258,1] -> $sums : ${numbers}7f : ${numbers}7f"
  replays_as 'onnxruntime?types=exact' "$long" 'reason: .*powers of two' \
    "a sum that may be another number then is refused with types=exact"
  replays_as onnxruntime "$long" '^onnxruntime.*: conforms' "and is run without"
  narrow='!quant.uniform<i32<-5:5>:f32,0x1p+0>'
  one='!quant.uniform<i8:f32,0x1p+0>[1]'
  replays_as onnxruntime "stablehlo.dot_general batch=[]x[] contract=[0]x[0] $one $one -> $narrow[] : 10 : 10" \
    'reason: .*saturates' "no sum that has to saturate in i32"

  # (127 + 2) + (-128 + 2) + (0 + 2) + (1 + 2), and what it is not
  sum='stablehlo.reduce body=add dims=[0] !quant.uniform<i8:f32,0x1.8p-3:-2>[3]'
  sum="$sum !quant.uniform<i8:f32,0x1.8p-3:-2>[]"
  replays_as onnxruntime "$sum -> !quant.uniform<i32:f32,0x1.8p-3>[] : 7f8000 : 01" '^onnxruntime: conforms' \
    "a sum of what is stored"
  windows='stablehlo.reduce_window body=add window_dimensions=[2] window_strides=[2] base_dilations=[1]'
  windows="$windows window_dilations=[1] padding=[[0,0]] !quant.uniform<ui8:f32,0x1p-1:9>[4]"
  replays_as onnxruntime "$windows !quant.uniform<ui8:f32,0x1p-1:9>[] -> !quant.uniform<i32:f32,0x1p-1>[2] : 01fffe7f : 04" \
    '^onnxruntime: conforms' "sums of what is stored, over windows"
  replays_as onnxruntime "$sum -> !quant.uniform<i32:f32,0x1.8p-2>[] : 7f8000 : 01" 'reason: .*one scale' \
    "no sum that has to be rescaled"
  replays_as onnxruntime "$sum -> !quant.uniform<i32:f32,0x1.8p-3:1>[] : 7f8000 : 01" 'reason: .*zero point' \
    "no sum with a zero point"
  replays_as onnxruntime "$sum -> !quant.uniform<i8:f32,0x1.8p-3:-2>[] : 7f8000 : 01" 'reason: .*into i32' \
    "no sum that has to saturate"
fi

finish

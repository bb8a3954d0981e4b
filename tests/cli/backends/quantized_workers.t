#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quantized types, convolutions, windows, conversions, binary ops and moves by the Python backends: short
# campaigns, what was found in the lowering of quantized programs, deviation by deviation, and sums of
# products that are not rescaled.  Skipped where they are not installed (workers.t installs them).
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

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
  [ "$(grep -c '^xla: diverges' out)" = $((cases - 10)) ]
  ok $? "xla: all but ten: five of the interpreter's own, a sum of one number, and four that XLA refuses"
  [ "$(grep -c '^xla?quantized=qdq: conforms' out)" = 16 ]
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

# Any scales and zero points, by each library's own arithmetic, which its contract names.
named() { # EXECUTOR CONTRACT CASE NAME: nothing quantized diverges under it; without it the case does, as NAME.
  "$ASSAY" run --executor "$1" --op stablehlo.uniform_quantize --cases 80 --contract "@$root/$2" --json >out 2>err </dev/null
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; ($n{conforms} > 20) . ($n{diverges} // 0)')" = 10 ]
  ok $? "$1: quantizes as its contract says"
  replays_as "$1" "$3" "observed: $4" "which is not StableHLO's letter"
}
multiplies() { # EXECUTOR: products and convolutions of any scales conform.
  product='stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<i8:f32,0x1.9p-4:3>[6,24]'
  product="$product !quant.uniform<i8:f32,0x1.23p-5>[24,7] -> !quant.uniform<i8:f32,0x1.5p-1:-9>[6,7]"
  windows='window_strides=[1,1] padding=[[1,1],[1,1]] lhs_dilation=[1,1] rhs_dilation=[1,1] window_reversal=[false,false]'
  layout='dimension_numbers=[b,0,1,f]x[0,1,i,o]->[b,0,1,f] feature_group_count=4 batch_group_count=1'
  weights='!quant.uniform<i8:f32:3,{0x1.23p-5,0x1.5p-6,0x1.77p-5,0x1.1p-4}>[3,3,1,4]'
  convolution="stablehlo.convolution $windows $layout !quant.uniform<i8:f32,0x1.9p-4:5>[1,5,5,4] $weights"
  convolution="$convolution -> !quant.uniform<i8:f32,0x1.5p-1:11>[1,5,5,4]"
  "$ASSAY" run --executor "$1" --program "$product" --program "$convolution" --cases 40 --json >out 2>err </dev/null
  [ "$(json out 'join ",", sort map { "$_->{op} $_->{outcome}" } @{$d->{counters}}')" = \
    "stablehlo.convolution conforms,stablehlo.dot_general conforms" ]
  ok $? "$1: multiplies and convolves i8 by any scales"
}
# 17.074219 / 1.1015625 is 15.5, to 16; by the rounded reciprocal it is 15.499999.
quotient='stablehlo.uniform_quantize f32[] -> !quant.uniform<i8:f32,0x1.1ap+0>[] : 41889800'
if ready torch; then
  named torch harness/exec/workers/torch.contract "$quotient" quantize=reciprocal
  multiplies torch
  multiplies 'torch?engine=qnnpack'
  replays_as 'torch?types=exact' "$quotient" 'reason: .*powers of two' \
    "refuses what is not StableHLO's letter, if asked to"
fi
# 0.5 + 1 rounds to 2, and 0.5 to 0, to which 1 is added.
half='stablehlo.uniform_quantize f32[1] -> !quant.uniform<ui8:f32,0x1p+0:1>[1] : 3f000000'
if ready onnxruntime; then
  named onnxruntime harness/exec/workers/onnxruntime.contract "$half" quantize_zero_point=either
  multiplies onnxruntime
fi
"$ASSAY" replay 'stablehlo.reshape f32[1] -> f32[] : 3f800000' --executor onednn >out 2>err </dev/null
if grep -q ': conforms' out; then
  named onednn harness/exec/plugins/onednn/onednn.contract "$quotient" quantize=reciprocal
  multiplies onednn
else
  count=$((count + 1))
  echo "ok $count - onednn # SKIP $(cat out err | tr '#\n' '  ' | cut -c1-150)"
fi

# A type of thousands of channels is read once, not once for each of them, which took ten seconds of 2,048 and passed for a hang.
cat >channels.py <<'END'
import re, sys, types
sys.path.insert(0, sys.argv[1])
import assay_worker, tflite_worker
read = 0
def fullmatch(pattern, text):
    global read
    read += len(text)
    return re.fullmatch(pattern, text)
scales = ",".join(f"0x1p-{i}" for i in range(1, 257))
kinds = [f"!quant.uniform<{storage}:f32:0,{{{scales}}}>[256]" for storage in ("i8", "i16")]
line = f"stablehlo.uniform_quantize {kinds[0]} -> {kinds[1]}"
program = assay_worker.Program.parse(line, "")
assay_worker.re = types.SimpleNamespace(**{**vars(re), "fullmatch": fullmatch})
print(len(tflite_worker.apart(program)), "parts", "linear" if read <= 2 * len(line) else f"{read} characters read")
END
if ready tflite; then
  python=${XDG_DATA_HOME:-$HOME/.local/share}/assay/executors/tflite/bin/python
  "$python" channels.py "$root/harness/exec/workers" >out 2>err
  is "$(cat out)" "256 parts linear" "tflite: a type of many channels is read once"
fi
finish

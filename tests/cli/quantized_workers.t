#!/bin/sh
# Quantized types, convolutions, windows, conversions, binary ops and moves by the Python backends: short campaigns, and what was
# found in the lowering of quantized programs, deviation by deviation.  Skipped where they are not installed
# (workers.t installs them).
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

# vet EXECUTOR CASES: nothing fails, and more than a fifth conforms.
vet() {
  "$ASSAY" run --executor "$1" --op stablehlo.convolution --op stablehlo.reduce_window \
    --op stablehlo.convert --op stablehlo.uniform_quantize --op stablehlo.uniform_dequantize \
    --op stablehlo.add --op stablehlo.maximum --op stablehlo.transpose --op stablehlo.concatenate \
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
fi

finish

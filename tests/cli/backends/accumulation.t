#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Types of accumulation (RFC 000) on real backends: operands and results are converted by ops of their own.  And nobody
# is blamed for declining a program that no version of StableHLO knows.
. "$(dirname "$0")/../checks.sh"

# ready NAME: whether it is installed; if not, a skipped check with the reason.
ready() {
  "$ASSAY" replay 'stablehlo.convert f32[] -> f64[] : 3f800000' --executor "$1" >out 2>err </dev/null
  grep -q 'is not installed' err || return 0
  count=$((count + 1))
  echo "ok $count - $1 # SKIP not installed"
  return 1
}

# conforms NAME WHAT PROGRAM: in all of 8 cases.
conforms() {
  run 0 "$1: $2" run --executor "$1" --contract backend,reduce_types=rfc,ftz=both --cases 8 --program "$3"
  like out "^judged: $1 8 of 8" "$1: $2: in every case"
}
declines() {
  run 0 "$1: $2" run --executor "$1" --contract backend,reduce_types=rfc --cases 8 --program "$3"
  like out "^judged 0 of 8: $1 refused 1 ($4" "$1: $2: with the reason"
}

floats='stablehlo.reduce body=add dims=[1] accumulation=f32 f16[4,16] f16[] -> f16[4]'
integers='stablehlo.reduce body=add dims=[1] accumulation=i32 i8[4,16] i8[] -> i8[4]'
windows='stablehlo.reduce_window body=add window_dimensions=[1,1,4] window_strides=[1,1,4] base_dilations=[1,1,1] window_dilations=[1,1,1] padding=[[0,0],[0,0],[0,0]] accumulation=f32 f16[1,4,16] f16[] -> f16[1,4,4]'
scatter='stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[1,1,4] window_strides=[1,1,4] padding=[[0,0],[0,0],[0,0]] accumulation=f32 f16[1,4,16] f16[1,4,4] f16[] -> f16[1,4,16]'
stored='!quant.uniform<ui8:f32,0x1p-1:128>'
quantized="stablehlo.reduce body=add dims=[1] accumulation=!quant.uniform<i32:f32,0x1p-1> $stored[5,4] $stored[] -> !quant.uniform<ui8:f32,0x1p+1>[5]"
# jaxlib's passes read unsigned storage as signed (corpus/found/stablehlo.cases).
byte='!quant.uniform<i8:f32,0x1p-1:3>' wide='!quant.uniform<i32:f32,0x1p-2:7>'
signed="stablehlo.reduce body=add dims=[1] accumulation=$wide $byte[5,4] $byte[] -> !quant.uniform<i8:f32,0x1p+1>[5]"
signed_windows="stablehlo.reduce_window body=maximum window_dimensions=[1,2] window_strides=[1,2] base_dilations=[1,1] window_dilations=[1,1] padding=[[0,0],[0,0]] accumulation=$wide $byte[5,4] $byte[] -> $byte[5,2]"
signed_scatter="stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[4] window_strides=[4] padding=[[0,0]] accumulation=$wide $byte[16] $byte[4] $byte[] -> $byte[16]"
for name in xla stablehlo; do
  ready $name || continue
  conforms $name "case F" "$floats"
  conforms $name "case G" "$integers"
  conforms $name "case F of windows" "$windows"
  conforms $name "case F of select_and_scatter" "$scatter"
  conforms $name "case A" "$signed"
  conforms $name "case A of windows" "$signed_windows"
  declines $name "case A of select_and_scatter" "$signed_scatter" "selects in the type of the operand, and adds in another"
  conforms $name "a product" 'stablehlo.dot_general batch=[]x[] contract=[1]x[0] precision=[DEFAULT,DEFAULT] accumulation=f64 f32[4,16] f32[16,3] -> f32[4,3]'
  declines $name "a type in which other elements are selected" \
    'stablehlo.select_and_scatter select=ge scatter=add window_dimensions=[1,1,4] window_strides=[1,1,4] padding=[[0,0],[0,0],[0,0]] accumulation=bf16 f16[1,4,16] f16[1,4,4] f16[] -> f16[1,4,16]' ".*incompatible"
done
if ready torch; then
  conforms torch "case F" "$floats"
  conforms torch "case G" "$integers"
  conforms torch "case A" "$quantized"
  declines torch "case A in another scale" "$signed" "sums into i32 without zero point"
fi
if ready onnxruntime; then
  conforms onnxruntime "case F" "$floats"
  conforms onnxruntime "case G" "$integers"
  conforms onnxruntime "case F of windows" "$windows"
  conforms onnxruntime "case A" "$quantized"
fi

# What the conversions are for: a sum in the type of the operands is told.
run 1 "a sum in the type of the operands" run --executor canary:reduce_in_input_type+rfc-types --contract backend,reduce_types=rfc --cases 50 --program "$floats"

# Who says of every program that it is invalid.
cat >rejects <<'END'
printf '%s\n' 'assay-worker 1' 'name rejects' 'version 1' 'data hex' 'mlir no' ready
while read -r verb rest; do
  case $verb in compile) echo 'invalid that is no program' ;; esac
done
END
run 0 "what only the RFC knows is declined" run --executor 'proc:sh rejects' --contract backend,reduce_types=rfc --cases 4 --program "$floats"
like out "refused 1 (that is no program)" "what only the RFC knows is declined: nobody is blamed"
run 1 "what StableHLO knows is declined" run --executor 'proc:sh rejects' --contract backend,reduce_types=rfc --cases 4 \
  --program 'stablehlo.reduce body=add dims=[1] f16[4,16] f16[] -> f16[4]'
like out "supported-refused" "what StableHLO knows is declined: a divergence"
finish

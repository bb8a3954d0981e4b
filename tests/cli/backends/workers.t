#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The Python backends for real: installed by our own command, checked, vetted for a moment, and held
# against what was found in them.  Skipped, with the reason, where their packages cannot be had.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"

# vet EXECUTOR CASES: a short campaign ends without a failure of ours or of the worker.
vet() {
  "$ASSAY" run --executor "$1" --op stablehlo.reduce --op stablehlo.dot_general --cases "$2" \
    --contract backend,ftz=both --json >out 2>err </dev/null
  status=$?
  [ "$status" -le 1 ]
  ok $? "$1: a campaign of $2 cases ends, with or without divergences"
  [ "$(json out 'my %n; $n{$_->{outcome}} += $_->{cases} for @{$d->{counters}}; $n{conforms} > 0.3 * '"$2"' && !$n{failed} ? 1 : 0')" = 1 ]
  ok $? "$1: most of what it takes conforms, and nothing fails"
}

# asked EXECUTOR ALGORITHM PATTERN DESCRIPTION: what is said of a 2x2 product of f32 by an algorithm.
asked() {
  ones=3f8000003f8000003f8000003f800000
  "$ASSAY" replay "stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[$2] f32[2,2] \
f32[2,2] -> f32[2,2] : $ones : $ones" --executor "$1" >out 2>err </dev/null
  like out "$3" "$1: $4"
}

# refuses EXECUTOR CASE DESCRIPTION: a program that breaks a rule is taken for one.
refuses() {
  "$ASSAY" replay "$2" --executor "$1" >out 2>err </dev/null
  grep -q -e "^$1: conforms" -e "^$1: refused" out && grep -q '  breaks:' out
  ok $? "$1: $3"
}

installed=
for name in numpy onnxruntime openvino tflite torch xla; do
  if "$ASSAY" executors install "$name" >out 2>err </dev/null; then
    installed="$installed $name"
  else
    count=$((count + 1))
    echo "ok $count - $name # SKIP $(tail -n 1 err | tr '#' ' ' | cut -c1-150)"
  fi
done

# Once: every worker is started for it.
list_executors numpy onnxruntime openvino tflite torch jax >listing 2>err
is_ready() { grep -q "^$1  *ready" listing; }

for name in $installed; do
  like listing "^$name *ready" "$name: installed and ready"
  vet "$name" 400
  "$ASSAY" replay "$root/corpus/found/$name.cases" --executor "$name" >out 2>err </dev/null
  [ $? -le 1 ]
  ok $? "$name: what was found in it can be replayed"
  [ "$(grep -c -e "^$name: conforms" -e "^$name: weak" -e "^$name: diverges" out)" -eq \
    "$(grep -c '^[a-z]' "$root/corpus/found/$name.cases")" ]
  ok $? "$name: every found case has a verdict"
done

for name in onnxruntime torch; do
  if is_ready "$name"; then
    asked "$name" f32,f32,f32,1,1,1,false "^$name: conforms" "does the algorithm of f32"
    asked "$name" bf16,bf16,f32,1,1,6,false 'not by algorithm BF16_BF16_F32_X6' "refuses another"
    asked "$name" f32,f32,f32,1,1,0,false "^$name: refused" "refuses one that multiplies nothing"
    refuses "$name" 'stablehlo.batch_norm_training epsilon=0x1.0000000000001p-149 feature_index=1 f32[2,1] f32[1] f32[1] -> f32[2,1] f32[1] f32[1] : 0000000000000000 : 00000000 : 00000000' \
      "refuses an epsilon that is no number of f32"
  fi
done
if is_ready tflite; then
  refuses tflite 'stablehlo.uniform_quantize !quant.uniform<i8:f32:0,{0x1p+0}>[1] -> !quant.uniform<i8:f32,0x1p+0>[2] : 00' \
    "refuses a requantization by channel to another shape"
fi
if is_ready xla; then
  for name in xla stablehlo; do
    asked "$name" tf32,tf32,f32,2,2,3,false "^$name: conforms" "gets every known algorithm"
    asked "$name" bf16,bf16,f32,1,1,4,false 'dot algorithm not known' "gets an unknown one, and says so"
  done
  asked 'xla?algorithms=F32_F32_F32' bf16,bf16,f32,1,1,6,false 'diverges, unsupported-accepted' \
    "runs what the user says it does not support"
  asked jax f32,f32,f32,1,1,1,false '^jax: conforms' "does the algorithm of f32"
  asked jax tf32,tf32,f32,1,1,1,false "reason: .*TF32_TF32_F32' is not supported by dot_general on" \
    "refuses what jax.lax refuses, in its words"
fi

if is_ready stablehlo; then
  vet stablehlo 400
  # It ignores algorithms, whose names are in capital letters.
  [ "$(json out 'scalar grep { $_->{outcome} eq "diverges" && $_->{class} ne "invalid-accepted" && $_->{algorithm} !~ /^[[A-Z]/ } @{$d->{counters}}')" = 0 ]
  ok $? "stablehlo: the reference interpreter conforms where no algorithm is asked for"
  [ "$(json out 'scalar grep { $_->{algorithm} !~ /^[[A-Z]/ } @{$d->{counters}}')" -gt 0 ]
  ok $? "stablehlo: and such programs were run"
fi

finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Modules of floats on the Python workers: each composes what it has for single ops, and names the step that it refuses.
# Skipped where they are not installed.
. "$(dirname "$0")/../checks.sh"
gelu='module steps={v0=byteir.gelu(a0) approximate=erf f32[8] -> f32[8];v1=stablehlo.multiply(v0,a0) f32[8] f32[8] -> f32[8];return(v1)} f32[8] -> f32[8]'
mixed='module steps={v0=stablehlo.convert(a0) bf16[8] -> f32[8];v1=stablehlo.multiply(v0,v0) f32[8] f32[8] -> f32[8];v2=stablehlo.convert(v1) f32[8] -> bf16[8];return(v2)} bf16[8] -> bf16[8]'
dense='module steps={v0=stablehlo.dot_general(a0,a1) batch=[]x[] contract=[1]x[0] f32[4,8] f32[8,3] -> f32[4,3];v1=stablehlo.broadcast_in_dim(a2) broadcast_dimensions=[1] f32[3] -> f32[4,3];v2=stablehlo.add(v0,v1) f32[4,3] f32[4,3] -> f32[4,3];v3=byteir.softmax(v2) axis=1 f32[4,3] -> f32[4,3];return(v3)} f32[4,8] f32[8,3] f32[3] -> f32[4,3]'
rows='module steps={v0=constant(f32[],ff800000);v1=stablehlo.add(a0,a1) f32[4,8] f32[4,8] -> f32[4,8];v2=stablehlo.reduce(v1,v0) body=maximum dims=[1] f32[4,8] f32[] -> f32[4];v3=stablehlo.broadcast_in_dim(v2) broadcast_dimensions=[0] f32[4] -> f32[4,8];v4=stablehlo.subtract(v1,v3) f32[4,8] f32[4,8] -> f32[4,8];return(v4)} f32[4,8] f32[4,8] -> f32[4,8]'
printf '%s\n' "$gelu" "$mixed" "$dense" "$rows" >programs

# modules EXECUTOR: all four run and conform, flushed or not.
modules() {
  if ! "$ASSAY" replay 'stablehlo.reduce body=maximum dims=[0] f32[2] f32[] -> f32[] : 3f8000003f800000 : 00000000' --executor "$1" >out 2>err </dev/null; then
    count=$((count + 1))
    echo "ok $count - $1 # SKIP $(cat out err | tr '#\n' '  ' | cut -c1-150)"
    return
  fi
  run 0 "$1" run --programs programs --executor "$1" --cases 24 --data-sets 4 --contract ftz=both --json
  is "$(json out 'my %c; $c{$_->{algorithm}}{$_->{outcome}} += $_->{cases} for @{$d->{counters}};
    join ",", map { $c{$_}{conforms} ? "ok" : $_ } sort keys %c')" "ok,ok,ok,ok" "$1: four modules conform"
}

modules xla
modules 'xla?modules=apart'
modules jax
modules onnxruntime
modules openvino
modules torch

finish

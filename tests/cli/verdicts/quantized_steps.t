#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quantized reductions of 16-bit floats, one step after the other: each in the expressed type or in f32, and what f32 gave
# rounded to that or not (oracles/theory.md, T163).  Values by hand, from the roundings of each way.
. "$(dirname "$0")/../checks.sh"

# judge CONTRACT EXPECTED CASE RESULT: one element of a case.
judge() {
  printf '%s\t%s\n' "$3" "$4" >case.txt
  case $2 in conforms) status=0 ;; *) status=1 ;; esac
  run "$status" "$1: $4" judge case.txt --contract "$1"
  like out "$2" "$1: $4 $2"
}

# One replica, so that it is a conversion alone: 53141408 * 0x1.cap-8 is 371380.1 in f32, 370688 rounded to bf16, and 372736 in
# bf16 from the beginning; each is divided by 11.5625 in f32 or in bf16.
one='stablehlo.reduce_scatter replica_groups=[[0]] scatter_dimension=0 body=multiply !quant.uniform<i32:bf16,0x1.cap-8>[1,1]'
one="$one -> !quant.uniform<i32:bf16,0x1.72p+3>[1,1] : 032adfa0"
for value in 7d77 7d3c; do
  judge wide conforms "$one" "0000$value"
  judge spec diverges "$one" "0000$value"
done
for value in 7e00 7ded 7d00; do
  judge backend conforms "$one" "0000$value"
  judge wide diverges "$one" "0000$value"
done
judge spec conforms "$one" 00007e00
judge backend diverges "$one" 00007d3d

# Two replicas: what the node dequantizes has 32 bits, not the 8 of the operands.
two='stablehlo.all_reduce replica_groups=[[0,1]] body=multiply !quant.uniform<ui8:f16,0x1.554p-2>[2]'
two="$two -> !quant.uniform<i32<0:2008934232>:f16,0x1.47cp-6>[2] : b231"
judge wide conforms "$two" 0000bd1f0000bd1f
judge wide diverges "$two" 0000bd200000bd20

# A sum whose storage values no arithmetic alone gives, f16 or f32: the model takes one step after the other.
three='stablehlo.all_reduce replica_groups=[[0,1]] body=add !quant.uniform<i8:f16,0x1.f7p+8:-26>[2]'
three="$three -> !quant.uniform<i8:f16,0x1.f7p+9>[2] : e5e8"
for model in random+acc=f32 random+acc=f32+fma; do
  run 0 "$model" replay "$three" --executor "model:$model" --contract wide
  like out ": conforms" "$model conforms to wide"
done
finish

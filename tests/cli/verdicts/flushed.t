#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What may be flushed to zero is subnormal before a rounding makes the smallest normal number of it
# (theory.md, T139); the smallest normal number itself stays.
. "$(dirname "$0")/../checks.sh"

# judged CONTRACT VERDICT BITS CASE: what is said of a result.
judged() {
  printf '%s\t%s\n' "$4" "$3" | "$ASSAY" judge --contract "$1" >out 2>err
  like out "^$2" "$1: $4 gives $3: $2"
}
dot='stablehlo.dot_general batch=[]x[] contract=[1]x[0]'
rounds="$dot precision=[DEFAULT,DEFAULT] algorithm=[bf16,bf16,f32,1,1,1,false] f32[1,1] f32[1,1] -> f32[1,1]"
in_f32="$dot precision=[DEFAULT,DEFAULT] algorithm=[f16,f16,f32,1,1,1,false] f16[1,1] f16[1,1] -> f16[1,1]"

# 0x1.fffffcp-127 is subnormal in f32, and 2^-126 in bf16.  A case of one number that is flushed is permitted and weak, for zeros
# would be too.
judged ftz=both weak 00000000 "$rounds : 3f800000 : 007fffff"
judged ftz=inputs weak 00000000 "$rounds : 007fffff : 3f800000"
judged ftz=none "diverges (flush)" 00000000 "$rounds : 3f800000 : 007fffff"
# 2^-14 - 2^-25 in f32 is 2^-14 in f16; 2^-14 is no subnormal number.
judged ftz=outputs weak 0000 "$in_f32 : 3bff : 0400"
judged ftz=outputs conforms 8000 "$in_f32 : bbff : 0400"
judged wide,ftz=both weak 0000 "$dot f16[1,2] f16[2,1] -> f16[1,1] : 3bff0000 : 04003c00"
judged ftz=outputs diverges 0000 "$in_f32 : 3c00 : 0400"
judged ftz=none diverges 0000 "$in_f32 : 3bff : 0400"
# Subnormal in f16, and not in f32, to which reductions widen it.
for body in minimum:7c00 add:0000 multiply:3c00; do
  reduce="stablehlo.reduce body=${body%:*} dims=[0] f16[1] f16[] -> f32[] : 8003 : ${body#*:}"
  verdict=conforms
  [ "$body" != add:0000 ] || verdict=weak
  judged ftz=both $verdict 80000000 "$reduce"
  judged ftz=none diverges 80000000 "$reduce"
done
# The zero of a type that has no other.
reduce='stablehlo.reduce body=minimum dims=[0] f8E5M2FNUZ[1] f8E5M2FNUZ[] -> f8E5M2FNUZ[] : 82 : 7f'
judged ftz=both weak 00 "$reduce"
judged ftz=none diverges 00 "$reduce"
slice='stablehlo.slice start_indices=[0] limit_indices=[2] strides=[1]'
judged ftz=inputs conforms 0008 "$slice f8E4M3FNUZ[2] -> f8E4M3FNUZ[2] : 8108"
judged ftz=none diverges 0008 "$slice f8E4M3FNUZ[2] -> f8E4M3FNUZ[2] : 8108"
judged ftz=inputs conforms 8008 "$slice f8E4M3FN[2] -> f8E4M3FN[2] : 8108"
judged ftz=inputs "diverges (zero-sign)" 0008 "$slice f8E4M3FN[2] -> f8E4M3FN[2] : 8108"
# Where numbers may be flushed, and none is small, a softmax is as sharp as elsewhere (T150): 1e-6 in its sum is told; and
# beside a number that may vanish, exp(-88), too.
softmax='byteir.softmax axis=0 f32[3] -> f32[3]'
for contract in backend backend,ftz=both; do
  judged $contract conforms 3f49f8263dd8f7883dd7474a "$softmax : 3f810000bf800000bf810000"
  judged $contract diverges 3f49f81a3dd8f77d3dd7473e "$softmax : 3f810000bf800000bf810000"
done
judged backend,ftz=both conforms 3f3b26a83e89b2b100000000 "$softmax : 3f80000000000000c2b00000"
judged backend,ftz=both conforms 3f3b26a83e89b2b10011bb21 "$softmax : 3f80000000000000c2b00000"
judged backend,ftz=both diverges 3f3b269f3e89b2aa00000000 "$softmax : 3f80000000000000c2b00000"
# Partial sums that are subnormal may be lost, though none is rounded: 2^-121 and twice 2^-128, of which the sum may be 2^-121.
cat >share.op <<'END'
op my.share
summary numbers divided by their sum
types f32 f16
operand x[N]
result y[N]

y = x / sum(x over N)
END
export ASSAY_OPS="$PWD/share.op"
share='my.share f32[3] -> f32[3] : 030000000020000000200000'
judged ftz=outputs conforms 3f8000003c0000003c000000 "$share"
judged ftz=outputs conforms 3f7c0fc13bfc0fc13bfc0fc1 "$share"
judged ftz=none diverges 3f8000003c0000003c000000 "$share"
# Of sums of two numbers there is no such partial sum, and of numbers far above the subnormal ones none is lost.
judged ftz=outputs diverges 3f8000003c000000 'my.share f32[2] -> f32[2] : 0300000000400000'
judged ftz=outputs diverges 3f8000003f00000000000000 'my.share f32[3] -> f32[3] : 3f8000003f00000000000000'
finish

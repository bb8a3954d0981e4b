#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Quantized dot products in bf16: native models compute in it whichever way they go, as spec has it; the
# other way of others is in f32, which is another formula.
. "$(dirname "$0")/../checks.sh"

program='stablehlo.dot_general batch=[]x[] contract=[1]x[0] !quant.uniform<ui2<1:3>:bf16,0x1p-6:3>[1,2]'
program="$program !quant.uniform<ui2:bf16,0x1.3p-1>[2,1] -> !quant.uniform<i32:bf16,0x1p-10:-1686415591>[1,1]"
case="$program : 32 : 11" # In bf16 the zero point is -1686110208, in f32 -1686415616.

for way in '' +other-way; do
  run 0 "native$way" replay "$case" --executor "model:pairwise+native$way" --contract spec
  like out ": conforms" "native$way: conforms to spec"
done
run 1 "in f32" replay "$case" --executor model:pairwise+other-way --contract spec
like out "got: *-1686415616" "the other way: not to spec"
run 0 "in f32, by default" replay "$case" --executor model:pairwise+other-way
like out ": conforms" "the other way: conforms by default"
finish

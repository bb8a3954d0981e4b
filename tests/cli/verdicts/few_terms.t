#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sums of few terms: one pattern beside what any order gives diverges, and a tree is told for what conforms.
. "$(dirname "$0")/../checks.sh"

# Terms between 1 and 3: their bound permits three patterns, all trees give two of them at most.
dot='stablehlo.dot_general batch=[]x[] contract=[0]x[0] f32[3] f32[3] -> f32[] : 3f8ccccd3f99999a3fa66666 : 3fb333333fc000003fcccccd'
judged() {
  printf '%s\t%s\n' "$dot" "$1" >results
  "$ASSAY" judge ${2:+--contract "$2"} <results >out 2>err
}
judged 40ad70a4
[ $? -eq 0 ]
ok $? "what every order gives conforms"
judged 40ad70a3
[ $? -eq 1 ]
ok $? "one pattern below: diverges"
like out "no tree gives this" "one pattern below: what is expected"
judged 40ad70a5
[ $? -eq 1 ]
ok $? "one pattern above: diverges"
judged 40ad70a5 ftz=both
[ $? -eq 1 ]
ok $? "... also where numbers that are too small may be flushed, of which there are none"

# The bound of sums near the largest number permits an infinity, and no order gives one.
printf '%s\t%s\n' 'stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[1,3] f32[3,1] -> f32[1,1] : 807fffff7f7fffff80000003 : 000000023f7fffff00000002' 7f800000 >results
"$ASSAY" judge <results >out 2>err
[ $? -eq 1 ]
ok $? "an infinity beside the largest number: diverges"
like out "is inf (7f800000), expected 0x1.fffffcp+127 or +inf, and no tree gives this" "an infinity: is not said to be permitted"

run 0 "why" replay "$dot" --executor model:sequential --why
like out "why:      result 0 at \[\] is 0x1.5ae148p+2 (40ad70a4) = (.*x0\*y0.*) in f32, where x[0-2] = " "why: a tree"
run 0 "why, of a product" replay 'stablehlo.reduce body=multiply dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 3f800000' --executor model:sequential --why
like out "why:      of no element of this result a tree is known" "why, of a product: none"

# A product with a factor of zero is zero, or NaN where others overflow, however wide it is computed.
zero='stablehlo.reduce body=multiply dims=[0] bf16[4] bf16[] -> bf16[] : 000071407f407f40 : 3f80'
for contract in wide backend; do
  printf '%s\t0000\n' "$zero" >results
  "$ASSAY" judge --contract "$contract" <results >out 2>err
  [ $? -eq 0 ]
  ok $? "$contract: a product with a factor of zero that is zero conforms"
  printf '%s\t3f80\n' "$zero" >results
  "$ASSAY" judge --contract "$contract" <results >out 2>err
  [ $? -eq 1 ]
  ok $? "$contract: ... that is 1 diverges"
done

# Too many sums for the trees of all: the other ones are counted.
run 0 "many sums" run --executor model:random --cases 20 --contract backend \
  --program 'stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[16,4] f32[4,16] -> f32[16,16]'
like out ", [0-9]* sums of few terms judged by bounds alone" "many sums: some by their bounds"
run 0 "few sums" run --executor model:random --cases 20 --contract backend \
  --program 'stablehlo.dot_general batch=[]x[] contract=[1]x[0] f32[2,2] f32[2,2] -> f32[2,2]'
unlike out "judged by bounds alone" "few sums: none"
# Sums of up to 64 terms: less than a bound by all magnitudes permits, and a schedule is searched for.
sum='stablehlo.reduce body=add dims=[0] f32[16] f32[] -> f32[] : 3fbc6da63f9a69173fe564133fa7ac433f9107223fe6ceab40357f8d402675394021f0d93fb8d0494004b1ee3fc6d4ac3fac33be3f9b2ed43fb6e2f24036b786 : 00000000'
with() { # BITS
  printf '%s\t%s\n' "$sum" "$1" >results
  "$ASSAY" judge --contract spec,order=any <results >out 2>err
}
with 41e4c458
[ $? -eq 0 ]
ok $? "16 terms: the exact sum, rounded"
with 41e4c464
[ $? -eq 1 ]
ok $? "16 terms: what all magnitudes would permit, and no partial sums can lose"
run 0 "16 terms: why" replay "$sum" --executor model:shuffled --why
like out "why:      result 0 at \[\] is .* = (.*x15.*x0.* where x0 = 0x" "16 terms: a schedule"
finish

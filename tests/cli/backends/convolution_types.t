#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Convolutions of i8 to i32: the specification forbids them (C27), XLA and the interpreter take them.
. "$(dirname "$0")/../checks.sh"

windows='window_strides=[1] padding=[[1,1]] lhs_dilation=[1] rhs_dilation=[1]'
numbers='window_reversal=[false] dimension_numbers=[b,f,0]x[o,i,0]->[b,f,0]'
groups='feature_group_count=1 batch_group_count=1'
program="stablehlo.convolution $windows $numbers $groups i8[2,2,5] i8[2,2,3] -> i32[2,2,5]"
narrowing="stablehlo.convolution $windows $numbers $groups i32[1,1,2] i32[1,1,3] -> i8[1,1,2]"
widening=model:sequential+verifier-types
in_operands=model:sequential+other-way+verifier-types

run 0 "default" run --program "$program" --executor $widening --executor $in_operands --cases 50
[ "$(grep -Ec '^  i8,i8->i32 +5[0-9] +50 +0 ' out)" = 2 ]
ok $? "default: sums in either type conform, but for some of i8 that are multiples of 256, as zeros are"
run 1 "spec" run --program "$program" --executor $widening --contract spec --cases 5
like out "invalid-accepted.*breaks C27" "spec: forbidden"
run 1 "verifier" run --program "$program" --executor $widening --executor $in_operands --cases 50 \
  --contract convolution_types=verifier
like out "^$in_operands .* diverges (value)" "verifier: sums wrap in no i8"
unlike out "^$widening .* diverges" "verifier: sums in i32 conform"
run 1 "canary" run --program "$program" --executor canary:convolution_zero_extends+verifier-types \
  --cases 50
like out "diverges (value)" "default: i8 is not taken for ui8"

run 0 "narrowing" run --program "$narrowing" --executor $widening --cases 5
unlike out "diverges (" "narrowing: nobody is blamed"
run 0 "narrowing, spec" show "$narrowing"
like out "is not modelled" "narrowing: not modelled"
printf '%s : 0000000000000000 : 000000000000000000000000\taccepted\n' "$narrowing" >line
"$ASSAY" judge <line >out 2>err
like out "^no-oracle: is not modelled (promotion)" "judge, default: no oracle"
"$ASSAY" judge --contract spec <line >out 2>err
like out "^diverges (invalid-accepted)" "judge, spec: forbidden"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Losses of classes and their gradients, worked by hand: right results, wrong ones beside them, and targets
# that are no class.
. "$(dirname "$0")/checks.sh"

forward='byteir.nll_loss_forward ignore_index=-1 reduction'
types='f32[3,2] i64[3] ->'
x=3f8000004000000040400000408000007fc00000c0c00000 # 1 2, 3 4, NaN -6
first=0000000000000000 second=0000000000000001 third=0000000000000002 ignored=ffffffffffffffff
scalars='f32[] f32[]'

# The losses are -2, -3 and 6; NaN stands where no target points.
case="$types f32[3] f32[] : $x : $second$first$second"
judge_case 0 "$forward=0 $case" 'c0000000c040000040c00000 : 00000000'
judge_case 1 "$forward=0 $case" 'c0000000c040000040c00000 : 40400000'
judge_case 1 "$forward=0 $case" '40000000c040000040c00000 : 00000000'
case="$types $scalars : $x : $second$first$second"
judge_case 0 "$forward=2 $case" '3f800000 : 40400000'
judge_case 0 "$forward=1 $case" '3eaaaaab : 40400000'
judge_case 1 "$forward=1 $case" '3f800000 : 40400000'
judge_case 1 "$forward=1 $case" '3eaaaaab : 40000000'
judge_case 1 "$forward=2 $case" '7fc00000 : 40400000'

# Without the third sample; and without any, where the mean is 0 / 0.
case="$types $scalars : $x : $second$first$ignored"
judge_case 0 "$forward=2 $case" 'c0a00000 : 40000000'
judge_case 0 "$forward=1 $case" 'c0200000 : 40000000'
judge_case 1 "$forward=1 $case" 'bfd55555 : 40400000'
case="$types $scalars : $x : $ignored$ignored$ignored"
judge_case 0 "$forward=1 $case" '7fc00000 : 00000000'
judge_case 1 "$forward=1 $case" '00000000 : 00000000'
judge_case 0 "$forward=2 $case" '00000000 : 00000000'
judge_case 0 "$forward=2 $case" '80000000 : 00000000'

judge_without "$forward=2 $types $scalars : $x : $second$third$first" '3f800000 : 40400000' 'no class 2'
judge_without "$forward=2 $types $scalars : $x : $second${first}fffffffffffffffe" '3f800000 : 40400000' 'no class -2'

# A single sample, whose loss is a scalar, and counts.
judge_case 0 "$forward=0 f32[2] i64[] -> $scalars : 3f80000040000000 : $second" 'c0000000 : 3f800000'

backward='byteir.nll_loss_backward ignore_index=-1 reduction'
types='f32[] f32[3,2] i64[3] f32[] -> f32[3,2] : 40000000'
judge_case 0 "$backward=2 $types : $x : $second$first$ignored : 40800000" \
  00000000c0000000c0000000000000000000000000000000
judge_case 1 "$backward=2 $types : $x : $second$first$ignored : 40800000" \
  80000000c0000000c0000000000000000000000000000000
judge_case 0 "$backward=1 $types : $x : $second$first$second : 40800000" \
  00000000bf000000bf0000000000000000000000bf000000
judge_case 1 "$backward=1 $types : $x : $second$first$second : 40800000" \
  00000000c0000000c00000000000000000000000c0000000
judge_without "$backward=2 $types : $x : $second$third$first : 40800000" \
  00000000c0000000c0000000000000000000000000000000 'no class 2'

run 0 'a reduction that there is not' show \
  'byteir.nll_loss_forward ignore_index=0 reduction=3 f32[2,2] i64[2] -> f32[] f32[]'
like out 'breaks: *reduction, reduction is 0 (none), 1 (mean) or 2 (sum)' 'the reason says which there are'

finish

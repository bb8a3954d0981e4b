#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Losses of classes: targets that are no class, and a reduction that there is not.  (corpus/directed has results, right and
# wrong.)
. "$(dirname "$0")/../checks.sh"

x=3f8000004000000040400000408000007fc00000c0c00000
first=0000000000000000 second=0000000000000001 third=0000000000000002
forward='byteir.nll_loss_forward ignore_index=-1 reduction=2 f32[3,2] i64[3] -> f32[] f32[]'
judge_without "$forward : $x : $second$third$first" '3f800000 : 40400000' 'no class 2'
judge_without "$forward : $x : $second${first}fffffffffffffffe" '3f800000 : 40400000' 'no class -2'
backward='byteir.nll_loss_backward ignore_index=-1 reduction=2 f32[] f32[3,2] i64[3] f32[] -> f32[3,2]'
judge_without "$backward : 40000000 : $x : $second$third$first : 40800000" \
  00000000c0000000c0000000000000000000000000000000 'no class 2'

run 0 'a reduction that there is not' show \
  'byteir.nll_loss_forward ignore_index=0 reduction=3 f32[2,2] i64[2] -> f32[] f32[]'
like out 'breaks: *reduction, reduction is 0 (none), 1 (mean) or 2 (sum)' 'the reason says which there are'

finish

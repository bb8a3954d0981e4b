#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ops whose operands say where elements go: the examples of their documents, wrong results beside
# right ones, and operands that do not give results of the sizes that a program has.
. "$(dirname "$0")/../checks.sh"

repeat='byteir.repeat i8[3] i64[3] -> i8[3] : 010203'
times='0000000000000002' none='0000000000000000' once='0000000000000001'
judge_case 0 "$repeat : ${times}${none}${once}" 010103
judge_case 1 "$repeat : ${times}${none}${once}" 010301
judge_without "$repeat : $times$none$none" 010100 'operands give 2 rows, the result has 3'
judge_without "$repeat : $times${times}ffffffffffffffff" 010102 'negative times'

# NaN is no zero, -0 is one, and of what may be flushed nobody knows.
non_zero='byteir.non_zero f32[2,2] -> i32[2,2]'
judge_case 0 "$non_zero : 7fc000008000000000000000bf800000" 00000000000000000000000100000001
judge_case 1 "$non_zero : 7fc000008000000000000000bf800000" 00000000000000010000000100000001
judge_case 0 "$non_zero : 3f800000000000010000000000000000" 00000000000000000000000000000001
judge_without "$non_zero : 3f800000000000010000000000000000" 00000000000000000000000000000001 subnormal \
  backend,ftz=both

partition='tf.DynamicPartition num_partitions=2 i8[5] i32[5] -> i8[3] i8[2] : 0a141e2832'
labels=0000000000000000000000010000000100000000
judge_case 0 "$partition : $labels" '0a1432 : 1e28'
judge_case 1 "$partition : $labels" '32140a : 1e28'
judge_without "$partition : 0000000000000000000000020000000100000000" '0a1432 : 1e28' 'no partition 2'

# Of two rows for one place the last stays.
stitch='tf.DynamicStitch i32[2] i32[2] i8[2] i8[2] -> i8[3]'
judge_case 0 "$stitch : 0000000000000001 : 0000000100000002 : 0102 : 0304" 010304
judge_case 1 "$stitch : 0000000000000001 : 0000000100000002 : 0102 : 0304" 010204
judge_without "$stitch : 0000000000000001 : 0000000100000000 : 0102 : 0304" 010300 'different rows'
judge_without "$stitch : 0000000000000001 : 0000000100000003 : 0102 : 0304" 010300 'no row 3'

select='tf.Select i1[2] i8[2,2] i8[2,2] -> i8[2,2]'
judge_case 0 "$select : 10 : 01020304 : 05060708" 01020708
judge_case 1 "$select : 10 : 01020304 : 05060708" 01060308

finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Ops whose operands say where elements go: the examples of their documents, wrong results beside
# right ones, and operands that do not give results of the sizes that a program has.
. "$(dirname "$0")/checks.sh"

# check EXIT CASE RESULT: what `assay judge` says of one result.
check() {
  printf '%s\t%s\n' "$2" "$3" | "$ASSAY" judge >out 2>err
  [ $? -eq "$1" ]
  ok $? "$3 of ${2%% *}: exit code $1"
}

# without CASE RESULT WORDS [CONTRACT]: nobody knows what that means.
without() {
  printf '%s\t%s\n' "$1" "$2" | "$ASSAY" judge --contract "${4:-backend}" --json >out 2>err
  grep -q "\"outcome\": \"no-oracle\".*$3" out
  ok $? "${1%% *} without an oracle: $3"
}

repeat='byteir.repeat i8[3] i64[3] -> i8[3] : 010203'
times='0000000000000002' none='0000000000000000' once='0000000000000001'
check 0 "$repeat : ${times}${none}${once}" 010103
check 1 "$repeat : ${times}${none}${once}" 010301
without "$repeat : $times$none$none" 010100 'operands give 2 rows, the result has 3'
without "$repeat : $times${times}ffffffffffffffff" 010102 'negative times'

# NaN is no zero, -0 is one, and of what may be flushed nobody knows.
non_zero='byteir.non_zero f32[2,2] -> i32[2,2]'
check 0 "$non_zero : 7fc000008000000000000000bf800000" 00000000000000000000000100000001
check 1 "$non_zero : 7fc000008000000000000000bf800000" 00000000000000010000000100000001
check 0 "$non_zero : 3f800000000000010000000000000000" 00000000000000000000000000000001
without "$non_zero : 3f800000000000010000000000000000" 00000000000000000000000000000001 subnormal \
  backend,ftz=both

partition='tf.DynamicPartition num_partitions=2 i8[5] i32[5] -> i8[3] i8[2] : 0a141e2832'
labels=0000000000000000000000010000000100000000
check 0 "$partition : $labels" '0a1432 : 1e28'
check 1 "$partition : $labels" '32140a : 1e28'
without "$partition : 0000000000000000000000020000000100000000" '0a1432 : 1e28' 'no partition 2'

# Of two rows for one place the last stays.
stitch='tf.DynamicStitch i32[2] i32[2] i8[2] i8[2] -> i8[3]'
check 0 "$stitch : 0000000000000001 : 0000000100000002 : 0102 : 0304" 010304
check 1 "$stitch : 0000000000000001 : 0000000100000002 : 0102 : 0304" 010204
without "$stitch : 0000000000000001 : 0000000100000000 : 0102 : 0304" 010300 'different rows'
without "$stitch : 0000000000000001 : 0000000100000003 : 0102 : 0304" 010300 'no row 3'

select='tf.Select i1[2] i8[2,2] i8[2,2] -> i8[2,2]'
check 0 "$select : 10 : 01020304 : 05060708" 01020708
check 1 "$select : 10 : 01020304 : 05060708" 01060308

finish

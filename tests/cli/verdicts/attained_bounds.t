#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The bounds of sums inside ByteIR's ops are nearly attained: by an implementation that adds in
# sequence, on a row of one large number and many that each round away.  Real backends add in blocks,
# and stay far below on most data; that does not make the bounds loose.
. "$(dirname "$0")/../checks.sh"

# row N FIRST OTHERS: f32 patterns of FIRST and N - 1 times OTHERS.
row() { perl -e 'my ($n, $first, $others) = @ARGV; print unpack("H*", pack("f>*", $first, ($others) x ($n - 1)))' "$@"; }

for n in 64 1024; do
  small=$(perl -e 'print log(0.99 * 2 ** -24)')
  cat >cases <<END
byteir.l2_norm epsilon=0x0p+0 axis=[0] f32[$n] -> f32[$n] : $(row "$n" 1 "$(perl -e 'print 0.99 * 2 ** -12')")
byteir.softmax axis=0 f32[$n] -> f32[$n] : $(row "$n" 0 "$small")
byteir.log_softmax axis=0 f32[$n] -> f32[$n] : $(row "$n" 0 "$small")
END
  "$ASSAY" replay cases --executor model:sequential >out 2>err </dev/null
  ok $? "n = $n: adding in sequence conforms"
  sed -n 's/.* slack \([0-9.e+-]*\),.*/\1/p' out >slacks
  [ "$(wc -l <slacks)" -eq 3 ] && perl -ne 'exit 1 if $_ < 0.85' slacks
  ok $? "n = $n: it uses more than 85 % of what is permitted, by l2_norm, softmax and log_softmax"
done

finish

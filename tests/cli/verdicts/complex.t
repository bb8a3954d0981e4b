#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Products, maxima and minima of complex numbers are what the specification defines: programs that
# are judged, and no violation of a constraint.
. "$(dirname "$0")/../checks.sh"

for op in multiply maximum minimum; do
  program="stablehlo.$op complex<f32>[3] complex<f32>[3] -> complex<f32>[3]"
  run 0 "$op" run --program "$program" --executor model:sequential \
    --executor model:sequential+other-way --cases 200
  unlike out "invalid" "$op: valid"
  [ "$(grep -Ec '^  complex<f32>,.* 200 +200 +0 ' out)" = 2 ]
  ok $? "$op: all cases are judged, and conform"
done

program='stablehlo.multiply complex<f32>[3] complex<f32>[3] -> complex<f32>[3]'
run 1 "three products" run --program "$program" --executor canary:three_products --cases 50
like out "diverges (value): .* part, is " "three products: identified by the bits"

# (1 + 2^-12 + i)^2, whose real part is 2^-11 where each product is rounded, and 2^-24 more where it
# is not.
line='stablehlo.multiply complex<f32>[1] complex<f32>[1] -> complex<f32>[1]'
line="$line : 3f8008003f800000 : 3f8008003f800000"
printf '%s\t%s\n' "$line" 3a00000040000800 "$line" 3a00040040000800 "$line" 3a00000140000800 |
  "$ASSAY" judge --contract spec,fma=yes >out 2>err
[ "$(sed 's/[:; ].*//' out | tr '\n' ,)" = 'conforms,conforms,diverges,' ]
ok $? "judge: a rounded product, a fused one, and neither"
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes at which the implementation of an executor changes: found by doubling and bisecting, kept by version, and drawn
# around.  The backend is tests/exec/dso/switches.c, which adds in lanes from a size on.
. "$(dirname "$0")/checks.sh"
backend="dso:$(dirname "$ASSAY")/tests/dso/switches.so"
sum="--op stablehlo.reduce --axis term"

run 0 "a switch at 777" thresholds --executor "$backend?size=777,drops=yes" $sum --max 4096 --out found
like out "^  777: other bits, " "777: to the very size"
is "$(grep -v '^#' found | cut -f2-)" "$(printf 'tester 1.5\tstablehlo.reduce\tf32\tterm\t777')" "kept by version"
run 0 "a switch at 30001" thresholds --executor "$backend?size=30001" $sum --json
is "$(json out 'join ",", map { my $p = $_; map { "$_->{before}..$_->{size}" } @{$p->{thresholds}} } @$d')" "30000..30001" "30001: found beyond 16384"
is "$(json out '$d->[0]{outcome}')" found "30001: as a document"
run 0 "no switch" thresholds --executor "$backend?size=1" $sum
like out "none of 11 sizes to 65536 has other bits" "no switch: none"
run 0 "an op without sums" thresholds --executor model:pairwise --op stablehlo.add
like out "no program that it takes tells anything" "without sums: nothing to tell"
run 0 "searched again" thresholds --executor "$backend?size=777,drops=yes" $sum --max 4096 --out found
is "$(grep -vc '^#' found)" 1 "searched again: in the place of what was there"
run 0 "another executor" thresholds --executor "$backend?size=100" $sum --max 4096 --out found
is "$(grep -vc '^#' found)" 2 "another executor: beside it"

# Its last term is left out at 777, and at no other size.
strata="--op stablehlo.reduce --strata thresholds=1 --cases 150 --draws 3000"
run 0 "drawn as ever" run --executor "$backend?size=777,drops=yes" $strata
run 1 "drawn around" run --executor "$backend?size=777,drops=yes" $strata --thresholds found
like out "f32\[777\] f32\[\]" "drawn around: seen at 777"

run 2 "of another version" run --executor model:pairwise $strata --thresholds found
like err "has no sizes of this version" "another version: what to do"
echo 'a line' >bad
run 2 "no such line" run --executor model:pairwise --thresholds bad
like err "^assay: bad:1: write executor, version" "no such line: where, and what to write"
printf 'a\tb\tc\td\tdiagonal\t7\n' >bad
run 2 "no such axis" run --executor model:pairwise --thresholds bad
like err "bad:1: 'diagonal' is no axis" "no such axis: said so"
printf 'a\tb\tc\td\trow\t0\n' >bad
run 2 "no such size" run --executor model:pairwise --thresholds bad
like err "bad:1: '0' is no size" "no such size: said so"
run 3 "no file" run --executor model:pairwise --thresholds nowhere
like err "cannot read nowhere" "no file: said so"
run 2 "an axis that is none" thresholds --executor model:pairwise --axis depth
like err "unknown axis 'depth'" "--axis: what to write"
run 2 "types of none" thresholds --executor model:pairwise --type f99 --op stablehlo.reduce
like err "no program of these ops has the types 'f99'" "--type: what to write"
run 0 "two executors" thresholds --executor "$backend?size=100" --executor "$backend?size=200" $sum --max 1024 --json
is "$(json out 'join " ", map { map { $_->{size} } @{$_->{thresholds}} } @$d')" "100 200" "two executors: one document"
run 2 "too far" thresholds --executor model:pairwise --max 5
like err "bad value 5 (--max)" "--max: what to write"

finish

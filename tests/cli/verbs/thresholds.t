#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes at which the implementation of an executor changes: found by doubling and bisecting, kept by version, and drawn
# around.  The backend is tests/exec/dso/switches.c, which adds in lanes from a size on.
. "$(dirname "$0")/../checks.sh"
backend="dso:$(dirname "$ASSAY")/tests/dso/switches.so"
sum="--op stablehlo.reduce --axis term"

run 0 "a switch at 777" thresholds --executor "$backend?size=777,drops=yes" $sum --max 4096 --out found
like out "^  777: other bits, " "777: to the very size"
is "$(grep -v '^#' found | cut -f2-)" "$(printf 'tester 1.5\tstablehlo.reduce\tf32\tterm\t777')" "kept by version"
run 0 "a switch at 30001" thresholds --executor "$backend?size=30001" $sum --json
is "$(json out 'join ",", map { my $p = $_; map { "$_->{before}..$_->{size}" } @{$p->{thresholds}} } @$d')" "30000..30001" "30001: found beyond 16384"
is "$(json out '$d->[0]{outcome}')" found "30001: as a document"
run 0 "no switch" thresholds --executor "$backend?size=1" $sum
like out "none of 12 sizes to 65537 has other bits" "no switch: none"
run 0 "a switch behind the last power of two" thresholds --executor "$backend?size=65537" $sum
like out "^  65537: other bits, " "65537: found without being asked for"
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

# A campaign: slices that draw, of executors that the file knows.
campaign="campaign --executor $backend?size=777,drops=yes --op stablehlo.reduce --strata thresholds=1"
ASSAY_LOG=debug run 1 "a campaign" $campaign --executor model:pairwise --thresholds found --out night --jobs 4 --time 6s --seed 5
like err "worker . *, slice 2: .*run --executor dso:.*--thresholds found" "a campaign: a slice that draws has the file"
unlike err "slice .*--executor model:pairwise .*--thresholds" "a campaign: an executor that the file does not know has none"
unlike err "slice .*fuzz .*--thresholds" "a campaign: nor has a search"
unlike err "stopped with" "a campaign: no worker failed"
run 0 "a campaign: its findings" query findings --db night --json
like out "f32\[777\] f32\[\]" "a campaign: seen at 777"
sed 's/tester 1.5/tester 1.4/' found >older
run 2 "a campaign on another version" $campaign --thresholds older --out older-night
like err "has sizes of dso:.* in version tester 1.4, and this is version tester 1.5" "another version: which"
like err "measure anew: assay thresholds --executor 'dso:.*' --out older" "another version: what to do"
[ ! -e older-night ]
ok $? "another version: nothing was made"
run 2 "a run on another version" run --executor "$backend?size=777,drops=yes" --op stablehlo.reduce --thresholds older
like err "in version tester 1.4, and this is version tester 1.5" "a run on another version: said so too"
cat found >>older
run 0 "both versions" run --executor "$backend?size=100" --op stablehlo.reduce --cases 5 --thresholds older
run 2 "no share" run --executor model:pairwise --strata corner=1 --thresholds found
like err "gives no share to thresholds" "no share: said so"
run 2 "no share in a campaign" campaign --executor model:pairwise --strata corner=1 --thresholds found --out none
like err "gives no share to thresholds" "no share in a campaign: said so"
echo 'stablehlo.add f32[2] f32[2] -> f32[2]' >programs
run 2 "programs" $campaign --programs programs --thresholds found --out none
like err "leave out" "programs: what to do"

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
run 2 "no file" run --executor model:pairwise --thresholds nowhere
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

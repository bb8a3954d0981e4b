#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Modules run whole and op by op on one executor (steps:NAME, --twins, --twin): one outside, both inside, and unlike
# where the oracle cannot tell.  The backend is tests/exec/dso/twins.c.
root=$(cd "$(dirname "$0")/../../.." && pwd)
. "$(dirname "$0")/../checks.sh"
backend="dso:$root/build/tests/dso/twins.so"
[ -e "$root/build/tests/dso/twins.so" ] || backend="dso:$(dirname "$ASSAY")/tests/dso/twins.so"
fused='module steps={v0=stablehlo.multiply(a0,a1) f32[4] f32[4] -> f32[4];v1=stablehlo.add(v0,a1) f32[4] f32[4] -> f32[4];return(v1)} f32[4] f32[4] -> f32[4]'
# Of which no oracle encloses the first step.
open='module steps={v0=byteir.addn(a0,a1) f32[4] f32[4] -> f32[4];v1=stablehlo.subtract(v0,a1) f32[4] f32[4] -> f32[4];return(v1)} f32[4] f32[4] -> f32[4]'

# pairs DIFFERENT CONFORM FIRST SECOND UNDECIDED: the counts of the only pair of executors in the document `out`.
pairs() {
  is "$(json out 'my $p = $d->{pairs}[0]; join " ", map { $p->{$_} > 0 ? "some" : 0 } qw(different both_conform first_diverges second_diverges undecided)')" "$1" "$2"
}

run 0 "nothing is fused" run --program "$fused" --executor "$backend?fuse=none" --twins --cases 100 --json
pairs "0 0 0 0 0" "nothing is fused: the same bits"

# One outside.
run 1 "a tail that the fused one drops" run --program "$fused" --executor "$backend?fuse=tail" --twins --cases 100 --json
is "$(json out 'my %f; $f{$_->{executor} =~ /^steps:/ ? "steps" : "whole"}++ for @{$d->{findings}}; join ",", keys %f')" whole \
  "a tail: ordinary findings, of the fused run alone"
is "$(json out 'scalar grep { $_->{verdict}{class} eq "value" } @{$d->{findings}}')" 1 "a tail: one of them is a wrong value"
[ "$(json out '$d->{pairs}[0]{second_diverges}')" = 0 ]
ok $? "a tail: op by op nothing is wrong"

# Both inside.
run 0 "a sum that is rounded once" run --program "$fused" --executor "$backend?fuse=fma" --twins --cases 100 --json --db kept.db
pairs "some some 0 0 0" "rounded once: a change of bits, and no finding"
run 0 "the history" query twins --db kept.db --format csv
like out 'fuse=fma.*,steps:dso:.*,module,multiply+add,"*f32,f32->f32"*,8,8,' "the history has some of these cases"
run 1 "rounded once, where that is not permitted" run --program "$fused" --executor "$backend?fuse=fma" --twins \
  --cases 100 --contract intermediates=rounded
like out "^dso:.*diverges (" "not permitted: the fused one is outside"
unlike out "^steps:.*diverges" "not permitted: op by op nothing is wrong"

# Where the oracle cannot tell.
run 1 "a bit of a module without an oracle" run --program "$open" --executor "$backend?fuse=bit" --twins --cases 40 \
  --draws 300 --db kept.db
like out "^dso:.*diverges (twins): .*weaker than a proof: .*twin steps:dso:" "class twins, with the bits of the twin"
unlike out "^steps:.*diverges" "the steps are not blamed"
line=$(sed -n "s/^  assay replay '\([^']*\)'.*--twins\$/\1/p" out | head -1)
run 1 "replayed" replay "$line" --executor "$backend?fuse=bit" --twins
like out "^dso:.*diverges, twins" "replayed: the same class"
like out "^steps:dso:.*no-oracle" "replayed: nobody knows of the steps"
like out "^twins dso:.*other bits in 1 of 4 elements" "replayed: how far they differ"
run 0 "replayed without a twin" replay "$line" --executor "$backend?fuse=bit"
like out "no-oracle" "without a twin: nobody knows"
run 0 "a module without an oracle, right" run --program "$open" --executor "$backend?fuse=none" --twins --cases 40 --draws 300
run 0 "the same, rounded once" run --program "$open" --executor "$backend?fuse=fma" --twins --cases 40 --draws 300
run 0 "the finding" query findings --db kept.db --format csv
like out "twins" "it is kept as such"
run 1 "retested" retest --db kept.db --executor "$backend?fuse=bit"
like out "assay run --twins" "retested: what to do"

# The other verbs that run cases: the same options.
run 0 "vet" vet --program "$fused" --executor "$backend?fuse=fma" --twins --cases 40
like out "^# twins: dso:.* and steps:dso:.* gave other bits in [1-9][0-9]* of [0-9]* cases; both conform [1-9]" "vet: how often"
run 1 "vet, where the oracle cannot tell" vet --program "$open" --executor "$backend?fuse=bit" --twins --cases 10 --draws 100
like out "^not ok .*dso:.*module addn+subtract" "vet: a point that fails"
like out "repro.*--twins" "vet: and how to see it"
run 2 "vet: constraints" vet --constraints --executor "$backend" --twins
like err "leave out --twins" "vet: constraints: said so"
mkdir inputs
printf %s "$line" >inputs/case
run 1 "fuzz" fuzz module --executor "$backend?fuse=bit" --twins --corpus inputs --runs 4 --db fuzz.db
like out "^dso:.*diverges (twins)" "fuzz: class twins"
run 0 "fuzz --twin" fuzz module --executor model:pairwise --twin model:lanes8 --runs 150 --db fuzz.db
run 0 "fuzz: who was outside" query twin-verdicts --db fuzz.db --format json
is "$(json out 'join ",", map { $_->{"executor wrong"} + $_->{"twin wrong"} } grep { $_->{executor} =~ /^model/ } @$d')" 0 \
  "fuzz: models differ, and neither is wrong"
printf '%s\n%s\n' "$fused" "$open" >two.programs
run 1 "campaign" campaign --executor "$backend?fuse=bit" --twins --programs two.programs --out night --time 6s --jobs 2 --seed 3
like out "^Twins: how often bits differ" "campaign: its summary tells"
like err "^new: dso:.*module addn+subtract .*(twins)" "campaign: class twins is told"
like err "assay replay '.*' --executor 'dso:.*fuse=bit' --twin 'steps:dso:.*fuse=bit'" "campaign: with its twin"
unlike err "^new: steps:" "campaign: the steps are not blamed"
run 0 "campaign: who was outside" query twin-verdicts --db night --format json
is "$(json out 'join ",", map { ($_->{cases} > 0) . ($_->{different} > 0) . ($_->{"twin wrong"}) . ($_->{"class twins"} > 0) . $_->{"most in"} } @$d')" \
  "1101multiply+add" "campaign: the table of twins"
run 0 "report" report --db night
like out "^TWINS: one backend asked in two ways" "report: tells of twins"
like out "assay replay .*--twin 'steps:dso" "report: with the twin"
"$ASSAY" report --db night --format json >out 2>err
is "$(json out '$d->{"twin-verdicts"}[0]{different} > 0')" 1 "report: in JSON"
like night/campaign.ini "--twins" "campaign: it is gone on with by the same option"
run 2 "campaign: its own twin" campaign --executor "$backend" --twin "$backend" --out own
like err "its own twin" "campaign: said so"

# Single ops go through steps: as they are, so the twin is not asked about them.
run 0 "a single op" run --op stablehlo.add --op module --executor model:pairwise --twins --cases 60 --json
is "$(json out 'join ",", sort keys %{{map { $_->{op} => 1 } @{$d->{pairs}}}}')" module "a single op: the twin is not asked"
run 0 "no module" run --op stablehlo.add --executor model:pairwise --twins --cases 20
like out "^judged: model:pairwise 20 of 20, steps:model:pairwise 0" "no module: and none is missed"
run 0 "what is taken" run --op stablehlo.add --op module --executor "$backend" --twins --cases 10 --draws 400 --probe --fail-on never

# Another way to run the same.
run 0 "--twin" run --program "$fused" --executor "$backend?fuse=fma" --twin "$backend?fuse=none" --cases 100 --json
pairs "some some 0 0 0" "--twin: another configuration"
run 2 "both" run --program "$fused" --executor "$backend" --twin "$backend?fuse=fma" --twins
like err "exclude each other" "both: said so"
run 2 "two executors and --twin" run --program "$fused" --executor "$backend" --executor model:pairwise --twin model:lanes8
like err "give --executor once" "two executors: said so"
run 2 "its own twin" run --program "$fused" --executor "$backend" --twin "$backend"
like err "its own twin" "its own twin: said so"
run 2 "steps of nothing" run --program "$fused" --executor steps:
like err "needs the name of another executor" "steps of nothing: said so"

# Step by step.
run 0 "a model op by op" run --op module --executor steps:model:pairwise --cases 40
like out "^judged: steps:model:pairwise 40 of 40" "a model op by op: judged"
run 0 "another op" run --op stablehlo.add --executor steps:model:pairwise --cases 20
like out "^judged: steps:model:pairwise 20 of 20" "other ops go through"
refused='module steps={v0=stablehlo.add(a0,a1) f32[4] f32[4] -> f32[4];v1=stablehlo.negate(v0) f32[4] -> f32[4];return(v1)} f32[4] f32[4] -> f32[4]'
run 0 "a step that is refused" run --program "$refused" --executor "steps:$backend" --cases 5
like out "refused 1 (v1 (stablehlo.negate): sums and products" "a step that is refused: which, and why"
sum='module steps={v0=stablehlo.reduce(a0,a1) body=add dims=[0] f32[3] f32[] -> f32[];return(v0)} f32[3] f32[] -> f32[] : 3f8000004000000040400000 : 00000000'
faulty="steps:${backend%twins.so}faulty.so"
run 3 "a step that writes beside its result" replay "$sum" --executor "$faulty?execute:write_after"
like out "v0 (stablehlo.reduce): wrote beside its results" "beside its result: which step"
run 3 "a step that ends its process" replay "$sum" --executor "$faulty?execute:crash" --isolate
like out "failed, crash" "a crash costs one case"
run 1 "a step that leaves its result unwritten" replay "$sum" --executor "$faulty?execute:leave_unwritten"
like out "diverges, unwritten" "unwritten: seen as of any op"

finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay vet --profile: the conformance report; --probe: what an executor takes is asked once, and drawn.
. "$(dirname "$0")/../checks.sh"
good=$(dirname "$ASSAY")/tests/dso/good.so
faulty=$(dirname "$ASSAY")/tests/dso/faulty.so
[ -e "$good" ] && [ -e "$faulty" ] || { echo "1..0 # SKIP $good and faulty.so are not built"; exit 0; }
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
answers=$XDG_CACHE_HOME/assay/capabilities

# ---- A profile of one's own ---------------------------------------------------------------------------
cat >two.profile <<'END'
stablehlo.add          f32 bf16   # each with itself
stablehlo.dot_general  i8,i8->i32
END
run 0 "a model" vet --executor model:pairwise --profile two.profile --page page.md --cases 60
like out '^ok .* stablehlo.add float f32,f32->f32$' "a model: a point for each of the profile's types"
like out '^ok .* stablehlo.dot_general .* i8,i8->i32$' "a model: and of its list of types"
! sed -n 's/^ok [0-9]* - model:pairwise //p' out | grep -v 'invalid programs' | grep -v 'judged' |
  grep -v -E '^stablehlo.(add float (f32,f32->f32|bf16,bf16->bf16)|dot_general .* i8,i8->i32)$' >matched
ok $? "a model: nothing else is drawn"
like page.md '^| model:pairwise | stablehlo.add  *|  *2 |  *2 |  *0 |' "the page: types, taken, refused"
like page.md '^| model:pairwise | stablehlo.add  *| C1 ' "the page: a row for each constraint"
like page.md '^| model:pairwise | bf16 ' "the page: a row for each element type"
mkdir parts
cp two.profile parts/b.profile
echo 'byteir.erf f64' >parts/a.profile
run 0 "a folder" vet --executor model:pairwise --profile parts --cases 30
like out '^ok .* byteir.erf [^ ]* f64->f64$' "a folder: the ops of all its files"

run 1 "a canary" vet --executor canary:drop_last_term --profile two.profile --page page.html --cases 60
like page.html 'assay replay &apos;\|assay replay &#39;' "a canary: the page has a line that replays a finding"
perl -0777 -ne '/data-promised="([^"]*)"/ or exit 1; my $p = $1; /<body>(.*)<\/body>/s or exit 1; my $b = $1;
  my %c = (section => scalar(() = $b =~ /<section/g), table => scalar(() = $b =~ /<table/g),
           tr => scalar(() = $b =~ /<tr>/g));
  for (keys %c) { $p =~ /\b$_=$c{$_}\b/ or exit 1 }
  exit !($c{section} == 9)' page.html
ok $? "a canary: the page is whole"

for name in stablehlo byteir; do
  "$ASSAY" vet --executor model:pairwise --profile $name --op stablehlo.negate --op byteir.erf --cases 1 >out 2>err
  [ $? -eq 0 ]
  ok $? "profile $name comes with Assay"
done

# ---- Bad input ----------------------------------------------------------------------------------------
# refuses PATTERN OPTION...: such a command is one of a user who is told what to do.
refuses() {
  pattern=$1
  shift
  run 2 "$*" vet --executor model:pairwise "$@"
  like err "$pattern" "$*: $pattern"
}
echo 'stablehlo.add' >short.profile
echo 'stablehlo.unknown *' >unknown.profile
: >empty.profile
refuses 'no profile "absent"' --profile absent
refuses 'short.profile:1: write an op and its element types' --profile short.profile
refuses 'the profile has no op and types that Assay draws' --profile unknown.profile
refuses 'no op is in this profile' --profile empty.profile
refuses 'ends in .html or .md' --profile two.profile --page page.txt
refuses '[-]-page needs --profile' --page page.md
refuses 'leave out --profile' --constraints --profile two.profile
run 3 "a page that cannot be written" vet --executor model:pairwise --profile two.profile --cases 1 --page /absent/x.md
like err 'cannot write "/absent/x.md"' "a page that cannot be written: said so"

# ---- What an executor takes ---------------------------------------------------------------------------
# sums OPTION...: cases of sums on the backend that knows those of f32.
cp "$good" own.so
sums() { "$ASSAY" run --op stablehlo.reduce --op stablehlo.convert --op stablehlo.add --executor dso:./own.so --cases 100 --fail-on never --json "$@" >out 2>err; }
refused='my $n = 0; $_->{outcome} eq "refused" and $n += $_->{cases} for @{$d->{counters}}; $n'
pairs='my $n = 0; $_->{outcome} eq "refused" && $_->{algorithm} eq "" and $n += $_->{cases} for @{$d->{counters}}; $n'
sums
before=$(json out "$refused")
sums --probe
like err 'own.so: asked what it takes, with [0-9]* tiny programs' "probe: says that it asks"
after=$(json out "$refused")
asked=$(json out "$pairs")
[ "$asked" -gt 100 ] && [ $((2 * (after - asked))) -lt "$before" ]
ok $? "probe: what is refused is drawn half as often at most, and counted as refused: $before, $after, $asked"
[ "$(json out '$d->{executors}[0]{judged}')" -eq 100 ]
ok $? "probe: what is taken is judged"
[ "$(json out 'scalar grep { $_->{outcome} eq "conforms" && $_->{types} ne "f32,f32->f32" && !$_->{invalid} } @{$d->{counters}}')" = 0 ]
ok $? "probe: no refused pair has passed"
json out 'join "\n", map { "$_->{op} $_->{types} $_->{outcome} $_->{cases}" } @{$d->{counters}}' >first
sums --probe
unlike err 'asked what it takes' "again: the answers are known"
json out 'join "\n", map { "$_->{op} $_->{types} $_->{outcome} $_->{cases}" } @{$d->{counters}}' | cmp -s - first
ok $? "again: the same cases as with the first answers"
sed -i 's/^taken\(.*\)f32,f32->f32/nonsense\1f32,f32->f32/' "$answers"/*.tsv
sums --probe
like err 'with [0-9]* tiny programs' "a line of the file that is none: asked again"
[ "$(json out '$d->{executors}[0]{judged}')" -eq 100 ]
ok $? "a line of the file that is none: the same answer"
touch own.so
sums --probe
like err 'asked what it takes' "another shared object: asked again"
# Whoever changes a version number finds that pairs are asked anew: with the old answers all would be refused.
sed -i 's/^taken/refused/' "$answers"/*.tsv
touch own.so
sums --probe
[ "$(json out '$d->{executors}[0]{judged}')" -eq 100 ]
ok $? "another shared object: answers of the old one do not count"

# A campaign asks before it begins; one of its slices counts what is refused, for all of them.
cp "$good" own.so
"$ASSAY" campaign --out night --executor dso:./own.so --op stablehlo.reduce --op stablehlo.add --probe --time 6s \
  --jobs 2 --seed 3 --fail-on never >out 2>err
like err 'own.so: asked what it takes' "a campaign: asks first"
"$ASSAY" query --sql "SELECT sum(cases) = count(*) AS once, count(*) > 100 AS many FROM counter
  WHERE outcome = 'refused' AND algorithm = ''" --db night --format csv >out 2>err
like out '^1,1' "a campaign: each pair is counted as refused, once"
"$ASSAY" query --sql "SELECT count(*) = 0 AS none FROM counter WHERE op = 'stablehlo.add' AND algorithm <> ''" \
  --db night --format csv >out 2>err
like out '^1' "a campaign: an op that is refused is not drawn"

cp "$faulty" own.so
"$ASSAY" run --op stablehlo.reduce --executor 'dso:./own.so?compile:crash' --isolate --draws 40 --probe --json --fail-on never >out 2>err
[ "$(json out '$d->{totals}{failed}')" -gt 0 ]
ok $? "a backend that crashes when it is asked: pairs are drawn, and the crash is found"
run 3 "nothing is taken" run --op stablehlo.negate --executor dso:./own.so --probe --cases 5
like err 'no executor takes any of these ops and types; of stablehlo.negate' "nothing is taken: said so"
finish

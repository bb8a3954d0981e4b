#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Dot algorithms: asked for one, another was observed; in the summary, in findings, in the database.
. "$(dirname "$0")/../checks.sh"

program='stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[bf16,bf16,f32,1,1,1,false] f32[4,8] f32[8,4] -> f32[4,4]'
fallback='model:sequential+algorithm=F32_F32_F32'
silent='model:shuffled+seed=3+algorithm=BF16_BF16_F32+split=truncate+by-term'

run 1 "a fallback" run --program "$program" --executor "$fallback" --cases 100 --seed 3 --db a.db
like out "diverges (algorithm): .*asked for BF16_BF16_F32; these bits could be: .*F32_F32_F32" \
  "a fallback: the finding says what was asked for and what the bits could be"
like out "^$fallback stablehlo.dot_general, identified by the bits" "a fallback: a table"
like out "^  BF16_BF16_F32  f32,f32->f32  *\(1[0-9][0-9]\)  *[1-9][0-9]  *\1  .*F32_F32_F32$" \
  "a fallback: not always as asked, and what was run fits every case"
grep '^  assay replay' out | head -1 >pasted
PATH="$(dirname "$ASSAY"):$PATH"
sh -c "$(cat pasted)" >out 2>err
[ $? -eq 1 ] && grep -q '^  bits:     asked for BF16_BF16_F32; these bits could be: .*F32_F32_F32' out
ok $? "a fallback: replayed, what the bits could be"

run 0 "the same algorithm" run --program "$program" --executor "$silent" --cases 100 --seed 3 --db a.db
like out "^  BF16_BF16_F32  all types  *\(1[0-9][0-9]\)  *\1  *\1  as asked$" "the same algorithm: as asked"
unlike out "diverges (" "the same algorithm: silent"
run 0 "no algorithm" run --op stablehlo.reduce --executor model:sequential --cases 100
unlike out "identified by the bits" "no algorithm: no table"

run 1 "JSON" run --program "$program" --executor "$fallback" --cases 100 --seed 3 --json
parses_as_json out "JSON: parses"
[ "$(json out 'my $n = 0; $n += $_->{cases} for @{$d->{observations}}; $n == $d->{cases}')" = 1 ]
ok $? "JSON: every case is in one row"
[ "$(json out 'scalar grep { !grep { $_ eq "F32_F32_F32" } @{$_->{observed}} } @{$d->{observations}}')" = 0 ]
ok $? "JSON: what was run is among what was observed, always"
[ "$(json out 'my $n = 0; for (@{$d->{observations}}) { $n += $_->{cases} unless $_->{as_asked} } $n > 0')" = 1 ]
ok $? "JSON: what is not as asked"
[ "$(json out 'scalar grep { ref $_->{verdict}{algorithms} ne "ARRAY" } @{$d->{findings}}')" = 0 ]
ok $? "JSON: findings have the algorithms"

for query in observed fallbacks candidates told-apart; do
  run 0 "query $query" query "$query" --db a.db --format csv
  like out "BF16_BF16_F32" "query $query: not empty"
done
run 0 "candidates" query candidates --db a.db --format csv
like out "^$fallback,.*,BF16_BF16_F32,\"f32,f32->f32\",F32_F32_F32,\(1[0-9][0-9]\),\1,100," "candidates: f32 explains all"
like out "split=truncate+by-term,.*,BF16_BF16_F32,\"f32,f32->f32\",BF16_BF16_F32,\(1[0-9][0-9]\),\1,100," \
  "candidates: bf16 explains all where it was run"
run 0 "fallbacks" query fallbacks --db a.db --format csv
like out "^$fallback," "fallbacks: the one that fell back"
unlike out "by-term" "fallbacks: not the other"

line='stablehlo.dot_general batch=[]x[] contract=[1]x[0] algorithm=[bf16,bf16,f32,1,1,1,false] f32[1,1] f32[1,1] -> f32[1,1] : 3fc00001 : 3f800000'
run 0 "replay" replay "$line" --executor model:sequential
like out "^  bits:     asked for BF16_BF16_F32; these bits could be: .*BF16_BF16_F32" \
  "replay: as asked, and what else"
unlike out "F32_F32_F32,\|, F32_F32_F32" "replay: not what the bits exclude"
run 1 "replay of a fallback" replay "$line" --executor "$fallback" --json
[ "$(json out 'join " ", grep { /^(BF16_BF16_F32|F32_F32_F32)$/ } @{$d->[0]{verdict}{algorithms}}')" = F32_F32_F32 ]
ok $? "replay of a fallback, JSON: f32, not bf16"
sum='stablehlo.reduce body=add dims=[0] f32[2] f32[] -> f32[] : 3f80000040000000 : 00000000'
run 0 "replay of a sum" replay "$sum" --executor model:sequential --json
[ "$(json out 'defined $d->[0]{verdict}{algorithms} ? 1 : 0')" = 0 ]
ok $? "replay of a sum, JSON: nobody asked"
finish

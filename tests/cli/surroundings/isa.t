#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# ASSAY_ISA: the loops that are compiled for several instruction sets give the same verdicts, counters
# and findings, over all ops; their unit tests hold with each.
. "$(dirname "$0")/../checks.sh"
build=$(dirname "$ASSAY")
widest=$("$ASSAY" --version | sed -n 's/^instruction set: //p')
case $widest in
  avx512) sets="plain avx2 avx512" ;;
  avx2) sets="plain avx2" ;;
  *) sets=plain ;;
esac

ASSAY_ISA=sse9 run 2 "a bad value" run --executor model:sequential --cases 1
like err "bad value 'sse9' (ASSAY_ISA); write plain, avx2 or avx512" "a bad value: what to write"
for set in plain avx2 avx512; do
  case " $sets " in *" $set "*) continue ;; esac
  ASSAY_ISA=$set run 2 "$set, which this machine lacks" ops
  like err "this machine has no $set (ASSAY_ISA); write ASSAY_ISA=$widest" "$set: what to do"
done

# What depends on time, or says which set it is, goes.
for set in $sets; do
  ASSAY_ISA=$set "$ASSAY" --version >out
  like out "^instruction set: $set$" "$set: --version tells"
  ASSAY_ISA=$set "$ASSAY" run --cases 800 --seed 11 --strata corner=9,tiles=1 --executor model:lanes8+fma --executor canary:drop_last_term \
    --executor canary:drop_nan --contract backend --json >$set.json 2>err
  [ "$(json $set.json '$d->{instruction_set}')" = $set ]
  ok $? "$set: JSON tells"
  perl -MJSON::PP -e 'local $/; my $d = decode_json(<>); delete $d->{$_} for qw(seconds time_shares instruction_set);
    print JSON::PP->new->canonical->pretty->encode($d)' $set.json >$set.text
done
[ "$(json plain.json 'scalar keys %{{map { $_->{op} => 1 } @{$d->{counters}}}}')" = "$("$ASSAY" ops --json | perl -MJSON::PP -e 'local $/; print scalar @{decode_json(<>)}')" ]
ok $? "all ops are there"
[ "$(json plain.json 'scalar @{$d->{findings}}')" -gt 20 ]
ok $? "and findings"
for set in $sets; do
  cmp -s plain.text $set.text
  ok $? "$set: verdicts, counters and findings are those of the plain one"
  diff plain.text $set.text | head -5 | sed 's/^/# /'
done

# The programs that test kernels hold them against one another; the rest of each runs with the chosen one.
for set in $sets; do
  [ $set = "$widest" ] && continue # As in every run of these tests.
  for test in test_fold test_in_order_hull test_sum_result test_quantum test_sharper_bounds; do
    [ -x "$build/tests/$test" ] || continue
    ASSAY_ISA=$set "$build/tests/$test" --tap -k >out 2>err
    ok $? "$set: $test"
  done
done
finish

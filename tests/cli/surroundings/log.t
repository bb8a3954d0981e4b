#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ASSAY_LOG: messages for developers on standard error, by area; silent without it, and verdicts the same.
. "$(dirname "$0")/../checks.sh"
unset ASSAY_LOG G_MESSAGES_DEBUG

drawn="run --executor canary:drop_last_term --op stablehlo.reduce --cases 30"
run 1 "without a log" $drawn --db plain.db
grep -v '^[0-9]* cases in\|^time: ' out >plain
unlike err "DEBUG" "without a log: none"

export ASSAY_LOG=debug
run 1 "all of it" $drawn --db log.db
grep -v '^[0-9]* cases in\|^time: ' out | cmp -s - plain
ok $? "all of it: standard output is the same"
like err "assay-exec-DEBUG: .*: open canary:drop_last_term: " "all of it: an executor is opened"
like err "assay-exec-DEBUG: .*: canary:drop_last_term: compile stablehlo.reduce .*: ok" "all of it: a program is compiled"
like err "assay-exec-DEBUG: .*: canary:drop_last_term: call stablehlo.reduce .*: ok" "all of it: a call"
like err "assay-oracle-DEBUG: .*: decided component [0-9]* of result 0 exactly, " "all of it: an exact decision"
like err "assay-store-DEBUG: .*log.db: commit, .* ms with the wait for others: done" "all of it: a commit"
grep -q -v -e "DEBUG: " err
[ $? -eq 1 ]
ok $? "all of it: nothing else on standard error"

ASSAY_LOG=store
run 1 "one area" $drawn --db one.db
like err "assay-store-DEBUG" "one area: there"
unlike err "assay-exec-DEBUG\|assay-oracle-DEBUG" "one area: no other"
ASSAY_LOG=exec,oracle
run 1 "two areas" $drawn
like err "assay-exec-DEBUG" "two areas: the first"
like err "assay-oracle-DEBUG" "two areas: the second"
ASSAY_LOG=campaign
run 1 "a campaign" campaign --executor canary:drop_last_term --op stablehlo.reduce --time 2s --jobs 1 --out c
like err "assay-campaign-DEBUG: .*: worker 0, slice 0: .* fuzz " "a campaign: a slice begins"
like err "assay-campaign-DEBUG: .*: worker 0, slice 0: wait status 0, [1-9][0-9]* cases" "a campaign: and ends"
ASSAY_LOG=exec,everything
run 2 "an unknown area" ops
like err '^assay: ASSAY_LOG: unknown word "everything"; write debug, or some of campaign,exec,oracle,store$' \
  "an unknown area: named"
ASSAY_LOG=
run 0 "an empty value" ops
[ ! -s err ]
ok $? "an empty value: silent"

# What a backend says about a refusal.
good=$(dirname "$ASSAY")/tests/dso/good.so
if [ -e "$good" ]; then
  ASSAY_LOG=exec
  run 0 "a shared object" run --executor "dso:$good" --op stablehlo.reduce --cases 5
  like err "assay-exec-DEBUG: .*good.so: compile .*: refused only sums of f32" "a shared object: why it refused"
fi
finish

#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Executors whose additions race: bits may differ from run to run, where the contract says so.
. "$(dirname "$0")/../checks.sh"
program='stablehlo.reduce body=add dims=[0] f32[24] f32[] -> f32[]'
racing='model:shuffled+races'

run 1 "by default" run --program "$program" --executor "$racing" --cases 200 --seed 3 --db races.db
like out "diverges (nondeterministic): .*two runs of the case differ.*repeat=any" "named, with what permits it"
run 0 "repeat=any" run --program "$program" --executor "$racing" --cases 200 --seed 3 \
  --contract repeat=any
like out "0 findings" "repeat=any: nothing is found"
run 1 "a lost update" run --program "$program" --executor "canary:lost_update+shuffled+races" \
  --cases 200 --seed 3 --contract repeat=any
like out "diverges (value)" "a lost update: found, though bits may differ"

# Each run is judged by itself, so others are not held against bits that do not come again.
run 0 "two executors" run --program "$program" --executor "$racing" --executor model:sequential \
  --cases 200 --seed 3 --contract repeat=any --db pairs.db
run 0 "pairs" query pairs --db pairs.db --format csv
compared=$(sed -n '2s/.*",\([0-9]*\),.*/\1/p' out)
[ "$compared" -gt 0 ] && [ "$compared" -lt 200 ]
ok $? "pairs: cases whose bits come again are compared ($compared of 200)"

run 2 "ledger" ledger --executor "$racing" --contract repeat=any --db ledger.db
like err "bit by bit.*leave it out of --contract" "ledger: what to do"
run 2 "predictions" run --executor "$racing" --contract identified,repeat=any --db races.db
like err "leave one of them out" "predictions: what to do"

run 1 "identify" identify --executor "$racing" --op stablehlo.reduce --n 24
like out "not-deterministic" "identify: says so"
run 1 "invariance" invariance --executor "$racing" --op stablehlo.reduce --type f32 --cases 60
like out "run-to-run" "invariance: bits are compared from run to run"

# A finding is retested under the contract that it was found under.
run 1 "retest" retest --db races.db --executor "$racing"
like out "still" "retest: still there"

"$ASSAY" gen --op stablehlo.reduce --cases 300 --seed 5 >cases
"$ASSAY" subject --executor "$racing" <cases >results 2>err
grep -q 'nondeterministic' results
ok $? "subject: some runs differ"
"$ASSAY" judge <results >out 2>err
[ $? -eq 1 ]
ok $? "judge: they diverge by default"
"$ASSAY" judge --contract repeat=any <results >out 2>err
ok $? "judge: not where the contract permits it"
like out "neither is given" "judge: but it is not known that they conform"
finish

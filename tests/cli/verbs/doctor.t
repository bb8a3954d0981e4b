#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# assay doctor: what this machine can and whether Assay is sound.
. "$(dirname "$0")/../checks.sh"

run 0 "doctor" doctor --executor model:pairwise
like out "^ok *oracle of stablehlo.dot_general: [1-9][0-9]* components agree with MPFR" "the oracle"
like out "^ok *database: writable" "a database"
like out "^ok *float environment" "the float environment"
like out "^ok *canary:drop_last_term" "a canary is found"
like out "^ok *model:pairwise" "the executor asked for"
run 3 "an executor that is not there" doctor --executor dso:/nowhere/libnothing.so
like out "^FAILED *dso:/nowhere/libnothing.so" "an executor that is not there: says so"
run 3 "a database that cannot be" doctor --executor model:pairwise --db /nowhere/a.db
like out "^FAILED *database" "a database that cannot be: says so"
run 0 "JSON" doctor --executor model:pairwise --json
parses_as_json out "JSON: parses"
finish

-- SPDX-License-Identifier: Apache-2.0
-- Version 3: which dot algorithms results could have come from.  The rules for columns are those of
-- schema.sql.

-- What was asked for and what was observed: cases whose results were held against the accept sets
-- of all dot algorithms.  That is every case that names an algorithm and gave results that an oracle
-- knows; where none is named, only cases with wrong values that nothing else explains.
CREATE TABLE observation (
  run_id      INTEGER NOT NULL REFERENCES run,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),         -- these three as in counter ...
  algorithm   TEXT NOT NULL CHECK (algorithm <> ''),  -- ... asked for: "BF16_BF16_F32", "default"
  types       TEXT NOT NULL,
  observed    TEXT NOT NULL,  -- the algorithms whose accept sets hold all components of the results,
                              -- each once, joined by '|' in the order of
                              -- oracles/ops/dot_general/op/algorithms.def: "BF16_BF16_F32|F32_F32_F32";
                              -- '' if none does
  cases       INTEGER NOT NULL CHECK (cases > 0),
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, observed)
) STRICT, WITHOUT ROWID;

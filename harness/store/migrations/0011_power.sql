-- SPDX-License-Identifier: Apache-2.0
-- Version 11: how wrong results could have been without being noticed.  The rules for columns are
-- those of schema.sql.

-- Elements of judged cases by their tolerance: how far, in units in the last place, the farthest value
-- that conforms lies from the exact value.  A sample: some elements of some cases of each kind.
CREATE TABLE tolerance (
  run_id      INTEGER NOT NULL REFERENCES run,
  op          TEXT NOT NULL CHECK (op <> ''),       -- these three as in counter
  algorithm   TEXT NOT NULL,
  types       TEXT NOT NULL,
  terms_low   INTEGER NOT NULL CHECK (terms_low >= 0),  -- elements combine so many terms, ...
  terms_high  INTEGER NOT NULL,      -- ... up to so many: 1, 2 to 8, 9 to 64, ...
  is_vacuous  INTEGER NOT NULL CHECK (is_vacuous IN (0, 1)),  -- zero and twice the value conform too
  bucket      INTEGER NOT NULL,      -- of the tolerance, as in histogram
  low         REAL NOT NULL,         -- where the bucket begins ...
  high        REAL NOT NULL,         -- ... and ends
  cases       INTEGER NOT NULL CHECK (cases > 0),  -- elements
  PRIMARY KEY (run_id, op, algorithm, types, terms_low, is_vacuous, bucket)
) STRICT, WITHOUT ROWID;

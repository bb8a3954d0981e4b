-- SPDX-License-Identifier: Apache-2.0
-- Version 10: which results kept a tighter contract than their run's.  The rules for columns are those of
-- schema.sql.

-- The same table as before, for one kind more.  contract: of a conforming case with 16-bit or 8-bit floats
-- that was held against contract `wide` too, as far as the run's contract permits that, 'wide' if it
-- conforms to that, 'not wide' if it does not: every fourth such case of an executor's is held.
CREATE TABLE observation_of_contracts (
  run_id      INTEGER NOT NULL REFERENCES run,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),
  algorithm   TEXT NOT NULL CHECK (algorithm <> ''),
  types       TEXT NOT NULL,
  observed    TEXT NOT NULL,
  cases       INTEGER NOT NULL CHECK (cases > 0),
  kind        TEXT NOT NULL DEFAULT 'algorithm' CHECK (kind IN ('algorithm', 'formula', 'contract')),
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, observed)
) STRICT, WITHOUT ROWID;
INSERT INTO observation_of_contracts SELECT * FROM observation;
DROP TABLE observation;
ALTER TABLE observation_of_contracts RENAME TO observation;

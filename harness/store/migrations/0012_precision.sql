-- SPDX-License-Identifier: Apache-2.0
-- Version 12: what executors compute for the words of a precision_config.  The rules for columns are
-- those of schema.sql.

-- The same table as before, for one kind more.  precision: of a product of f32 that names no algorithm
-- (every fourth such case that gave results), the algorithms that could have given them, as of kind
-- algorithm; `algorithm` is then what its precision_config says: "default" where there is none.  A case
-- may be counted under both kinds, so the kind is part of the key.
CREATE TABLE observation_of_precisions (
  run_id      INTEGER NOT NULL REFERENCES run,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),
  algorithm   TEXT NOT NULL CHECK (algorithm <> ''),
  types       TEXT NOT NULL,
  observed    TEXT NOT NULL,
  kind        TEXT NOT NULL DEFAULT 'algorithm'
              CHECK (kind IN ('algorithm', 'formula', 'contract', 'precision')),
  cases       INTEGER NOT NULL CHECK (cases > 0),
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, observed, kind)
) STRICT, WITHOUT ROWID;
INSERT INTO observation_of_precisions
SELECT run_id, executor_id, op, algorithm, types, observed, kind, cases FROM observation;
DROP TABLE observation;
ALTER TABLE observation_of_precisions RENAME TO observation;

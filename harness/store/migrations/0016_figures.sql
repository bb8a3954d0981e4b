-- SPDX-License-Identifier: Apache-2.0
-- Version 16: what numerics people ask for, as numbers.  The rules for columns are those of schema.sql.

-- processor: the model of the machine's processor, as the system tells it, '' if it does not or before
-- this version.  architecture: as `uname -m` tells it, '' likewise.  processors: threads of hardware that the
-- process could use, NULL before this version.
ALTER TABLE run ADD COLUMN processor TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN architecture TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN processors INTEGER CHECK (processors >= 0);

-- Where the time of these cases went; 0 before this version.  executor_seconds: in the executor, of both of
-- its executions.  compile_seconds: in the executor, until the programs could be executed; a program
-- counts with its first case.  oracle_seconds: in making accept sets; of a case that several executors got, each
-- has an equal share.  judge_seconds: in holding results against them.
ALTER TABLE counter ADD COLUMN executor_seconds REAL NOT NULL DEFAULT 0 CHECK (executor_seconds >= 0);
ALTER TABLE counter ADD COLUMN compile_seconds REAL NOT NULL DEFAULT 0 CHECK (compile_seconds >= 0);
ALTER TABLE counter ADD COLUMN oracle_seconds REAL NOT NULL DEFAULT 0 CHECK (oracle_seconds >= 0);
ALTER TABLE counter ADD COLUMN judge_seconds REAL NOT NULL DEFAULT 0 CHECK (judge_seconds >= 0);

-- first_ordinal: which case of its process showed the finding first: 1 is the first, 0 is none that was
-- drawn; NULL before this version.
ALTER TABLE divergence ADD COLUMN first_ordinal INTEGER CHECK (first_ordinal >= 0);

-- Figures of the case; NULL where a figure is not known, and before this version.
-- terms: how many terms each result element combines (K); 1 where nothing is combined.
-- condition: of the worst element, the sum of |terms| over |exact sum|; Inf if that is 0; NULL if the
-- element is no sum, or not known as one number.
-- term_magnitude: the sum of |terms|, as of |products| of a dot product.
-- sum_magnitude: |exact sum|.
-- operand_elements: numbers in the operands, of complex elements two.
-- nan_elements: NaN among these.  infinite_elements: infinities among these.
-- subnormal_elements: subnormal numbers among these.
-- seconds: in the executor, of both executions; a shrunk case has those of the one that it comes from.
-- ordinal: which case of its process it was: 1 is the first, 0 is none that was drawn; likewise.
ALTER TABLE reproducer ADD COLUMN terms INTEGER CHECK (terms >= 0);
ALTER TABLE reproducer ADD COLUMN condition REAL CHECK (condition >= 0);
ALTER TABLE reproducer ADD COLUMN term_magnitude REAL CHECK (term_magnitude >= 0);
ALTER TABLE reproducer ADD COLUMN sum_magnitude REAL CHECK (sum_magnitude >= 0);
ALTER TABLE reproducer ADD COLUMN operand_elements INTEGER CHECK (operand_elements >= 0);
ALTER TABLE reproducer ADD COLUMN nan_elements INTEGER CHECK (nan_elements >= 0);
ALTER TABLE reproducer ADD COLUMN infinite_elements INTEGER CHECK (infinite_elements >= 0);
ALTER TABLE reproducer ADD COLUMN subnormal_elements INTEGER CHECK (subnormal_elements >= 0);
ALTER TABLE reproducer ADD COLUMN seconds REAL CHECK (seconds >= 0);
ALTER TABLE reproducer ADD COLUMN ordinal INTEGER CHECK (ordinal >= 0);

-- How accurate results were, by what the cases were like: judged cases, whether they conform or diverge.
-- A sample that looks at no verdict: of each process the first 256 cases, and one in four after that.
CREATE TABLE accuracy (
  run_id             INTEGER NOT NULL REFERENCES run,
  executor_id        INTEGER NOT NULL REFERENCES executor,
  op                 TEXT NOT NULL CHECK (op <> ''),       -- these three as in counter
  algorithm          TEXT NOT NULL,
  types              TEXT NOT NULL,
  outcome            TEXT NOT NULL CHECK (outcome IN ('conforms', 'diverges')),
  stratum            TEXT NOT NULL,  -- of the data (harness/gen/strata.def), '' if they were not drawn
  data               TEXT NOT NULL CHECK (data IN (  -- what the operands hold, all together
                       'ordinary',   -- numbers of at most 16 binary orders of magnitude from 1, and zeros
                       'wide',       -- other numbers too
                       'special')),  -- NaN or infinities too
  terms_low          INTEGER NOT NULL CHECK (terms_low >= 0),  -- elements combine so many terms (K), ...
  terms_high         INTEGER NOT NULL,  -- ... up to so many: 1, 2 to 8, 9 to 64, ...
  condition_bucket   INTEGER NOT NULL,  -- k: condition numbers from 8^k up to, not including, 8^(k+1); -1: not
                                        -- known; 21: all from there on, and Inf
  condition_low      REAL,              -- where the bucket begins, NULL if not known ...
  condition_high     REAL,              -- ... and ends
  cases              INTEGER NOT NULL CHECK (cases > 0),  -- of the sample
  elements           INTEGER NOT NULL,  -- of their results
  operand_elements   INTEGER NOT NULL,  -- numbers in their operands, of complex elements two
  nan_elements       INTEGER NOT NULL,  -- NaN among these
  infinite_elements  INTEGER NOT NULL,  -- infinities among these
  subnormal_elements INTEGER NOT NULL,  -- subnormal numbers among these
  seconds            REAL NOT NULL,     -- in the executor, of both executions
  ulp_error_cases    INTEGER NOT NULL,  -- cases whose largest error in ulps is known and finite, ...
  ulp_error_sum      REAL NOT NULL,     -- ... and the sum of these errors
  backward_error_cases INTEGER NOT NULL,  -- likewise of the largest backward error: |err| / (u * sum of |terms|)
  backward_error_sum REAL NOT NULL,     -- ... and their sum
  ulp_error_max      REAL CHECK (ulp_error_max >= 0),       -- these three as in counter
  slack_max          REAL CHECK (slack_max >= 0),
  backward_error_max REAL CHECK (backward_error_max >= 0),
  condition_max      REAL CHECK (condition_max >= 0),       -- sum of |terms| over |exact sum|, the largest
  term_magnitude_max REAL CHECK (term_magnitude_max >= 0),  -- the largest sum of |terms| ...
  sum_magnitude_max  REAL CHECK (sum_magnitude_max >= 0),   -- ... and the largest |exact sum|
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, outcome, stratum, data, terms_low,
               condition_bucket)
) STRICT, WITHOUT ROWID;

-- SPDX-License-Identifier: Apache-2.0
-- The tables of an Assay database, version 1.  Later versions are migrations/NNNN_*.sql, applied in
-- order on top of this one; a database says in user_version how far it has come.  Views for readers
-- are in reports/views.sql; the store puts them into every database that it opens for writing.
--
-- Rules for all columns
--   Names (ops, outcomes, classes, permissions, regimes) are stored as spelled, never as numbers.
--   Exact values are text: hex bits or hex floats.  (SQLite turns NaN into NULL and -0.0 into 0.0.)
--   Measures of error are REAL and at least 0.  Inf is a measure too: a result that is not finite
--   where a finite one is due.  It sorts and compares as one expects, and prints as Inf.  NULL: not
--   measured.
--   64-bit seeds are decimal text, as one types them: an INTEGER of SQLite is signed.
--   Times are UTC, ISO 8601, to the second: 2026-11-21T03:20:07Z.
--   '' (not NULL) stands for "has none" in a name; NULL for "not yet" and "not measured".

-- What the store knows about the database itself.
CREATE TABLE meta (
  key   TEXT NOT NULL PRIMARY KEY,  -- "views": hash of the views.sql that is in place
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The permissions under which verdicts were given.
CREATE TABLE contract (
  contract_id INTEGER PRIMARY KEY,
  permissions TEXT NOT NULL UNIQUE  -- all of them: "order=any,init_count=any,..."
) STRICT;

-- One start of the program that wrote here.
CREATE TABLE run (
  run_id        INTEGER PRIMARY KEY,
  command       TEXT NOT NULL,      -- the command line
  seed          TEXT NOT NULL CHECK (seed GLOB '[0-9]*'),
  contract_id   INTEGER NOT NULL REFERENCES contract,
  assay_version TEXT NOT NULL,
  started       TEXT NOT NULL CHECK (started GLOB '????-??-??T??:??:??Z'),
  ended         TEXT CHECK (ended GLOB '????-??-??T??:??:??Z'),  -- NULL: runs, or was killed
  exit_code     INTEGER,            -- of the program; NULL like `ended`
  CHECK ((ended IS NULL) = (exit_code IS NULL))
) STRICT;

-- A backend under test.  Another version or other hardware is another executor.
CREATE TABLE executor (
  executor_id INTEGER PRIMARY KEY,
  name        TEXT NOT NULL CHECK (name <> ''),  -- as typed: "onednn", "model:pairwise"
  version     TEXT NOT NULL,        -- as the backend says
  hardware    TEXT NOT NULL,        -- as the backend says: instruction set, kernels in use
  UNIQUE (name, version, hardware)
) STRICT;

-- An op with its attributes and types, once for all cases that have it.
CREATE TABLE program (
  program_id INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL UNIQUE CHECK (length(hash) = 32),  -- of `line`: XXH3, 128 bits, hex
  line       TEXT NOT NULL          -- the program line, see harness/model/case_line.md
) STRICT;

-- What ran: cases by op, algorithm, types, executor and verdict.  Cases themselves are not stored.
CREATE TABLE counter (
  run_id             INTEGER NOT NULL REFERENCES run,
  executor_id        INTEGER NOT NULL REFERENCES executor,
  op                 TEXT NOT NULL CHECK (op <> ''),  -- "stablehlo.reduce"
  algorithm          TEXT NOT NULL,  -- the op's own label: "add", "default"
  types              TEXT NOT NULL,  -- element types: "f32,f32->f32"
  outcome            TEXT NOT NULL CHECK (outcome <> ''),  -- harness/judge/outcomes.def
  class              TEXT NOT NULL,  -- harness/judge/classes.def, '' if none
  implementation     TEXT NOT NULL,  -- the kernel that the library says it chose, ''
  cases              INTEGER NOT NULL CHECK (cases > 0),
  ulp_error_max      REAL CHECK (ulp_error_max >= 0),  -- in units in the last place of the result
  slack_max          REAL CHECK (slack_max >= 0),      -- error / permitted error; above 1 diverges
  backward_error_max REAL CHECK (backward_error_max >= 0),  -- |err| / (u * sum of |terms|)
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, outcome, class, implementation)
) STRICT, WITHOUT ROWID;

-- Who agrees with whom: cases that two executors of a run both answered with results (not refused,
-- not failed), held against each other bit by bit.  All NaN patterns of a float count as the same.
-- Who is to blame is what the oracle says of each alone, never what most of them returned.
CREATE TABLE pair (
  run_id             INTEGER NOT NULL REFERENCES run,
  first_executor_id  INTEGER NOT NULL REFERENCES executor (executor_id),  -- in the order of the ...
  second_executor_id INTEGER NOT NULL REFERENCES executor (executor_id),  -- ... command line
  op                 TEXT NOT NULL CHECK (op <> ''),  -- these three as in counter
  algorithm          TEXT NOT NULL,
  types              TEXT NOT NULL,
  cases              INTEGER NOT NULL CHECK (cases > 0),  -- that both answered
  alike_wrong        INTEGER NOT NULL,  -- the same bits, outside the accept sets: wrong alike
  different          INTEGER NOT NULL,  -- not the same bits; the sum of the next five
  both_conform       INTEGER NOT NULL,  -- ... each within the accept sets: nobody is to blame
  first_diverges     INTEGER NOT NULL,  -- ... only the first is outside
  second_diverges    INTEGER NOT NULL,  -- ... only the second is outside
  both_diverge       INTEGER NOT NULL,  -- ... both are outside
  undecided          INTEGER NOT NULL,  -- ... none is known to be outside, one or both not known
  PRIMARY KEY (run_id, first_executor_id, second_executor_id, op, algorithm, types),
  CHECK (min(alike_wrong, both_conform, first_diverges, second_diverges, both_diverge, undecided)
         >= 0),
  CHECK (different = both_conform + first_diverges + second_diverges + both_diverge + undecided),
  CHECK (alike_wrong + different <= cases)
) STRICT, WITHOUT ROWID;

-- A finding: all cases on one executor that diverge in the same way.
CREATE TABLE divergence (
  divergence_id INTEGER PRIMARY KEY,
  executor_id   INTEGER NOT NULL REFERENCES executor,
  signature     TEXT NOT NULL CHECK (signature <> ''),  -- verdict_signature(): a hash
  op            TEXT NOT NULL CHECK (op <> ''),
  algorithm     TEXT NOT NULL,
  types         TEXT NOT NULL,
  outcome       TEXT NOT NULL CHECK (outcome <> ''),
  class         TEXT NOT NULL,
  broken_constraint TEXT NOT NULL,  -- "C7" where an invalid program was accepted, else ''
  sightings     INTEGER NOT NULL CHECK (sightings > 0),  -- cases that showed it
  first_seen    TEXT NOT NULL CHECK (first_seen GLOB '????-??-??T??:??:??Z'),
  last_seen     TEXT NOT NULL CHECK (last_seen GLOB '????-??-??T??:??:??Z'),
  first_run_id  INTEGER NOT NULL REFERENCES run,
  last_run_id   INTEGER NOT NULL REFERENCES run,
  UNIQUE (executor_id, signature)
) STRICT;

-- The cases that are kept of a finding.  Replay one with: assay replay 'CASE_LINE' --executor NAME
CREATE TABLE reproducer (
  divergence_id   INTEGER NOT NULL REFERENCES divergence,
  role            TEXT NOT NULL CHECK (role IN ('worst', 'shortest')),  -- worst: by slack, then ulp
  program_id      INTEGER NOT NULL REFERENCES program,
  run_id          INTEGER NOT NULL REFERENCES run,  -- that saw it
  case_line       TEXT NOT NULL CHECK (case_line <> ''),
  case_seed       TEXT NOT NULL CHECK (case_seed GLOB '[0-9]*'),  -- the generator's, for this case
  regime          TEXT NOT NULL,     -- how its data were drawn (harness/gen/regimes.def), ''
  implementation  TEXT NOT NULL,     -- as in counter
  result          INTEGER NOT NULL,  -- the worst element: which result ...
  component       INTEGER NOT NULL,  -- ... and which component of it, in row-major order
  wrong_count     INTEGER NOT NULL,  -- components outside their accept sets
  component_count INTEGER NOT NULL,  -- components judged
  got_bits        TEXT NOT NULL,     -- hex bits of the worst element
  got             TEXT NOT NULL,     -- the same in words
  expected        TEXT NOT NULL,     -- its accept set in words: "0x1.8p+3 .. 0x1.9p+3"
  observed        TEXT NOT NULL,     -- what explains it: "init_count=2", ''
  reason          TEXT NOT NULL,     -- what the executor said, ''
  ulp_error       REAL CHECK (ulp_error >= 0),
  slack           REAL CHECK (slack >= 0),
  backward_error  REAL CHECK (backward_error >= 0),
  PRIMARY KEY (divergence_id, role)
) STRICT;

-- "Has this run, and how did it go?" across runs.
CREATE INDEX counter_by_op ON counter (op, algorithm, types, executor_id);
CREATE INDEX divergence_by_op ON divergence (op, algorithm, types);

-- SPDX-License-Identifier: Apache-2.0
-- Version 5: campaigns of many processes and machines.  The rules for columns are those of
-- schema.sql.
--
-- Databases can be merged (assay merge), again and again, in any order: a run keeps its uuid, and all
-- that a run counts is in rows of its own that only grow.  So the larger of two counts of one run is
-- the newer one, and nothing is counted twice.

-- Readers of the views see them again at the end: the store renews them after each migration.
DROP VIEW IF EXISTS finding;
DROP VIEW IF EXISTS tally;
DROP VIEW IF EXISTS agreement;

-- uuid: the same run in two databases has the same one.  campaign: what it is a part of, as named by
-- assay campaign --name; '' if it stands alone.  host: the machine.  *_seconds: where its time went,
-- so far; all but `seconds` are parts of it.  A run without an end has been killed, or runs.
ALTER TABLE run ADD COLUMN uuid TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN campaign TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN host TEXT NOT NULL DEFAULT '';
ALTER TABLE run ADD COLUMN seconds REAL NOT NULL DEFAULT 0 CHECK (seconds >= 0);
ALTER TABLE run ADD COLUMN oracle_seconds REAL NOT NULL DEFAULT 0 CHECK (oracle_seconds >= 0);
ALTER TABLE run ADD COLUMN compile_seconds REAL NOT NULL DEFAULT 0 CHECK (compile_seconds >= 0);
ALTER TABLE run ADD COLUMN executor_seconds REAL NOT NULL DEFAULT 0 CHECK (executor_seconds >= 0);
ALTER TABLE run ADD COLUMN judge_seconds REAL NOT NULL DEFAULT 0 CHECK (judge_seconds >= 0);
UPDATE run SET uuid = lower(hex(randomblob(16)));
CREATE UNIQUE INDEX run_by_uuid ON run (uuid);

-- cause: what explains the wrong elements (harness/diagnose/causes.def), '' if nothing was found.
-- pattern: which elements are wrong, in words that hold for any size; '' if nobody looked.
ALTER TABLE divergence ADD COLUMN cause TEXT NOT NULL DEFAULT '';
ALTER TABLE divergence ADD COLUMN pattern TEXT NOT NULL DEFAULT '';

-- How often a run saw a finding.  divergence.sightings is the sum of these, first_seen and last_seen
-- their extremes; where they were seen before version 5 only the last run is known.
CREATE TABLE sighting (
  divergence_id INTEGER NOT NULL REFERENCES divergence,
  run_id        INTEGER NOT NULL REFERENCES run,
  cases         INTEGER NOT NULL CHECK (cases > 0),
  first_seen    TEXT NOT NULL CHECK (first_seen GLOB '????-??-??T??:??:??Z'),
  last_seen     TEXT NOT NULL CHECK (last_seen GLOB '????-??-??T??:??:??Z'),
  PRIMARY KEY (divergence_id, run_id)
) STRICT, WITHOUT ROWID;
INSERT INTO sighting SELECT divergence_id, last_run_id, sightings, first_seen, last_seen
FROM divergence;

-- As in version 1, with one more role (shrunk: the case made as small as it stays wrong in the same
-- way), and with the cause in a sentence that names its index ('' if unknown).
CREATE TABLE reproducer_5 (
  divergence_id   INTEGER NOT NULL REFERENCES divergence,
  role            TEXT NOT NULL CHECK (role IN ('worst', 'shortest', 'shrunk')),
  program_id      INTEGER NOT NULL REFERENCES program,
  run_id          INTEGER NOT NULL REFERENCES run,
  case_line       TEXT NOT NULL CHECK (case_line <> ''),
  case_seed       TEXT NOT NULL CHECK (case_seed GLOB '[0-9]*'),
  regime          TEXT NOT NULL,
  implementation  TEXT NOT NULL,
  result          INTEGER NOT NULL,
  component       INTEGER NOT NULL,
  wrong_count     INTEGER NOT NULL,
  component_count INTEGER NOT NULL,
  got_bits        TEXT NOT NULL,
  got             TEXT NOT NULL,
  expected        TEXT NOT NULL,
  observed        TEXT NOT NULL,
  reason          TEXT NOT NULL,
  ulp_error       REAL CHECK (ulp_error >= 0),
  slack           REAL CHECK (slack >= 0),
  backward_error  REAL CHECK (backward_error >= 0),
  cause_words     TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (divergence_id, role)
) STRICT;
INSERT INTO reproducer_5 SELECT *, '' FROM reproducer;
DROP TABLE reproducer;
ALTER TABLE reproducer_5 RENAME TO reproducer;

-- How the errors of cases are spread: cases by their largest error, a case once for each measure.
-- Only of cases whose error was measured.
CREATE TABLE histogram (
  run_id      INTEGER NOT NULL REFERENCES run,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),       -- these four as in counter
  algorithm   TEXT NOT NULL,
  types       TEXT NOT NULL,
  outcome     TEXT NOT NULL CHECK (outcome <> ''),
  measure     TEXT NOT NULL CHECK (measure IN ('ulp', 'slack')),  -- as in counter
  bucket      INTEGER NOT NULL,  -- k: from 2^(k/4) up to, not including, 2^((k+1)/4); the least
                                 -- and the largest hold all beyond, 0 and Inf have their own
  low         REAL NOT NULL,     -- where the bucket begins ...
  high        REAL NOT NULL,     -- ... and ends
  cases       INTEGER NOT NULL CHECK (cases > 0),
  PRIMARY KEY (run_id, executor_id, op, algorithm, types, outcome, measure, bucket)
) STRICT, WITHOUT ROWID;

-- Constraints of the specifications, by op and id ("C7"), as this Assay knows them.
CREATE TABLE op_constraint (
  op          TEXT NOT NULL CHECK (op <> ''),
  broken_constraint TEXT NOT NULL CHECK (broken_constraint <> ''),  -- the id
  text        TEXT NOT NULL,  -- what it says
  PRIMARY KEY (op, broken_constraint)
) STRICT, WITHOUT ROWID;

-- Programs that break a constraint on purpose, and what executors did with them: conforms is to
-- reject, diverges (class invalid-accepted) to accept.
CREATE TABLE constraint_counter (
  run_id      INTEGER NOT NULL REFERENCES run,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),
  broken_constraint TEXT NOT NULL CHECK (broken_constraint <> ''),
  outcome     TEXT NOT NULL CHECK (outcome <> ''),
  cases       INTEGER NOT NULL CHECK (cases > 0),
  PRIMARY KEY (run_id, executor_id, op, broken_constraint, outcome)
) STRICT, WITHOUT ROWID;

-- Which database counted which sightings of a profile (origin: meta 'database'), for merging:
-- profile.sightings is the sum of these.
CREATE TABLE profile_sighting (
  profile_id INTEGER NOT NULL REFERENCES profile,
  origin     TEXT NOT NULL CHECK (origin <> ''),
  sightings  INTEGER NOT NULL CHECK (sightings > 0),
  PRIMARY KEY (profile_id, origin)
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('database', lower(hex(randomblob(16))));
INSERT INTO profile_sighting
SELECT profile_id, (SELECT value FROM meta WHERE key = 'database'), sightings FROM profile;

-- "What did this run see?"
CREATE INDEX sighting_by_run ON sighting (run_id);

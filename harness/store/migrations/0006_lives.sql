-- SPDX-License-Identifier: Apache-2.0
-- Version 6: the life of a finding.  The rules for columns are those of schema.sql.
--
-- A finding lives longer than the version that showed it: it is an executor's name and a signature.
-- What was seen of it is in divergence and sighting; what was done about it is here.  The state that
-- follows is the view finding_state in reports/views.sql.

-- Findings that are known and put up with, for a time.  Of several for one finding the one created
-- last holds; the others are kept as its history.
CREATE TABLE waiver (
  executor  TEXT NOT NULL CHECK (executor <> ''),   -- its name: all versions, all hardware
  signature TEXT NOT NULL CHECK (signature <> ''),  -- as in divergence
  created   TEXT NOT NULL CHECK (created GLOB '????-??-??T??:??:??Z'),
  reason    TEXT NOT NULL CHECK (trim(reason) <> ''),
  owner     TEXT NOT NULL CHECK (trim(owner) <> ''),  -- who answers for it
  expires   TEXT NOT NULL CHECK (expires GLOB '????-??-??'),  -- the last day (UTC) on which it holds
  withdrawn TEXT CHECK (withdrawn GLOB '????-??-??T??:??:??Z'),  -- NULL: it was not
  PRIMARY KEY (executor, signature, created)
) STRICT, WITHOUT ROWID;

-- What came of the cases of a finding when they ran again, at some version of its executor.
CREATE TABLE retest (
  executor_id    INTEGER NOT NULL REFERENCES executor,  -- the version that was asked
  signature      TEXT NOT NULL CHECK (signature <> ''), -- of the finding
  run_id         INTEGER NOT NULL REFERENCES run,
  tested         TEXT NOT NULL CHECK (tested GLOB '????-??-??T??:??:??Z'),
  result         TEXT NOT NULL CHECK (result IN (
                   'still',     -- a case diverges as before
                   'changed',   -- none does, but one diverges or fails in another way
                   'gone',      -- all were judged, and none diverges
                   'not-run')), -- nobody can tell: refused, undecided, not to be replayed
  cases          INTEGER NOT NULL CHECK (cases >= 0),      -- reproducers that ran ...
  executions     INTEGER NOT NULL CHECK (executions >= 0), -- ... so many times in all
  outcome        TEXT NOT NULL,  -- of the case that decided, as in counter
  class          TEXT NOT NULL,  -- likewise
  seen_signature TEXT NOT NULL,  -- of what that case showed, '' if nothing
  reason         TEXT NOT NULL,  -- why it was not run, or what the executor said
  PRIMARY KEY (executor_id, signature, run_id)
) STRICT, WITHOUT ROWID;

-- The ledger of bits: the cases that every version is asked, and what it returned for each.  So
-- bits that changed from one version to the next are known even where both conform.
CREATE TABLE bits_case (
  case_hash TEXT NOT NULL PRIMARY KEY CHECK (length(case_hash) = 32),  -- of `case_line`, as program.hash
  op        TEXT NOT NULL CHECK (op <> ''),  -- these three as in counter
  algorithm TEXT NOT NULL,
  types     TEXT NOT NULL,
  case_line TEXT NOT NULL CHECK (case_line <> '')
) STRICT, WITHOUT ROWID;

-- What a version of an executor returned for a case of the ledger of bits.
CREATE TABLE result_bits (
  executor_id INTEGER NOT NULL REFERENCES executor,
  case_hash   TEXT NOT NULL REFERENCES bits_case,
  run_id      INTEGER NOT NULL REFERENCES run,  -- that asked last; its contract is that of `outcome`
  bits        TEXT NOT NULL,  -- hash of the patterns of all results, all NaN patterns of a float made
                              -- one: XXH3, 128 bits, hex; '' if there were no results
  outcome     TEXT NOT NULL CHECK (outcome <> ''),  -- these four as in counter
  class       TEXT NOT NULL,
  ulp_error   REAL CHECK (ulp_error >= 0),
  slack       REAL CHECK (slack >= 0),
  changes     INTEGER NOT NULL CHECK (changes >= 0),  -- times that the bits were not those of the time
                                                      -- before, though name, version and hardware were
  first_seen  TEXT NOT NULL CHECK (first_seen GLOB '????-??-??T??:??:??Z'),
  last_seen   TEXT NOT NULL CHECK (last_seen GLOB '????-??-??T??:??:??Z'),
  PRIMARY KEY (executor_id, case_hash)
) STRICT, WITHOUT ROWID;

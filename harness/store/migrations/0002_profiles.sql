-- SPDX-License-Identifier: Apache-2.0
-- Version 2: how executors add.  The rules for columns are those of schema.sql.

-- A profile: with which tree and which arithmetic an executor forms the sums of one shape, over a
-- range of their lengths, as `assay identify` found it.  The profiles of one executor and shape
-- are its dispatch map.  Where two cover a length, the one seen last holds.
CREATE TABLE profile (
  profile_id  INTEGER PRIMARY KEY,
  executor_id INTEGER NOT NULL REFERENCES executor,
  op          TEXT NOT NULL CHECK (op <> ''),  -- these three as in counter
  algorithm   TEXT NOT NULL,
  types       TEXT NOT NULL,
  shape       TEXT NOT NULL CHECK (shape <> ''),  -- the program line, the size of the dimension that
                                                  -- is summed over written as n, if it is one
  terms_low   INTEGER NOT NULL CHECK (terms_low >= 0),           -- terms of one sum: from ...
  terms_high  INTEGER NOT NULL CHECK (terms_high >= terms_low),  -- ... to
  program_id  INTEGER NOT NULL REFERENCES program,  -- an instance of the shape: it was found with it
  text        TEXT NOT NULL CHECK (text <> ''),     -- profile_print(): the tree of that instance
  rule        TEXT NOT NULL,  -- gives the trees of the other lengths; '' if none is known, and
                              -- then the profile holds for one length
  words       TEXT NOT NULL,  -- the same for people: "8 lanes, pairwise at the end, fused"
  hash        TEXT NOT NULL CHECK (length(hash) = 32),  -- of the rule, or of the text if there is
                                                        -- none: XXH3, 128 bits, hex
  sightings   INTEGER NOT NULL CHECK (sightings > 0),   -- identifications that found it
  first_seen  TEXT NOT NULL CHECK (first_seen GLOB '????-??-??T??:??:??Z'),
  last_seen   TEXT NOT NULL CHECK (last_seen GLOB '????-??-??T??:??:??Z'),
  CHECK (rule <> '' OR terms_low = terms_high),
  UNIQUE (executor_id, shape, terms_low, terms_high, hash)
) STRICT;

-- SPDX-License-Identifier: Apache-2.0
-- Version 7: a campaign is one run, whatever the number of its slices.  The rules for columns are those
-- of schema.sql.
--
-- A slice is a part of the run that started it.  While it goes on it is a run of its own.  When it has
-- ended it is absorbed: what it counted is added to that run, its own rows go, and its uuid is kept so
-- that this is done once.  So a database grows with what was learnt, not with slices.
--
-- For merging: the counts of a run are what it counted itself and what the parts counted that it has
-- absorbed, all of each; and no database has a part both by itself and absorbed.  A run absorbs in one
-- place only, where its campaign is.  So of two databases one has absorbed all that the other has; its
-- counts are the larger ones, and hold the parts that the other still has by themselves.

-- part_of: the uuid of the run that this one will be absorbed by, '' if there is none.
ALTER TABLE run ADD COLUMN part_of TEXT NOT NULL DEFAULT '';

-- Parts that are in the counts of another run.
CREATE TABLE absorbed_run (
  uuid   TEXT NOT NULL PRIMARY KEY,       -- of the part
  run_id INTEGER NOT NULL REFERENCES run  -- that absorbed it
) STRICT, WITHOUT ROWID;
CREATE INDEX absorbed_run_by_run ON absorbed_run (run_id);

-- It was half of a counter's size, and served to find what no run had counted yet.
DROP INDEX counter_by_op;

-- How many slices were begun here: no number, and so no seed, is used twice.  Until now each was a run.
INSERT INTO meta SELECT 'slices', count(*) FROM run WHERE campaign <> '';

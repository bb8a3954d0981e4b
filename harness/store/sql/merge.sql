-- SPDX-License-Identifier: Apache-2.0
-- Adds the database that is attached as `source` to this one, see store/merge.h.  Runs in one
-- transaction.  Both have the newest schema.  A row of the source finds its equal by its natural key;
-- maps from the source's numbers to ours are temporary tables.  Counts of a run only grow, so the
-- larger of two is the newer one, and merging twice changes nothing.  Parts that one of the two has
-- absorbed are in the counts of another run; see migrations/0007_parts.sql.  Counts and reproducers come next,
-- by what rows/columns.def says of their columns (row_append_merge()), then drop_parts.sql.
--
-- Braces stand for columns of rows/columns.def by their roles, see rows/row_sql.h.
--
-- "WHERE true" tells SQLite's parser that ON CONFLICT does not belong to a join.

CREATE TEMP TABLE IF NOT EXISTS contract_map (
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL);
DELETE FROM temp.contract_map;
CREATE TEMP TABLE IF NOT EXISTS executor_map (
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL);
DELETE FROM temp.executor_map;
CREATE TEMP TABLE IF NOT EXISTS program_map (
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL);
DELETE FROM temp.program_map;
CREATE TEMP TABLE IF NOT EXISTS run_map (  -- started: when ours did
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL, started TEXT NOT NULL);
DELETE FROM temp.run_map;
CREATE TEMP TABLE IF NOT EXISTS part_map (  -- both are ours: a part, and what has absorbed it
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL);
DELETE FROM temp.part_map;
CREATE TEMP TABLE IF NOT EXISTS divergence_map (
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL, is_new INTEGER NOT NULL);
DELETE FROM temp.divergence_map;
CREATE TEMP TABLE IF NOT EXISTS profile_map (
  source_id INTEGER PRIMARY KEY, target_id INTEGER NOT NULL);
DELETE FROM temp.profile_map;
CREATE TEMP TABLE IF NOT EXISTS sighting_growth (
  target_id INTEGER PRIMARY KEY, growth INTEGER NOT NULL);
DELETE FROM temp.sighting_growth;

INSERT INTO contract (permissions) SELECT permissions FROM source.contract WHERE true
ON CONFLICT DO NOTHING;
INSERT INTO temp.contract_map
SELECT theirs.contract_id, ours.contract_id
FROM source.contract AS theirs JOIN main.contract AS ours USING (permissions);

INSERT INTO executor ({executor KEY})
SELECT {executor KEY} FROM source.executor WHERE true ORDER BY executor_id
ON CONFLICT DO NOTHING;
INSERT INTO temp.executor_map
SELECT theirs.executor_id, ours.executor_id
FROM source.executor AS theirs JOIN main.executor AS ours USING ({executor KEY});

INSERT INTO program (hash, line) SELECT hash, line FROM source.program WHERE true
ON CONFLICT DO NOTHING;
INSERT INTO temp.program_map
SELECT theirs.program_id, ours.program_id
FROM source.program AS theirs JOIN main.program AS ours USING (hash);

INSERT INTO op_constraint ({constraint_text KEY}, {constraint_text LAST})
SELECT {constraint_text KEY}, {constraint_text LAST} FROM source.op_constraint WHERE true
ON CONFLICT DO NOTHING;

INSERT INTO run ({run FIRST}, {run_times MAX}, contract_id, started, ended, exit_code, uuid, host,
                 processor, architecture, processors)
SELECT {run FIRST}, {run_times MAX}, contract_map.target_id,
       -- A part does not know our times: its clock may be behind them, see store.h.
       max(started, coalesce((SELECT whole.started FROM main.run AS whole
                              WHERE whole.uuid = run.part_of), started)),
       ended, exit_code, uuid, host, processor, architecture, processors
FROM source.run JOIN temp.contract_map ON contract_map.source_id = contract_id
WHERE uuid NOT IN (SELECT uuid FROM main.absorbed_run) ORDER BY started, run_id
ON CONFLICT (uuid) DO UPDATE SET
  ended = coalesce(ended, excluded.ended),
  exit_code = coalesce(exit_code, excluded.exit_code),
  {run_times MAX: $ = max($, excluded.$)};
INSERT INTO temp.run_map
SELECT theirs.run_id, ours.run_id, ours.started
FROM source.run AS theirs JOIN main.run AS ours USING (uuid);
-- A part that we have absorbed counts no more than the run that absorbed it: its rows change nothing.
INSERT INTO temp.run_map
SELECT theirs.run_id, ours.run_id, ours.started
FROM source.run AS theirs JOIN main.absorbed_run USING (uuid)
JOIN main.run AS ours ON ours.run_id = absorbed_run.run_id;

-- Findings.  What is new to us is complete as it comes; what we had grows below.
INSERT INTO temp.divergence_map
SELECT theirs.divergence_id, ours.divergence_id, false
FROM source.divergence AS theirs
JOIN temp.executor_map ON executor_map.source_id = theirs.executor_id
JOIN main.divergence AS ours
  ON ours.executor_id = executor_map.target_id AND ours.signature = theirs.signature;
INSERT INTO divergence ({divergence FINDING}, executor_id, sightings, first_seen, last_seen,
                        first_run_id, last_run_id)
SELECT {divergence FINDING}, executor_map.target_id, sightings,
       max(first_seen, first_map.started), max(last_seen, last_map.started),
       first_map.target_id, last_map.target_id
FROM source.divergence
JOIN temp.executor_map ON executor_map.source_id = executor_id
JOIN temp.run_map AS first_map ON first_map.source_id = first_run_id
JOIN temp.run_map AS last_map ON last_map.source_id = last_run_id
WHERE divergence_id NOT IN (SELECT source_id FROM temp.divergence_map)
ORDER BY divergence_id;
INSERT INTO temp.divergence_map
SELECT theirs.divergence_id, ours.divergence_id, true
FROM source.divergence AS theirs
JOIN temp.executor_map ON executor_map.source_id = theirs.executor_id
JOIN main.divergence AS ours
  ON ours.executor_id = executor_map.target_id AND ours.signature = theirs.signature
WHERE theirs.divergence_id NOT IN (SELECT source_id FROM temp.divergence_map);

-- How much the sightings of a finding that we had grow: by what its runs counted since we last saw
-- them.  Summing up all of its sightings again would take longer with every shard.
INSERT INTO temp.sighting_growth
SELECT divergence_map.target_id, sum(max(theirs.cases, coalesce(ours.cases, 0)) -
                                     coalesce(ours.cases, 0))
FROM source.sighting AS theirs
JOIN temp.divergence_map ON divergence_map.source_id = theirs.divergence_id AND NOT is_new
JOIN temp.run_map ON run_map.source_id = theirs.run_id
LEFT JOIN main.sighting AS ours
  ON ours.divergence_id = divergence_map.target_id AND ours.run_id = run_map.target_id
GROUP BY divergence_map.target_id;
UPDATE divergence SET
  sightings = sightings + growth,
  first_run_id = CASE WHEN theirs.first_seen < divergence.first_seen THEN theirs.first_run_id
                      ELSE divergence.first_run_id END,
  last_run_id = CASE WHEN theirs.last_seen > divergence.last_seen THEN theirs.last_run_id
                     ELSE divergence.last_run_id END,
  first_ordinal = CASE WHEN theirs.first_seen < divergence.first_seen THEN theirs.first_ordinal
                       ELSE divergence.first_ordinal END,
  cause = CASE divergence.cause WHEN '' THEN theirs.cause ELSE divergence.cause END,
  first_seen = min(divergence.first_seen, theirs.first_seen),
  last_seen = max(divergence.last_seen, theirs.last_seen)
FROM (SELECT divergence_map.target_id AS divergence_id, growth, first_ordinal, cause,
             max(first_seen, first_map.started) AS first_seen,
             max(last_seen, last_map.started) AS last_seen,
             first_map.target_id AS first_run_id, last_map.target_id AS last_run_id
      FROM source.divergence
      JOIN temp.divergence_map ON divergence_map.source_id = divergence_id
      JOIN temp.sighting_growth ON sighting_growth.target_id = divergence_map.target_id
      JOIN temp.run_map AS first_map ON first_map.source_id = first_run_id
      JOIN temp.run_map AS last_map ON last_map.source_id = last_run_id) AS theirs
WHERE divergence.divergence_id = theirs.divergence_id;
INSERT INTO sighting
SELECT divergence_map.target_id, run_map.target_id, cases, max(first_seen, run_map.started),
       max(last_seen, run_map.started)
FROM source.sighting
JOIN temp.divergence_map ON divergence_map.source_id = divergence_id
JOIN temp.run_map ON run_map.source_id = run_id
WHERE true
ON CONFLICT DO UPDATE SET
  cases = excluded.cases,
  first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(last_seen, excluded.last_seen)
WHERE excluded.cases > cases;

-- Profiles.  The text of the latest sighting is kept.
INSERT INTO profile ({profile KEY}, {profile FIRST}, {profile LAST}, executor_id, program_id, hash,
                     sightings, first_seen, last_seen)
SELECT {profile KEY}, {profile FIRST}, {profile LAST}, executor_map.target_id,
       program_map.target_id, hash, sightings, first_seen, last_seen
FROM source.profile
JOIN temp.executor_map ON executor_map.source_id = executor_id
JOIN temp.program_map ON program_map.source_id = program_id
WHERE true ORDER BY profile_id
ON CONFLICT DO UPDATE SET
  program_id = CASE WHEN excluded.last_seen > last_seen THEN excluded.program_id
                    ELSE program_id END,
  {profile LAST: $ = CASE WHEN excluded.last_seen > last_seen THEN excluded.$ ELSE $ END},
  first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(last_seen, excluded.last_seen);
INSERT INTO temp.profile_map
SELECT theirs.profile_id, ours.profile_id
FROM source.profile AS theirs
JOIN temp.executor_map ON executor_map.source_id = theirs.executor_id
JOIN main.profile AS ours
  ON ours.executor_id = executor_map.target_id
 AND ({profile KEY: ours.$}) = ({profile KEY: theirs.$}) AND ours.hash = theirs.hash;
INSERT INTO profile_sighting
SELECT profile_map.target_id, origin, sightings
FROM source.profile_sighting JOIN temp.profile_map ON profile_map.source_id = profile_id
WHERE true
ON CONFLICT DO UPDATE SET sightings = max(sightings, excluded.sightings);
UPDATE profile SET sightings =
  (SELECT sum(sightings) FROM profile_sighting
   WHERE profile_sighting.profile_id = profile.profile_id)
WHERE profile_id IN (SELECT target_id FROM temp.profile_map);

-- The life of findings.  A waiver is withdrawn once, a retest of a run is done once: the later one
-- holds where it was done again.
INSERT INTO waiver ({waiver KEY}, {waiver LAST}, created, withdrawn)
SELECT {waiver KEY}, {waiver LAST}, created, withdrawn FROM source.waiver
WHERE true
ON CONFLICT DO UPDATE SET withdrawn = coalesce(withdrawn, excluded.withdrawn);
INSERT INTO retest ({retest KEY}, {retest LAST}, executor_id, run_id, tested)
SELECT {retest KEY}, {retest LAST}, executor_map.target_id, run_map.target_id, tested
FROM source.retest
JOIN temp.run_map ON run_map.source_id = run_id
JOIN temp.executor_map ON executor_map.source_id = executor_id
WHERE true
ON CONFLICT DO UPDATE SET
  (tested, {retest LAST}) = (excluded.tested, {retest LAST: excluded.$})
WHERE excluded.tested > tested;

-- The ledger of bits: what was recorded last holds.  Other bits of the same version are a change.
INSERT INTO bits_case (case_hash, {bits FIRST})
SELECT case_hash, {bits FIRST} FROM source.bits_case WHERE true
ON CONFLICT DO NOTHING;
INSERT INTO result_bits (executor_id, case_hash, run_id, {bits LAST}, changes, first_seen,
                         last_seen)
SELECT executor_map.target_id, case_hash, run_map.target_id, {bits LAST}, changes, first_seen,
       last_seen
FROM source.result_bits
JOIN temp.run_map ON run_map.source_id = run_id
JOIN temp.executor_map ON executor_map.source_id = executor_id
WHERE true
ON CONFLICT DO UPDATE SET
  changes = max(changes, excluded.changes, bits <> excluded.bits),
  run_id = CASE WHEN excluded.last_seen > last_seen THEN excluded.run_id ELSE run_id END,
  {bits LAST: $ = CASE WHEN excluded.last_seen > last_seen THEN excluded.$ ELSE $ END},
  first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(last_seen, excluded.last_seen);

-- What the source has absorbed is in the counts that we have just taken.  What we had of it by itself
-- goes.
INSERT INTO absorbed_run
SELECT uuid, run_map.target_id
FROM source.absorbed_run JOIN temp.run_map ON run_map.source_id = run_id
WHERE true
ON CONFLICT DO NOTHING;
INSERT INTO temp.part_map
SELECT run.run_id, absorbed_run.run_id FROM main.run JOIN main.absorbed_run USING (uuid);

-- SPDX-License-Identifier: Apache-2.0
-- Adds what ended parts counted to the run that started them, see migrations/0007_parts.sql.  Runs in
-- the transaction that has just merged the database attached as `source`, which holds them to their
-- end; counts come next, by what rows/columns.def says of their columns (row_append_absorb()), then
-- drop_parts.sql.

DELETE FROM temp.part_map;
INSERT INTO temp.part_map
SELECT part.run_id, whole.run_id
FROM source.run AS theirs JOIN main.run AS part USING (uuid)
JOIN main.run AS whole ON whole.uuid = part.part_of;

-- What they brought: findings that they were the first to see, and combinations that the run had not
-- counted.
CREATE TEMP TABLE IF NOT EXISTS part_news (findings INTEGER NOT NULL, counters INTEGER NOT NULL);
DELETE FROM temp.part_news;
INSERT INTO temp.part_news
SELECT (SELECT count(*) FROM divergence
        WHERE first_run_id IN (SELECT source_id FROM temp.part_map)),
       (SELECT count(*)
        FROM (SELECT DISTINCT target_id, executor_id, op, algorithm, types, outcome, class
              FROM counter JOIN temp.part_map ON part_map.source_id = run_id) AS theirs
        WHERE NOT EXISTS (SELECT 1 FROM counter AS ours
                          WHERE ours.run_id = target_id AND ours.executor_id = theirs.executor_id
                            AND ours.op = theirs.op AND ours.algorithm = theirs.algorithm
                            AND ours.types = theirs.types AND ours.outcome = theirs.outcome
                            AND ours.class = theirs.class));

INSERT INTO sighting
SELECT divergence_id, target_id, sum(cases), min(first_seen), max(last_seen)
FROM sighting JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY divergence_id, target_id
ON CONFLICT DO UPDATE SET
  cases = cases + excluded.cases,
  first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(last_seen, excluded.last_seen);

UPDATE run SET
  {run_times MAX: $ = run.$ + part.$}
FROM (SELECT target_id, {run_times MAX: sum($) AS $}
      FROM run JOIN temp.part_map ON part_map.source_id = run_id GROUP BY target_id) AS part
WHERE run.run_id = part.target_id;
INSERT INTO absorbed_run
SELECT uuid, target_id FROM run JOIN temp.part_map ON part_map.source_id = run_id;

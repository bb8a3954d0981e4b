-- Adds what ended parts counted to the run that started them, see migrations/0007_parts.sql.  Runs in
-- the transaction that has just merged the database attached as `source`, which holds them to their
-- end; drop_parts.sql comes next.

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

INSERT INTO counter
SELECT target_id, executor_id, op, algorithm, types, outcome, class, implementation, sum(cases),
       max(ulp_error_max), max(slack_max), max(backward_error_max)
FROM counter JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY target_id, executor_id, op, algorithm, types, outcome, class, implementation
ON CONFLICT DO UPDATE SET
  cases = cases + excluded.cases,
  ulp_error_max = max(coalesce(ulp_error_max, excluded.ulp_error_max),
                      coalesce(excluded.ulp_error_max, ulp_error_max)),
  slack_max = max(coalesce(slack_max, excluded.slack_max),
                  coalesce(excluded.slack_max, slack_max)),
  backward_error_max = max(coalesce(backward_error_max, excluded.backward_error_max),
                           coalesce(excluded.backward_error_max, backward_error_max));
INSERT INTO histogram
SELECT target_id, executor_id, op, algorithm, types, outcome, measure, bucket, max(low), max(high),
       sum(cases)
FROM histogram JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY target_id, executor_id, op, algorithm, types, outcome, measure, bucket
ON CONFLICT DO UPDATE SET cases = cases + excluded.cases;
INSERT INTO constraint_counter
SELECT target_id, executor_id, op, broken_constraint, outcome, sum(cases)
FROM constraint_counter JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY target_id, executor_id, op, broken_constraint, outcome
ON CONFLICT DO UPDATE SET cases = cases + excluded.cases;
INSERT INTO observation
SELECT target_id, executor_id, op, algorithm, types, observed, sum(cases), kind
FROM observation JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY target_id, executor_id, op, algorithm, types, observed, kind
ON CONFLICT DO UPDATE SET cases = cases + excluded.cases;
INSERT INTO pair
SELECT target_id, first_executor_id, second_executor_id, op, algorithm, types, sum(cases),
       sum(alike_wrong), sum(different), sum(both_conform), sum(first_diverges),
       sum(second_diverges), sum(both_diverge), sum(undecided)
FROM pair JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY target_id, first_executor_id, second_executor_id, op, algorithm, types
ON CONFLICT DO UPDATE SET
  cases = cases + excluded.cases,
  alike_wrong = alike_wrong + excluded.alike_wrong,
  different = different + excluded.different,
  both_conform = both_conform + excluded.both_conform,
  first_diverges = first_diverges + excluded.first_diverges,
  second_diverges = second_diverges + excluded.second_diverges,
  both_diverge = both_diverge + excluded.both_diverge,
  undecided = undecided + excluded.undecided;

INSERT INTO sighting
SELECT divergence_id, target_id, sum(cases), min(first_seen), max(last_seen)
FROM sighting JOIN temp.part_map ON part_map.source_id = run_id
GROUP BY divergence_id, target_id
ON CONFLICT DO UPDATE SET
  cases = cases + excluded.cases,
  first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(last_seen, excluded.last_seen);

UPDATE run SET
  seconds = run.seconds + part.seconds,
  oracle_seconds = run.oracle_seconds + part.oracle_seconds,
  compile_seconds = run.compile_seconds + part.compile_seconds,
  executor_seconds = run.executor_seconds + part.executor_seconds,
  judge_seconds = run.judge_seconds + part.judge_seconds
FROM (SELECT target_id, sum(seconds) AS seconds, sum(oracle_seconds) AS oracle_seconds,
             sum(compile_seconds) AS compile_seconds, sum(executor_seconds) AS executor_seconds,
             sum(judge_seconds) AS judge_seconds
      FROM run JOIN temp.part_map ON part_map.source_id = run_id GROUP BY target_id) AS part
WHERE run.run_id = part.target_id;
INSERT INTO absorbed_run
SELECT uuid, target_id FROM run JOIN temp.part_map ON part_map.source_id = run_id;

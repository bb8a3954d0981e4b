-- Dot algorithms that were asked for, where the bits did not come from them.
-- SPDX-License-Identifier: Apache-2.0
-- Query `observed` without the rows whose observed set has the algorithm asked for.
WITH seen AS (
  SELECT executor_id, op, algorithm, types, observed, sum(cases) AS cases,
         100.0 * sum(cases)
           / sum(sum(cases)) OVER (PARTITION BY executor_id, op, algorithm) AS share,
         min(started) AS first_seen, max(started) AS last_seen
  FROM observation JOIN run USING (run_id)
  WHERE kind = 'algorithm'
  GROUP BY executor_id, op, algorithm, types, observed
)
SELECT name AS executor, version, op, algorithm AS "asked for", types,
       cases, share AS "share %", first_seen AS "first seen", last_seen AS "last seen",
       CASE observed WHEN '' THEN '(none)' ELSE observed END AS observed
FROM seen JOIN executor USING (executor_id)
WHERE instr('|' || observed || '|', '|' || algorithm || '|') = 0
ORDER BY name, executor_id, op, algorithm, cases DESC, types, observed;

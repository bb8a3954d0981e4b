-- Dot algorithms by the one asked for and by types: how many cases each explains.
-- SPDX-License-Identifier: Apache-2.0
-- What explains 100 % of the cases may be what the executor does, whatever it was asked for; the one
-- asked for is listed even if it explains none.
WITH seen AS (
  SELECT executor_id, op, algorithm AS asked, types, observed, sum(cases) AS cases,
         min(started) AS first_seen, max(started) AS last_seen
  FROM observation JOIN run USING (run_id)
  WHERE kind = 'algorithm'
  GROUP BY executor_id, op, algorithm, types, observed
), total AS (
  SELECT executor_id, op, asked, types, sum(cases) AS cases
  FROM seen
  GROUP BY executor_id, op, asked, types
), explained AS (
  SELECT executor_id, op, asked, types, json_each.value AS candidate, cases, first_seen, last_seen
  FROM seen, json_each('["' || replace(observed, '|', '","') || '"]')
  WHERE observed <> ''
  UNION ALL
  SELECT executor_id, op, asked, types, asked, 0, NULL, NULL
  FROM total
  WHERE asked GLOB '[A-Z]*'  -- names are written in capitals; "default" is none
)
SELECT name AS executor, version, op, asked AS "asked for", types, candidate,
       sum(explained.cases) AS explains, total.cases AS "of cases",
       100.0 * sum(explained.cases) / total.cases AS "explains %",
       min(first_seen) AS "first seen", max(last_seen) AS "last seen"
FROM explained
JOIN total USING (executor_id, op, asked, types)
JOIN executor USING (executor_id)
GROUP BY executor_id, op, asked, types, candidate
ORDER BY name, executor_id, op, asked, types, "explains %" DESC, candidate;

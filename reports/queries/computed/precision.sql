-- By word of a precision_config: the dot algorithms that fit the bits best.
-- SPDX-License-Identifier: Apache-2.0
-- Of products of f32 that name no algorithm every fourth case is held against all algorithms; "default"
-- is a program without precision_config.  "shows" are the algorithms that explain the most cases, and
-- "explains %" how many these are; where that is less than 100 the others fit none, or one another.
WITH seen AS (
  SELECT executor_id, op, algorithm AS word, types, observed, sum(cases) AS cases
  FROM observation
  WHERE kind = 'precision'
  GROUP BY executor_id, op, algorithm, types, observed
), total AS (
  SELECT executor_id, op, word, types, sum(cases) AS cases
  FROM seen
  GROUP BY executor_id, op, word, types
), explained AS (
  SELECT executor_id, op, word, types, json_each.value AS candidate, sum(cases) AS cases
  FROM seen, json_each('["' || replace(observed, '|', '","') || '"]')
  WHERE observed <> ''
  GROUP BY executor_id, op, word, types, json_each.value
), best AS (
  SELECT executor_id, op, word, types, max(cases) AS cases
  FROM explained
  GROUP BY executor_id, op, word, types
)
SELECT name AS executor, version, op, word, types, total.cases AS cases,
       100.0 * coalesce(best.cases, 0) / total.cases AS "explains %",
       coalesce((SELECT group_concat(candidate, '|')
                 FROM (SELECT candidate FROM explained AS one
                       WHERE (one.executor_id, one.op, one.word, one.types, one.cases)
                             = (total.executor_id, total.op, total.word, total.types, best.cases)
                       ORDER BY candidate)),
                '(none)') AS shows
FROM total
LEFT JOIN best USING (executor_id, op, word, types)
JOIN executor USING (executor_id)
ORDER BY name, executor_id, op, types, word;

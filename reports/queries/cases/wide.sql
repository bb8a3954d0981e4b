-- 16-bit and 8-bit floats: which conforming results kept contract `wide`.
-- SPDX-License-Identifier: Apache-2.0
-- Every fourth conforming case with such floats is held against `wide` too: computed in f32 or wider and
-- rounded once.  What is "not wide" conforms to the run's contract all the same.
SELECT name AS executor, version, op, algorithm, types,
       sum(cases) AS held,
       sum(CASE observed WHEN 'wide' THEN 0 ELSE cases END) AS "not wide",
       100.0 * sum(CASE observed WHEN 'wide' THEN 0 ELSE cases END) / sum(cases) AS "share %",
       min(started) AS "first seen", max(started) AS "last seen"
FROM observation JOIN executor USING (executor_id) JOIN run USING (run_id)
WHERE kind = 'contract'
GROUP BY executor_id, op, algorithm, types
ORDER BY "not wide" DESC, name, executor_id, op, algorithm, types;

-- Dot algorithms: what was asked for, and which ones the bits could have come from.
-- SPDX-License-Identifier: Apache-2.0
-- "(none)": no algorithm gives such results.  The share is of the cases with that algorithm asked for
-- whose bits were looked at; where none was asked for ("default"), these are the cases with wrong
-- values that nothing else explains.  A case counts as seen when its run started.
SELECT name AS executor, version, op, algorithm AS "asked for", types,
       sum(cases) AS cases,
       100.0 * sum(cases)
         / sum(sum(cases)) OVER (PARTITION BY executor_id, op, algorithm) AS "share %",
       min(started) AS "first seen", max(started) AS "last seen",
       CASE observed WHEN '' THEN '(none)' ELSE observed END AS observed
FROM observation JOIN executor USING (executor_id) JOIN run USING (run_id)
WHERE kind = 'algorithm'
GROUP BY executor_id, op, algorithm, types, observed
ORDER BY name, executor_id, op, algorithm, sum(cases) DESC, types, observed;

-- Composite ops: by which formula they were computed, as the bits tell.
-- SPDX-License-Identifier: Apache-2.0
-- The formula is the tightest one whose accept sets hold all components of a case; "(none)": no formula
-- that Assay knows gives such results.  The formula that an executor needs is the loosest of its rows,
-- since tame data fit tighter ones too.  Which ones conform is for the contract to say.
SELECT name AS executor, version, op, algorithm, types,
       CASE observed WHEN '' THEN '(none)' ELSE observed END AS formula,
       sum(cases) AS cases,
       100.0 * sum(cases)
         / sum(sum(cases)) OVER (PARTITION BY executor_id, op, algorithm, types) AS "share %",
       min(started) AS "first seen", max(started) AS "last seen"
FROM observation JOIN executor USING (executor_id) JOIN run USING (run_id)
WHERE kind = 'formula'
GROUP BY executor_id, op, algorithm, types, observed
ORDER BY name, executor_id, op, algorithm, types, sum(cases) DESC, observed;

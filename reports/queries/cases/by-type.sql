-- What diverged or failed, by op, types and executor.
-- SPDX-License-Identifier: Apache-2.0
WITH found AS (
  SELECT op, types, executor_id, count(*) AS findings, group_concat(DISTINCT class) AS classes
  FROM divergence
  GROUP BY op, types, executor_id
)
SELECT op, types, executor,
       sum(cases) AS cases,
       coalesce(sum(diverges), 0) + coalesce(sum(failed), 0) AS wrong,
       100.0 * (coalesce(sum(diverges), 0) + coalesce(sum(failed), 0)) / sum(cases) AS "wrong %",
       coalesce(max(findings), 0) AS findings,
       max(classes) AS classes,
       max(wrong_ulp_error_max) AS "max ulp"
FROM tally LEFT JOIN found USING (op, types, executor_id)
GROUP BY op, types, executor_id
HAVING wrong > 0
ORDER BY op, types, executor;

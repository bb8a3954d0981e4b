-- How errors are spread: cases by ulp error and by slack, by executor, op and types.
-- SPDX-License-Identifier: Apache-2.0
SELECT executor, op, types, measure, bucket, max(low) AS "from", max(high) AS "to",
       coalesce(sum(cases) FILTER (WHERE outcome NOT IN ('diverges', 'failed')), 0) AS "not wrong",
       coalesce(sum(cases) FILTER (WHERE outcome IN ('diverges', 'failed')), 0) AS wrong
FROM histogram JOIN executor_label USING (executor_id)
GROUP BY executor_id, op, types, measure, bucket
ORDER BY executor, op, types, measure DESC, bucket;

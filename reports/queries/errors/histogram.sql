-- How errors are spread: cases by ulp error and by slack, by op and types.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, types, measure, bucket, max(low) AS "from", max(high) AS "to",
       coalesce(sum(cases) FILTER (WHERE outcome NOT IN ('diverges', 'failed')), 0) AS "not wrong",
       coalesce(sum(cases) FILTER (WHERE outcome IN ('diverges', 'failed')), 0) AS wrong
FROM histogram
GROUP BY op, types, measure, bucket
ORDER BY op, types, measure DESC, bucket;

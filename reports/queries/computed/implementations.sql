-- Cases by implementation, where the library says which it chose.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, types, executor, implementation, sum(cases) AS cases,
       coalesce(sum(cases) FILTER (WHERE outcome IN ('diverges', 'failed')), 0) AS wrong,
       max(ulp_error_max) AS "max ulp", max(slack_max) AS "max slack"
FROM counter JOIN executor_label USING (executor_id)
WHERE implementation <> ''
GROUP BY op, types, executor_id, implementation
ORDER BY op, types, executor, implementation;

-- Accuracy on ordinary data: numbers at most 16 binary orders of magnitude from 1.
-- SPDX-License-Identifier: Apache-2.0
-- Of a sample of the judged cases; errors are those of conforming ones, each by its worst element; ulps are of
-- those alone whose terms do not cancel (condition below 8, or not known).
SELECT executor, op, types, sum(cases) AS cases,
       coalesce(sum(cases) FILTER (WHERE outcome = 'diverges'), 0) AS wrong,
       100.0 * coalesce(sum(cases) FILTER (WHERE outcome = 'diverges'), 0) / sum(cases) AS "wrong %",
       sum(ulp_error_sum) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1)
         / sum(ulp_error_cases) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1)
         AS "mean ulp",
       max(ulp_error_max) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1) AS "max ulp",
       sum(backward_error_sum) FILTER (WHERE outcome = 'conforms')
         / sum(backward_error_cases) FILTER (WHERE outcome = 'conforms') AS "mean backward error",
       max(backward_error_max) FILTER (WHERE outcome = 'conforms' AND backward_error_cases > 0)
         AS "max backward error",
       max(slack_max) FILTER (WHERE outcome = 'conforms') AS "max slack"
FROM accuracy JOIN executor_label USING (executor_id)
WHERE data = 'ordinary'
GROUP BY executor_id, op, types
ORDER BY executor, op, types;

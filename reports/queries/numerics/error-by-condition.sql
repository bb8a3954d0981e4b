-- Error against the condition number of the sums, by executor and op.
-- SPDX-License-Identifier: Apache-2.0
-- Of a sample of the judged cases; errors are those of conforming ones, each by its worst element.  The condition
-- number is the sum of |terms| over |exact sum|, the largest of a case.  A backward error stays where it is; an
-- error in ulps grows with the condition number.
SELECT executor, op,
       condition_low AS "condition from", condition_high AS "to", sum(cases) AS cases,
       sum(backward_error_sum) FILTER (WHERE outcome = 'conforms')
         / sum(backward_error_cases) FILTER (WHERE outcome = 'conforms') AS "mean backward error",
       max(backward_error_max) FILTER (WHERE outcome = 'conforms') AS "max backward error",
       sum(ulp_error_sum) FILTER (WHERE outcome = 'conforms')
         / sum(ulp_error_cases) FILTER (WHERE outcome = 'conforms') AS "mean ulp",
       max(ulp_error_max) FILTER (WHERE outcome = 'conforms') AS "max ulp",
       coalesce(sum(cases) FILTER (WHERE outcome = 'diverges'), 0) AS wrong
FROM accuracy JOIN executor_label USING (executor_id)
WHERE condition_bucket >= 0
GROUP BY executor_id, op, condition_bucket
ORDER BY executor, op, condition_bucket;

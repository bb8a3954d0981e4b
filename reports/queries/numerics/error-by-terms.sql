-- Error against K: how errors grow with the number of terms, by executor and op.
-- SPDX-License-Identifier: Apache-2.0
-- Of a sample of the judged cases; errors are those of conforming ones, each by its worst element; ulps are of
-- those alone whose terms do not cancel (condition below 8, or not known).  A backward
-- error is |err| / (u * sum of |terms|): in any order it is at most about K, pairwise about log2 K, and it is
-- small where terms are added with more digits.
SELECT executor, op, types,
       CASE terms_low WHEN 0 THEN '1'
            ELSE terms_low || CASE WHEN terms_high > 262144 THEN ' and more'
                                   ELSE ' to ' || terms_high END END AS K,
       sum(cases) AS cases,
       sum(backward_error_sum) FILTER (WHERE outcome = 'conforms')
         / sum(backward_error_cases) FILTER (WHERE outcome = 'conforms') AS "mean backward error",
       max(backward_error_max) FILTER (WHERE outcome = 'conforms' AND backward_error_cases > 0)
         AS "max backward error",
       sum(ulp_error_sum) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1)
         / sum(ulp_error_cases) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1)
         AS "mean ulp",
       max(ulp_error_max) FILTER (WHERE outcome = 'conforms' AND condition_bucket < 1) AS "max ulp",
       max(slack_max) FILTER (WHERE outcome = 'conforms') AS "max slack",
       max(condition_max) AS "max condition",
       coalesce(sum(cases) FILTER (WHERE outcome = 'diverges'), 0) AS wrong
FROM accuracy JOIN executor_label USING (executor_id)
GROUP BY executor_id, op, types, terms_low
ORDER BY executor, op, types, terms_low;

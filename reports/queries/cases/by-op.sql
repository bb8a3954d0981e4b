-- Cases by op and executor: how they ended, and the largest errors.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, executor,
       sum(cases) AS cases,
       coalesce(sum(conforms), 0) AS conforms,
       coalesce(sum(diverges), 0) AS diverges,
       coalesce(sum(failed), 0) AS failed,
       coalesce(sum(refused), 0) AS refused,
       coalesce(sum(weak), 0) AS weak,
       coalesce(sum(no_oracle), 0) AS "no-oracle",
       max(conforming_backward_error_max) AS "backward error",
       max(wrong_ulp_error_max) AS "max ulp",
       max(slack_max) AS "max slack"
FROM algorithm_tally
GROUP BY op, executor_id
ORDER BY op, executor;

-- What was tried: cases by op, algorithm, types and outcome, over all executors.
-- SPDX-License-Identifier: Apache-2.0
SELECT op, algorithm, types,
       sum(cases) AS cases,
       coalesce(sum(conforms), 0) AS conforms,
       coalesce(sum(diverges), 0) + coalesce(sum(failed), 0) AS wrong,
       coalesce(sum(refused), 0) AS refused,
       coalesce(sum(weak), 0) AS weak,
       coalesce(sum(no_oracle), 0) AS "no-oracle"
FROM tally
GROUP BY op, algorithm, types
ORDER BY op, algorithm, types;

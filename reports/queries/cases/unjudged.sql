-- Vacuous results: cases refused, undecided or weak, and untested elements.
-- SPDX-License-Identifier: Apache-2.0
SELECT executor, op, sum(cases) AS cases,
       coalesce(sum(refused), 0) AS refused,
       100.0 * coalesce(sum(refused), 0) / sum(cases) AS "refused %",
       coalesce(sum(no_oracle), 0) AS "no-oracle",
       100.0 * coalesce(sum(no_oracle), 0) / sum(cases) AS "no-oracle %",
       coalesce(sum(weak), 0) AS weak,
       100.0 * coalesce(sum(weak), 0) / sum(cases) AS "weak %",
       sum(untested) AS "untested elements",
       100.0 * sum(untested) / max(sum(elements), 1) AS "untested %"
FROM algorithm_tally
GROUP BY executor_id, op
HAVING coalesce(sum(refused), 0) + coalesce(sum(no_oracle), 0) + coalesce(sum(weak), 0) +
       sum(untested) > 0
ORDER BY 1.0 * (coalesce(sum(refused), 0) + coalesce(sum(no_oracle), 0) + coalesce(sum(weak), 0))
           / sum(cases) DESC, executor, op;

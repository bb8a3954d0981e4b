-- Where the time went, by campaign: oracle, executor, compiling and judging.
-- SPDX-License-Identifier: Apache-2.0
-- "rest" is what is none of these: drawing, bookkeeping and writing.
SELECT campaign, runs, seconds,
       100.0 * oracle_seconds / nullif(seconds, 0) AS "oracle %",
       100.0 * executor_seconds / nullif(seconds, 0) AS "executor %",
       100.0 * compile_seconds / nullif(seconds, 0) AS "compile %",
       100.0 * judge_seconds / nullif(seconds, 0) AS "judge %",
       100.0 * (seconds - oracle_seconds - executor_seconds - compile_seconds - judge_seconds)
         / nullif(seconds, 0) AS "rest %",
       cases / nullif(seconds, 0) AS "cases/s"
FROM campaign
ORDER BY number DESC;

-- Time by op: what cases took in the executor, and in Assay, the dearest op first.
-- SPDX-License-Identifier: Apache-2.0
-- A case is executed twice.  "us a case" and "ns an element" are of the executor alone, of what was judged.
SELECT op, executor, sum(cases) AS cases,
       sum(executor_seconds) AS "executor s", sum(compile_seconds) AS "compile s",
       sum(oracle_seconds) AS "oracle s", sum(judge_seconds) AS "judge s",
       1e6 * sum(CASE WHEN elements > 0 THEN executor_seconds END)
         / sum(CASE WHEN elements > 0 THEN cases END) AS "us a case",
       1e9 * sum(CASE WHEN elements > 0 THEN executor_seconds END) / nullif(sum(elements), 0)
         AS "ns an element",
       100.0 * sum(executor_seconds + compile_seconds + oracle_seconds + judge_seconds)
         / nullif((SELECT sum(executor_seconds + compile_seconds + oracle_seconds + judge_seconds)
                   FROM counter), 0) AS "share %"
FROM counter JOIN executor_label USING (executor_id)
GROUP BY op, executor_id
ORDER BY "share %" DESC, op, executor;

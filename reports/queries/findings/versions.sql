-- Executors by version: when it was vetted, share wrong, findings it has alone.
-- SPDX-License-Identifier: Apache-2.0
SELECT name AS executor, version, hardware,
       (SELECT min(started) FROM run WHERE run_id IN
          (SELECT run_id FROM counter WHERE counter.executor_id = executor.executor_id))
         AS "first run",
       (SELECT max(started) FROM run WHERE run_id IN
          (SELECT run_id FROM counter WHERE counter.executor_id = executor.executor_id))
         AS "last run",
       coalesce(sum(cases), 0) AS cases,
       coalesce(sum(diverges), 0) + coalesce(sum(failed), 0) AS wrong,
       100.0 * (coalesce(sum(diverges), 0) + coalesce(sum(failed), 0)) / sum(cases) AS "wrong %",
       (SELECT count(*) FROM divergence WHERE divergence.executor_id = executor.executor_id)
         AS findings,
       (SELECT count(*) FROM divergence
        WHERE divergence.executor_id = executor.executor_id AND NOT EXISTS
          (SELECT 1 FROM executor AS other JOIN divergence AS its USING (executor_id)
           WHERE other.name = executor.name AND other.executor_id <> executor.executor_id
             AND its.signature = divergence.signature))
         AS "only here"
FROM executor LEFT JOIN tally USING (executor_id)
GROUP BY executor.executor_id
ORDER BY name, "first run", executor.executor_id;

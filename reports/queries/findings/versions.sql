-- Executors by version: when it was vetted, share wrong, findings it has alone.
-- SPDX-License-Identifier: Apache-2.0
WITH several AS (  -- names with several versions
  SELECT name FROM executor GROUP BY name HAVING count(*) > 1
), ran AS (
  SELECT executor_id, min(started) AS first_run, max(started) AS last_run
  FROM (SELECT DISTINCT run_id, executor_id FROM counter) JOIN run USING (run_id)
  GROUP BY executor_id
), found AS (
  SELECT executor_id, count(*) AS findings FROM divergence GROUP BY executor_id
), alone AS (  -- what one version of several has shown
  SELECT executor_id, count(*) AS findings
  FROM (SELECT max(executor_id) AS executor_id FROM divergence JOIN executor USING (executor_id)
        WHERE name IN (SELECT name FROM several)
        GROUP BY name, signature HAVING count(*) = 1)
  GROUP BY executor_id
)
SELECT name AS executor, version, hardware,
       max(first_run) AS "first run", max(last_run) AS "last run",
       coalesce(sum(cases), 0) AS cases,
       coalesce(sum(diverges), 0) + coalesce(sum(failed), 0) AS wrong,
       100.0 * (coalesce(sum(diverges), 0) + coalesce(sum(failed), 0)) / sum(cases) AS "wrong %",
       coalesce(max(found.findings), 0) AS findings,
       coalesce(max(CASE WHEN name IN (SELECT name FROM several) THEN alone.findings
                         ELSE found.findings END), 0) AS "only here"
FROM executor LEFT JOIN algorithm_tally USING (executor_id) LEFT JOIN ran USING (executor_id)
     LEFT JOIN found USING (executor_id) LEFT JOIN alone USING (executor_id)
GROUP BY executor.executor_id
ORDER BY name, "first run", executor.executor_id;

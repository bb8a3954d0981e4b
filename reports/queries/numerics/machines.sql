-- Executors by backend, version number, kernels and the processors that they ran on.
-- SPDX-License-Identifier: Apache-2.0
WITH ran AS (
  SELECT executor_id, run_id, sum(cases) AS cases FROM counter GROUP BY executor_id, run_id
)
SELECT backend, asked_release AS release, options, version_number AS version, version_major AS major,
       version_minor AS minor, version_patch AS patch, kernels, variables,
       run.processor AS "ran on", run.architecture, run.processors, count(run_id) AS runs,
       coalesce(sum(cases), 0) AS cases
FROM executor_part LEFT JOIN ran USING (executor_id) LEFT JOIN run USING (run_id)
GROUP BY executor_id, run.processor, run.architecture, run.processors
ORDER BY backend, major, minor, patch, options, "ran on";

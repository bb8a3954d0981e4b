-- The executors that were vetted: version, hardware, cases and findings.
-- SPDX-License-Identifier: Apache-2.0
SELECT executor, version, hardware,
       coalesce((SELECT sum(cases) FROM counter WHERE counter.executor_id = executor.executor_id),
                0) AS cases,
       (SELECT count(*) FROM divergence
        WHERE divergence.executor_id = executor.executor_id) AS findings
FROM executor JOIN executor_label USING (executor_id)
ORDER BY executor;

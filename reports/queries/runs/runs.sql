-- Every run: when, how it ended, and how many cases it counted.
-- SPDX-License-Identifier: Apache-2.0
SELECT run_id AS run, run_label.campaign, started, ended, exit_code AS exit,
       (SELECT sum(cases) FROM counter WHERE counter.run_id = run.run_id) AS cases,
       coalesce(begun.findings, 0) AS "new findings",
       (SELECT count(*) FROM absorbed_run WHERE absorbed_run.run_id = run.run_id) AS slices,
       seconds, host, seed, assay_version AS assay, command
FROM run JOIN run_label USING (run_id)
     LEFT JOIN (SELECT first_run_id AS run_id, count(*) AS findings FROM divergence
                GROUP BY first_run_id) AS begun USING (run_id)
ORDER BY run_id;

-- Every campaign, the last one first; a run outside campaigns counts as one.
-- SPDX-License-Identifier: Apache-2.0
SELECT campaign, started, ended, runs, cases, wrong, findings, new_findings AS "new findings",
       seconds,
       CASE WHEN seconds > 0 THEN cases / seconds END AS "cases/s"
FROM campaign
ORDER BY number DESC;

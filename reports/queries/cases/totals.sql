-- All in one line: cases and how they ended, findings, constraints tried.
-- SPDX-License-Identifier: Apache-2.0
SELECT (SELECT count(*) FROM campaign) AS campaigns,
       (SELECT count(*) FROM run) AS runs,
       (SELECT count(*) FROM executor) AS executors,
       (SELECT count(DISTINCT op) FROM counter) AS ops,
       coalesce(sum(cases), 0) AS cases,
       coalesce(sum(conforms), 0) AS conforms,
       coalesce(sum(wrong), 0) AS wrong,
       coalesce(sum(refused), 0) AS refused,
       coalesce(sum(no_oracle), 0) AS "no-oracle",
       coalesce(sum(weak), 0) AS weak,
       (SELECT count(*) FROM divergence) AS findings,
       (SELECT new_findings FROM campaign ORDER BY number DESC LIMIT 1) AS "new findings",
       (SELECT count(*) FROM constraint_coverage) AS constraints,
       (SELECT count(*) FROM constraint_coverage WHERE drawn > 0) AS "constraints drawn",
       coalesce(sum(seconds), 0.0) AS seconds,
       (SELECT coalesce(sum(cases), 0) FROM observation WHERE kind = 'contract') AS "held to wide",
       (SELECT coalesce(sum(cases), 0) FROM observation
        WHERE kind = 'contract' AND observed <> 'wide') AS "not wide",
       (SELECT campaign FROM campaign ORDER BY number DESC LIMIT 1) AS "last campaign",
       min(started) AS started, max(coalesce(ended, started)) AS ended
FROM campaign;

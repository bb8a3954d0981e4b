-- Root causes: findings by executor, op, class and cause, those seen most first.
-- SPDX-License-Identifier: Apache-2.0
-- The example is the finding of each with the shortest case line.
SELECT executor, op, class,
       CASE cause WHEN '' THEN '(unknown)' ELSE cause END AS cause,
       findings, new_findings AS new, sightings, algorithms, types,
       slack_max AS "max slack", ulp_error_max AS "max ulp",
       first_seen AS "first seen", last_seen AS "last seen",
       example_id AS example, cause_words AS "in words", pattern
FROM root_cause
ORDER BY sightings DESC, executor, op, class, cause;

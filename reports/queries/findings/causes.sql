-- Root causes, the gravest first: what one hypothesis explains, and its spread.
-- SPDX-License-Identifier: Apache-2.0
-- The example is the gravest finding of each, and of those the one with the shortest case line.
SELECT severity, executor,
       CASE WHEN known <> '' THEN known_words WHEN cause = '' THEN '(unknown)' ELSE cause END AS cause,
       class, op, findings, new_findings AS new, sightings, ops, algorithms, types,
       slack_max AS "max slack", ulp_error_max AS "max ulp",
       first_seen AS "first seen", last_seen AS "last seen",
       example_id AS example, cause_words AS "in words", pattern,
       op_list AS "in ops", algorithm_list AS "in algorithms", type_list AS "in types"
FROM root_cause
ORDER BY severity_rank, severity_weight DESC, sightings DESC, executor, hypothesis, family;

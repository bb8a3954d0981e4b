-- Every finding, the gravest first: what diverged where, how often, and why.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, severity, op, algorithm, types, executor,
       rtrim(class || ' ' || broken_constraint) AS class,
       sightings, slack AS "max slack", ulp_error AS "max ulp",
       first_campaign AS "first seen by", cause, known_words AS known, pattern, small_case_line AS "case"
FROM finding
ORDER BY severity_rank, severity_weight DESC, op, algorithm, types, executor, id;

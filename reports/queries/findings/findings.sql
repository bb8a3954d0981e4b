-- Every finding: what diverged where, how often, by how much at the worst, and why.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, op, algorithm, types, executor,
       rtrim(class || ' ' || broken_constraint) AS class,
       sightings, slack AS "max slack", ulp_error AS "max ulp",
       first_campaign AS "first seen by", cause, pattern, small_case_line AS "case"
FROM finding
ORDER BY op, algorithm, types, executor, id;

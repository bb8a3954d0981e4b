-- Every finding: what diverged where, how often, and by how much at the worst.
SELECT id, op, algorithm, types, executor,
       rtrim(class || ' ' || broken_constraint) AS class,
       sightings, slack AS "max slack", ulp_error AS "max ulp"
FROM finding
ORDER BY op, algorithm, types, executor, id;

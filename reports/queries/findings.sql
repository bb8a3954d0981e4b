-- Every finding: what diverged where, how often, and by how much at the worst.
SELECT id, op, algorithm, types, executor, class, broken_constraint AS "constraint", sightings,
       slack AS "max slack", ulp_error AS "max ulp", got, expected, first_seen AS "first seen"
FROM finding
ORDER BY op, algorithm, types, executor, id;

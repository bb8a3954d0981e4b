-- Broken properties of invariance: where, how often, and at which value the bits change.
SELECT id, executor, op, types, sightings, observed AS "property, and where it begins",
       program_line AS "smallest program"
FROM finding
WHERE class = 'invariance' OR (class = 'nondeterministic' AND observed LIKE 'run-to-run%')
ORDER BY executor, op, types, observed, id;

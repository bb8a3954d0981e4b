-- Findings that the last run was the first to see.
SELECT id, op, algorithm, types, executor, class, sightings, got, expected,
       shortest_case_line AS "case"
FROM finding
WHERE first_run_id = (SELECT max(run_id) FROM run)
ORDER BY id;

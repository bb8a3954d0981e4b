-- The shortest case of each finding: the one to look at first (the first 50).
SELECT id, executor, class, sightings, shortest_case_line AS "case"
FROM finding
ORDER BY length(shortest_case_line), id
LIMIT 50;

-- Findings and sightings by kind of divergence.
SELECT class, executor, count(*) AS findings, sum(sightings) AS sightings,
       max(slack) AS "max slack", max(ulp_error) AS "max ulp"
FROM finding
GROUP BY class, executor_id
ORDER BY findings DESC, class, executor;

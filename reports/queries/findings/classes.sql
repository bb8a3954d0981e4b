-- Findings and sightings by kind of divergence.
-- SPDX-License-Identifier: Apache-2.0
SELECT class, executor, count(*) AS findings, sum(sightings) AS sightings,
       max(slack) AS "max slack", max(ulp_error) AS "max ulp"
FROM finding
GROUP BY class, executor_id
ORDER BY findings DESC, class, executor;

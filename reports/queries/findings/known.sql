-- Known causes that findings match: explanation, clause, links, versions.
-- SPDX-License-Identifier: Apache-2.0
SELECT known.id, executor_label.executor, count(*) AS findings, sum(sightings) AS sightings,
       max(known.title) AS title, max(known.why) AS why, max(known.clause) AS clause,
       max(known.links) AS links, max(known.affected) AS affected, max(known.mended) AS mended,
       max(known.regressed) AS regressed, max(known.found) AS found
FROM graded JOIN (SELECT * FROM known GROUP BY id) AS known ON known.id = graded.known
JOIN executor_label USING (executor_id)
GROUP BY known.id, executor_label.executor
ORDER BY min(severity_rank), max(severity_weight) DESC, known.id, executor_label.executor;

-- Broken properties of invariance: where, how often, at which value bits change.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, executor, op, types, sightings,
       shortest.observed AS "property, and where it begins", program.line AS "smallest program"
FROM finding
JOIN reproducer AS shortest ON shortest.divergence_id = id AND shortest.role = 'shortest'
JOIN program USING (program_id)
WHERE class = 'invariance'
   OR (class = 'nondeterministic' AND shortest.observed LIKE 'run-to-run%')
ORDER BY executor, op, types, shortest.observed, id;

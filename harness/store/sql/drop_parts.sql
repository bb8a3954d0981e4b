-- SPDX-License-Identifier: Apache-2.0
-- Takes away the parts in temp.part_map with all that they counted: the runs that absorbed them have it
-- in their counts.  What refers to a part refers to that run from now on.  Counts have gone already, by
-- row_append_drop_parts().

-- A finding that only the part knows stays, whatever happened: it may have been told.
INSERT INTO sighting
SELECT divergence_id, target_id, cases, first_seen, last_seen
FROM sighting JOIN temp.part_map ON part_map.source_id = run_id
WHERE true
ON CONFLICT DO UPDATE SET cases = excluded.cases WHERE excluded.cases > cases;
UPDATE divergence SET sightings =
  (SELECT sum(cases) FROM sighting WHERE sighting.divergence_id = divergence.divergence_id
   AND run_id NOT IN (SELECT source_id FROM temp.part_map))
WHERE divergence_id IN (SELECT divergence_id FROM sighting
                        WHERE run_id IN (SELECT source_id FROM temp.part_map));
DELETE FROM sighting WHERE run_id IN (SELECT source_id FROM temp.part_map);

UPDATE divergence SET first_run_id = target_id
FROM temp.part_map WHERE first_run_id = source_id;
UPDATE divergence SET last_run_id = target_id
FROM temp.part_map WHERE last_run_id = source_id;
UPDATE reproducer SET run_id = target_id
FROM temp.part_map WHERE run_id = source_id;
UPDATE retest SET run_id = target_id
FROM temp.part_map WHERE run_id = source_id;
UPDATE result_bits SET run_id = target_id
FROM temp.part_map WHERE run_id = source_id;
DELETE FROM run WHERE run_id IN (SELECT source_id FROM temp.part_map);

-- Where each finding is in its life, and in which versions it was seen.
-- SPDX-License-Identifier: Apache-2.0
SELECT id, state, executor, op, algorithm, types,
       rtrim(class || ' ' || broken_constraint) AS class, sightings,
       first_version AS "first seen in", last_version AS "last seen in",
       last_good_version AS "last good", open_on AS "open on", substr(signature, 1, 12) AS signature
FROM finding_state
ORDER BY CASE state WHEN 'regressed' THEN 1 WHEN 'new' THEN 2 WHEN 'waiver-expired' THEN 3
                    WHEN 'known' THEN 4 WHEN 'waived' THEN 5 WHEN 'changed' THEN 6 ELSE 7 END,
         executor, op, algorithm, types, id;

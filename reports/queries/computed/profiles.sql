-- How executors add: the profiles by shape and length, in words.
-- SPDX-License-Identifier: Apache-2.0
SELECT name AS executor, version, shape,
       CASE WHEN terms_low = terms_high THEN CAST(terms_low AS TEXT)
            ELSE terms_low || ' .. ' || terms_high END AS n,
       words, sightings, first_seen AS "first seen", last_seen AS "last seen",
       substr(hash, 1, 8) AS hash
FROM profile JOIN executor USING (executor_id)
ORDER BY name, executor_id, shape, terms_low, terms_high, last_seen;

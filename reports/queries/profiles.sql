-- How executors add: the profiles by shape and length, in words.
SELECT executor, version, op, algorithm, types, shape,
       CASE WHEN terms_low = terms_high THEN CAST(terms_low AS TEXT)
            ELSE terms_low || ' .. ' || terms_high END AS n,
       words, sightings, first_seen AS "first seen", last_seen AS "last seen",
       substr(hash, 1, 8) AS hash
FROM profile JOIN executor USING (executor_id) JOIN executor_label USING (executor_id)
ORDER BY executor, op, algorithm, types, shape, terms_low, terms_high, last_seen;

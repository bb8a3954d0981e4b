-- Executors of which a later version adds otherwise, and for which lengths.
-- SPDX-License-Identifier: Apache-2.0
WITH known AS (
  SELECT profile.*, name, version, hardware,
         dense_rank() OVER (PARTITION BY name, shape ORDER BY executor_id) AS step
  FROM profile JOIN executor USING (executor_id)
), bound AS (  -- where a profile begins, or the one before it has ended
  SELECT name, shape, terms_low AS low FROM known
  UNION
  SELECT name, shape, terms_high + 1 FROM known
), piece AS (  -- lengths that every profile covers whole or not at all
  SELECT name, shape, low,
         lead(low) OVER (PARTITION BY name, shape ORDER BY low) - 1 AS high
  FROM bound
), held AS (  -- the profile that holds there: of several the one seen last
  SELECT known.*, piece.low, piece.high,
         row_number() OVER (PARTITION BY executor_id, shape, low
                            ORDER BY last_seen DESC, profile_id DESC) AS age
  FROM piece JOIN known USING (name, shape)
  WHERE terms_low <= piece.low AND terms_high >= piece.high
)
SELECT before.name AS executor, before.version AS "from version", after.version AS "to version",
       CASE WHEN before.hardware <> after.hardware
            THEN before.hardware || ' -> ' || after.hardware ELSE '' END AS hardware,
       before.shape,
       CASE WHEN before.low = before.high THEN CAST(before.low AS TEXT)
            ELSE before.low || ' .. ' || before.high END AS n,
       before.words AS "from", after.words AS "to", after.first_seen AS since
FROM held AS before JOIN held AS after
  ON after.name = before.name AND after.shape = before.shape AND after.low = before.low
 AND after.step = before.step + 1
WHERE before.age = 1 AND after.age = 1 AND after.hash <> before.hash
ORDER BY before.name, before.shape, after.step, before.low;

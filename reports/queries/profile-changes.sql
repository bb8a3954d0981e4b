-- Which version of an executor adds otherwise than the one before it, and for which lengths.
WITH latest AS (  -- without the profiles that a later identification of the same executor replaced
  SELECT * FROM profile
  WHERE NOT EXISTS (SELECT 1 FROM profile AS later
                    WHERE later.executor_id = profile.executor_id
                      AND later.shape = profile.shape
                      AND later.terms_low <= profile.terms_low
                      AND later.terms_high >= profile.terms_high
                      AND (later.last_seen, later.profile_id)
                          > (profile.last_seen, profile.profile_id))
), ranked AS (
  SELECT latest.*, name, version, hardware,
         dense_rank() OVER (PARTITION BY name, shape ORDER BY executor_id) AS step
  FROM latest JOIN executor USING (executor_id)
)
SELECT before.name AS executor, before.version AS "from version", after.version AS "to version",
       CASE WHEN before.hardware <> after.hardware
            THEN before.hardware || ' -> ' || after.hardware ELSE '' END AS hardware,
       before.op, before.algorithm, before.types, before.shape,
       max(before.terms_low, after.terms_low) || ' .. ' ||
       min(before.terms_high, after.terms_high) AS n,
       before.words AS "from", after.words AS "to", after.first_seen AS since
FROM ranked AS before JOIN ranked AS after
  ON after.name = before.name AND after.shape = before.shape AND after.step = before.step + 1
 AND after.terms_low <= before.terms_high AND after.terms_high >= before.terms_low
WHERE after.hash <> before.hash
ORDER BY before.name, before.shape, after.step, max(before.terms_low, after.terms_low);

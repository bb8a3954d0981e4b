-- The ledger of bits: cases by version, and bits that changed within a version.
-- SPDX-License-Identifier: Apache-2.0
SELECT executor_id AS "#", name AS executor, version, hardware, op, algorithm, types,
       count(*) AS cases,
       sum(outcome = 'conforms') AS conforms,
       sum(outcome = 'diverges') AS diverges,
       sum(outcome = 'refused') AS refused,
       sum(changes > 0) AS "bits changed within the version",
       max(slack) AS "max slack"
FROM result_bits JOIN executor USING (executor_id) JOIN bits_case USING (case_hash)
GROUP BY executor_id, op, algorithm, types
ORDER BY name, executor_id, op, algorithm, types;

-- Cases of which two executors of one run have other bits (see --twins).
-- SPDX-License-Identifier: Apache-2.0
SELECT a.name AS executor, a.version, b.name AS twin, op, algorithm, types, count(*) AS cases,
       sum(x.outcome = 'conforms' AND y.outcome = 'conforms') AS "both conform",
       max(max(x.ulp_error, y.ulp_error)) AS "max ulp",
       min(case_line) AS "case"
FROM result_bits AS x
JOIN result_bits AS y USING (case_hash, run_id)
JOIN executor AS a ON a.executor_id = x.executor_id
JOIN executor AS b ON b.executor_id = y.executor_id
JOIN bits_case USING (case_hash)
WHERE x.executor_id < y.executor_id AND x.bits <> '' AND y.bits <> '' AND x.bits <> y.bits
GROUP BY a.executor_id, b.executor_id, op, algorithm, types
ORDER BY a.name, a.executor_id, b.name, op, algorithm, types;

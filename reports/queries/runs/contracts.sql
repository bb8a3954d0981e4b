-- The contracts under which verdicts were given, and the runs that used them.
-- SPDX-License-Identifier: Apache-2.0
SELECT contract_id AS contract, count(run_id) AS runs, max(run_id) AS "last run", permissions
FROM contract LEFT JOIN run USING (contract_id)
GROUP BY contract_id
ORDER BY contract_id;

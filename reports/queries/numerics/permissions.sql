-- Permissions of contracts as columns: which value each run's contract had.
-- SPDX-License-Identifier: Apache-2.0
-- Those that differ between contracts of this database come first.
SELECT permission, value, group_concat(contract_id, ' ') AS contracts,
       (SELECT count(*) FROM run WHERE contract_id IN
          (SELECT contract_id FROM contract_permission AS its
           WHERE its.permission = here.permission AND its.value = here.value)) AS runs
FROM contract_permission AS here
GROUP BY permission, value
ORDER BY count(*) OVER (PARTITION BY permission) DESC, min(place), value;

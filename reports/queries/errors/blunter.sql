-- Where a contract, or a version of Assay, sees less than the one before it.
-- SPDX-License-Identifier: Apache-2.0
-- Contracts and versions in the order in which they were first used on an op, types and number of terms.
SELECT op, algorithm, types, terms_low AS "terms from", before AS "median before", median,
       CASE WHEN before > 0 THEN median / before END AS times,
       contract_before AS "contract before", contract_id AS contract,
       assay_before AS "assay before", assay_version AS assay, since
FROM (SELECT *, lag(median) OVER in_time AS before, lag(contract_id) OVER in_time AS contract_before,
             lag(assay_version) OVER in_time AS assay_before
      FROM power
      WINDOW in_time AS (PARTITION BY op, algorithm, types, terms_low
                         ORDER BY since, contract_id, assay_version))
WHERE median > before
ORDER BY times IS NULL DESC, times DESC, op, algorithm, types, terms_low;

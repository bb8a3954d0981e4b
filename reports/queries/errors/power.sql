-- How large an error would have been seen, by op, types, terms and contract.
-- SPDX-License-Identifier: Apache-2.0
-- In units in the last place.  An error above the median shows in half of the elements.
SELECT op, algorithm, types,
       CASE terms_low WHEN 0 THEN '1'
            ELSE terms_low || CASE WHEN terms_high > 262144 THEN ' and more'
                                   ELSE ' to ' || terms_high END END AS terms,
       elements, 100.0 * vacuous / elements AS "vacuous %", median, p90, worst,
       contract_id AS contract, assay_version AS assay, since
FROM power
ORDER BY op, algorithm, types, terms_low, since, contract_id;
